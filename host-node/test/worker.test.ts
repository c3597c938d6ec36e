/** What happens around a component that misbehaves. Session, deadline and restart are real; the component is a double. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test, type TestContext } from "node:test";
import { ContextEngine, EngineError, type EngineErrorCode, type SessionOptions } from "../dist/index.js";

const componentUrl = new URL("./doubles/misbehaving-component.js", import.meta.url).href;

async function scene(context: TestContext, options: Partial<SessionOptions> = {}) {
  const engine = await ContextEngine.start({ componentUrl });
  context.after(() => engine.close());
  return { engine, session: await engine.openSession({ sessionId: "s", ...options }) };
}

async function fails(call: Promise<unknown>, code: EngineErrorCode): Promise<EngineError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof EngineError, `expected ${code}, got ${String(error)}`);
  assert.equal(error.code, code);
  assert.doesNotMatch(error.message, /\n/);
  return error;
}

test("a trap fails the call, and the next one works with the session as it was", async (context) => {
  const { session } = await scene(context, { logFile: "/logs/a.jsonl" });
  await session.sync();
  await session.append("{}\n{}\n");
  await session.selectModel({ provider: "p", id: "m", contextWindow: 1000 });
  await session.selectLeaf("e7");
  await fails(session.plan({ systemPrompt: "trap" }), "trapped");
  const status = await session.status();
  assert.deepEqual(status, {
    sessionId: "s",
    leafId: "e7",
    model: { provider: "p", id: "m", contextWindow: 1000 },
    messages: 2,
    read: 1,
    calls: ["model m"],
  });
  assert.equal((await session.plan()).manifestId, "m_1");
});

test("a plan that hangs is cut at its deadline, and the next one works", async (context) => {
  const { session } = await scene(context);
  const start = performance.now();
  await fails(session.plan({ systemPrompt: "hang", deadlineMs: 200 }), "deadline-missed");
  const took = performance.now() - start;
  assert.ok(took >= 195 && took < 2000, `${took} ms`);
  assert.equal((await session.plan()).manifestId, "m_1");
});

test("a worker that ends by itself fails the call, and the next one works", async (context) => {
  const { session } = await scene(context);
  await fails(session.plan({ systemPrompt: "end" }), "worker-lost");
  assert.equal((await session.plan()).manifestId, "m_1");
});

test("a call that waits behind one that hangs is answered by the next worker", async (context) => {
  const { engine, session } = await scene(context);
  const other = await engine.openSession({ sessionId: "other" });
  const hanging = session.plan({ systemPrompt: "hang", deadlineMs: 200 });
  const waiting = other.plan();
  await fails(hanging, "deadline-missed");
  assert.equal((await waiting).manifestId, "m_1");
});

test("a deadline that passes while a call waits costs only that call", async (context) => {
  const { session } = await scene(context);
  await session.append("{}\n");
  const hanging = session.plan({ systemPrompt: "hang", deadlineMs: 400 });
  await fails(session.plan({ deadlineMs: 50 }), "deadline-missed");
  await fails(hanging, "deadline-missed");
  assert.equal((await session.status()).messages, 1);
});

test("every error of the contract arrives under its name and costs nothing", async (context) => {
  const { session } = await scene(context);
  await session.append("{}\n");
  for (const code of [
    "invalid-input",
    "not-found",
    "stale",
    "busy",
    "limit",
    "storage",
    "privacy",
    "cancelled",
    "unsupported",
    "other",
  ] as const) {
    const error = await fails(session.plan({ systemPrompt: `error:${code}` }), code);
    assert.equal(error.message, "as asked");
  }
  await fails(session.plan({ systemPrompt: "error:from-the-future" }), "trapped");
  assert.equal((await session.status()).messages, 1);
});

test("a refused session fails where it is opened", async (context) => {
  const { engine } = await scene(context);
  await fails(engine.openSession({ sessionId: "refused" }), "invalid-input");
});

test("a log that takes too long to read is read on by the next call, and its worker stays", async (context) => {
  const { session } = await scene(context, { logFile: "/logs/endless.jsonl" });
  await fails(session.plan({ readLog: true, deadlineMs: 400 }), "deadline-missed");
  const first = (await session.status()) as unknown as { read: number };
  assert.ok(first.read > 1);
  await fails(session.plan({ readLog: true, deadlineMs: 400 }), "deadline-missed");
  const second = (await session.status()) as unknown as { read: number };
  assert.ok(second.read > first.read, "the second call went on from where the first one was");
});

test("spans that count in another projection are refused as stale", async (context) => {
  const { session } = await scene(context);
  await session.append("{}\n{}\n");
  await fails(session.plan({ projectedMessages: 3 }), "stale");
  assert.equal((await session.plan({ projectedMessages: 2 })).manifestId, "m_1");
});

test("the same model is selected once", async (context) => {
  const { session } = await scene(context);
  const model = { provider: "p", id: "m", contextWindow: 1000 };
  await session.plan({ model });
  await session.plan({ model: { ...model } });
  await session.plan({ model: { ...model, id: "n" } });
  assert.deepEqual((await session.status()) as unknown, {
    sessionId: "s",
    model: { ...model, id: "n" },
    messages: 0,
    read: 0,
    calls: ["model m", "model n"],
  });
});

test("a call can be given up", async (context) => {
  const { session } = await scene(context);
  await fails(session.plan({ signal: AbortSignal.abort() }), "cancelled");
  const controller = new AbortController();
  const hanging = session.plan({ systemPrompt: "hang", deadlineMs: 300, signal: controller.signal });
  controller.abort();
  await fails(hanging, "cancelled");
  assert.equal((await session.plan()).manifestId, "m_1");
});

test("numbers that are none are refused before they cross", async (context) => {
  const { session } = await scene(context);
  for (const input of [-1, 1.5, Number.NaN, 2 ** 60]) {
    await fails(session.recordUsage("m_1", { input, output: 0, cacheRead: 0, cacheWrite: 0 }), "invalid-input");
    await fails(session.plan({ budget: input }), "invalid-input");
    await fails(session.plan({ model: { provider: "p", id: "m", contextWindow: input } }), "invalid-input");
    await fails(session.selectModel({ provider: "p", id: "m", contextWindow: 1000, maxOutput: input }), "invalid-input");
  }
});

test("a deadline longer than a timer can wait is no deadline", async (context) => {
  const { session } = await scene(context);
  for (const deadlineMs of [2 ** 31, Number.POSITIVE_INFINITY]) {
    assert.equal((await session.plan({ deadlineMs })).manifestId, "m_1");
  }
});

test("closing ends what is under way and can be done twice", async (context) => {
  const { engine, session } = await scene(context);
  const hanging = session.plan({ systemPrompt: "hang" });
  const waiting = session.plan();
  await Promise.all([engine.close(), fails(hanging, "closed"), fails(waiting, "closed")]);
  await engine.close();
  await fails(session.plan(), "closed");
  await fails(engine.mergeConfig([]), "closed");
  await session.close();
  await session.close();
});

test("a closed session is closed, and its engine goes on", async (context) => {
  const { engine, session } = await scene(context);
  await session.close();
  await session.close();
  await fails(session.plan(), "closed");
  assert.equal((await (await engine.openSession({ sessionId: "next" })).plan()).manifestId, "m_1");
});

test("a component that is not there is said in one line", async () => {
  await fails(ContextEngine.start({ componentUrl: new URL("./nothing/engine.js", import.meta.url).href }), "other");
});

test("a start can be given up, and an engine can be closed while it starts", async () => {
  const hanging = new URL("./doubles/hanging-component.js", import.meta.url).href;
  await fails(ContextEngine.start({ componentUrl, signal: AbortSignal.abort() }), "closed");
  const controller = new AbortController();
  const starting = ContextEngine.start({ componentUrl: hanging, signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  await fails(starting, "closed");
  const engine = ContextEngine.create({ componentUrl: hanging });
  const opening = engine.openSession({ sessionId: "s" });
  const start = performance.now();
  await Promise.all([engine.close(), fails(opening, "closed")]);
  assert.ok(performance.now() - start < 5000);
});

test("an engine that nobody closed does not keep its process alive", () => {
  const program = `
    import { ContextEngine } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
    const engine = await ContextEngine.start({ componentUrl: ${JSON.stringify(componentUrl)} });
    const session = await engine.openSession({ sessionId: "s" });
    console.log((await session.plan()).manifestId);
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 20_000,
  });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: "m_1\n", stderr: "" });
});
