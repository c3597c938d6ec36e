/** What every call of the public API takes: how long to wait, and a signal to stop waiting. */
import { EngineError } from "./errors.js";

export interface CallOptions {
  /** Rejects the call as `cancelled`. What the worker has begun it finishes, and its answer is dropped. */
  readonly signal?: AbortSignal;
  /** Milliseconds until the call fails as `deadline-missed`; `Infinity` for no deadline. */
  readonly deadlineMs?: number;
}

/** Waits for a call, unless it is given up first. */
export function untilAborted<Result>(call: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) {
    return call;
  }
  return new Promise((resolve, reject) => {
    const abort = () => reject(new EngineError("cancelled", "the call was cancelled"));
    if (signal.aborted) {
      abort();
    }
    signal.addEventListener("abort", abort, { once: true });
    call.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
