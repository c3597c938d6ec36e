/** Session logs as Pi writes them, made for tests. */
import { appendFileSync, writeFileSync } from "node:fs";

export interface LoggedMessage {
  readonly role: string;
  readonly [field: string]: unknown;
}

const FIRST_TIMESTAMP = 1_796_098_889_000;

/** One log file that grows. Entry IDs are `e0`, `e1`, …; each is the child of the one before unless a parent is named. */
export class PiLog {
  readonly file: string;
  readonly entries: Record<string, unknown>[] = [];

  constructor(file: string, header: Readonly<Record<string, unknown>> = {}) {
    this.file = file;
    writeFileSync(file, `${JSON.stringify({ type: "session", version: 3, id: "test-session", timestamp: stamp(0), cwd: "/work", ...header })}\n`);
  }

  append(type: string, fields: Record<string, unknown>, parentId?: string | null): string {
    const place = this.entries.length;
    const id = `e${place}`;
    const parent = parentId === undefined ? (place === 0 ? null : `e${place - 1}`) : parentId;
    const entry = { type, id, parentId: parent, timestamp: stamp(place), ...fields };
    this.entries.push(entry);
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
    return id;
  }

  message(message: LoggedMessage, parentId?: string | null): string {
    return this.append("message", { message: { ...message, timestamp: FIRST_TIMESTAMP + this.entries.length } }, parentId);
  }

  user(text: string): string {
    return this.message({ role: "user", content: [{ type: "text", text }] });
  }

  assistant(text: string): string {
    return this.message({ role: "assistant", content: [{ type: "text", text }], provider: "mock", model: "mock-1", stopReason: "stop" });
  }

  /** A call and its result. */
  exchange(call: string, result: string): void {
    this.message({
      role: "assistant",
      content: [{ type: "toolCall", id: call, name: "read", arguments: { path: "notes.txt" } }],
      provider: "mock",
      model: "mock-1",
      stopReason: "toolUse",
    });
    this.message({ role: "toolResult", toolCallId: call, toolName: "read", content: [{ type: "text", text: result }], isError: false });
  }

  /** The messages as Pi holds them, without system messages. */
  get messages(): LoggedMessage[] {
    return this.entries.flatMap((entry) => (entry["type"] === "message" ? [entry["message"] as LoggedMessage] : []));
  }
}

/**
 * A conversation of `turns` turns with a tool call each: a question, a call, its result, an answer. Question and answer are
 * 2,000 characters that nothing shortens, so that enough turns fill any window.
 */
export function conversation(file: string, turns: number, resultCharacters: number): PiLog {
  const log = new PiLog(file);
  for (let turn = 0; turn < turns; turn++) {
    log.user(`Question ${turn} `.repeat(40));
    log.exchange(`call_${turn}`, `line ${turn}\n`.repeat(Math.ceil(resultCharacters / 8)));
    log.assistant(`Answer ${turn} `.repeat(150));
  }
  return log;
}

function stamp(place: number): string {
  return new Date(FIRST_TIMESTAMP + place).toISOString();
}
