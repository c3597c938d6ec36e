/**
 * Content of a block file that shows by itself whether it is whole. The Rust host's worker writes the same:
 * u64 counter, u64 seed, u32 length of it all (little-endian); then each byte is the low one of
 * `31 × counter + 17 × seed + 7 × position + position ÷ 256`.
 */
import { randomInt } from "node:crypto";

const HEADER_BYTES = 20;
const LONGEST_BYTES = 100_000;

/** Content of a random length. */
export function content(counter: bigint, seed: bigint, length = randomInt(HEADER_BYTES, LONGEST_BYTES)): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeBigUInt64LE(counter, 0);
  bytes.writeBigUInt64LE(seed, 8);
  bytes.writeUInt32LE(length, 16);
  const start = Number(BigInt.asUintN(8, 31n * counter + 17n * seed));
  for (let position = HEADER_BYTES; position < length; position++) {
    bytes[position] = (start + 7 * position + (position >> 8)) & 0xff;
  }
  return bytes;
}

/** What is wrong with the content that a lock with this counter found; nothing where it is whole. */
export function problemOf(bytes: Uint8Array, counter: bigint): string | undefined {
  if (bytes.length === 0) {
    return counter === 0n ? undefined : "it is empty";
  }
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (found.length < HEADER_BYTES) {
    return `it has only ${found.length} bytes`;
  }
  const written = found.readBigUInt64LE(0);
  if (written !== counter) {
    return `it is that of commit ${written}`;
  }
  if (found.readUInt32LE(16) !== found.length) {
    return `it has ${found.length} bytes instead of ${found.readUInt32LE(16)}`;
  }
  return found.equals(content(written, found.readBigUInt64LE(8), found.length)) ? undefined : "it is a mixture";
}
