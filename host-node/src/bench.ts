/**
 * Benchmarks of this host; `cargo xtask bench` runs them. Prints one JSON object a line:
 * `{"bench", "unit", "runs", "p50", "p95", …}`. Everything it needs it makes in a temporary folder.
 *
 * - `component-load`: importing this package and starting the engine, in a process of its own each time.
 * - `read-log`: reading the log of the session below from nothing.
 * - `plan-after-one-turn`: a plan after one new turn over a held session of 2,000 messages and about 1 M tokens at window
 *   200,000: reading what the log gained and the worker's round trip included.
 * - `context-hook`: the same with what the Pi extension does around it: finding Pi's messages in the projection, and
 *   applying the plan.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GeneratedLog } from "./bench-log.js";
import { ContextEngine } from "./engine.js";
import { alignMessages } from "./pi/alignment.js";
import type { PiMessage } from "./pi/pi-types.js";
import { applyPlan } from "./pi/plan-application.js";
import type { Session } from "./session.js";

const MESSAGES = 2_000;
const LOAD_RUNS = 10;
const PLAN_RUNS = 60;
const WARM_UP_RUNS = 10;

const model = { provider: "bench", id: "bench-1", contextWindow: 200_000, maxOutput: 32_000 };
const systemPrompt = "You are a coding agent. ".repeat(400);
const tools = Array.from({ length: 12 }, (_, place) => ({ name: `tool_${place}`, description: "Does one thing well. ".repeat(10), parameters: { type: "object", properties: { path: { type: "string" } } } }));

const folder = mkdtempSync(join(tmpdir(), "ds4-context-bench-"));
try {
  benchLoad();
  await benchPlans();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function benchLoad(): void {
  const program = `
    const start = performance.now();
    const { ContextEngine } = await import(${JSON.stringify(new URL("./index.js", import.meta.url).href)});
    const engine = await ContextEngine.start();
    console.log(performance.now() - start);
    await engine.close();`;
  const run = () => Number(spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).stdout);
  report("component-load", Array.from({ length: LOAD_RUNS }, run));
}

async function benchPlans(): Promise<void> {
  const log = new GeneratedLog(join(folder, "session.jsonl"));
  while (log.messages.length < MESSAGES) {
    log.turn();
  }
  const bytes = statSync(log.file).size;
  const engine = await ContextEngine.start();
  try {
    const reading = await timed(async () => {
      const session = await engine.openSession({ sessionId: "read", logFile: log.file });
      await session.syncToEnd();
      await session.close();
    });
    report("read-log", [reading], { bytes, megabytesPerSecond: rounded(bytes / 1000 / reading) });
    const session = await engine.openSession({ sessionId: "bench", logFile: log.file });
    await session.syncToEnd();
    const plans = await afterEachTurn(log, () => plan(session, log, log.messages.length));
    const { estimatedTokens, messages } = await session.render();
    report("plan-after-one-turn", plans, { messages: log.messages.length, plannedMessages: messages.length, plannedTokens: estimatedTokens });
    report("context-hook", await afterEachTurn(log, (context) => hook(session, log, context)), { messages: log.messages.length });
  } finally {
    await engine.close();
  }
}

async function plan(session: Session, log: GeneratedLog, count: number) {
  return session.plan({
    readLog: true,
    leafId: log.leafId,
    model,
    systemPrompt,
    tools,
    projectedMessages: count,
    messages: [{ tag: "projected", val: { first: 0, count } }],
  });
}

async function hook(session: Session, log: GeneratedLog, context: readonly PiMessage[]): Promise<void> {
  const aligned = alignMessages(context, log.messages);
  const planned = await session.plan({
    readLog: true,
    leafId: log.leafId,
    model,
    systemPrompt,
    tools,
    projectedMessages: log.messages.length,
    messages: aligned.spans,
    inline: aligned.inline,
  });
  if (applyPlan(planned, context).kind === "refused") {
    throw new Error("the plan was refused");
  }
}

/** Milliseconds of each run; the copy that Pi makes of its messages is not counted. */
async function afterEachTurn(log: GeneratedLog, work: (context: readonly PiMessage[]) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < WARM_UP_RUNS + PLAN_RUNS; run++) {
    log.turn();
    const context = structuredClone(log.messages);
    times.push(await timed(() => work(context)));
  }
  return times.slice(WARM_UP_RUNS);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function report(bench: string, milliseconds: readonly number[], more: object = {}): void {
  const sorted = [...milliseconds].sort((left, right) => left - right);
  const at = (share: number) => rounded(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
  console.log(JSON.stringify({ bench, unit: "ms", runs: sorted.length, p50: at(0.5), p95: at(0.95), ...more }));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
