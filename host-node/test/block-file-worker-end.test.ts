/** A worker that ends in the middle of a transaction: its process lives on, and its lock has to go all the same. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ContextEngine, type EngineError } from "../dist/index.js";
import { commitAll, contentOf, forgetLock, openBlockFile, tagged } from "./block-files.js";
import { temporaryFolder } from "./temporary-folder.js";

const componentUrl = new URL("./doubles/locking-component.js", import.meta.url).href;

async function scene(context: TestContext) {
  const dataFolder = join(temporaryFolder(context), "data");
  const file = openBlockFile(dataFolder, "index");
  file.lock();
  commitAll(file, "committed");
  file.unlock();
  const start = async () => {
    const engine = await ContextEngine.start({ componentUrl });
    context.after(() => engine.close());
    const session = await engine.openSession({ sessionId: "s", dataFolder });
    const ask = async (what: string, deadlineMs = 10_000) => (await session.plan({ systemPrompt: what, deadlineMs })).manifestId;
    return { engine, ask };
  };
  return { dataFolder, file, lock: join(dataFolder, "index.lock"), start };
}

for (const [what, code] of [
  ["hold-hang", "deadline-missed"],
  ["hold-trap", "trapped"],
  ["hold-end", "worker-lost"],
] as const) {
  test(`after ${what} the next worker takes the file at once`, async (context) => {
    const { file, start } = await scene(context);
    const { ask } = await start();
    const { ask: askOther } = await start();
    await assert.rejects(ask(what, 300), (error: EngineError) => error.code === code);
    assert.equal(await ask("lock"), "counter 1 size 9");
    assert.equal(await askOther("lock"), "counter 1 size 9", "and so does a worker that was there all the time");
    assert.deepEqual(contentOf(file), { counter: 1n, content: "committed" });
  });
}

test("while a worker holds the file, every other thread of the process is told that it is busy", async (context) => {
  const { file, lock, start } = await scene(context);
  const [one, two] = [await start(), await start()];
  assert.equal(await one.ask("hold"), "counter 1");
  assert.equal((JSON.parse(readFileSync(lock, "utf8")) as { pid: number }).pid, process.pid);
  assert.equal(await two.ask("lock"), "busy");
  assert.equal(await one.ask("lock"), "busy");
  assert.throws(() => file.lock(), tagged("busy"));
  await two.engine.close();
  assert.ok(existsSync(lock), "another worker's end frees nothing");
  await one.engine.close();
  assert.ok(!existsSync(lock), "closing an engine frees what its worker held");
  assert.deepEqual(contentOf(file), { counter: 1n, content: "committed" });
});

test("a lock that was taken over meanwhile is not removed with the worker that lost it", async (context) => {
  const { lock, file, start } = await scene(context);
  const { ask, engine } = await start();
  await ask("hold");
  forgetLock(lock);
  assert.equal(file.lock(), 1n);
  await engine.close();
  assert.ok(existsSync(lock));
  commitAll(file, "after");
  file.unlock();
  assert.deepEqual(contentOf(file), { counter: 2n, content: "after" });
});

test("a session without a data folder has no block files", async (context) => {
  const engine = await ContextEngine.start({ componentUrl });
  context.after(() => engine.close());
  const session = await engine.openSession({ sessionId: "s" });
  assert.equal((await session.plan({ systemPrompt: "lock" })).manifestId, "access-denied");
});
