/**
 * The one error type of the public API. Programs decide by `code`; the message is one line for a person.
 *
 * The first ten codes are the contract's `types.error`, under the names they have there. The others are this host's.
 */

/** What the component itself can answer, as `ds4:context/types.error` names it. */
export const componentErrorCodes = [
  "invalid-input",
  "not-found",
  "stale",
  "busy",
  "limit",
  "storage",
  "privacy",
  "cancelled",
  "unsupported",
  "other",
] as const;

export type ComponentErrorCode = (typeof componentErrorCodes)[number];

/**
 * - `trapped`: the component crashed or ran out of memory. Its instance is gone; the next call opens a new one.
 * - `deadline-missed`: the call took too long. If it was running, its worker is gone and the next call starts another.
 * - `worker-lost`: the worker ended by itself (its JavaScript heap was full, or it was stopped from outside).
 * - `closed`: the engine or the session was closed.
 */
export type EngineErrorCode = ComponentErrorCode | "trapped" | "deadline-missed" | "worker-lost" | "closed";

export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The error as one that `await` of a failed call yields, whatever was thrown. */
export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) {
    return thrown;
  }
  return new EngineError("other", thrown instanceof Error ? thrown.message : String(thrown));
}
