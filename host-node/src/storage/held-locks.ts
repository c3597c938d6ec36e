/**
 * Which locks a worker holds, in memory that it shares with the thread that started it.
 *
 * A worker can be ended at any moment, in the middle of a transaction too. Its lock then names a process that lives on, so
 * that nobody could tell it from a lock in use for a minute. The starting thread knows better: once the worker is gone, it
 * removes the locks that are entered here, as the worker itself would have (`docs/block-files.md`, "The lock").
 *
 * Invariant: a lock is entered before its file is made and leaves after its file is removed. So an entry without a file is
 * possible, a file without an entry is not. A random nonce in both keeps any other lock from being removed.
 */
import { HELD_LOCKS } from "../limits.js";
import { StorageFailure } from "../ports/storage-failure.js";

/** Bytes of a nonce before it is written in hex digits. */
export const NONCE_BYTES = 16;
/** The longest path that systems open. */
const PATH_BYTES = 4096;

/** An entry: whether it is taken and the length of the path (a word each), the nonce, the path. */
const WORD = Int32Array.BYTES_PER_ELEMENT;
const NONCE_AT = 2 * WORD;
const PATH_AT = NONCE_AT + NONCE_BYTES;
const ENTRY_BYTES = PATH_AT + PATH_BYTES;
const FREE = 0;
const TAKEN = 1;

export interface HeldLock {
  readonly path: string;
  /** 32 hex digits. */
  readonly nonce: string;
}

export class HeldLocks {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #bytes: Buffer;

  /** The locks in memory that another thread gave, or in fresh memory. */
  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(HELD_LOCKS * ENTRY_BYTES)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
    this.#bytes = Buffer.from(memory);
  }

  /** Enters a lock that is about to be made. Returns the number by which it leaves. */
  enter(path: string, nonce: string): number {
    const bytes = Buffer.from(path);
    const place = this.#places().find((candidate) => Atomics.load(this.#words, word(candidate)) === FREE);
    if (place === undefined || bytes.length > PATH_BYTES) {
      const val = place === undefined ? `at most ${HELD_LOCKS} files can be locked at once` : "the path of the data folder is too long";
      throw new StorageFailure({ tag: "other", val });
    }
    const start = place * ENTRY_BYTES;
    this.#words[word(place) + 1] = bytes.length;
    this.#bytes.write(nonce, start + NONCE_AT, "hex");
    this.#bytes.set(bytes, start + PATH_AT);
    Atomics.store(this.#words, word(place), TAKEN);
    return place;
  }

  leave(place: number): void {
    Atomics.store(this.#words, word(place), FREE);
  }

  entered(): HeldLock[] {
    return this.#places()
      .filter((place) => Atomics.load(this.#words, word(place)) === TAKEN)
      .map((place) => {
        const start = place * ENTRY_BYTES;
        const length = this.#words[word(place) + 1] ?? 0;
        return {
          path: this.#bytes.toString("utf8", start + PATH_AT, start + PATH_AT + length),
          nonce: this.#bytes.toString("hex", start + NONCE_AT, start + NONCE_AT + NONCE_BYTES),
        };
      });
  }

  #places(): number[] {
    return Array.from({ length: HELD_LOCKS }, (_, place) => place);
  }
}

/** Where an entry's first word stands. */
function word(place: number): number {
  return (place * ENTRY_BYTES) / WORD;
}
