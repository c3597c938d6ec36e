/** JSON as it crosses the contract: UTF-8 bytes. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What `JSON.stringify` writes for half of a surrogate pair. A written-out backslash is itself escaped, so `\\u` is text. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/;

/**
 * A value as JSON bytes. A string that holds half of a surrogate pair has no UTF-8 form; the half becomes U+FFFD, which
 * is what a provider's client makes of it too.
 */
export function jsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  let text = JSON.stringify(value);
  if (LONE_SURROGATE.test(text)) {
    text = JSON.stringify(wellFormed(value));
  }
  return encoder.encode(text);
}

/** The value of a JSON document that the component wrote. */
export function parsedJson<Document>(bytes: Uint8Array): Document {
  return JSON.parse(decoder.decode(bytes)) as Document;
}

function wellFormed(value: unknown): unknown {
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
