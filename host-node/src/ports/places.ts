/**
 * The canonical places that a session may read, and the rule that nothing else is readable: a path is relative, has `/`
 * between its parts, goes nowhere upwards, and, with every link resolved, still lies inside its place.
 */
import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { accessDenied, translated } from "./storage-failure.js";

export type PlaceName = "sessions" | "project";

/** The folders behind the places, as absolute paths. A place that is not named is not granted. */
export type PlaceGrants = { readonly [Place in PlaceName]?: string };

/** The place's real folder; `access-denied` where it was not granted, `not-found` where it is not there. */
export function placeFolder(grants: PlaceGrants, place: PlaceName): string {
  const folder = grants[place];
  if (folder === undefined) {
    throw accessDenied();
  }
  return translated(() => realpathSync.native(folder));
}

/** The real path of a file of the place. */
export function resolveInPlace(grants: PlaceGrants, place: PlaceName, path: string): string {
  const folder = placeFolder(grants, place);
  if (!isInnerPath(path)) {
    throw accessDenied();
  }
  const real = translated(() => realpathSync.native(join(folder, ...path.split("/"))));
  const prefix = folder.endsWith(sep) ? folder : folder + sep;
  if (!real.startsWith(prefix)) {
    throw accessDenied();
  }
  return real;
}

function isInnerPath(path: string): boolean {
  if (path.includes("\0") || (sep === "\\" && /[\\:]/.test(path))) {
    return false;
  }
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
