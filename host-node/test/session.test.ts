/** The public API over the component itself. */
import assert from "node:assert/strict";
import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ContextEngine, EngineError, type PlanItem } from "../dist/index.js";
import { conversation, PiLog } from "./pi-logs.js";
import { temporaryFolder } from "./temporary-folder.js";

const model = { provider: "mock", id: "mock-1", contextWindow: 100_000, maxOutput: 4096 };

async function scene(context: TestContext) {
  const engine = await ContextEngine.start();
  context.after(() => engine.close());
  return { engine, folder: temporaryFolder(context) };
}

/** Positions of the request that a plan sends, in order. */
function positions(items: readonly PlanItem[]): number[] {
  return items.flatMap((item) => {
    if (item.tag === "insert") {
      return [];
    }
    return item.tag === "keep" ? Array.from({ length: item.val.count }, (_, place) => item.val.first + place) : [item.val.position];
  });
}

test("a short session is kept whole, and rendered with its entries", async (context) => {
  const { engine, folder } = await scene(context);
  const log = conversation(join(folder, "short.jsonl"), 3, 100);
  await using session = await engine.openSession({ sessionId: "short", logFile: log.file });
  const plan = await session.plan({ readLog: true, model });
  assert.deepEqual(plan.items, [{ tag: "keep", val: { first: 0, count: 12 } }]);
  assert.equal(plan.fallback, undefined);
  const rendered = await session.render();
  assert.equal(rendered.messages.length, 12);
  assert.equal(rendered.manifestId, plan.manifestId);
  assert.equal(rendered.promptHash, plan.promptHash);
  assert.deepEqual(
    rendered.messages.map(({ entryId }) => entryId),
    log.entries.map(({ id }) => id),
  );
  assert.deepEqual(rendered.messages[1]?.toolCallIds, ["call_0"]);
  assert.equal(rendered.messages[2]?.toolCallId, "call_0");
});

test("a long session goes out trimmed, with whole exchanges and its current request", async (context) => {
  const { engine, folder } = await scene(context);
  const log = conversation(join(folder, "long.jsonl"), 200, 8000);
  const current = log.user("What now?");
  const before = readFileSync(log.file);
  await using session = await engine.openSession({ sessionId: "long", logFile: log.file });
  const plan = await session.plan({ readLog: true, model });
  const rendered = await session.render();
  assert.ok(plan.estimatedTokens <= 90_000 && rendered.messages.length < 800 && rendered.messages.length > 4);
  assert.equal(rendered.messages.at(-1)?.entryId, current);
  const open = new Set<string>();
  for (const message of rendered.messages) {
    message.toolCallIds?.forEach((id) => open.add(id));
    if (message.toolCallId != null) {
      assert.ok(open.delete(message.toolCallId), `result of ${message.toolCallId} without its call`);
    }
  }
  assert.equal(open.size, 0, "a call without its result");
  const sent = positions(plan.items);
  assert.deepEqual(
    sent,
    [...sent].sort((left, right) => left - right),
  );
  assert.deepEqual(readFileSync(log.file), before, "the log's bytes stay as they were");
});

test("a log is followed while it grows, and read anew when it was replaced or cut", async (context) => {
  const { engine, folder } = await scene(context);
  const log = conversation(join(folder, "log.jsonl"), 2, 100);
  await using session = await engine.openSession({ sessionId: "s", logFile: log.file });
  await session.syncToEnd();
  assert.equal(await session.projectedMessages(), 8);
  log.user("more");
  await session.syncToEnd();
  assert.equal(await session.projectedMessages(), 9);
  renameSync(conversation(join(folder, "other.jsonl"), 1, 100).file, log.file);
  await session.syncToEnd();
  assert.equal(await session.projectedMessages(), 4);
  const whole = readFileSync(log.file);
  truncateSync(log.file, whole.lastIndexOf("\n", whole.length - 2) + 1);
  await session.syncToEnd();
  assert.equal(await session.projectedMessages(), 3);
});

test("a log that is not there is not-found for sync, and empty for a plan", async (context) => {
  const { engine, folder } = await scene(context);
  const file = join(folder, "later.jsonl");
  await using session = await engine.openSession({ sessionId: "s", logFile: file });
  await assert.rejects(session.sync(), (error: unknown) => error instanceof EngineError && error.code === "not-found");
  const inline = [{ role: "user", content: "hello", timestamp: 1 }];
  const plan = await session.plan({ readLog: true, model, inline, messages: [{ tag: "inline", val: { first: 0, count: 1 } }] });
  assert.deepEqual(positions(plan.items), [0]);
  conversation(file, 1, 10);
  await session.plan({ readLog: true, model });
  assert.equal(await session.projectedMessages(), 4);
  rmSync(file);
  await session.plan({ readLog: true, model });
  assert.equal(await session.projectedMessages(), 4, "what was read before stays");
});

test("another leaf is another branch", async (context) => {
  const { engine, folder } = await scene(context);
  const log = new PiLog(join(folder, "tree.jsonl"));
  log.user("one");
  const fork = log.assistant("two");
  const left = log.user("three");
  log.append("message", { message: { role: "user", content: "other", timestamp: 9 } }, fork);
  await using session = await engine.openSession({ sessionId: "tree", logFile: log.file });
  await session.plan({ readLog: true, leafId: left });
  assert.equal((await session.render()).messages.at(-1)?.text, "three");
  await session.selectLeaf(undefined);
  await session.plan();
  assert.equal((await session.render()).messages.at(-1)?.text, "other");
  await assert.rejects(session.selectLeaf("nowhere"), (error: unknown) => error instanceof EngineError && error.code === "not-found");
});

test("a session in memory is fed by append", async (context) => {
  const { engine, folder } = await scene(context);
  const log = conversation(join(folder, "source.jsonl"), 2, 100);
  const lines = log.entries.map((entry) => `${JSON.stringify(entry)}\n`);
  await using session = await engine.openSession({ sessionId: "memory" });
  assert.equal(await session.append(lines.slice(0, 4).join("")), 4);
  assert.equal(await session.append(lines.join("")), 4, "known entries are ignored");
  assert.equal(await session.projectedMessages(), 8);
  const plan = await session.plan({ model, leafId: "e3" });
  assert.deepEqual(positions(plan.items), [0, 1, 2, 3]);
});

test("documents hold no prompt content", async (context) => {
  const { engine, folder } = await scene(context);
  const log = new PiLog(join(folder, "private.jsonl"));
  log.user("XYZZY-PRIVATE");
  log.exchange("call_1", "XYZZY-PRIVATE ".repeat(20));
  log.user("XYZZY-PRIVATE again");
  await using session = await engine.openSession({ sessionId: "private", logFile: log.file });
  await session.plan({ readLog: true, model });
  for (const name of ["manifest", "explain", "inspect", "status"] as const) {
    const document = new TextDecoder().decode(await session.document(name));
    assert.doesNotMatch(document, /XYZZY/, name);
    JSON.parse(document);
  }
  await assert.rejects(session.manifest("m_unknown"), (error: unknown) => error instanceof EngineError && error.code === "not-found");
});

test("a plan after a lost worker is the plan before it", async (context) => {
  const { folder } = await scene(context);
  const engine = await ContextEngine.start({ memoryBytes: 96 * 1024 * 1024 });
  context.after(() => engine.close());
  const log = conversation(join(folder, "log.jsonl"), 30, 4000);
  await using session = await engine.openSession({ sessionId: "s", logFile: log.file, seed: new Uint8Array(32) });
  const small = { ...model, contextWindow: 20_000 };
  const first = await session.plan({ readLog: true, model: small, leafId: "e99" });
  const huge = [{ role: "user", content: "x".repeat(60 * 1024 * 1024), timestamp: 1 }];
  await assert.rejects(
    session.plan({ inline: huge, messages: [{ tag: "inline", val: { first: 0, count: 1 } }] }),
    (error: unknown) => error instanceof EngineError && error.code === "trapped",
  );
  const second = await session.plan();
  assert.equal(second.promptHash, first.promptHash);
  assert.deepEqual(second.items, first.items);
});

test("a configuration is checked and used", async (context) => {
  const { engine, folder } = await scene(context);
  const merged = await engine.mergeConfig([
    { source: "a", content: { context: { mode: "observer" } } },
    { source: "b", content: { nonsense: true } },
    { source: "c", content: new TextEncoder().encode("{ not json") },
  ]);
  assert.equal(merged.config.context.mode, "observer");
  assert.equal(merged.config.enabled, true);
  assert.deepEqual(
    merged.problems.map(({ source, ignoredLayer }) => [source, ignoredLayer]),
    [
      ["b", false],
      ["c", true],
    ],
  );
  const log = conversation(join(folder, "log.jsonl"), 200, 8000);
  await using session = await engine.openSession({ sessionId: "s", logFile: log.file, config: merged.config });
  const plan = await session.plan({ readLog: true, model });
  assert.deepEqual(plan.items, [{ tag: "keep", val: { first: 0, count: 800 } }], "an observer keeps everything");
});

test("two engines read one log and plan the same", async (context) => {
  const { engine, folder } = await scene(context);
  const other = await ContextEngine.start();
  context.after(() => other.close());
  const log = conversation(join(folder, "log.jsonl"), 20, 4000);
  const plans = await Promise.all(
    [engine, other].map(async (each) => {
      const session = await each.openSession({ sessionId: "s", logFile: log.file });
      await session.plan({ readLog: true, model: { ...model, contextWindow: 20_000 } });
      return new TextDecoder().decode(await session.document("render"));
    }),
  );
  assert.equal(plans[0], plans[1]);
});

test("a folder that is no log is refused in one line", async (context) => {
  const { engine, folder } = await scene(context);
  writeFileSync(join(folder, "empty.jsonl"), "");
  const session = await engine.openSession({ sessionId: "s", logFile: folder });
  await assert.rejects(
    session.syncToEnd(),
    (error: unknown) => error instanceof EngineError && error.code === "storage" && !error.message.includes("\n"),
  );
  const empty = await engine.openSession({ sessionId: "e", logFile: join(folder, "empty.jsonl") });
  assert.equal((await empty.syncToEnd()).finished, true);
  assert.equal(await empty.projectedMessages(), 0);
});
