/** Other sessions in a search: taken in slices that other calls go between, kept for those that come later, and lost with their files. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ContextEngine, type HistoryScope, type Session } from "../dist/index.js";
import { hashOf } from "./needle-logs.js";
import { PiLog } from "./pi-logs.js";
import { temporaryFolder } from "./temporary-folder.js";

const config = { historyTools: { allowProjectScope: true } };

async function scene(context: TestContext) {
  const engine = await ContextEngine.start();
  context.after(() => engine.close());
  const folder = temporaryFolder(context);
  const dataFolder = join(folder, "data");
  const sessions = join(folder, "sessions");
  mkdirSync(sessions);
  const log = (name: string, header: Readonly<Record<string, unknown>>) => new PiLog(join(sessions, name), header);
  const open = async (file: string, sessionId: string, options: object = config): Promise<Session> => {
    const session = await engine.openSession({ sessionId, logFile: file, dataFolder, config: options });
    await session.syncToEnd();
    return session;
  };
  return { folder, sessions, log, open };
}

/** Entries of many words; the first one names the session. */
function fill(log: PiLog, name: string, entries: number): PiLog {
  for (let place = 0; place < entries; place++) {
    const rest = `filler ${place} of thread_${place % 13} in src/${name}${place % 31}.rs `.repeat(60);
    log.user(place === 0 ? `The lighthouse of ${name} is painted cerulean.` : rest);
  }
  return log;
}

/** What holds the word, and where it stands; not what only stands beside it. */
async function found(session: Session, scope: HistoryScope, word: string): Promise<string[]> {
  const { hits } = await session.searchHistory({ text: word, scope, limit: 20 });
  return hits.filter(({ reason }) => reason.includes(word)).map(({ sessionId, entryId, relation }) => `${sessionId}/${entryId} ${relation}`).sort();
}

test("the lineage and the project are read and indexed in slices, and other calls go between them", async (context) => {
  const { log, open } = await scene(context);
  const own = log("own.jsonl", { id: "own", parentSession: "/somewhere/else/parent.jsonl" });
  own.user("Go on with the lighthouse");
  const hashes = ["parent", "other"].map((name) => hashOf(fill(log(`${name}.jsonl`, { id: name }), name, 80).file));
  fill(log("elsewhere.jsonl", { id: "elsewhere", cwd: "/another/folder" }), "elsewhere", 3);
  const session = await open(own.file, "own");
  const order: string[] = [];
  const indexing = session.indexScope("project", { maxBytes: 32 * 1024, onProgress: () => order.push("slice") });
  const plan = session.plan({ messages: [{ tag: "projected", val: { first: 0, count: 1 } }] }).then(() => order.push("plan"));
  const [end] = await Promise.all([indexing, plan]);
  assert.deepEqual(end, { done: 161, total: 161, finished: true });
  assert.ok(order.length > 8, order.join());
  assert.ok(order.indexOf("plan") < order.length - 2, `a plan waits for no more than a slice: ${order.join()}`);

  assert.deepEqual(await found(session, "current-lineage", "cerulean"), ["parent/e0 lineage-ancestor"]);
  assert.deepEqual(await found(session, "project", "cerulean"), ["other/e0 other-session", "parent/e0 lineage-ancestor"]);
  assert.deepEqual(await found(session, "current-session", "cerulean"), []);
  const answer = await session.searchHistory({ text: "cerulean", scope: "project" });
  assert.deepEqual(answer.sessions, { upToDate: 3, pending: 0, leftOut: 0 });
  assert.deepEqual(["parent", "other"].map((name) => hashOf(join(own.file, "..", `${name}.jsonl`))), hashes, "the logs are as they were");
});

test("an index that was made as another session's is the session's own, and the other way round", async (context) => {
  const { log, open } = await scene(context);
  const own = log("own.jsonl", { id: "own" });
  own.user("A lighthouse");
  const other = fill(log("other.jsonl", { id: "other" }), "other", 20);
  const session = await open(own.file, "own");
  await session.indexScope("project");
  const later = await open(other.file, "other");
  assert.deepEqual(await later.index(), { done: 20, total: 20, finished: true });
  const health = await later.health({ deep: true });
  assert.deepEqual([health.session?.rebuilds, health.sessions, health.healthy], [0, 2, true]);
  other.user("The vermilion door of the lighthouse");
  await later.syncToEnd();
  await later.index();
  assert.deepEqual(await found(session, "project", "vermilion"), [], "not read yet");
  await session.indexScope("project");
  assert.deepEqual(await found(session, "project", "vermilion"), ["other/e20 other-session"]);
});

test("a reference into another session is good as long as its log holds the entry", async (context) => {
  const { log, open } = await scene(context);
  const own = log("own.jsonl", { id: "own" });
  own.user("A lighthouse");
  const other = fill(log("other.jsonl", { id: "other" }), "other", 5);
  const session = await open(own.file, "own");
  await session.indexScope("project");
  const [hit] = (await session.searchHistory({ text: "cerulean", scope: "project" })).hits;
  assert.ok(hit !== undefined);
  const lines = await session.readHistory(hit.reference);
  assert.deepEqual([lines.sessionId, lines.entryId, lines.text], ["other", "e0", "The lighthouse of other is painted cerulean.\n"]);
  fill(log("other.jsonl", { id: "another" }), "another", 5);
  await assert.rejects(session.readHistory(hit.reference), { code: "not-found" });
  rmSync(other.file);
  await assert.rejects(session.readHistory(hit.reference), { code: "not-found" });
  const { sessions, hits } = await session.searchHistory({ text: "cerulean", scope: "project" });
  assert.deepEqual([sessions.leftOut, hits.length], [0, 0], "what was written over is not found by what it said");
});

test("nothing outside of the session's folder is read, whatever a header names", async (context) => {
  const { folder, sessions, log, open } = await scene(context);
  mkdirSync(join(folder, "private"));
  const secret = fill(new PiLog(join(folder, "private", "secret.jsonl"), { id: "secret" }), "secret", 2);
  symlinkSync(secret.file, join(sessions, "secret.jsonl"));
  for (const parentSession of [secret.file, "../private/secret.jsonl", "secret.jsonl", "..", ""]) {
    const own = log("own.jsonl", { id: "own", parentSession });
    own.user("A lighthouse");
    const session = await open(own.file, "own");
    for (const scope of ["current-lineage", "project"] as const) {
      await session.indexScope(scope);
      assert.deepEqual(await found(session, scope, "cerulean"), [], `${parentSession} ${scope}`);
    }
    await session.close();
  }
});

test("a session without a log has no others, and a worker that was lost costs time only", async (context) => {
  const { log, open } = await scene(context);
  const own = log("own.jsonl", { id: "own", parentSession: "parent.jsonl" });
  own.user("A lighthouse");
  fill(log("parent.jsonl", { id: "parent" }), "parent", 60);
  const session = await open(own.file, "own");
  await assert.rejects(session.indexScope("current-lineage", { maxBytes: 4 * 1024 * 1024, deadlineMs: 5 }), { code: "deadline-missed" });
  await session.indexScope("current-lineage");
  assert.deepEqual(await found(session, "current-lineage", "cerulean"), ["parent/e0 lineage-ancestor"]);

  const engine = await ContextEngine.start();
  context.after(() => engine.close());
  await using fed = await engine.openSession({ sessionId: "fed", config });
  await fed.append(`${JSON.stringify({ type: "session", version: 3, id: "fed", cwd: "/work", parentSession: "/x/parent.jsonl" })}\n`);
  await fed.append(`${JSON.stringify(own.entries[0])}\n`);
  await fed.indexScope("project");
  assert.deepEqual((await fed.searchHistory({ text: "lighthouse", scope: "project" })).sessions, { upToDate: 1, pending: 0, leftOut: 1 });
});
