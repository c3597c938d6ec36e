/** What the program says: the answer on standard output, and how far long work is on standard error. */
import { printable } from "../text/layout.js";

/** Milliseconds after which a person is told how far the work is. */
const LONG_MS = 400;
const BAR_CELLS = 30;

/** No answer could be given, or the machine failed: exit code 1. */
export class Failed extends Error {
  override readonly name = "Failed";
}

export function print(lines: string): void {
  process.stdout.write(`${lines}\n`);
}

/** One line on standard error about what goes on without what failed. */
export function warn(consequence: string, error: unknown): void {
  process.stderr.write(`ds4-context: ${printable(`${consequence}: ${error instanceof Error ? error.message : String(error)}`)}\n`);
}

/** A document's bytes as they are. */
export function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A bar for indexing, in entries. Nothing is drawn for short work or where standard error is no terminal. */
export class ProgressBar {
  readonly #started = performance.now();
  #isDrawn = false;

  show(done: number, total: number): void {
    if (process.stderr.isTTY && performance.now() - this.#started >= LONG_MS) {
      this.#isDrawn = true;
      const filled = Math.floor((Math.min(done, total) * BAR_CELLS) / Math.max(total, 1));
      process.stderr.write(`\r\x1b[Kindexing ${"█".repeat(filled)}${"░".repeat(BAR_CELLS - filled)} ${done} of ${total} entries`);
    }
  }

  clear(): void {
    if (this.#isDrawn) {
      process.stderr.write("\r\x1b[K");
    }
  }
}
