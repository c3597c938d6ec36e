/**
 * The folder in which derived state is kept, and the rule that nothing outside it is reached: names are checked, and a
 * link below it is never followed. The folder itself may be reached through links, because its user named it.
 *
 * Invariant: reading makes nothing; the folder and those in it appear with the first transaction or object.
 *
 * The check and the use of a folder are two steps, since `node:fs` cannot open relative to a folder. That is no gap: the
 * folder belongs to this user alone, and whoever could exchange a part of it could read it as well.
 */
import { lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { BLOCK_FILE_NAME_BYTES } from "../limits.js";
import { accessDenied } from "../ports/storage-failure.js";
import { codeOf, FOLDER_MODE, syncFolder } from "./file-access.js";

/** The folder below the data folder that holds objects. */
export const OBJECTS_FOLDER = "objects";

const NAME_PART = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
/** First parts that have another use in the data folder: objects, and its user's configuration. */
const RESERVED_FIRST_PARTS = [OBJECTS_FOLDER, "ds4-context.json"];
/** Endings of the files that stand beside a block file. */
const RESERVED_ENDINGS = [".lock", ".takeover", ".commit", ".state"];

export class DataFolder {
  readonly #root: string;

  /** The folder at an absolute path, which need not be there yet. */
  constructor(root: string) {
    this.#root = root;
  }

  /** The path of these parts, which nobody has looked at. */
  path(parts: readonly string[]): string {
    return join(this.#root, ...parts);
  }

  /** The folder of these parts; none where it is not there. `access-denied` for a link on the way. */
  folder(parts: readonly string[]): string | undefined {
    let path = this.#root;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
      return undefined;
    }
    for (const part of parts) {
      path = join(path, part);
      if (!isFolder(path)) {
        return undefined;
      }
    }
    return path;
  }

  /** Like `folder`; what is missing is made, with mode 0700, and is durable. */
  makeFolder(parts: readonly string[]): string {
    makeRoot(this.#root);
    let path = this.#root;
    for (const part of parts) {
      const parent = path;
      path = join(parent, part);
      if (!isFolder(path)) {
        makeOneFolder(parent, path);
      }
    }
    return path;
  }
}

/** A block file's name in its parts. `access-denied` where it is against the rule. */
export function blockFileParts(name: string): readonly string[] {
  const parts = name.split("/");
  // Without regard to case, because some file systems have none.
  const lowerCase = name.toLowerCase();
  const holds =
    name.length <= BLOCK_FILE_NAME_BYTES &&
    parts.every((part) => NAME_PART.test(part)) &&
    !RESERVED_FIRST_PARTS.includes(lowerCase.split("/")[0] ?? "") &&
    !RESERVED_ENDINGS.some((ending) => lowerCase.endsWith(ending));
  if (!holds) {
    throw accessDenied();
  }
  return parts;
}

/** False where nothing stands there; `access-denied` where it is a link or no folder. */
function isFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    return false;
  }
  if (!stat.isDirectory()) {
    throw accessDenied();
  }
  return true;
}

function makeRoot(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) {
    return;
  }
  if (stat !== undefined) {
    throw accessDenied();
  }
  const parent = dirname(path);
  if (parent !== path) {
    makeRoot(parent);
  }
  makeOneFolder(parent, path);
}

function makeOneFolder(parent: string, path: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (codeOf(error) !== "EEXIST" || !isFolder(path)) {
      throw error; // where another process made it, it is as good
    }
  }
  syncFolder(parent);
}
