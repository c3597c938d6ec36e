/** What a search found: one block a hit, with the part of the entry that answers. */
import type { HistoryAnswer, HistoryHit } from "../contract.js";
import { COLUMNS, counted, cut, dateAndTime, figure, wrapped } from "../text/layout.js";
import { isBeside, SEARCHABLE } from "../text/words.js";

/** Lines of an excerpt that are shown. */
const EXCERPT_LINES = 6;
const INDENT = "    ";
const SCORE_COLUMNS = 9;
/** Marks a hit that holds nothing of the question itself. */
const BESIDE = "beside a match";

export function searchTable(answer: HistoryAnswer): string {
  const behind =
    answer.indexedEntries < answer.logEntries
      ? [`${figure(answer.indexedEntries)} of ${counted(answer.logEntries, "entry", "entries")} are indexed; the rest was not searched.`]
      : [];
  const { leftOut } = answer.sessions;
  const without = leftOut === 0 ? [] : ["", `Left out: ${counted(leftOut, "session", "sessions")} whose log is missing, damaged, or beyond the bounds.`];
  return [...foundLines(answer), ...without, ...behind].join("\n");
}

/** A score as people write it, and as the Rust command line does: at least one decimal, and no zeros behind the last. */
export function millionths(score: number): string {
  const sign = score < 0 ? "-" : "";
  const value = Math.abs(score);
  if (value > 0 && value < 10) {
    return `${sign}${value}e-6`;
  }
  const decimals = String(value % 1_000_000).padStart(6, "0").replace(/0+$/, "");
  return `${sign}${Math.floor(value / 1_000_000)}.${decimals === "" ? "0" : decimals}`;
}

function foundLines({ status, hits }: HistoryAnswer): string[] {
  switch (status) {
    case "disabled":
      return ["The configuration switches the search off (retrieval.exact and retrieval.fts)."];
    case "no-query":
      return wrapped(`Nothing to search for in that: ${SEARCHABLE}.`, COLUMNS);
    case "complete":
      return hits.length === 0 ? ["Nothing was found."] : hits.flatMap((hit, place) => [...(place === 0 ? [] : [""]), ...block(hit, place + 1)]);
  }
}

function block(hit: HistoryHit, rank: number): string[] {
  const date = hit.timestampMs === undefined ? "" : dateAndTime(hit.timestampMs);
  const head = `${String(rank).padStart(2)}  ${cut(hit.entryId, 16).padEnd(16)} ${cut(hit.role, 12).padEnd(12)} ${date}`;
  const score = (hit.score / 1e6).toFixed(3);
  const inner = COLUMNS - INDENT.length;
  const lines = wrapped(hit.excerpt, inner);
  const shown = lines.slice(0, EXCERPT_LINES);
  if (lines.length > shown.length) {
    shown.push(cut(`${shown.pop() ?? ""} …`, inner));
  }
  const mark = isBeside(hit.reason) ? BESIDE : "";
  return [`${head.padEnd(COLUMNS - SCORE_COLUMNS - mark.length)}${mark}${score.padStart(SCORE_COLUMNS)}`, ...[cut(hit.reason, inner), ...elsewhere(hit).map((line) => cut(line, inner)), ...shown].map((line) => INDENT + line)];
}

/** Where an entry stands that is not on the active branch. */
function elsewhere({ relation, sessionId }: HistoryHit): string[] {
  switch (relation) {
    case "ancestor":
      return [];
    case "other-branch":
      return [`on another branch, session ${sessionId}`];
    case "lineage-ancestor":
      return [`before the fork, session ${sessionId}`];
    case "other-session":
      return [`session ${sessionId}`];
  }
}
