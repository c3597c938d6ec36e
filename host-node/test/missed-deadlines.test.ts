/** When the extension stops trying. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContextOutcome } from "../dist/pi/context-hook.js";
import { MissedDeadlines, MISSED_DEADLINES_IN_A_ROW } from "../dist/pi/missed-deadlines.js";

const missed: ContextOutcome = { kind: "failed", reason: "deadline-missed" };

test("deadlines missed in a row switch planning off, once", () => {
  const deadlines = new MissedDeadlines();
  const answers = Array.from({ length: MISSED_DEADLINES_IN_A_ROW + 1 }, () => deadlines.isTooMany(missed));
  assert.deepEqual(answers, [false, false, true, false]);
});

test("a plan in between, or another failure, begins the count anew", () => {
  const others: ContextOutcome[] = [{ kind: "planned", messages: [] }, { kind: "untouched" }, { kind: "failed", reason: "trapped" }];
  for (const between of others) {
    const deadlines = new MissedDeadlines();
    const outcomes = [missed, missed, between, missed, missed];
    assert.ok(outcomes.every((outcome) => !deadlines.isTooMany(outcome)), between.kind);
  }
});
