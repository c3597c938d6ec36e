/** Several processes on one index, some of which are killed. Everything here is real: files, processes, signals. */
import assert from "node:assert/strict";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ContextEngine } from "../dist/index.js";
import { assertFound, hashOf, needle, needleLog } from "./needle-logs.js";
import { temporaryFolder } from "./temporary-folder.js";

type Child = ChildProcessByStdio<null, Readable, Readable>;

function start(program: string, ...words: string[]): Child {
  const path = fileURLToPath(new URL(`./${program}.js`, import.meta.url));
  return spawn(process.execPath, [path, ...words], { stdio: ["ignore", "pipe", "pipe"] });
}

/** Waits until a process says something. */
async function speaks(child: Child): Promise<void> {
  let errors = "";
  child.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()));
  await Promise.race([once(child.stdout, "data"), once(child, "close").then(() => assert.fail(`it ended: ${errors}`))]);
}

async function scene(context: TestContext, entries: number, config: object = {}) {
  const engine = await ContextEngine.start();
  context.after(() => engine.close());
  const folder = temporaryFolder(context);
  const log = needleLog(join(folder, "session.jsonl"), entries);
  const dataFolder = join(folder, "data");
  const session = await engine.openSession({ sessionId: "s", logFile: log.file, dataFolder, config });
  await session.syncToEnd();
  return { engine, log, dataFolder, session };
}

test("while another process holds the database a call waits, and the thread and other calls do not", async (context) => {
  const { dataFolder, session } = await scene(context, 20);
  await session.index();
  const holder = start("lock-holder", dataFolder, "context.db", "700");
  const ended = once(holder, "close");
  await speaks(holder);
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 10);
  const order: string[] = [];
  const searching = session.searchHistory({ text: needle(3), limit: 1 }).then(({ hits }) => {
    order.push("search");
    return hits;
  });
  await wait(60);
  await session.plan();
  order.push("plan");
  assert.deepEqual((await searching).map(({ entryId }) => entryId), ["e3"]);
  clearInterval(timer);
  assert.deepEqual(order, ["plan", "search"]);
  assert.ok(ticks > 10, `${ticks} ticks`);
  await ended;
});

test("at storage.busyTimeoutMs a call gives up as busy, and what was indexed stays", async (context) => {
  const { log, dataFolder, session } = await scene(context, 20, { storage: { busyTimeoutMs: 150 } });
  await session.index();
  const holder = start("lock-holder", dataFolder, "context.db", "60000");
  await speaks(holder);
  const started = performance.now();
  await assert.rejects(session.searchHistory({ text: needle(3) }), { code: "busy" });
  assert.ok(performance.now() - started >= 150);
  const controller = new AbortController();
  const aborted = assert.rejects(session.searchHistory({ text: needle(3) }, { signal: controller.signal }), { code: "cancelled" });
  controller.abort();
  await aborted;
  holder.kill("SIGKILL");
  await once(holder, "close");
  await assertFound(session, [3, 19]);
  assert.ok(log.entries.length === 20);
});

test("a process that is killed at any moment of indexing costs time only", async (context) => {
  // Most of the time goes into starting processes; more rounds on request.
  const rounds = Number(process.env["DS4_KILL_ROUNDS"] ?? 20) / 2;
  const entries = 250;
  const lane = async () => {
    const { engine, log, dataFolder, session } = await scene(context, entries);
    const before = hashOf(log.file);
    for (let round = 0; round < rounds; round++) {
      const child = start("indexing-process", log.file, dataFolder);
      await speaks(child);
      await wait(Math.random() * 250);
      const ended = once(child, "close");
      child.kill("SIGKILL");
      await ended;
      await using anew = await engine.openSession({ sessionId: "s", logFile: log.file, dataFolder });
      await anew.syncToEnd();
      assert.equal((await anew.index()).done, entries);
      await assertFound(anew, [0, Math.floor(Math.random() * entries), entries - 1]);
      assert.equal(hashOf(log.file), before);
    }
    assert.equal((await session.health({ deep: true })).healthy, true);
  };
  await Promise.all([lane(), lane()]);
});

test("a session that was open all the time sees that another process began its index anew", async (context) => {
  const { log, dataFolder, session } = await scene(context, 250);
  await session.index();
  const child = start("indexing-process", log.file, dataFolder);
  const ended = once(child, "close");
  await speaks(child);
  child.kill("SIGKILL");
  await ended;
  await session.index();
  await assertFound(session, [0, 125, 249]);
});
