/** The index and the history over real storage: what is found, and what damage, deletion and a lost worker cost (time only). */
import assert from "node:assert/strict";
import { closeSync, openSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ContextEngine, EngineError, type Progress, type Session } from "../dist/index.js";
import { addNeedle, assertFound, hashOf, needle, needleLog } from "./needle-logs.js";
import { conversation } from "./pi-logs.js";
import { temporaryFolder } from "./temporary-folder.js";

const DATABASE = "context.db";

async function scene(context: TestContext, entries = 60) {
  const engine = await ContextEngine.start();
  context.after(() => engine.close());
  const folder = temporaryFolder(context);
  const log = needleLog(join(folder, "session.jsonl"), entries);
  const dataFolder = join(folder, "data");
  const open = async (): Promise<Session> => {
    const session = await engine.openSession({ sessionId: "s", logFile: log.file, dataFolder });
    await session.syncToEnd();
    return session;
  };
  return { engine, log, open, dataFolder, database: join(dataFolder, DATABASE) };
}

test("what is indexed is found, quoted, and read by its reference", async (context) => {
  const { log, open, database } = await scene(context);
  const session = await open();
  const told: Progress[] = [];
  const end = await session.index({ maxBytes: 32 * 1024, onProgress: (progress) => told.push(progress) });
  assert.deepEqual(end, { done: 60, total: 60, finished: true });
  assert.ok(told.length > 3, "in slices");
  assert.deepEqual(
    told.map(({ done }) => done),
    [...told.map(({ done }) => done)].sort((left, right) => left - right),
  );
  await assertFound(session, [0, 30, 59]);
  const answer = await session.searchHistory({ text: `where is ${needle(7)}?`, maxTokens: 500 });
  const [hit] = answer.hits;
  assert.ok(hit !== undefined);
  assert.equal(hit.role, "user");
  assert.equal(hit.sessionId, "s");
  assert.equal(hit.classification, "normal");
  assert.equal(typeof hit.timestampMs, "number");
  assert.ok(hit.score > 0 && hit.reason.includes(needle(7)) && hit.excerpt.includes(needle(7)), JSON.stringify(hit));
  const lines = await session.readHistory(hit.reference, 1, 10);
  assert.equal(lines.entryId, "e7");
  assert.ok(lines.text.startsWith(`${needle(7)} filler`));
  assert.ok(statSync(database).size > 0);
  addNeedle(log);
  await session.syncToEnd();
  await session.index();
  await assertFound(session, [60]);
});

test("without a data folder, and without a log, the index is in memory", async (context) => {
  const { engine, log } = await scene(context);
  await using session = await engine.openSession({ sessionId: "fed" });
  await session.append(log.entries.map((entry) => JSON.stringify(entry)).join("\n"));
  await session.index();
  await assertFound(session, [0, 59]);
  const health = await session.health({ deep: true });
  assert.deepEqual([health.database.kind, health.database.reason, health.healthy], ["in-memory", "no-data-folder", true]);
});

test("a project has a database of its own", async (context) => {
  const { engine, log, dataFolder } = await scene(context);
  const project = temporaryFolder(context);
  const options = { sessionId: "s", logFile: log.file, dataFolder, projectRoot: project };
  await using untrusted = await engine.openSession(options);
  await untrusted.index();
  await using trusted = await engine.openSession({ ...options, trustedProjectRoot: project });
  await trusted.syncToEnd();
  await trusted.index();
  await assertFound(trusted, [12]);
  assert.equal((await untrusted.health()).database.name, DATABASE);
  assert.match((await trusted.health()).database.name ?? "", /^projects\/[0-9a-f]{32}\.db$/);
  assert.deepEqual(readdirSync(dataFolder).filter((name) => name.endsWith(".db") || name === "projects").sort(), [DATABASE, "projects"]);
});

test("scopes: the branch, and the session", async (context) => {
  const { engine, dataFolder } = await scene(context);
  const log = needleLog(join(dataFolder, "..", "branches.jsonl"), 4, 100);
  log.message({ role: "user", content: [{ type: "text", text: "elsewhere otherbranch9 word" }] }, "e1");
  await using session = await engine.openSession({ sessionId: "b", logFile: log.file, dataFolder });
  await session.syncToEnd();
  await session.index();
  const ids = async (text: string, scope: "current-branch" | "current-session") =>
    (await session.searchHistory({ text, scope, limit: 1 })).hits.map(({ entryId }) => entryId);
  assert.deepEqual(await ids("otherbranch9", "current-branch"), ["e4"]);
  assert.deepEqual(await ids(needle(3), "current-session"), ["e3"]);
  assert.ok(!(await ids(needle(3), "current-branch")).includes("e3"), "the leaf is on the other branch");
  await session.selectLeaf("e3");
  assert.deepEqual(await ids(needle(3), "current-branch"), ["e3"]);
  await assert.rejects(session.searchHistory({ text: "x", scope: "project" }), { code: "invalid-input" });
  await assert.rejects(session.searchHistory({ text: "x", limit: 0 }), { code: "invalid-input" });
  await assert.rejects(session.readHistory(`hist_${"0".repeat(32)}`), { code: "not-found" });
  await assert.rejects(session.readHistory("hist", 1, 201), { code: "invalid-input" });
});

test("a worker that is killed in the middle of indexing costs time only", async (context) => {
  const { log, open } = await scene(context, 150);
  const before = hashOf(log.file);
  const session = await open();
  let lost = 0;
  for (let round = 0; round < 6; round++) {
    await session.rebuildIndex();
    try {
      // A running call that misses its deadline costs the worker, wherever it is.
      await session.index({ maxBytes: 256 * 1024, deadlineMs: 8 + 9 * round });
    } catch (error) {
      assert.ok(error instanceof EngineError && error.code === "deadline-missed", String(error));
      lost += 1;
    }
    assert.equal((await session.index()).finished, true);
    await assertFound(session, [0, 75, 149]);
  }
  assert.ok(lost > 0, "no worker was killed");
  assert.equal((await session.health({ deep: true })).healthy, true);
  assert.equal(hashOf(log.file), before);
});

test("a rebuild that was asked for is not forgotten with its worker", async (context) => {
  const { open } = await scene(context);
  const session = await open();
  await session.index();
  await session.rebuildIndex();
  await assert.rejects(session.index({ deadlineMs: 1 }), { code: "deadline-missed" });
  await session.index();
  const { session: part } = await session.health();
  assert.ok(part != null && part.rebuilds >= 1 && part.lastReason === "forced", JSON.stringify(part));
});

test("a database that is deleted between two calls is made again", async (context) => {
  const { log, open, dataFolder, database } = await scene(context);
  const before = hashOf(log.file);
  const session = await open();
  await session.index();
  for (const deleted of [database, dataFolder]) {
    rmSync(deleted, { recursive: true });
    // What is gone is seen by whoever looks first, and may cost that one answer.
    await session.searchHistory({ text: needle(3), limit: 1 });
    await session.index();
    await assertFound(session, [3, 59]);
    assert.ok(statSync(database).size > 0);
  }
  await using anew = await open();
  await anew.index();
  await assertFound(anew, [3, 59]);
  assert.equal((await anew.health({ deep: true })).healthy, true);
  assert.equal(hashOf(log.file), before);
});

/** Overwrites a stretch of a file. */
function overwrite(file: string, offset: number, bytes: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(bytes, 0xa5), 0, bytes, offset);
  closeSync(descriptor);
}

/** What is damaged so much that it cannot even be checked is not whole. */
async function isWhole(session: Session): Promise<boolean> {
  try {
    return (await session.health({ deep: true })).healthy;
  } catch (error) {
    assert.ok(error instanceof EngineError && error.code === "storage", String(error));
    return false;
  }
}

test("a damaged database is made anew, and no answer is wrong", async (context) => {
  const { log, open, database } = await scene(context);
  const before = hashOf(log.file);
  await using first = await open();
  await first.index();
  const size = statSync(database).size;
  for (const [offset, bytes] of [[0, 100], [4096, 64], [Math.floor(size / 2), 4096], [size - 4096, 4096], [100, size - 200]] as const) {
    overwrite(database, offset, bytes);
    await using session = await open();
    if (!(await isWhole(session))) {
      await session.rebuildIndex();
    }
    await session.index();
    await assertFound(session, [0, 31, 59]);
    await session.rebuildIndex();
    await session.index();
    assert.equal((await session.health({ deep: true })).healthy, true, `after damage at ${offset}`);
  }
  writeFileSync(database, "this is no database");
  await using last = await open();
  await last.index();
  await assertFound(last, [0, 59]);
  assert.equal(hashOf(log.file), before);
});

test("a waiting plan goes before waiting slices of an index", async (context) => {
  const { open } = await scene(context, 200);
  const session = await open();
  const order: string[] = [];
  const slices = session.index({ maxBytes: 16 * 1024, onProgress: () => order.push("slice") });
  const others = [1, 2, 3].map(() => session.index({ maxBytes: 16 * 1024, onProgress: () => order.push("slice") }));
  await session.plan();
  order.push("plan");
  await Promise.all([slices, ...others]);
  assert.ok(order.indexOf("plan") <= 2, `after ${order.indexOf("plan")} of ${order.length}`);
  assert.equal(order.filter((what) => what === "slice").length > 10, true);
});

test("a signal ends an index between two slices, and what is in stays", async (context) => {
  const { open } = await scene(context, 200);
  const session = await open();
  const controller = new AbortController();
  const indexing = session.index({ maxBytes: 16 * 1024, signal: controller.signal, onProgress: () => controller.abort() });
  await assert.rejects(indexing, { code: "cancelled" });
  const { indexedEntries, logEntries } = await session.searchHistory({ text: needle(199) });
  assert.ok(indexedEntries > 0 && indexedEntries < logEntries);
  await session.index();
  await assertFound(session, [199]);
});

test("wrongly typed arguments are invalid-input and cost no worker", async (context) => {
  const { engine, open } = await scene(context);
  const log = conversation(join(temporaryFolder(context), "other.jsonl"), 1, 100);
  const session = await open();
  const { manifestId } = await session.plan();
  // A caller without types: what is passed is never what the declarations say.
  const any = session as unknown as Record<string, (...words: unknown[]) => Promise<unknown>>;
  const run = { first: 0, count: 1 };
  const wrong: [string, ...unknown[]][] = [
    ["plan", { messages: [{ tag: "unknown", val: run }] }],
    ["plan", { messages: [{ tag: "projected" }] }],
    ["plan", { messages: [{ tag: "projected", val: { first: -1, count: 1 } }] }],
    ["plan", { messages: [{ tag: "projected", val: { first: 0.5, count: 1 } }] }],
    ["plan", { messages: "all" }],
    ["plan", { messages: [undefined] }],
    ["plan", { budget: 2 ** 32 }],
    ["plan", { budget: Number.NaN }],
    ["plan", { systemPrompt: 5 }],
    ["plan", { leafId: {} }],
    ["plan", { model: { provider: "p", id: 7, contextWindow: 1000 } }],
    ["plan", { model: { provider: "p", id: "i", contextWindow: "1000" } }],
    ["plan", { model: null }],
    ["plan", { inline: [10n] }],
    ["sync", { maxBytes: -1 }],
    ["index", { maxBytes: "many" }],
    ["index", { maxBytes: 2 ** 40 }],
    ["append", 5],
    ["append", undefined],
    ["selectLeaf", 5],
    ["selectModel", undefined],
    ["selectModel", { provider: "p", id: "i", contextWindow: 1000, cost: { input: "1" } }],
    ["recordUsage", 1, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }],
    ["recordUsage", "m", { input: -1, output: 0, cacheRead: 0, cacheWrite: 0 }],
    ["recordUsage", "m", undefined],
    ["searchHistory", { text: 5 }],
    ["searchHistory", { text: "x", scope: "universe" }],
    ["searchHistory", { text: "x", scope: "lineage" }],
    ["searchHistory", { text: "x", limit: 1.5 }],
    ["searchHistory", { text: "x", maxTokens: -1 }],
    ["readHistory", undefined],
    ["readHistory", "hist", "1"],
    ["document", "secrets"],
    ["document", "manifest", 5],
  ];
  for (const [method, ...words] of wrong) {
    await assert.rejects(async () => any[method]?.(...words), { code: "invalid-input" }, `${method} ${String(words)}`);
  }
  const options: object[] = [
    { sessionId: 5 },
    { sessionId: "x", format: "csv" },
    { sessionId: "x", logFile: 5 },
    { sessionId: "x", config: 5 },
    { sessionId: "x", seed: "0123456789012345678901234567890123456789" },
    { sessionId: "x", dataFolder: false },
    { sessionId: "x", projectRoot: 1 },
    { sessionId: "x", logFile: log.file, clock: () => -1 },
  ];
  for (const wrongOptions of options) {
    await assert.rejects(engine.openSession(wrongOptions as never), { code: "invalid-input" }, JSON.stringify(wrongOptions));
  }
  await assert.rejects(engine.mergeConfig([{ source: 5, content: {} }] as never), { code: "invalid-input" });
  await assert.rejects(engine.mergeConfig("layers" as never), { code: "invalid-input" });
  // A worker that was lost would have taken the plan along.
  assert.equal((await session.manifest(manifestId)).id, manifestId);
});
