/**
 * Messages as they cross to the engine when its log does not hold them: without what no provider ever reads. A truncated
 * tool result carries its text a second time in `details`.
 */
import type { PiMessage } from "./pi-types.js";

const notOnTheWire = new Set(["details", "diagnostics", "nestedCalls", "usage"]);

export function withoutHeavyFields(message: PiMessage): PiMessage {
  return Object.fromEntries(Object.entries(message).filter(([key]) => !notOnTheWire.has(key))) as PiMessage;
}
