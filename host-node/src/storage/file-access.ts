/**
 * Reading, writing and syncing whole pieces with `node:fs`, and opening without following links. Every function throws
 * what the system reports.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
  type BigIntStats,
} from "node:fs";
import { accessDenied } from "../ports/storage-failure.js";

/** The mode of every file and folder that this host makes for derived state: for this user alone. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** Windows has neither flag; there the check of the folders on the way has to do. */
const CAREFULLY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Fills `bytes` from `position` on. Returns how many bytes came; fewer only at the file's end. */
export function readAt(descriptor: number, bytes: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, position + filled);
    if (count === 0) {
      break;
    }
    filled += count;
  }
  return filled;
}

/** Writes all of `bytes` at `position`. */
export function writeAt(descriptor: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
  }
}

/** Opens what stands at `path`, a regular file and no link; none where nothing stands there. */
export function openExisting(path: string, access: number): number | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    return undefined; // asked first, because an error costs ten times as much
  }
  try {
    return regularFile(openSync(path, access | CAREFULLY));
  } catch (error) {
    if (codeOf(error) === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

/** Makes a file that is not there yet; none where something stands at `path`. */
export function createExclusively(path: string): number | undefined {
  try {
    return openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, FILE_MODE);
  } catch (error) {
    if (codeOf(error) === "EEXIST") {
      return undefined;
    }
    throw error;
  }
}

/** Opens a file for reading and writing, and makes it where it is not there. */
export function openOrCreate(path: string): number {
  for (;;) {
    const descriptor = openExisting(path, constants.O_RDWR) ?? createExclusively(path);
    if (descriptor !== undefined) {
      return descriptor;
    }
  }
}

/** Makes the names in a folder durable. Windows cannot do this, and orders them by itself. */
export function syncFolder(path: string): void {
  if (process.platform === "win32") {
    return;
  }
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes a file; it may be gone already. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") {
      throw error;
    }
  }
}

/** Whether the open file is the one that stands at `path` now. */
export function standsAt(descriptor: number, path: string): boolean {
  const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return there !== undefined && sameFile(there, fstatSync(descriptor, { bigint: true }));
}

export function sameFile(left: BigIntStats, right: BigIntStats): boolean {
  return left.ino === right.ino && left.dev === right.dev;
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

function regularFile(descriptor: number): number {
  if (fstatSync(descriptor).isFile()) {
    return descriptor;
  }
  closeSync(descriptor);
  throw accessDenied(); // a folder, or a pipe that would block
}
