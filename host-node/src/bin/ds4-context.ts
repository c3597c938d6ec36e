#!/usr/bin/env node
/**
 * The command line for Node users: the commands of the Rust one that show a session, with the same flags.
 *
 * Invariants: standard output has the answer and nothing else; what goes wrong is one line on standard error. It works in
 * memory and writes nothing. With `--json` the component's own document is printed byte for byte.
 */
import { readFile } from "node:fs/promises";
import type { Model } from "../contract.js";
import { ContextEngine } from "../engine.js";
import { EngineError } from "../errors.js";
import type { Session } from "../session.js";
import { BadInput, helpText, parseArguments, type Arguments, type PlanArguments } from "./arguments.js";
import { configLayers, findSession, type SessionFile } from "./files.js";
import { explainTable, inspectTable, planTable, printable } from "./tables.js";

/** Tokens of a model whose window nobody named: the contract's own default. */
const DEFAULT_WINDOW = 200_000;

/** Milliseconds for each call. A person waits longer than a request does. */
const DEADLINE_MS = 60_000;

const patient = { deadlineMs: DEADLINE_MS };

/** No plan could be made, or the machine failed: exit code 1. */
class Failed extends Error {
  override readonly name = "Failed";
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Nobody reads the output any more; there is nothing to say.
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  try {
    await run(parseArguments(words));
    return 0;
  } catch (error) {
    process.stderr.write(`ds4-context: ${printable(error instanceof Error ? error.message : String(error))}\n`);
    return isBadInput(error) ? 2 : 1;
  }
}

function isBadInput(error: unknown): boolean {
  return error instanceof BadInput || (error instanceof EngineError && (error.code === "invalid-input" || error.code === "not-found"));
}

async function run(words: Arguments): Promise<void> {
  switch (words.command) {
    case "help":
      print(helpText);
      return;
    case "version": {
      const manifest = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
      print(`ds4-context ${manifest.version}`);
      return;
    }
    case "plan": {
      const file = await findSession(words);
      await withEngine(file, async (engine) => {
        const config = await mergedConfig(engine, words);
        const session = await openSession(engine, file, config, words.nowMs);
        await plan(session, words);
      });
      return;
    }
    case "inspect": {
      const file = await findSession(words);
      await withEngine(file, async (engine) => {
        const session = await openSession(engine, file, {}, undefined);
        print(words.json ? text(await session.document("inspect", undefined, patient)) : inspectTable(await session.inspect(patient)));
      });
    }
  }
}

async function withEngine(file: SessionFile, use: (engine: ContextEngine) => Promise<void>): Promise<void> {
  const engine = await ContextEngine.start({ memoryBytes: file.memoryBytes });
  try {
    await use(engine);
  } finally {
    await engine.close();
  }
}

/** Opens the session and reads the whole log. */
async function openSession(engine: ContextEngine, file: SessionFile, config: object, nowMs: number | undefined): Promise<Session> {
  const session = await engine.openSession({
    sessionId: file.sessionId,
    logFile: file.path,
    config,
    ...(file.format === undefined ? {} : { format: file.format }),
    ...(nowMs === undefined ? {} : { clock: () => nowMs }),
  });
  await session.syncToEnd(patient);
  if (file.format === undefined && (await session.inspect(patient)).entries.total === 0) {
    throw new BadInput(`${file.named} is not a session log that this program knows`);
  }
  return session;
}

async function plan(session: Session, words: PlanArguments): Promise<void> {
  // The leaf first: a branch has a model of its own.
  if (words.at !== undefined) {
    await session.selectLeaf(words.at, patient);
  }
  const model = await namedModel(session, words);
  const made = await session.plan({
    ...patient,
    ...(words.budget === undefined ? {} : { budget: words.budget }),
    ...(model === undefined ? {} : { model }),
  });
  print(await answer(session, words));
  if (made.fallback !== undefined) {
    throw new Failed(`no plan could be made: ${made.fallback}`);
  }
}

async function answer(session: Session, words: PlanArguments): Promise<string> {
  if (words.manifest) {
    return text(await session.document("manifest", undefined, patient));
  }
  if (words.json) {
    return text(await session.document(words.explain ? "explain" : "render", undefined, patient));
  }
  return words.explain
    ? explainTable(await session.explain())
    : planTable(await session.render(undefined, patient), await session.manifest());
}

/** The model that the flags name; what they leave open is the log's own. */
async function namedModel(session: Session, words: PlanArguments): Promise<Model | undefined> {
  const contextWindow = words.window ?? DEFAULT_WINDOW;
  if (words.model !== undefined) {
    return { ...words.model, contextWindow };
  }
  if (words.window === undefined) {
    return undefined;
  }
  const own = (await session.status(patient)).model;
  return { provider: own?.provider ?? "unknown", id: own?.id ?? "unknown", contextWindow };
}

/** Problems of a file that a flag named end the command; those of the person's own file are told. */
async function mergedConfig(engine: ContextEngine, words: PlanArguments): Promise<object> {
  const layers = await configLayers(words.dataDir, words.config);
  if (layers.length === 0) {
    return {};
  }
  const { config, problems } = await engine.mergeConfig(layers);
  for (const problem of problems) {
    const line = printable(
      `${problem.source}: ${problem.message}${problem.ignoredLayer ? "; the whole file is ignored" : ""}`,
    );
    if (words.config.includes(problem.source)) {
      throw new BadInput(line);
    }
    process.stderr.write(`ds4-context: ${line}\n`);
  }
  return config;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function print(lines: string): void {
  process.stdout.write(`${lines}\n`);
}
