/**
 * Watches that a session log only grows.
 *
 * Invariant (architecture.md, "What every change keeps true"): the bytes that a log had stay its first bytes, whatever the extension does.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** Remembers the bytes of one log. */
export class AppendOnlyWatch {
  readonly #path: string;
  #bytes: Buffer;

  /** Starts with what the file holds now. */
  constructor(path: string) {
    this.#path = path;
    this.#bytes = readFileSync(path);
  }

  /** Asserts that the file begins with all the bytes it had at the last look, and remembers what it holds now. */
  check(): void {
    const bytes = readFileSync(this.#path);
    assert.ok(bytes.subarray(0, this.#bytes.length).equals(this.#bytes), `${this.#path} was not only appended to`);
    this.#bytes = bytes;
  }
}
