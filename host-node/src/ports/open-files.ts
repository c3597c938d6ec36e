/**
 * Files kept open between reads, so that following a log that grows costs one `fstat` and one `read` a call.
 *
 * Invariant: a read always concerns the file that stands at its path now. A file that was replaced (another inode) is
 * opened anew; one that was cut is read as short as it is.
 */
import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { OPEN_FILES } from "../limits.js";
import { readAt } from "../storage/file-access.js";
import { accessDenied } from "./storage-failure.js";

interface OpenFile {
  readonly descriptor: number;
  readonly device: bigint;
  readonly inode: bigint;
}

export class OpenFiles {
  /** By real path, the least recently used first. */
  readonly #files = new Map<string, OpenFile>();

  /** Up to `length` bytes from `offset`; fewer only at the file's end. Throws what the system reports. */
  read(realPath: string, offset: number, length: number): Uint8Array {
    const file = this.#current(realPath);
    const size = fstatSync(file.descriptor).size;
    const wanted = Math.max(0, Math.min(length, size - offset));
    const bytes = new Uint8Array(wanted);
    const filled = readAt(file.descriptor, bytes, offset);
    return filled === wanted ? bytes : bytes.slice(0, filled);
  }

  close(): void {
    for (const file of this.#files.values()) {
      closeSync(file.descriptor);
    }
    this.#files.clear();
  }

  #current(realPath: string): OpenFile {
    const stat = statSync(realPath, { bigint: true });
    if (!stat.isFile()) {
      throw accessDenied(); // a folder, or a pipe that would block
    }
    const known = this.#files.get(realPath);
    if (known !== undefined && known.inode === stat.ino && known.device === stat.dev) {
      this.#files.delete(realPath);
      this.#files.set(realPath, known);
      return known;
    }
    if (known !== undefined) {
      this.#drop(realPath, known);
    }
    return this.#open(realPath);
  }

  #open(realPath: string): OpenFile {
    // The path was resolved already: a link that stands there now was put there in between.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const descriptor = openSync(realPath, flags);
    const stat = fstatSync(descriptor, { bigint: true });
    if (!stat.isFile()) {
      closeSync(descriptor);
      throw accessDenied();
    }
    for (const [path, file] of this.#files) {
      if (this.#files.size < OPEN_FILES) {
        break;
      }
      this.#drop(path, file);
    }
    const file = { descriptor, device: stat.dev, inode: stat.ino };
    this.#files.set(realPath, file);
    return file;
  }

  #drop(path: string, file: OpenFile): void {
    closeSync(file.descriptor);
    this.#files.delete(path);
  }
}
