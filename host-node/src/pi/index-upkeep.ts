/**
 * Brings an index up to date in the background: a session's own after the session was opened and after every turn, that of the other
 * sessions of a scope when somebody searches them.
 *
 * Invariants: one run at a time, and a wish that comes meanwhile makes it look once more; it never rejects; no slice keeps a
 * plan waiting for longer than a few tens of milliseconds. The log is read only.
 */
import type { HistoryScope, Progress } from "../contract.js";
import { toEngineError, type EngineErrorCode } from "../errors.js";
import type { IndexOptions, Session } from "../session.js";

/** Bytes of text of one slice: about 30 ms on a slow machine, its fsyncs included. */
const SLICE_BYTES = 64 * 1024;

/** Runs in a row that may cost the worker before the background leaves it alone: every plan would wait for another one. */
const LOST_WORKERS_IN_A_ROW = 3;

const lostWorker: readonly EngineErrorCode[] = ["deadline-missed", "trapped", "worker-lost"];

export class IndexUpkeep {
  /** Makes the engine's copy of the session complete, and returns it. */
  readonly #complete: () => Promise<Session>;
  readonly #index: (session: Session, options: IndexOptions) => Promise<Progress>;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #lostInARow = 0;
  #lastFailure: string | undefined;

  /** `scope` is what is brought up to date: the session itself unless said otherwise. */
  constructor(complete: () => Promise<Session>, scope: HistoryScope = "current-session") {
    this.#complete = complete;
    this.#index = scope === "current-session" ? (session, options) => session.index(options) : (session, options) => session.indexScope(scope, options);
  }

  /** Why the last run ended early; none where it did not. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  /** Begins a run, or joins the one under way. The promise is fulfilled when the index is up to date, or cannot be. */
  begin(): Promise<void> {
    this.#isWanted = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Makes the index anew, and fails where it cannot be made: somebody asked for it in person. */
  async rebuild(onProgress: (progress: Progress) => void): Promise<void> {
    await this.#running;
    const session = await this.#complete();
    await session.rebuildIndex();
    await session.index({ maxBytes: SLICE_BYTES, onProgress });
    this.#lostInARow = 0;
    this.#lastFailure = undefined;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && this.#lostInARow < LOST_WORKERS_IN_A_ROW) {
      this.#isWanted = false;
      try {
        const session = await this.#complete();
        await this.#index(session, { maxBytes: SLICE_BYTES });
        this.#lostInARow = 0;
        this.#lastFailure = undefined;
      } catch (error) {
        const { code, message } = toEngineError(error);
        this.#lostInARow = lostWorker.includes(code) ? this.#lostInARow + 1 : 0;
        // Whoever closes a session does not ask how its index is.
        this.#lastFailure = code === "closed" ? undefined : message;
        return;
      }
    }
  }
}
