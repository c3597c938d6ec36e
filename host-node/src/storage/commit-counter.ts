/**
 * The commit counter, `NAME.state` (`docs/block-files.md`, "The counter"): not synced, because after a power loss no guest
 * is alive that could compare.
 */
import { closeSync, constants, ftruncateSync } from "node:fs";
import { openExisting, openOrCreate, readAt, writeAt } from "./file-access.js";

const MAGIC = Buffer.from("DS4STATE");
const STATE_BYTES = MAGIC.length + 8;
const NANOSECONDS_IN_MS = 1_000_000n;

/**
 * The counter that stands at `path`. Where none does, or a damaged one, it is 0 for an empty block file and else the time in
 * nanoseconds, which is then written, so that it differs from every counter that a living guest may have seen.
 */
export function readCounter(path: string, isEmpty: boolean): bigint {
  const counter = storedCounter(path);
  if (counter !== undefined) {
    return counter;
  }
  if (isEmpty) {
    return 0n;
  }
  const fresh = BigInt(Date.now()) * NANOSECONDS_IN_MS;
  writeCounter(path, fresh);
  return fresh;
}

export function writeCounter(path: string, counter: bigint): void {
  const state = Buffer.alloc(STATE_BYTES);
  MAGIC.copy(state);
  state.writeBigUInt64LE(counter, MAGIC.length);
  const descriptor = openOrCreate(path);
  try {
    writeAt(descriptor, state, 0);
    ftruncateSync(descriptor, STATE_BYTES);
  } finally {
    closeSync(descriptor);
  }
}

function storedCounter(path: string): bigint | undefined {
  const descriptor = openExisting(path, constants.O_RDONLY);
  if (descriptor === undefined) {
    return undefined;
  }
  try {
    const state = Buffer.alloc(STATE_BYTES + 1);
    const isWhole = readAt(descriptor, state, 0) === STATE_BYTES && state.subarray(0, MAGIC.length).equals(MAGIC);
    return isWhole ? state.readBigUInt64LE(MAGIC.length) : undefined;
  } finally {
    closeSync(descriptor);
  }
}
