/**
 * Another extension, loaded before ours, that changes what the `context` hook sees (failures.md 53). In every request it
 *
 * - adds a user message with {@link ADDED} right before the newest user message,
 * - replaces each `CHANGE-ME` by `CHANGED` in user messages and tool results,
 * - removes each earlier turn whose prompt holds `REMOVE-ME`.
 *
 * It leaves whole exchanges: what it returns is valid as long as its input was.
 */
import { textOf, type ContentBlock, type ContextMessage, type Pi } from "./surface.ts";

/** Text of the added message. */
export const ADDED = "ADDED-BY-ANOTHER-EXTENSION";

export default function rewriter(pi: Pi): void {
  pi.on("context", ({ messages }) => ({ messages: rewrite(messages) }));
}

function rewrite(messages: readonly ContextMessage[]): ContextMessage[] {
  const kept = removeTurns(messages).map(change);
  const newest = kept.findLastIndex((message) => message.role === "user");
  const added: ContextMessage = { role: "user", content: [{ type: "text", text: ADDED }], timestamp: 1 };
  return newest < 0 ? kept : kept.toSpliced(newest, 0, added);
}

function removeTurns(messages: readonly ContextMessage[]): ContextMessage[] {
  const current = messages.findLastIndex((message) => message.role === "user");
  let removing = false;
  return messages.filter((message, index) => {
    if (message.role === "user") removing = index < current && textOf(message).includes("REMOVE-ME");
    return !removing;
  });
}

function change(message: ContextMessage): ContextMessage {
  if (!["user", "toolResult"].includes(message.role) || !textOf(message).includes("CHANGE-ME")) return message;
  const replace = (text: string): string => text.replaceAll("CHANGE-ME", "CHANGED");
  const block = (value: ContentBlock): ContentBlock => (value.text === undefined ? value : { ...value, text: replace(value.text) });
  return { ...message, content: typeof message.content === "string" ? replace(message.content) : message.content.map(block) };
}
