/**
 * The time between a block file's lock and unlock: recovery, reading, the commit (`docs/block-files.md`).
 *
 * Invariants:
 * - The block file changes only by way of a commit record that was durable before.
 * - What was read is handed out only if the lock was not lost meanwhile.
 * - Where the lock is lost, or the pages may be a mixture, every further call answers with the same error.
 */
import { closeSync, constants, fstatSync } from "node:fs";
import { BLOCK_FILE_BYTES } from "../limits.js";
import { StorageFailure } from "../ports/storage-failure.js";
import { requireCallSize } from "./call-size.js";
import { readCounter, writeCounter } from "./commit-counter.js";
import { applyRecord, EXTENT_BYTES, readRecord, RecordWriter, type CompleteRecord, type Extent } from "./commit-record.js";
import { openExisting, openOrCreate, readAt, removeFile, syncFolder } from "./file-access.js";
import type { FileLock } from "./file-lock.js";

export class Transaction {
  readonly #path: string;
  readonly #folder: string;
  readonly #lock: FileLock;
  /** The block file; none while it is not there. */
  #pages: number | undefined;
  #counter: bigint;
  /** The record of a commit that comes in parts. */
  #record: RecordWriter | undefined;
  /** Why nothing can be done any more but `end`. */
  #failure: unknown;

  /** Takes the lock and recovers. `busy` where somebody holds it; any failure gives it back. */
  constructor(path: string, folder: string, lock: FileLock) {
    this.#path = path;
    this.#folder = folder;
    this.#lock = lock;
    lock.take();
    try {
      this.#recover();
      this.#pages ??= openExisting(path, constants.O_RDWR);
      this.#counter = readCounter(this.#statePath, this.size() === 0n);
      if (this.#pages === undefined && this.#counter > 0n) {
        // Somebody deleted the file and left its counter. Whoever kept pages of it has to see that they are gone.
        this.#counter = BigInt.asUintN(64, this.#counter + 1n);
        writeCounter(this.#statePath, this.#counter);
      }
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** The commit counter. */
  get counter(): bigint {
    return this.#counter;
  }

  size(): bigint {
    return this.#reading((pages) => BigInt(fstatSync(pages).size)) ?? 0n;
  }

  read(offset: bigint, length: number): Uint8Array {
    requireCallSize(length);
    const bytes = this.#reading((pages) => {
      const size = BigInt(fstatSync(pages).size);
      if (offset >= size) {
        return new Uint8Array();
      }
      const bytes = new Uint8Array(Math.min(length, Number(size - offset)));
      const count = readAt(pages, bytes, Number(offset));
      return count === bytes.length ? bytes : bytes.slice(0, count);
    });
    return bytes ?? new Uint8Array();
  }

  /** Takes a part, and with the last one commits. A part that is refused takes those before it with it. */
  commit(extents: readonly Extent[], data: Uint8Array, newSize: bigint, final: boolean): void {
    this.#keep();
    let complete: CompleteRecord;
    try {
      requirePart(extents, data, newSize);
      this.#record ??= this.#beginRecord();
      this.#record.append(extents, data);
      if (!final) {
        return;
      }
      complete = this.#record.finish(BigInt.asUintN(64, this.#counter + 1n), Number(newSize));
      syncFolder(this.#folder);
      this.#orEnd(() => this.#lock.requireHeld());
    } catch (error) {
      this.#abandonRecord();
      throw error;
    }
    this.#applyOwn(complete, this.#record);
    this.#counter = complete.counter;
  }

  /** Removes the block file. Its counter stays and goes on, so that no later file of the name is taken for this one. */
  removeBlockFile(): void {
    if (this.#pages === undefined) {
      throw new StorageFailure({ tag: "not-found" });
    }
    writeCounter(this.#statePath, BigInt.asUintN(64, this.#counter + 1n));
    removeFile(this.#path);
    syncFolder(this.#folder);
  }

  /** Gives the lock back. Cannot fail: a lock that stays is stale once this process is gone, or in a minute. */
  end(): void {
    quietly(() => this.#abandonRecord());
    quietly(() => this.#lock.release());
    const pages = this.#pages;
    this.#pages = undefined;
    quietly(() => pages !== undefined && closeSync(pages));
  }

  get #recordPath(): string {
    return `${this.#path}.commit`;
  }

  get #statePath(): string {
    return `${this.#path}.state`;
  }

  #reading<Result>(read: (pages: number) => Result): Result | undefined {
    this.#keep();
    const result = this.#pages === undefined ? undefined : read(this.#pages);
    this.#keep();
    return result;
  }

  /** Keeps the lock, or answers once more why there is nothing to keep. */
  #keep(): void {
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
    this.#orEnd(() => this.#lock.keep());
  }

  /** Does something whose failure ends the transaction, for every call that comes after it too. */
  #orEnd<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  #beginRecord(): RecordWriter {
    const record = RecordWriter.create(this.#recordPath);
    // Under the lock there is none after recovery. Another's means that the lock was lost.
    return record ?? this.#orEnd(() => {
      throw new StorageFailure({ tag: "busy" });
    });
  }

  /** Finishes the commit that whoever had the lock before left half-way, or removes what is left of it. */
  #recover(): void {
    const source = openExisting(this.#recordPath, constants.O_RDONLY);
    if (source === undefined) {
      return;
    }
    try {
      const record = readRecord(source);
      this.#lock.requireHeld();
      if (record === undefined) {
        removeFile(this.#recordPath);
      } else {
        this.#apply(record, source);
      }
    } finally {
      closeSync(source);
    }
  }

  /** Applies the commit of this transaction. It is made already: what fails here whoever takes the lock next finishes. */
  #applyOwn(complete: CompleteRecord, record: RecordWriter): void {
    this.#record = undefined;
    try {
      this.#orEnd(() => this.#apply(complete, record.descriptor));
    } finally {
      record.close();
    }
  }

  /** Steps 3 to 5 of a commit. Stops, as `busy`, where the lock was lost: the record is for its new holder then. */
  #apply(record: CompleteRecord, source: number): void {
    // Made here, or perhaps by whoever left this commit half-way; its name has to be durable before the record goes.
    const mayBeNew = this.#pages === undefined;
    this.#pages ??= openOrCreate(this.#path);
    applyRecord(record, source, this.#pages, () => this.#lock.keep());
    if (mayBeNew) {
      syncFolder(this.#folder);
    }
    this.#lock.keep();
    writeCounter(this.#statePath, record.counter);
    removeFile(this.#recordPath);
  }

  #abandonRecord(): void {
    const record = this.#record;
    this.#record = undefined;
    record?.abandon();
  }
}

/** What was accepted can be applied: a complete record that cannot be would close the file for everybody. */
function requirePart(extents: readonly Extent[], data: Uint8Array, newSize: bigint): void {
  requireCallSize(data.length);
  requireCallSize(extents.length * EXTENT_BYTES);
  let bytes = 0;
  let end = newSize;
  for (const { offset, length } of extents) {
    bytes += length;
    const extentEnd = offset + BigInt(length);
    end = extentEnd > end ? extentEnd : end;
  }
  if (bytes !== data.length) {
    throw new StorageFailure({ tag: "other", val: `the extents span ${bytes} bytes, the data has ${data.length}` });
  }
  if (end > BigInt(BLOCK_FILE_BYTES)) {
    throw new StorageFailure({ tag: "other", val: `a block file has at most ${BLOCK_FILE_BYTES} bytes` });
  }
}

function quietly(work: () => unknown): void {
  try {
    work();
  } catch {
    // What is left behind the protocol cleans up.
  }
}
