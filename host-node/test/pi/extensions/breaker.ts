/**
 * Another extension, loaded before ours, that breaks what the `context` hook sees: it removes messages and leaves the
 * other half of their exchange (failures.md 5, 53).
 *
 * - An assistant message whose call has `LOSE-THE-CALL` in its arguments is removed, its result stays.
 * - A tool result that holds `LOSE-THE-RESULT` is removed, its call stays.
 */
import { textOf, type ContextMessage, type Pi } from "./surface.ts";

export default function breaker(pi: Pi): void {
  pi.on("context", ({ messages }) => ({ messages: messages.filter((message) => !isLost(message)) }));
}

function isLost(message: ContextMessage): boolean {
  if (message.role === "assistant") return JSON.stringify(message.content).includes("LOSE-THE-CALL");
  return message.role === "toolResult" && textOf(message).includes("LOSE-THE-RESULT");
}
