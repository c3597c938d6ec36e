/**
 * Content of a block file that says of itself whether it is that of exactly one commit. The Rust host's tests write the
 * same (`tests/src/block_file_content.rs`), so that processes of both can check each other.
 *
 * Pages of 1024 bytes. The first holds `DS4CHECK` and, little-endian, the u64 generation, one higher with every commit, and
 * the u64 number of pages, itself included; then the SHA-256 of all further pages; then zeros. A commit writes the first
 * page and some of the others, so that a mixture of two commits has another hash.
 */
import { createHash, randomInt } from "node:crypto";
import type { BlockFile } from "../dist/storage/block-file.js";

const PAGE_BYTES = 1024;
const MAGIC = Buffer.from("DS4CHECK");
const HASH_AT = 24;
const HEADER_BYTES = 56;
const MOST_PAGES = 96;
const READ_BYTES = 64 * 1024;

/** The generation of a whole content, 0 for an empty file. Throws where it is not that of exactly one commit. */
export function generationOf(content: Buffer): number {
  if (content.length === 0) {
    return 0;
  }
  if (content.length < PAGE_BYTES || !content.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new Error(`a mixture of commits: ${content.length} bytes that begin otherwise`);
  }
  const generation = Number(content.readBigUInt64LE(8));
  const pages = Number(content.readBigUInt64LE(16));
  if (content.length !== pages * PAGE_BYTES) {
    throw new Error(`a mixture of commits: ${content.length} bytes with ${pages} pages in generation ${generation}`);
  }
  if (!content.subarray(HASH_AT, HEADER_BYTES).equals(hashOf(content.subarray(PAGE_BYTES)))) {
    throw new Error(`a mixture of commits: the hash of generation ${generation}`);
  }
  return generation;
}

/** The whole content of a locked file. */
export function readAll(file: BlockFile): Buffer {
  const size = Number(file.size());
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < size; at += READ_BYTES) {
    pieces.push(file.read(BigInt(at), READ_BYTES));
  }
  return Buffer.concat(pieces);
}

/** Commits the generation after this content to a locked file, in one part or in several. Returns the counter. */
export function commitNext(file: BlockFile, content: Buffer): bigint {
  const pages = 1 + randomInt(MOST_PAGES);
  const others = Buffer.alloc(pages * PAGE_BYTES);
  content.subarray(PAGE_BYTES).copy(others);
  const newSize = BigInt((pages + 1) * PAGE_BYTES);
  let extents: { offset: bigint; length: number }[] = [];
  let data: Buffer[] = [];
  for (let at = 0; at < others.length; at += PAGE_BYTES) {
    const isNew = at + PAGE_BYTES > content.length - PAGE_BYTES;
    if (!isNew && randomInt(3) > 0) {
      continue;
    }
    const page = others.subarray(at, at + PAGE_BYTES).fill(randomInt(256));
    extents.push({ offset: BigInt(at + PAGE_BYTES), length: PAGE_BYTES });
    data.push(page);
    if (randomInt(16) === 0) {
      file.commit(extents, Buffer.concat(data), newSize, false);
      [extents, data] = [[], []];
    }
  }
  const first = Buffer.alloc(PAGE_BYTES);
  MAGIC.copy(first);
  first.writeBigUInt64LE(BigInt(generationOf(content) + 1), 8);
  first.writeBigUInt64LE(BigInt(pages + 1), 16);
  hashOf(others).copy(first, HASH_AT);
  return file.commit([...extents, { offset: 0n, length: PAGE_BYTES }], Buffer.concat([...data, first]), newSize, true);
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
