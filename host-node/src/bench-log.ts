/** The session of the benchmarks: a Pi log that grows turn by turn. */
import { appendFileSync, writeFileSync } from "node:fs";
import type { PiMessage } from "./pi/pi-types.js";

const CALLS_PER_TURN = 2;
/** 4 characters a token: 2,000 messages of 500 tokens are about 1 M tokens. */
const CHARACTERS_PER_MESSAGE = 2_000;
const FIRST_TIMESTAMP = 1_796_098_889_000;

/** A turn is a question and two calls with their results. Its texts differ from each other. */
export class GeneratedLog {
  readonly file: string;
  readonly messages: PiMessage[] = [];
  #entries = 0;

  constructor(file: string) {
    this.file = file;
    writeFileSync(
      file,
      `${JSON.stringify({ type: "session", version: 3, id: "bench", timestamp: new Date(FIRST_TIMESTAMP).toISOString(), cwd: "/work" })}\n`,
    );
  }

  get leafId(): string {
    return `e${this.#entries - 1}`;
  }

  turn(): void {
    const lines: string[] = [];
    const add = (message: Omit<PiMessage, "timestamp">) => {
      const place = this.#entries++;
      const timestamp = FIRST_TIMESTAMP + place;
      const stamped = { ...message, timestamp } as PiMessage;
      this.messages.push(stamped);
      lines.push(
        JSON.stringify({
          type: "message",
          id: `e${place}`,
          parentId: place === 0 ? null : `e${place - 1}`,
          timestamp: new Date(timestamp).toISOString(),
          message: stamped,
        }),
      );
    };
    add({ role: "user", content: [{ type: "text", text: this.#text("question") }] });
    for (let call = 0; call < CALLS_PER_TURN; call++) {
      const id = `call_${this.#entries}`;
      add({
        role: "assistant",
        content: [
          { type: "text", text: this.#text("thought") },
          { type: "toolCall", id, name: "read", arguments: { path: `src/file_${this.#entries}.ts` } },
        ],
        provider: "bench",
        model: "bench-1",
        stopReason: "toolUse",
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
      });
      add({
        role: "toolResult",
        toolCallId: id,
        toolName: "read",
        content: [{ type: "text", text: this.#text("result") }],
        isError: false,
      });
    }
    appendFileSync(this.file, `${lines.join("\n")}\n`);
  }

  #text(kind: string): string {
    const line = `${kind} ${this.#entries}: const value = compute(input, options);\n`;
    return line.repeat(Math.ceil(CHARACTERS_PER_MESSAGE / line.length)).slice(0, CHARACTERS_PER_MESSAGE);
  }
}
