/** What the tests of block files share: opening one as the port does, and saying which error came. */
import assert from "node:assert/strict";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { BlockFile } from "../dist/storage/block-file.js";
import { DataFolder } from "../dist/storage/data-folder.js";
import { RecordWriter } from "../dist/storage/commit-record.js";
import { HeldLocks } from "../dist/storage/held-locks.js";
import { lockBytes } from "../dist/storage/lock-file.js";

/** A handle with locks of its own, as a process has it. */
export function openBlockFile(folder: string, name = "pages"): BlockFile {
  return new BlockFile(new DataFolder(folder), name, new HeldLocks());
}

/** Replaces the whole content. Returns the commit counter. */
export function commitAll(file: BlockFile, content: Uint8Array | string): bigint {
  const bytes = Buffer.from(content);
  return file.commit([{ offset: 0n, length: bytes.length }], bytes, BigInt(bytes.length), true);
}

/** The counter, or none where the file is busy. */
export function lockUnlessBusy(file: BlockFile): bigint | undefined {
  try {
    return file.lock();
  } catch (error) {
    if ((error as { payload?: { tag?: string } }).payload?.tag === "busy") {
      return undefined;
    }
    throw error;
  }
}

/** One whole transaction: the counter that the lock returned, and the content. */
export function contentOf(file: BlockFile): { counter: bigint; content: string } {
  const counter = file.lock();
  try {
    return { counter, content: Buffer.from(file.read(0n, Number(file.size()))).toString("latin1") };
  } finally {
    file.unlock();
  }
}

/** For `assert.throws`: an error of the port with this tag. */
export function tagged(tag: string) {
  return (error: unknown): true => {
    assert.equal((error as { payload?: { tag?: string } }).payload?.tag, tag, String(error));
    return true;
  };
}

/** Stops after step 1 of a commit that replaces the whole content: a complete record, and nothing else of it. */
export function leaveRecord(path: string, content: string, counter: bigint): void {
  const bytes = Buffer.from(content, "latin1");
  const record = RecordWriter.create(path);
  assert.ok(record !== undefined);
  record.append([{ offset: 0n, length: bytes.length }], bytes);
  record.finish(counter, bytes.length);
  record.close();
}

/** Makes a lock one that nobody touched for a minute, of a process of which nothing is known. */
export function forgetLock(lock: string): void {
  writeFileSync(lock, readFileSync(lock, "utf8").replace(/"began":"[^"]*",/, ""));
  const aMinuteAgo = Date.now() / 1000 - 61;
  utimesSync(lock, aMinuteAgo, aMinuteAgo);
}

/** The text of a lock of another holder than this process. */
export function foreignLock(holder: {
  readonly pid?: number;
  readonly host?: string;
  /** None: its system does not show it. */
  readonly began?: string;
  readonly nonce?: string;
}): string {
  const own = JSON.parse(lockBytes("0".repeat(32)).toString()) as { pid: number; host: string };
  return JSON.stringify({ pid: holder.pid ?? own.pid, host: holder.host ?? own.host, began: holder.began, nonce: holder.nonce ?? "f".repeat(32) });
}
