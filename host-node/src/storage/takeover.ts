/**
 * `NAME.takeover`: the right to rename a stale lock, which one process has at a time (`docs/block-files.md`, "The lock").
 *
 * Invariants: it is made exclusively, says who made it as a lock does, and is removed only while it is the very file that was made.
 * As long as its maker lives nobody gives it up, however long that one stood still.
 */
import { closeSync, fstatSync, lstatSync } from "node:fs";
import { createExclusively, removeFile, sameFile, standsAt, writeAt } from "./file-access.js";
import type { HeldLocks } from "./held-locks.js";
import { isAbandoned, lockBytes, readLock, TAKEOVER_PATIENCE } from "./lock-file.js";

export class Takeover {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #heldLocks: HeldLocks;
  readonly #place: number;

  /** Begins one at `path`; none where another process is taking over, or was slow and has been given up. */
  static begin(path: string, nonce: string, heldLocks: HeldLocks): Takeover | undefined {
    const place = heldLocks.enter(path, nonce);
    let takeover: Takeover | undefined;
    let holds = false;
    try {
      const descriptor = createExclusively(path);
      if (descriptor === undefined) {
        giveUpAbandoned(path);
        return undefined;
      }
      takeover = new Takeover(path, descriptor, heldLocks, place);
      writeAt(descriptor, lockBytes(nonce), 0);
      holds = takeover.stands();
      return holds ? takeover : undefined;
    } finally {
      if (takeover === undefined) {
        heldLocks.leave(place);
      } else if (!holds) {
        takeover.end();
      }
    }
  }

  private constructor(path: string, descriptor: number, heldLocks: HeldLocks, place: number) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#heldLocks = heldLocks;
    this.#place = place;
  }

  /** When it was made, in milliseconds by the file system's own clock. */
  get madeAtMs(): number {
    return fstatSync(this.#descriptor).mtimeMs;
  }

  /** Whether nobody gave it up. */
  stands(): boolean {
    return standsAt(this.#descriptor, this.#path);
  }

  /** Cannot fail, because the lock may be taken by now: one that stays is given up by others once this process is gone. */
  end(): void {
    try {
      if (this.stands()) {
        removeFile(this.#path);
      }
      closeSync(this.#descriptor);
    } catch {
      // See above.
    } finally {
      this.#heldLocks.leave(this.#place);
    }
  }
}

function giveUpAbandoned(path: string): void {
  const seen = readLock(path);
  if (seen === undefined || !isAbandoned(seen, Date.now(), TAKEOVER_PATIENCE)) {
    return;
  }
  const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (there !== undefined && sameFile(there, seen.stat)) {
    removeFile(path);
  }
}
