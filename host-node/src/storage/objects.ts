/**
 * Immutable objects, each named by the SHA-256 of its bytes (`docs/block-files.md`, "Objects").
 *
 * An object is written under a random name and gets its own only when it is whole and durable. Reading does not check the
 * hash: the reader of the whole does.
 */
import { createHash, randomBytes, type Hash } from "node:crypto";
import { closeSync, constants, fdatasyncSync, fstatSync, lstatSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { LISTED_OBJECTS, UNFINISHED_OBJECT_MS } from "../limits.js";
import { accessDenied, StorageFailure, translated } from "../ports/storage-failure.js";
import { requireCallSize } from "./call-size.js";
import { OBJECTS_FOLDER, type DataFolder } from "./data-folder.js";
import { codeOf, createExclusively, openExisting, readAt, removeFile, syncFolder, writeAt } from "./file-access.js";

const INCOMING = "incoming";
const OBJECT_NAME = /^[0-9a-f]{64}$/;
const INCOMING_NAME = /^[0-9a-f]{32}$/;
const FOLDER_NAME = /^[0-9a-f]{2}$/;

export interface ObjectStat {
  readonly sha256: string;
  /** Bytes. */
  readonly size: bigint;
}

/** One object on its way in: the resource that the component gets. */
export class ObjectWriter implements Disposable {
  readonly #folder: DataFolder;
  readonly #path: string;
  readonly #hash: Hash = createHash("sha256");
  #descriptor: number | undefined;
  #length = 0;
  /** The name under which it was finished. */
  #finishedAs: string | undefined;

  /** Begins an object, and removes what writers left behind a day ago or earlier. */
  constructor(folder: DataFolder) {
    this.#folder = folder;
    const incoming = folder.makeFolder([OBJECTS_FOLDER, INCOMING]);
    removeUnfinished(incoming);
    this.#path = join(incoming, randomBytes(16).toString("hex"));
    this.#descriptor = createExclusively(this.#path);
  }

  write(bytes: Uint8Array): void {
    translated(() => {
      requireCallSize(bytes.length);
      const descriptor = this.#requireUnfinished();
      try {
        writeAt(descriptor, bytes, this.#length);
      } catch (error) {
        this.#giveUp();
        throw error;
      }
      this.#length += bytes.length;
      this.#hash.update(bytes);
    });
  }

  /** Makes the object visible under its name. `corrupt` where its bytes have another hash; they are gone then. */
  finish(sha256: string): void {
    translated(() => {
      if (this.#finishedAs !== undefined) {
        requireHash(this.#finishedAs, sha256);
        return;
      }
      const descriptor = this.#requireUnfinished();
      try {
        requireHash(this.#hash.digest("hex"), sha256);
        fdatasyncSync(descriptor);
        const folder = this.#folder.makeFolder([OBJECTS_FOLDER, sha256.slice(0, 2)]);
        renameSync(this.#path, join(folder, sha256));
        this.#finishedAs = sha256;
        syncFolder(folder);
      } finally {
        this.#giveUp();
      }
    });
  }

  /** An object that was not finished is gone. */
  [Symbol.dispose](): void {
    try {
      this.#giveUp();
    } catch {
      // A later writer removes it.
    }
  }

  #requireUnfinished(): number {
    if (this.#descriptor === undefined) {
      throw new StorageFailure({ tag: "other", val: "this object was finished or given up already" });
    }
    return this.#descriptor;
  }

  #giveUp(): void {
    if (this.#descriptor !== undefined) {
      closeSync(this.#descriptor);
      this.#descriptor = undefined;
      removeFile(this.#path);
    }
  }
}

function requireHash(found: string, named: string): void {
  if (found !== named) {
    throw new StorageFailure({ tag: "corrupt", val: `the object's bytes have the hash ${found}` });
  }
}

/** Up to `length` bytes of an object from `offset`; none behind its end. */
export function getObject(folder: DataFolder, sha256: string, offset: bigint, length: number): Uint8Array {
  requireCallSize(length);
  const descriptor = openExisting(objectPath(folder, sha256), constants.O_RDONLY);
  if (descriptor === undefined) {
    throw notFound();
  }
  try {
    const size = BigInt(fstatSync(descriptor).size);
    if (offset >= size) {
      return new Uint8Array();
    }
    const bytes = new Uint8Array(Math.min(length, Number(size - offset)));
    return bytes.subarray(0, readAt(descriptor, bytes, Number(offset)));
  } finally {
    closeSync(descriptor);
  }
}

/** At most `limit` objects in byte order of their names, from after `after`. */
export function listObjects(folder: DataFolder, after: string | undefined, limit: number): ObjectStat[] {
  const most = Math.min(limit, LISTED_OBJECTS);
  const objects: ObjectStat[] = [];
  for (const name of namesIn(folder.folder([OBJECTS_FOLDER]))) {
    if (!FOLDER_NAME.test(name) || (after !== undefined && name < after.slice(0, 2))) {
      continue;
    }
    const inner = folder.folder([OBJECTS_FOLDER, name]);
    if (inner === undefined) {
      continue; // it went away meanwhile
    }
    for (const sha256 of namesIn(inner)) {
      if (objects.length >= most) {
        return objects;
      }
      if (!OBJECT_NAME.test(sha256) || !sha256.startsWith(name) || (after !== undefined && sha256 <= after)) {
        continue;
      }
      const stat = lstatSync(join(inner, sha256), { bigint: true, throwIfNoEntry: false });
      if (stat?.isFile() === true) {
        objects.push({ sha256, size: stat.size });
      }
    }
  }
  return objects;
}

export function removeObject(folder: DataFolder, sha256: string): void {
  const path = objectPath(folder, sha256);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw notFound();
  }
  removeFile(path);
}

/** Where an object stands or would stand. `access-denied` for a name that is no hash. */
function objectPath(folder: DataFolder, sha256: string): string {
  if (!OBJECT_NAME.test(sha256)) {
    throw accessDenied();
  }
  const inner = folder.folder([OBJECTS_FOLDER, sha256.slice(0, 2)]);
  if (inner === undefined) {
    throw notFound();
  }
  return join(inner, sha256);
}

/** The names in a folder in byte order; none where it is not there. */
function namesIn(path: string | undefined): string[] {
  try {
    return path === undefined ? [] : readdirSync(path).sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") {
      return [];
    }
    throw error;
  }
}

function removeUnfinished(incoming: string): void {
  const before = Date.now() - UNFINISHED_OBJECT_MS;
  for (const name of namesIn(incoming)) {
    const path = join(incoming, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (INCOMING_NAME.test(name) && stat?.isFile() === true && stat.mtimeMs < before) {
      removeFile(path);
    }
  }
}

function notFound(): StorageFailure {
  return new StorageFailure({ tag: "not-found" });
}
