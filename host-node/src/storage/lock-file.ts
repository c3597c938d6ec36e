/** What stands in `NAME.lock` and in `NAME.takeover`, and when either is abandoned (`docs/block-files.md`, "The lock"). */
import { closeSync, constants, fstatSync, type BigIntStats } from "node:fs";
import { LOCK_TOUCHED_MS, TAKEOVER_MS, UNREADABLE_LOCK_MS } from "../limits.js";
import { openExisting, readAt, removeFile } from "./file-access.js";
import { ownBeginning, ownerState, ownHost } from "./process-identity.js";

/** Bytes that a lock file has at most; one of ours is much shorter, and a longer one does not parse. */
const LOCK_FILE_BYTES = 4096;
const NONCE = /^[0-9a-f]{32}$/;
/** The largest number of a process on any system we know. */
const LARGEST_PROCESS_ID = 2 ** 31 - 1;
const NANOSECONDS_IN_MS = 1_000_000n;

interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** When the process began; none where its system does not show it. */
  readonly began: string | undefined;
  readonly nonce: string;
}

/** A lock file as it was read. */
export interface SeenLock {
  readonly bytes: Buffer;
  readonly stat: BigIntStats;
}

/** The bytes of a lock of this process. */
export function lockBytes(nonce: string): Buffer {
  return Buffer.from(JSON.stringify({ pid: process.pid, host: ownHost(), began: ownBeginning(), nonce } satisfies LockOwner));
}

/** The lock that stands at `path`; none where none does. */
export function readLock(path: string): SeenLock | undefined {
  const descriptor = openExisting(path, constants.O_RDONLY);
  if (descriptor === undefined) {
    return undefined;
  }
  try {
    const bytes = Buffer.alloc(LOCK_FILE_BYTES + 1);
    const length = readAt(descriptor, bytes, 0);
    return { bytes: bytes.subarray(0, length), stat: fstatSync(descriptor, { bigint: true }) };
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the lock at `path` holds this nonce. */
export function holdsNonce(path: string, nonce: string): boolean {
  const seen = readLock(path);
  return seen !== undefined && parsedOwner(seen.bytes)?.nonce === nonce;
}

/** Unlocks: removes the lock where it holds this nonce. */
export function removeLock(path: string, nonce: string): void {
  if (holdsNonce(path, nonce)) {
    removeFile(path);
  }
}

/** How long it is waited for a process of which nothing is known. */
export interface Patience {
  /** Milliseconds after which a file that does not parse is not being written any more. */
  readonly unreadableMs: number;
  /** Milliseconds without a touch after which a process that cannot be asked for counts as gone. */
  readonly untouchedMs: number;
}

export const LOCK_PATIENCE: Patience = { unreadableMs: UNREADABLE_LOCK_MS, untouchedMs: LOCK_TOUCHED_MS };
export const TAKEOVER_PATIENCE: Patience = { unreadableMs: TAKEOVER_MS, untouchedMs: TAKEOVER_MS };

/**
 * Whether nobody can hold the lock any more. `nowMs` is compared with its modification time; the future counts as touched. A process
 * that is known to live holds it however long it stood still: it may go on at any moment, in the middle of a write.
 */
export function isAbandoned(lock: SeenLock, nowMs: number, patience: Patience): boolean {
  const untouchedMs = nowMs - Number(lock.stat.mtimeNs / NANOSECONDS_IN_MS);
  const owner = parsedOwner(lock.bytes);
  if (owner === undefined) {
    return untouchedMs > patience.unreadableMs;
  }
  switch (owner.host === ownHost() ? ownerState(owner.pid, owner.began) : "unknown") {
    case "gone":
      return true;
    case "lives":
      return false;
    case "unknown":
      return untouchedMs > patience.untouchedMs;
  }
}

function parsedOwner(bytes: Buffer): LockOwner | undefined {
  if (bytes.length > LOCK_FILE_BYTES) {
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
  const { pid, host, began, nonce } = (value ?? {}) as { readonly [Key in keyof LockOwner]?: unknown };
  const holds =
    Number.isInteger(pid) &&
    (pid as number) > 0 &&
    (pid as number) <= LARGEST_PROCESS_ID &&
    typeof host === "string" &&
    (began === undefined || typeof began === "string") &&
    typeof nonce === "string" &&
    NONCE.test(nonce);
  return holds ? { pid: pid as number, host, began: began as string | undefined, nonce } : undefined;
}
