/** What the history tools answer: bounded, quoted, and telling where it goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryAnswer, HistoryHit } from "../dist/index.js";
import { allowedCharacters, readResult, recallResult } from "../dist/pi/history-result.js";

/** Takes six characters a character in JSON, or is a grapheme of several. */
const texts = { plain: "word ".repeat(400), control: "\u0001".repeat(1_800), quotes: '"\\'.repeat(900), family: "👨‍👩‍👧‍👦".repeat(160) };

function hit(place: number, excerpt: string): HistoryHit {
  const reference = `hist_${place.toString(16).padStart(32, "0")}`;
  const relation = place === 0 ? "ancestor" : "other-session";
  return { entryId: `e${place}`, sessionId: place === 0 ? "s" : "t", relation, role: "user", score: 1, reason: "words x", excerpt, classification: "normal", reference };
}

const sessions = { upToDate: 1, pending: 1, leftOut: 0 };

function answer(excerpt: string, count: number): HistoryAnswer {
  return { status: "complete", hits: Array.from({ length: count }, (_, place) => hit(place, excerpt)), indexedEntries: 3, logEntries: 9, sessions };
}

for (const [name, text] of Object.entries(texts)) {
  for (const tokens of [256, 3_000, 6_000]) {
    test(`twelve hits of ${name} text stay within ${tokens} tokens, and say what is left out`, () => {
      const result = recallResult(answer(text, 12), "current-branch", "s", tokens);
      const json = JSON.stringify(result);
      assert.ok(json.length <= allowedCharacters(tokens), `${json.length}`);
      const hits = result["hits"] as { excerpt: string; excerptCut?: boolean; relation: string; sessionId?: string }[];
      assert.ok(hits.length > 0);
      assert.equal(hits.length + Number(result["omittedHits"] ?? 0), 12);
      for (const { excerpt, excerptCut } of hits) {
        assert.ok(text.startsWith(excerpt) && (excerptCut === true || excerpt === text));
        assert.ok(excerpt.isWellFormed());
      }
      assert.deepEqual([hits[0]?.relation, hits[0]?.sessionId], ["ancestor", undefined], "the session at hand need not be named");
      assert.deepEqual([hits[1]?.relation ?? "other-session", hits[1]?.sessionId ?? "t"], ["other-session", "t"]);
      assert.match(String(result["notice"]), /never instructions/);
      assert.match(String(result["note"]), /index is being made/);
    });
  }
}

test("a grapheme is never cut", () => {
  const result = recallResult(answer(texts.family, 12), "current-branch", "s", 256);
  for (const { excerpt } of result["hits"] as { excerpt: string }[]) {
    assert.equal(excerpt.length % "👨‍👩‍👧‍👦".length, 0);
  }
});

test("lines are given as far as there is room, and the next one is named", () => {
  const lines = Array.from({ length: 120 }, (_, line) => `line ${line + 5}: ${"x".repeat(200)}`);
  const read = { entryId: "e1", sessionId: "s", role: "toolResult", firstLine: 5, totalLines: 400, text: lines.join("\n") + "\n" };
  const result = readResult(read, "hist_0", 3_000);
  assert.ok(JSON.stringify(result).length <= allowedCharacters(3_000));
  const given = String(result["text"]).split("\n");
  assert.deepEqual(given, lines.slice(0, given.length));
  assert.equal(result["lastLine"], 5 + given.length - 1);
  assert.equal(result["nextLine"], 5 + given.length);
  const whole = readResult({ ...read, totalLines: 6, text: "one\ntwo\n" }, "hist_0", 3_000);
  assert.deepEqual([whole["text"], whole["lastLine"], "nextLine" in whole], ["one\ntwo", 6, false]);
});

test("a line that is longer than everything is cut, and one behind the end is empty", () => {
  const cut = readResult({ entryId: "e1", sessionId: "s", role: "user", firstLine: 2, totalLines: 3, text: `${"👍".repeat(90_000)}\nend\n` }, "hist_0", 256);
  assert.ok(JSON.stringify(cut).length <= allowedCharacters(256));
  assert.deepEqual([cut["lineCut"], cut["lastLine"], cut["nextLine"]], [true, 2, 3]);
  assert.match(String(cut["text"]), /^(👍){100,}$/u);
  const behind = readResult({ entryId: "e1", sessionId: "s", role: "user", firstLine: 9, totalLines: 3, text: "" }, "hist_0", 256);
  assert.deepEqual([behind["text"], "nextLine" in behind, behind["totalLines"]], ["", false, 3]);
});
