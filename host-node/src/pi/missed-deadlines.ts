/**
 * When to stop trying: an engine that keeps hanging would cost every request of the session its whole deadline.
 *
 * Only deadlines in a row count, and only deadlines: every other failure is over at once and may be gone with the next
 * request.
 */
import type { ContextOutcome } from "./context-hook.js";

/** Plans in a row that may miss their deadline before planning is switched off for the session. */
export const MISSED_DEADLINES_IN_A_ROW = 3;

export class MissedDeadlines {
  #inARow = 0;

  /** Takes note of what came of a request. True: planning should be switched off now. */
  isTooMany(outcome: ContextOutcome): boolean {
    const isMissed = outcome.kind === "failed" && outcome.reason === "deadline-missed";
    this.#inARow = isMissed ? this.#inARow + 1 : 0;
    if (this.#inARow < MISSED_DEADLINES_IN_A_ROW) {
      return false;
    }
    this.#inARow = 0;
    return true;
  }
}
