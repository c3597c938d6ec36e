/** The engine's stable names in words, the same as the Rust command line's. A name that is not known here is shown as it is. */

const kinds: Readonly<Record<string, string>> = {
  system: "system prompt",
  tool: "tools",
  pin: "pinned",
  summary: "summaries",
  notice: "notices",
  condensed: "condensed history",
  recent: "recent history",
  current: "current request",
  memory: "memory",
  retrieval: "found in the history",
  history: "found in the history",
  project: "project source",
};

const reasonsIn: Readonly<Record<string, string>> = {
  always: "always sent",
  "current-request": "the current request",
  pinned: "labelled ds4:pin",
  "recent-tail": "recent history",
  "rescued-immediate-predecessor": "last exchange before it",
  "condensed-band": "older, results condensed",
  "turn-head": "begins a shortened turn",
  summary: "summary of older history",
  "earlier-messages-left-out": "tells what is left out",
  "superseded-result": "made stale by a later call",
  retrieval: "found in the history",
  "result-shortened": "long result, shortened",
  "unanswered-calls-removed": "calls without result cut",
};

const reasonsOut: Readonly<Record<string, string>> = {
  "recent-tail-limit": "over the recent tail",
  "input-budget": "over the input budget",
  "recent-tail-and-input-budget": "over tail and budget",
  "recent-tail-closed": "older than the tail",
  "background-without-retrieval": "before the first request",
  "summary-policy-or-budget": "no room for summaries",
  "condensed-band-limit": "condensed band is full",
  "before-stable-cut": "before the stable cut",
  "orphan-result": "result without its call",
  "surplus-result": "second result of a call",
  "unanswered-call": "call without a result",
  "aborted-response": "aborted response",
  "result-of-aborted-response": "of an aborted response",
  "empty-message": "empty message",
  "excluded-from-context": "kept out by the user",
  "unknown-role": "unknown role",
  "category-limit": "no room left for its kind",
  "no-user-message": "no request to stand before",
  "supplement-without-source": "without a source",
};

const fallbacks: Readonly<Record<string, string>> = {
  "fixed-over-hard-limit": "the system prompt and the tools alone are over the window's hard limit",
  "pins-over-cap": "the pinned messages are over context.maxPinnedTokens",
  "mandatory-over-limit": "the current request alone is over the budget, even with its results shortened",
  "atomic-error": "a tool exchange would have been split",
  "current-user-not-selected": "the newest user message would have been left out",
  "selection-over-hard-limit": "the selection is over the window's hard limit",
  "no-messages": "the session has no message that could be sent",
  "deadline-missed": "no plan was ready in time",
  "worker-lost": "the engine's worker ended by itself",
  trapped: "the engine crashed and is started anew",
};

const rebuildReasons: Readonly<Record<string, string>> = {
  initial: "it was new",
  forced: "somebody asked for it",
  "path-changed": "the log was moved",
  "header-changed": "the log got another header",
  truncated: "the log was cut",
  "changed-in-place": "the log was written over",
  "entry-changed": "an entry was changed",
  "database-damaged": "the database was damaged",
};

/** A kind of item in a plan. */
export function kindText(kind: string): string {
  return kinds[kind] ?? kind;
}

/** Why something is in a plan. */
export function includedText(reason: string): string {
  return reasonsIn[reason] ?? reason;
}

/** Why something is not in a plan. */
export function excludedText(reason: string): string {
  return reasonsOut[reason] ?? reason;
}

/** Why there is no plan. The stable name stands behind it, because reports are searched for it. */
export function fallbackText(reason: string): string {
  const text = fallbacks[reason];
  return text === undefined ? reason : `${text} (${reason})`;
}

/** Why an index was made anew. */
export function rebuildText(reason: string): string {
  return rebuildReasons[reason] ?? reason;
}

/** What can be searched for, said where a question asks for nothing that can. */
export const SEARCHABLE = "name a word, a file, an identifier or a date";

/** Why a plan brings nothing back from the history; none where it only found nothing. `retrieval`: the manifest's. */
export function noEvidenceText(retrieval: unknown): string | undefined {
  const { status, reason } = (retrieval ?? {}) as { readonly status?: unknown; readonly reason?: unknown };
  switch (status) {
    case "no-query":
      return `the request has nothing to search for; ${SEARCHABLE}`;
    case "failed":
      return `the search failed${typeof reason === "string" ? ` (${reason})` : ""}`;
    default:
      return undefined;
  }
}

/** Whether a hit holds nothing of the question itself: it stands beside an entry that does. */
export function isBeside(reason: string): boolean {
  return reason === "beside an entry that matches";
}

/** What a warning says. */
export function warningText(code: string, count: number): string {
  if (code !== "context.excluded_oversized_turn") {
    return code;
  }
  return count === 1
    ? "1 exchange is larger than the whole recent tail and was left out"
    : `${count} exchanges are larger than the whole recent tail and were left out`;
}
