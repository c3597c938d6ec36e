/**
 * Lists a place's files as JSON lines `{path, size, modifiedMs}` in byte order of their paths.
 *
 * Links are not followed and not listed, so a listing cannot leave its place or run in a circle. Which files matter
 * (ignore rules, hidden folders) is the component's decision, so that every host decides alike.
 */
import { lstatSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { PORT_CALL_BYTES } from "../limits.js";

interface Child {
  /** The name; folders end with `/`, which is what puts them in byte order among their siblings' paths. */
  readonly key: Buffer;
  readonly name: string;
  readonly isFolder: boolean;
}

/** At most `limit` files from after `after`, and at most 8 MiB of lines. Throws what the system reports. */
export function listFiles(folder: string, after: string | undefined, limit: number): Uint8Array {
  const lines: Buffer[] = [];
  let bytes = 0;
  for (const path of pathsAfter(folder, "", after === undefined ? undefined : Buffer.from(after))) {
    if (lines.length >= limit) {
      break;
    }
    const stat = lstatSync(join(folder, path), { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) {
      continue; // it went away meanwhile
    }
    const line = Buffer.from(`${JSON.stringify({ path, size: stat.size, modifiedMs: Math.trunc(stat.mtimeMs) })}\n`);
    if (bytes + line.length > PORT_CALL_BYTES) {
      break;
    }
    lines.push(line);
    bytes += line.length;
  }
  return new Uint8Array(Buffer.concat(lines, bytes));
}

function* pathsAfter(folder: string, prefix: string, after: Buffer | undefined): Generator<string> {
  for (const child of sortedChildren(join(folder, prefix), prefix === "")) {
    const path = prefix + child.name;
    const key = Buffer.from(child.isFolder ? `${path}/` : path);
    if (child.isFolder) {
      if (after === undefined || Buffer.compare(key, after) > 0 || after.subarray(0, key.length).equals(key)) {
        yield* pathsAfter(folder, `${path}/`, after);
      }
    } else if (after === undefined || Buffer.compare(key, after) > 0) {
      yield path;
    }
  }
}

function sortedChildren(folder: string, isPlaceItself: boolean): Child[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isPlaceItself) {
      throw error;
    }
    return []; // an inner folder that may not be read, or went away meanwhile
  }
  return entries
    .filter((entry) => (entry.isFile() || entry.isDirectory()) && hasUnicodeName(entry))
    .map((entry) => {
      const isFolder = entry.isDirectory();
      return { name: entry.name, isFolder, key: Buffer.from(isFolder ? `${entry.name}/` : entry.name) };
    })
    .sort((left, right) => Buffer.compare(left.key, right.key));
}

/** A name that is no UTF-8 could not be asked for again; Node shows it with U+FFFD in it. */
function hasUnicodeName(entry: Dirent): boolean {
  return !entry.name.includes("\u{FFFD}");
}
