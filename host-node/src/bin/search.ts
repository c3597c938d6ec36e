/** The command `search`. Its JSON is, to the byte, that of the Rust command line. */
import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import type { HistoryAnswer, HistoryHit, HistoryQuery } from "../contract.js";
import { BadInput, type SearchArguments } from "./arguments.js";
import { readText } from "./files.js";
import { print } from "./output.js";
import { millionths, searchTable } from "./search-table.js";
import { bringUpToDate, patient, withSession } from "./sessions.js";

/** Tokens of the excerpts that a person is shown. */
const SHOWN_TOKENS = 4_000;

/** One question of a file. */
interface Question {
  readonly id: unknown;
  readonly query: string;
}

export async function searchCommand(words: SearchArguments): Promise<void> {
  // A mistake in the questions is told before a long log is read.
  const questions = words.queries === undefined ? [] : await readQuestions(words.queries);
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

/** The questions of a file, or of standard input where it is `-`: JSON lines `{id, query}`. Throws `BadInput`. */
async function readQuestions(file: string): Promise<Question[]> {
  const content = file === "-" ? await readAll(process.stdin) : await readText(file, readFile(file));
  return content.split(/\r?\n/).flatMap((line, place) => (line.trim() === "" ? [] : [question(line, file, place + 1)]));
}

function question(line: string, file: string, number: number): Question {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (!isQuestion(value)) {
    throw new BadInput(`${file}, line ${number}: not {"id": …, "query": "…"}`);
  }
  return value;
}

function isQuestion(value: unknown): value is Question {
  return typeof value === "object" && value !== null && "id" in value && "query" in value && typeof value.query === "string";
}
