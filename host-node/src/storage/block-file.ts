/**
 * A block file: the resource that the component gets (`wit/storage.wit`). Opening it looks at its name only; everything
 * else happens in a transaction.
 */
import { closeSync, constants, fstatSync } from "node:fs";
import { dirname } from "node:path";
import { StorageFailure, translated } from "../ports/storage-failure.js";
import type { Extent } from "./commit-record.js";
import { blockFileParts, type DataFolder } from "./data-folder.js";
import { openExisting } from "./file-access.js";
import { FileLock, LOCK_ENDING } from "./file-lock.js";
import type { HeldLocks } from "./held-locks.js";
import { Transaction } from "./transaction.js";

/** Size of a block file in bytes, without its lock; none where it is not there. Errors as the constructor's below. */
export function blockFileSize(folder: DataFolder, name: string): bigint | undefined {
  const parts = blockFileParts(name);
  if (folder.folder(parts.slice(0, -1)) === undefined) {
    return undefined;
  }
  const file = openExisting(folder.path(parts), constants.O_RDONLY);
  if (file === undefined) {
    return undefined;
  }
  try {
    return fstatSync(file, { bigint: true }).size;
  } finally {
    closeSync(file);
  }
}

export class BlockFile implements Disposable {
  readonly #folder: DataFolder;
  readonly #parts: readonly string[];
  readonly #heldLocks: HeldLocks;
  #transaction: Transaction | undefined;

  /** `access-denied` for a name against the rule, and for one that leads through a link. */
  constructor(folder: DataFolder, name: string, heldLocks: HeldLocks) {
    this.#folder = folder;
    this.#parts = blockFileParts(name);
    this.#heldLocks = heldLocks;
    translated(() => folder.folder(this.#parts.slice(0, -1)));
  }

  /**
   * Takes the file for one transaction and finishes a commit that another left half-way. Returns the commit counter. `busy`
   * at once where somebody is in a transaction, also through this very handle.
   */
  lock(): bigint {
    return translated(() => {
      if (this.#transaction !== undefined) {
        throw new StorageFailure({ tag: "busy" });
      }
      this.#folder.makeFolder(this.#parts.slice(0, -1));
      this.#transaction = this.#begin();
      return this.#transaction.counter;
    });
  }

  /** Ends the transaction; what was not committed is gone. */
  unlock(): void {
    this.#transaction?.end();
    this.#transaction = undefined;
  }

  /** Size in bytes. Needs the lock, as everything below. */
  size(): bigint {
    return translated(() => this.#current().size());
  }

  /** Up to `length` bytes from `offset`; fewer only at the file's end, none behind it. */
  read(offset: bigint, length: number): Uint8Array {
    return translated(() => this.#current().read(offset, length));
  }

  /**
   * Takes a part of a commit, and with the last part commits: all or nothing, durable on return. Returns the commit counter,
   * which only the last part raises.
   */
  commit(extents: readonly Extent[], data: Uint8Array, newSize: bigint, final: boolean): bigint {
    return translated(() => {
      const transaction = this.#current();
      transaction.commit(extents, data, newSize, final);
      return transaction.counter;
    });
  }

  /** Removes the file. `busy` where somebody is in a transaction, `not-found` where it is not there. */
  remove(): void {
    translated(() => {
      // Nothing is made for the sake of removing.
      if (this.#folder.folder(this.#parts.slice(0, -1)) === undefined) {
        throw new StorageFailure({ tag: "not-found" });
      }
      const transaction = this.#begin();
      try {
        transaction.removeBlockFile();
      } finally {
        transaction.end();
      }
    });
  }

  [Symbol.dispose](): void {
    this.unlock();
  }

  #begin(): Transaction {
    const path = this.#folder.path(this.#parts);
    return new Transaction(path, dirname(path), new FileLock(path + LOCK_ENDING, this.#heldLocks));
  }

  #current(): Transaction {
    if (this.#transaction === undefined) {
      throw new StorageFailure({ tag: "other", val: "the block file is not locked" });
    }
    return this.#transaction;
  }
}
