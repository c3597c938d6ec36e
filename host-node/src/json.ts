/** JSON as it crosses the contract: UTF-8 bytes. */
import { EngineError } from "./errors.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What `JSON.stringify` writes for half of a surrogate pair. A written-out backslash is itself escaped, so `\\u` is text. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/;

/**
 * A value as JSON bytes. A string that holds half of a surrogate pair has no UTF-8 form; the half becomes U+FFFD, which
 * is what a provider's client makes of it too. Errors: `invalid-input` for a value that JSON cannot hold.
 */
export function jsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  const text = jsonText(value);
  return encoder.encode(LONE_SURROGATE.test(text) ? jsonText(wellFormed(value)) : text);
}

function jsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new EngineError("invalid-input", `a value cannot be written as JSON: ${error instanceof Error ? error.message.split("\n")[0] : ""}`);
  }
  if (text === undefined) {
    throw new EngineError("invalid-input", `a value of type ${typeof value} cannot be written as JSON`);
  }
  return text;
}

/** The value of a JSON document that the component wrote. */
export function parsedJson<Document>(bytes: Uint8Array): Document {
  return JSON.parse(decoder.decode(bytes)) as Document;
}

/** The value with every half of a surrogate pair in its strings and names as U+FFFD. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") {
    return value.toWellFormed();
  }
  if (Array.isArray(value)) {
    return value.map(wellFormed);
  }
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
  }
  return value;
}
