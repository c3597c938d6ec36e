/**
 * A session log as Pi wrote it, read with a few lines of our own: the kit must not lean on the codec that it tests.
 *
 * Invariants: read only. Knows `id`, `parentId`, `type` and the messages of an entry, nothing else. The logs of this suite have no
 * compaction and no context edits, so a branch's messages are what Pi itself would send.
 */
import { readFileSync } from "node:fs";

/** An entry of a log. */
export interface LogEntry {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly customType: string | undefined;
  readonly message: Readonly<Record<string, unknown>> | undefined;
}

/** Reads all entries after the header. Throws on a line that is no JSON object: Pi does not write such lines. */
export function readSessionLog(path: string): LogEntry[] {
  const lines = readFileSync(path, "utf8").split("\n").filter((line) => line !== "");
  return lines.slice(1).map((line) => {
    const entry = JSON.parse(line) as Record<string, unknown>;
    return {
      type: String(entry["type"]),
      id: String(entry["id"]),
      parentId: typeof entry["parentId"] === "string" ? entry["parentId"] : null,
      customType: typeof entry["customType"] === "string" ? entry["customType"] : undefined,
      message: entry["type"] === "message" ? (entry["message"] as Record<string, unknown>) : undefined,
    };
  });
}

/** The entries from the root to the last line's entry, which is the leaf that Pi resumes at. */
export function activeBranch(entries: readonly LogEntry[]): LogEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const branch: LogEntry[] = [];
  for (let entry = entries.at(-1); entry !== undefined; entry = entry.parentId === null ? undefined : byId.get(entry.parentId)) {
    branch.unshift(entry);
  }
  return branch;
}

/**
 * Names of a branch's messages in the form of `messageKeys` of `payload.ts`, so that a request can be compared with the
 * conversation it was chosen from.
 */
export function conversationKeys(branch: readonly LogEntry[]): string[] {
  return branch.flatMap(({ message }) => {
    if (message === undefined) return [];
    const blocks: unknown[] = Array.isArray(message["content"]) ? message["content"] : [];
    const calls = blocks.filter((block) => (block as { type?: unknown }).type === "toolCall");
    switch (message["role"]) {
      case "toolResult":
        return [`result ${String(message["toolCallId"])}`];
      case "assistant":
      case "user":
        if (calls.length > 0) return [`calls ${calls.map((call) => String((call as { id: unknown }).id)).join(" ")}`];
        return [`${message["role"]} ${textOf(message["content"])}`];
      default:
        return [];
    }
  });
}

/** Estimated tokens of a branch's messages: a quarter of their characters. */
export function conversationTokens(branch: readonly LogEntry[]): number {
  return branch.reduce((sum, { message }) => sum + Math.ceil(textOf(message?.["content"]).length / 4), 0);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((block: unknown) => (typeof (block as { text?: unknown }).text === "string" ? [(block as { text: string }).text] : []))
    .join("\n");
}
