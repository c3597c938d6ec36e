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
import { closeSync, fstatSync, futimesSync, linkSync, lstatSync, renameSync } from "node:fs";
import { TAKEOVER_MS, TOUCH_INTERVAL_MS } from "../limits.js";
import { StorageFailure } from "../ports/storage-failure.js";
import { codeOf, createExclusively, removeFile, sameFile, standsAt, writeAt } from "./file-access.js";
import { NONCE_BYTES, type HeldLocks } from "./held-locks.js";
import { holdsNonce, isStale, lockBytes, readLock, removeLock, type SeenLock } from "./lock-file.js";

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
    } catch (error) {
      closeSync(descriptor);
      removeFile(this.#path); // younger than two seconds, so nobody took it over
      throw error;
    }
    return { descriptor, nonce, place, touchedAt: Date.now() };
  }

  #takeOver(nonce: string, place: number): Held {
    const seen = readLock(this.#path);
    if (seen === undefined || !isStale(seen, Date.now())) {
      throw busy();
    }
    const takeover = `${this.#path.slice(0, -LOCK_ENDING.length)}.takeover`;
    const descriptor = createExclusively(takeover);
    if (descriptor === undefined) {
      giveUpOldTakeover(takeover);
      throw busy();
    }
    try {
      // What was just made has the time of the file system's own clock.
      this.#removeStale(seen, fstatSync(descriptor).mtimeMs, `${this.#path}.${nonce}`);
      const held = this.#create(nonce, place);
      if (held === undefined) {
        throw busy(); // somebody made one the moment the stale one was gone
      }
      return held;
    } finally {
      endTakeover(descriptor, takeover);
    }
  }

  /** Renames the stale lock and removes it. `busy` where another one stands there by now. */
  #removeStale(stale: SeenLock, nowMs: number, aside: string): void {
    const again = readLock(this.#path);
    if (again === undefined || !isSameLock(again, stale) || !isStale(again, nowMs)) {
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

/** Cannot fail, because the lock is taken by now: a takeover that stays is given up by others in ten seconds. */
function endTakeover(descriptor: number, takeover: string): void {
  try {
    if (standsAt(descriptor, takeover)) {
      removeFile(takeover);
    }
    closeSync(descriptor);
  } catch {
    // See above.
  }
}

function giveUpOldTakeover(takeover: string): void {
  const stat = lstatSync(takeover, { throwIfNoEntry: false });
  if (stat !== undefined && Date.now() - stat.mtimeMs > TAKEOVER_MS) {
    removeFile(takeover);
  }
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
