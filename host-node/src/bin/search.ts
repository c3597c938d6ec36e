/** The command `search`. Its JSON is, to the byte, that of the Rust command line. */
import type { HistoryAnswer, HistoryHit, HistoryQuery } from "../contract.js";
import type { SearchArguments } from "./arguments.js";
import { readJsonLines, withId } from "./json-lines.js";
import { print } from "./output.js";
import { millionths, searchTable } from "./search-table.js";
import { bringUpToDate, patient, withSession } from "./sessions.js";

/** Tokens of the excerpts that a person is shown. */
const SHOWN_TOKENS = 4_000;

export async function searchCommand(words: SearchArguments): Promise<void> {
  // A mistake in the questions is told before a long log is read.
  const questions = words.queries === undefined ? [] : await readJsonLines(words.queries, withId("query"));
  await withSession(words, { config: words.config, nowMs: words.nowMs }, async (session) => {
    if (words.at !== undefined) {
      await session.selectLeaf(words.at, patient);
    }
    const started = performance.now();
    await bringUpToDate(session, words.scope);
    const indexed = performance.now();
    const ask = (query: Pick<HistoryQuery, "text" | "maxTokens">) =>
      session.searchHistory({ ...query, scope: words.scope, limit: words.limit }, patient);
    if (words.query !== undefined) {
      const answer = await ask({ text: words.query, maxTokens: SHOWN_TOKENS });
      print(words.json ? wholeAnswer(answer) : searchTable(answer));
      return;
    }
    const coversOthers = words.scope === "current-lineage" || words.scope === "project";
    for (const { id, query } of questions) {
      const { hits } = await ask({ text: query });
      // Where entries of other sessions are found, an ID alone names none.
      const session = ({ sessionId }: HistoryHit) => (coversOthers ? `,"sessionId":${JSON.stringify(sessionId)}` : "");
      const found = hits.map((hit) => `{"entryId":${JSON.stringify(hit.entryId)},"score":${millionths(hit.score)}${session(hit)}}`);
      print(`{"id":${JSON.stringify(id)},"hits":[${found.join(",")}]}`);
    }
    if (words.stats) {
      print(JSON.stringify({ stats: { index_ms: indexed - started, query_ms: performance.now() - indexed } }));
    }
  });
}

/** The whole answer as a document. A score is written by hand, because JavaScript would write 85 for 85.0. */
function wholeAnswer(answer: HistoryAnswer): string {
  const hits = answer.hits.map(({ entryId, sessionId, relation, role, timestampMs, score, reason, excerpt }) => {
    const before = JSON.stringify({ entryId, sessionId, relation, role, timestampMs: timestampMs ?? null }).slice(0, -1);
    const behind = JSON.stringify({ reason, excerpt }).slice(1);
    return `${before},"score":${millionths(score)},${behind}`;
  });
  const { indexedEntries, logEntries } = answer;
  const { upToDate, pending, leftOut } = answer.sessions;
  const figures = JSON.stringify({ indexedEntries, logEntries, sessions: { upToDate, pending, leftOut } }).slice(1);
  return `{"status":${JSON.stringify(answer.status)},"hits":[${hits.join(",")}],${figures}`;
}
