/**
 * Benchmarks of this host; `cargo xtask bench` runs them. Prints one JSON object a line:
 * `{"bench", "unit", "runs", "p50", "p95", "cpuP50", …}`; `cpuP50` is processor time of all threads, which a busy machine
 * changes less. Everything it needs it makes in a temporary folder.
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
const tools = Array.from({ length: 12 }, (_, place) => ({
  name: `tool_${place}`,
  description: "Does one thing well. ".repeat(10),
  parameters: { type: "object", properties: { path: { type: "string" } } },
}));

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
    const cpu = process.cpuUsage();
    const { ContextEngine } = await import(${JSON.stringify(new URL("./index.js", import.meta.url).href)});
    const engine = await ContextEngine.start();
    const { user, system } = process.cpuUsage(cpu);
    console.log(JSON.stringify({ wall: performance.now() - start, cpu: (user + system) / 1000 }));
    await engine.close();`;
  const run = () =>
    JSON.parse(spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).stdout) as Measured;
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
    report("read-log", [reading], { bytes, megabytesPerSecond: rounded(bytes / 1000 / reading.wall) });
    const session = await engine.openSession({ sessionId: "bench", logFile: log.file });
    await session.syncToEnd();
    const plans = await afterEachTurn(log, () => plan(session, log, log.messages.length));
    const { estimatedTokens, messages } = await session.render();
    report("plan-after-one-turn", plans, {
      messages: log.messages.length,
      plannedMessages: messages.length,
      plannedTokens: estimatedTokens,
    });
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
async function afterEachTurn(log: GeneratedLog, work: (context: readonly PiMessage[]) => Promise<unknown>): Promise<Measured[]> {
  const times: Measured[] = [];
  for (let run = 0; run < WARM_UP_RUNS + PLAN_RUNS; run++) {
    log.turn();
    const context = structuredClone(log.messages);
    times.push(await timed(() => work(context)));
  }
  return times.slice(WARM_UP_RUNS);
}

/** Milliseconds. */
interface Measured {
  readonly wall: number;
  readonly cpu: number;
}

async function timed(work: () => Promise<unknown>): Promise<Measured> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wall: performance.now() - start, cpu: (user + system) / 1000 };
}

function report(bench: string, measured: readonly Measured[], more: object = {}): void {
  const wall = measured.map((each) => each.wall);
  const cpu = measured.map((each) => each.cpu);
  console.log(
    JSON.stringify({
      bench,
      unit: "ms",
      runs: measured.length,
      p50: quantile(wall, 0.5),
      p95: quantile(wall, 0.95),
      cpuP50: quantile(cpu, 0.5),
      ...more,
    }),
  );
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return rounded(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
