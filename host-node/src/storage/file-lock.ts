/**
 * The lock of a block file: take it, keep it touched, know when it was lost, give it back (`docs/block-files.md`, "The
 * lock").
 *
 * Invariants:
 * - Nothing here waits: a lock that another holds is `busy` at once.
 * - Only the holder of `NAME.takeover` renames a lock, and it puts back one that is not the stale one it saw.
 * - Whether the lock is still held is asked of the file, at the latest a second after the last time by the wall clock,
 *   which unlike the monotonic one goes on while the machine sleeps.
 */
import { randomBytes } from "node:crypto";
import { closeSync, futimesSync, linkSync, renameSync } from "node:fs";
import { TOUCH_INTERVAL_MS } from "../limits.js";
import { StorageFailure } from "../ports/storage-failure.js";
import { codeOf, createExclusively, removeFile, sameFile, standsAt, writeAt } from "./file-access.js";
import { NONCE_BYTES, type HeldLocks } from "./held-locks.js";
import { holdsNonce, isAbandoned, LOCK_PATIENCE, lockBytes, readLock, removeLock, type SeenLock } from "./lock-file.js";
import { Takeover } from "./takeover.js";

/** What a lock file's name adds to that of its block file. */
export const LOCK_ENDING = ".lock";

interface Held {
  readonly descriptor: number;
  readonly nonce: string;
  /** The lock's number among the worker's held locks. */
  readonly place: number;
  /** `Date.now()` at which the file was last touched. */
  touchedAt: number;
}

export class FileLock {
  readonly #path: string;
  readonly #heldLocks: HeldLocks;
  #held: Held | undefined;

  /** The lock file at `path`. */
  constructor(path: string, heldLocks: HeldLocks) {
    this.#path = path;
    this.#heldLocks = heldLocks;
  }

  /** Takes the lock, a stale one too. `busy` where somebody holds it. */
  take(): void {
    if (this.#held !== undefined) {
      throw busy();
    }
    const nonce = randomBytes(NONCE_BYTES).toString("hex");
    const place = this.#heldLocks.enter(this.#path, nonce);
    try {
      this.#held = this.#create(nonce, place) ?? this.#takeOver(nonce, place);
    } finally {
      if (this.#held === undefined) {
        this.#heldLocks.leave(place);
      }
    }
  }

  /** Touches the lock when that is due. `busy` where another took it over. */
  keep(): void {
    const now = Date.now();
    if (this.#held !== undefined && Math.abs(now - this.#held.touchedAt) >= TOUCH_INTERVAL_MS) {
      this.requireHeld();
      futimesSync(this.#held.descriptor, now / 1000, now / 1000);
      this.#held.touchedAt = now;
    }
  }

  /** `busy` where the lock is not ours any more, asked of the file. */
  requireHeld(): void {
    if (this.#held === undefined || !holdsNonce(this.#path, this.#held.nonce)) {
      throw busy();
    }
  }

  /** Gives the lock back. Does nothing where it is not taken. */
  release(): void {
    const held = this.#held;
    if (held === undefined) {
      return;
    }
    this.#held = undefined;
    try {
      removeLock(this.#path, held.nonce);
    } finally {
      closeSync(held.descriptor);
      this.#heldLocks.leave(held.place);
    }
  }

  /** Makes the lock file; none where there is one. */
  #create(nonce: string, place: number): Held | undefined {
    const descriptor = createExclusively(this.#path);
    if (descriptor === undefined) {
      return undefined;
    }
    try {
      writeAt(descriptor, lockBytes(nonce), 0);
      if (!standsAt(descriptor, this.#path)) {
        throw busy(); // we stood still before it said who we are, and another process took it over
      }
    } catch (error) {
      if (standsAt(descriptor, this.#path)) {
        removeFile(this.#path);
      }
      closeSync(descriptor);
      throw error;
    }
    return { descriptor, nonce, place, touchedAt: Date.now() };
  }

  #takeOver(nonce: string, place: number): Held {
    const seen = readLock(this.#path);
    if (seen === undefined || !isAbandoned(seen, Date.now(), LOCK_PATIENCE)) {
      throw busy();
    }
    const takeover = Takeover.begin(`${this.#path.slice(0, -LOCK_ENDING.length)}.takeover`, nonce, this.#heldLocks);
    if (takeover === undefined) {
      throw busy();
    }
    try {
      this.#removeStale(seen, takeover, `${this.#path}.${nonce}`);
      const held = this.#create(nonce, place);
      if (held === undefined) {
        throw busy(); // somebody made one the moment the stale one was gone
      }
      return held;
    } finally {
      takeover.end();
    }
  }

  /** Renames the stale lock and removes it. `busy` where another one stands there by now. */
  #removeStale(stale: SeenLock, takeover: Takeover, aside: string): void {
    const again = readLock(this.#path);
    // The time of the takeover is that of the file system's own clock.
    const isStale = again !== undefined && isSameLock(again, stale) && isAbandoned(again, takeover.madeAtMs, LOCK_PATIENCE);
    if (!isStale || !takeover.stands()) {
      throw busy();
    }
    try {
      renameSync(this.#path, aside);
    } catch (error) {
      throw codeOf(error) === "ENOENT" ? busy() : error;
    }
    const moved = readLock(aside);
    if (moved !== undefined && !isSameLock(moved, stale)) {
      // Our takeover was so slow that it was given up, and another finished its own: this is a lock in use.
      putBack(aside, this.#path);
      throw busy();
    }
    removeFile(aside);
  }
}

/** Removes the locks of a worker that is gone, each only where it still holds the nonce that the worker gave it. */
export function releaseLocksOfEndedWorker(heldLocks: HeldLocks): void {
  for (const { path, nonce } of heldLocks.entered()) {
    try {
      removeLock(path, nonce);
    } catch {
      // It will be stale in a minute.
    }
  }
}

function isSameLock(left: SeenLock, right: SeenLock): boolean {
  return sameFile(left.stat, right.stat) && left.stat.mtimeNs === right.stat.mtimeNs && left.bytes.equals(right.bytes);
}

/** A link never replaces what stands at its name. */
function putBack(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") {
      throw error;
    }
  } finally {
    removeFile(aside);
  }
}

function busy(): StorageFailure {
  return new StorageFailure({ tag: "busy" });
}
