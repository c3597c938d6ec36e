/**
 * Another process in a transaction on the same database is no failure: the call is made again after a short random pause,
 * so that processes do not keep meeting. The pauses are on the caller's side; the worker is free for other calls meanwhile.
 */
import { EngineError } from "./errors.js";
import { BUSY_TIMEOUT_MS, LONGEST_BUSY_PAUSE_MS } from "./limits.js";

/** The configuration's `storage.busyTimeoutMs`, in milliseconds (behaviour 3.11). */
export function busyTimeout(config: object): number {
  const storage = (config as { readonly storage?: { readonly busyTimeoutMs?: unknown } | null }).storage;
  const configured = storage?.busyTimeoutMs;
  return typeof configured === "number" && configured >= 0 ? configured : BUSY_TIMEOUT_MS;
}

/** Makes a call until it is not refused as `busy`; at the timeout it fails as `busy`, at the signal as `cancelled`. */
export async function repeatedWhileBusy<Result>(
  call: () => Promise<Result>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const givesUpAt = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof EngineError && error.code === "busy")) {
        throw error;
      }
      if (performance.now() >= givesUpAt) {
        throw new EngineError("busy", `another process holds the index database, for longer than ${timeoutMs} ms; try again`);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * (LONGEST_BUSY_PAUSE_MS - 1)));
    if (signal?.aborted === true) {
      throw new EngineError("cancelled", "the call was cancelled");
    }
  }
}
