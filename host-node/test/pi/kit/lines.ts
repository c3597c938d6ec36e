/**
 * Splits a byte stream into lines at LF and nowhere else.
 *
 * Pi's RPC is strict JSONL: U+2028 and U+2029 may stand inside a record, and Node's `readline` would split there.
 */
import { StringDecoder } from "node:string_decoder";

/** Collects chunks and hands out whole lines, without their LF. What has no LF yet is `rest`. */
export class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  /** Text after the last LF. */
  get rest(): string {
    return this.#rest;
  }

  /** Takes a chunk, returns the lines that it completes. */
  push(chunk: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.write(chunk)).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines;
  }
}
