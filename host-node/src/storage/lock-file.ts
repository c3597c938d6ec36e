/**
 * What stands in `NAME.lock`, and when it is stale (`docs/block-files.md`, "The lock").
 *
 * A lock names its process, the host and, on Linux, the process's PID namespace, because the same number means another
 * process in another container.
 */
import { closeSync, constants, fstatSync, readlinkSync, type BigIntStats } from "node:fs";
import { hostname } from "node:os";
import { LOCK_TOUCHED_MS, UNREADABLE_LOCK_MS } from "../limits.js";
import { codeOf, openExisting, readAt, removeFile } from "./file-access.js";

/** Bytes that a lock file has at most; one of ours is much shorter, and a longer one does not parse. */
const LOCK_FILE_BYTES = 4096;
const NONCE = /^[0-9a-f]{32}$/;
/** The largest number of a process on any system we know. */
const LARGEST_PROCESS_ID = 2 ** 31 - 1;
const NANOSECONDS_IN_MS = 1_000_000n;

interface LockOwner {
  readonly pid: number;
  readonly host: string;
  readonly nonce: string;
}

/** A lock file as it was read. */
export interface SeenLock {
  readonly bytes: Buffer;
  readonly stat: BigIntStats;
}

/** The bytes of a lock of this process. */
export function lockBytes(nonce: string): Buffer {
  return Buffer.from(JSON.stringify({ pid: process.pid, host: ownHost(), nonce } satisfies LockOwner));
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

/** Whether nobody can hold the lock any more. `nowMs` is compared with its modification time; the future counts as touched. */
export function isStale(lock: SeenLock, nowMs: number): boolean {
  const untouchedMs = nowMs - Number(lock.stat.mtimeNs / NANOSECONDS_IN_MS);
  const owner = parsedOwner(lock.bytes);
  if (owner === undefined) {
    return untouchedMs > UNREADABLE_LOCK_MS;
  }
  return untouchedMs > LOCK_TOUCHED_MS || (owner.host === ownHost() && isGone(owner.pid));
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
  const { pid, host, nonce } = (value ?? {}) as { readonly [Key in keyof LockOwner]?: unknown };
  const holds =
    Number.isInteger(pid) &&
    (pid as number) > 0 &&
    (pid as number) <= LARGEST_PROCESS_ID &&
    typeof host === "string" &&
    typeof nonce === "string" &&
    NONCE.test(nonce);
  return holds ? { pid: pid as number, host, nonce } : undefined;
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}

let knownHost: string | undefined;

/** The host's name, with `#` and the inode number of the PID namespace where the system shows it. */
function ownHost(): string {
  knownHost ??= hostname() + pidNamespace();
  return knownHost;
}

function pidNamespace(): string {
  try {
    const inode = /\[(\d+)\]$/.exec(readlinkSync("/proc/self/ns/pid"))?.[1];
    return inode === undefined ? "" : `#${inode}`;
  } catch {
    return ""; // not Linux, or `/proc` is not there
  }
}
