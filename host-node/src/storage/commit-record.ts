/**
 * The commit record, `NAME.commit`: writing it, reading it back, and applying it (`docs/block-files.md`, "The commit
 * record").
 *
 * Invariant: what is applied is always read from the record's file, after a crash as in an ordinary commit, so there is one
 * way to apply and no transaction has to fit into memory.
 */
import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync } from "node:fs";
import { BLOCK_FILE_BYTES, COPY_BYTES } from "../limits.js";
import { StorageFailure } from "../ports/storage-failure.js";
import { createExclusively, readAt, removeFile, standsAt, writeAt } from "./file-access.js";

/** A span of a block file that a commit writes. */
export interface Extent {
  readonly offset: bigint;
  readonly length: number;
}

/** Bytes of the record that go to the block file. */
interface RecordedSpan {
  /** Where they go. */
  readonly offset: number;
  /** Where they stand in the record. */
  readonly source: number;
  readonly length: number;
}

export interface CompleteRecord {
  readonly spans: readonly RecordedSpan[];
  readonly counter: bigint;
  readonly newSize: number;
}

const MAGIC = Buffer.from("DS4BLOCK");
const FORMAT_VERSION = 1;
const HEADER_BYTES = MAGIC.length + 4;
const PART = 1;
const END = 0;
const PART_HEADER_BYTES = 5;
export const EXTENT_BYTES = 12;
/** The counter and the new size. */
const TRAILER_BYTES = 16;
const HASH_BYTES = 32;
const SHORTEST_BYTES = HEADER_BYTES + 1 + TRAILER_BYTES + HASH_BYTES;

/** A record that is being written, part by part. Durable only after `finish`. */
export class RecordWriter {
  readonly #path: string;
  readonly descriptor: number;
  readonly #hash = createHash("sha256");
  readonly #spans: RecordedSpan[] = [];
  #length = 0;

  private constructor(path: string, descriptor: number) {
    this.#path = path;
    this.descriptor = descriptor;
  }

  /** Begins the record at `path`; none where one stands there. */
  static create(path: string): RecordWriter | undefined {
    const descriptor = createExclusively(path);
    return descriptor === undefined ? undefined : new RecordWriter(path, descriptor);
  }

  /** Appends the extents of one call and their bytes, one after the other in `data`. */
  append(extents: readonly Extent[], data: Uint8Array): void {
    if (this.#length === 0) {
      this.#write(recordHeader());
    }
    const header = Buffer.alloc(PART_HEADER_BYTES + extents.length * EXTENT_BYTES);
    header.writeUInt8(PART, 0);
    header.writeUInt32LE(extents.length, 1);
    let source = this.#length + header.length;
    for (const [place, { offset, length }] of extents.entries()) {
      header.writeBigUInt64LE(offset, PART_HEADER_BYTES + place * EXTENT_BYTES);
      header.writeUInt32LE(length, PART_HEADER_BYTES + place * EXTENT_BYTES + 8);
      addSpan(this.#spans, { offset: Number(offset), source, length });
      source += length;
    }
    this.#write(header);
    this.#write(data);
  }

  /** Writes the end and makes the file durable; its folder is the caller's part. */
  finish(counter: bigint, newSize: number): CompleteRecord {
    const trailer = Buffer.alloc(1 + TRAILER_BYTES);
    trailer.writeUInt8(END, 0);
    trailer.writeBigUInt64LE(counter, 1);
    trailer.writeBigUInt64LE(BigInt(newSize), 9);
    this.#write(trailer);
    writeAt(this.descriptor, this.#hash.digest(), this.#length);
    fdatasyncSync(this.descriptor);
    return { spans: this.#spans, counter, newSize };
  }

  /** Removes the record, unless another process's stands at its name by now. */
  abandon(): void {
    try {
      if (standsAt(this.descriptor, this.#path)) {
        removeFile(this.#path);
      }
    } finally {
      this.close();
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }

  #write(bytes: Uint8Array): void {
    writeAt(this.descriptor, bytes, this.#length);
    this.#hash.update(bytes);
    this.#length += bytes.length;
  }
}

function recordHeader(): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(FORMAT_VERSION, MAGIC.length);
  return header;
}

/**
 * The record in an open file; none where it is incomplete. `other` for a record of another format: the version of the
 * program that wrote it has to finish it.
 */
export function readRecord(descriptor: number): CompleteRecord | undefined {
  const size = fstatSync(descriptor).size;
  const header = Buffer.alloc(HEADER_BYTES);
  if (readAt(descriptor, header, 0) < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) {
    return undefined;
  }
  const version = header.readUInt32LE(MAGIC.length);
  if (version !== FORMAT_VERSION) {
    const val = `another version of ds4-context left a commit half-way (format ${version}); it has to finish it`;
    throw new StorageFailure({ tag: "other", val });
  }
  const end = size - HASH_BYTES;
  return size >= SHORTEST_BYTES && hasRightHash(descriptor, end) ? parseParts(descriptor, end) : undefined;
}

/**
 * Writes the record's bytes into the block file, gives it its new size, and makes it durable. `beforeEach` is called before
 * every write, and stops the work by throwing. May be repeated any number of times.
 */
export function applyRecord(record: CompleteRecord, source: number, target: number, beforeEach: () => void): void {
  const longest = record.spans.reduce((most, { length }) => Math.max(most, length), 0);
  const buffer = Buffer.alloc(Math.min(longest, COPY_BYTES));
  for (const span of record.spans) {
    for (let copied = 0; copied < span.length; ) {
      const piece = buffer.subarray(0, Math.min(buffer.length, span.length - copied));
      readWhole(source, piece, span.source + copied);
      beforeEach();
      writeAt(target, piece, span.offset + copied);
      copied += piece.length;
    }
  }
  beforeEach();
  ftruncateSync(target, record.newSize);
  fdatasyncSync(target);
}

function hasRightHash(descriptor: number, length: number): boolean {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(Math.min(length, COPY_BYTES));
  for (let at = 0; at < length; ) {
    const piece = buffer.subarray(0, Math.min(buffer.length, length - at));
    if (readAt(descriptor, piece, at) < piece.length) {
      return false;
    }
    hash.update(piece);
    at += piece.length;
  }
  const stored = Buffer.alloc(HASH_BYTES);
  return readAt(descriptor, stored, length) === HASH_BYTES && stored.equals(hash.digest());
}

/** The parts and the trailer, which have to fill the file up to `end`. */
function parseParts(descriptor: number, end: number): CompleteRecord | undefined {
  const spans: RecordedSpan[] = [];
  const header = Buffer.alloc(PART_HEADER_BYTES);
  let at = HEADER_BYTES;
  for (;;) {
    if (at + 1 + TRAILER_BYTES === end) {
      return parseTrailer(descriptor, at, spans);
    }
    if (at + PART_HEADER_BYTES > end) {
      return undefined;
    }
    readWhole(descriptor, header, at);
    const tableBytes = header.readUInt32LE(1) * EXTENT_BYTES;
    at += PART_HEADER_BYTES;
    if (header.readUInt8(0) !== PART || at + tableBytes > end) {
      return undefined;
    }
    const table = Buffer.alloc(tableBytes);
    readWhole(descriptor, table, at);
    at += tableBytes;
    for (let entry = 0; entry < tableBytes; entry += EXTENT_BYTES) {
      const offset = table.readBigUInt64LE(entry);
      const length = table.readUInt32LE(entry + 8);
      if (offset + BigInt(length) > BigInt(BLOCK_FILE_BYTES) || at + length > end) {
        return undefined;
      }
      addSpan(spans, { offset: Number(offset), source: at, length });
      at += length;
    }
  }
}

function parseTrailer(descriptor: number, at: number, spans: readonly RecordedSpan[]): CompleteRecord | undefined {
  const trailer = Buffer.alloc(1 + TRAILER_BYTES);
  readWhole(descriptor, trailer, at);
  const newSize = trailer.readBigUInt64LE(9);
  if (trailer.readUInt8(0) !== END || newSize > BigInt(BLOCK_FILE_BYTES)) {
    return undefined;
  }
  return { spans, counter: trailer.readBigUInt64LE(1), newSize: Number(newSize) };
}

/** Pages that follow each other in the block file and in the record are copied as one. */
function addSpan(spans: RecordedSpan[], span: RecordedSpan): void {
  const last = spans.at(-1);
  if (last !== undefined && last.offset + last.length === span.offset && last.source + last.length === span.source) {
    spans[spans.length - 1] = { ...last, length: last.length + span.length };
  } else if (span.length > 0) {
    spans.push(span);
  }
}

function readWhole(descriptor: number, bytes: Uint8Array, position: number): void {
  if (readAt(descriptor, bytes, position) < bytes.length) {
    throw new StorageFailure({ tag: "other", val: "a commit's record was cut while it was read" });
  }
}
