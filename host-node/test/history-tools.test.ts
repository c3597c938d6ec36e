/** The history tools beside what the tests with Pi itself see: what they cost, and what they say while the engine is gone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineError, type EngineErrorCode } from "../dist/index.js";
import type { BoundSession } from "../dist/pi/bound-session.js";
import { historyTools } from "../dist/pi/history-tools.js";
import type { PiContext } from "../dist/pi/pi-types.js";

const context = { sessionManager: { getLeafId: () => "e1", getSessionId: () => "s", getEntries: () => [] } } as unknown as PiContext;
const historyConfig = { enabled: true, defaultScope: "current-branch", allowProjectScope: false, maxResults: 6, maxOutputTokens: 3_000 };

/** A session of which every call fails like this. */
function failingSession(code: EngineErrorCode): BoundSession {
  const fail = async () => {
    throw new EngineError(code, `it is ${code}`);
  };
  const session = { searchHistory: fail, readHistory: fail, health: fail, selectLeaf: async () => {} };
  return {
    opened: Promise.resolve({ session, config: { historyTools: historyConfig } }),
    beginIndex: async () => {},
    upkeep: { begin: async () => {}, lastFailure: undefined },
    noteEntries: () => {},
  } as unknown as BoundSession;
}

async function run(bound: () => BoundSession, tool: string, parameters: unknown): Promise<Record<string, unknown>> {
  const definition = historyTools(bound).find(({ name }) => name === tool);
  const result = await definition?.execute("call", parameters, undefined, undefined, context);
  return JSON.parse(result?.content[0]?.text ?? "{}") as Record<string, unknown>;
}

const calls = [
  ["context_history_recall", { query: "something" }],
  ["context_history_read", { reference: `hist_${"0".repeat(32)}` }],
  ["context_history_status", {}],
] as const;

test("the three definitions together take at most 1,600 characters of every request", () => {
  const definitions = historyTools(() => failingSession("other")).map(({ name, description, parameters }) => ({ name, description, parameters }));
  assert.ok(JSON.stringify(definitions).length <= 1_600, `${JSON.stringify(definitions).length}`);
});

for (const [tool, parameters] of calls) {
  test(`${tool} never throws: it says that the engine cannot be asked now`, async () => {
    for (const code of ["worker-lost", "trapped", "deadline-missed", "busy", "storage", "closed"] as const) {
      const result = await run(() => failingSession(code), tool, parameters);
      assert.deepEqual(
        { ...result, note: undefined },
        { schema: "ds4-history-result-v1", quotedData: true, status: "unavailable", code, note: undefined },
      );
    }
    const taken = await run(() => {
      throw new Error("this context object is stale");
    }, tool, parameters);
    assert.equal(taken["status"], "unavailable");
  });
}

test("parameters that no schema let through are named, whatever they are", async () => {
  const wrong: [string, unknown][] = [
    ["context_history_recall", undefined],
    ["context_history_recall", null],
    ["context_history_recall", { query: "  " }],
    ["context_history_recall", { query: 5 }],
    ["context_history_recall", { query: "ü".repeat(2_000) + "x" }],
    ["context_history_recall", { query: "漢".repeat(2_000), limit: 13 }],
    ["context_history_recall", { query: "x", limit: 0 }],
    ["context_history_recall", { query: "x", scope: 5 }],
    ["context_history_read", {}],
    ["context_history_read", { reference: `hist_${"0".repeat(32)}`, lines: 201 }],
    ["context_history_read", { reference: `hist_${"0".repeat(32)}`, firstLine: 0 }],
  ];
  for (const [tool, parameters] of wrong) {
    assert.equal((await run(() => failingSession("other"), tool, parameters))["status"], "invalid-parameters", `${tool} ${JSON.stringify(parameters)}`);
  }
});

test("the scope project is refused unless the configuration allows it, and each wider scope is indexed before it is searched", async () => {
  for (const allowProjectScope of [false, true]) {
    const indexed: string[] = [];
    const answer = { status: "complete", hits: [], indexedEntries: 1, logEntries: 1, sessions: { upToDate: 1, pending: 0, leftOut: 2 } };
    const searched: unknown[] = [];
    const session = { searchHistory: async ({ scope }: { scope: string }) => (searched.push(scope), answer), selectLeaf: async () => {} };
    const bound = {
      opened: Promise.resolve({ session, config: { historyTools: { ...historyConfig, allowProjectScope } } }),
      beginIndex: async (scope: string) => void indexed.push(scope),
      noteEntries: () => {},
    } as unknown as BoundSession;
    const results = [];
    for (const scope of ["current-branch", "current-lineage", "project"]) {
      results.push(await run(() => bound, "context_history_recall", { query: "something", scope }));
    }
    assert.deepEqual(results.map(({ status }) => status), ["complete", "complete", allowProjectScope ? "complete" : "scope-not-allowed"]);
    assert.deepEqual(results.map(({ sessions }) => sessions), [undefined, answer.sessions, allowProjectScope ? answer.sessions : undefined]);
    assert.deepEqual(searched, indexed);
    assert.equal(searched.length, allowProjectScope ? 3 : 2);
  }
});
