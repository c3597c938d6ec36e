#!/usr/bin/env node
/**
 * The command line for Node users. It works in memory, writes nothing, and prints the same JSON as the Rust one: the
 * component's own documents.
 */
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Config, Model } from "../contract.js";
import { ContextEngine } from "../engine.js";
import { EngineError } from "../errors.js";
import type { Session } from "../session.js";
import { BadInput, helpText, parseArguments, type Arguments, type PlanArguments } from "./arguments.js";
import { inspectTable, planTable } from "./tables.js";

/** Tokens of a model whose window nobody named: the contract's own default. */
const DEFAULT_WINDOW = 200_000;

/** Milliseconds for each call. A person waits longer than a request does. */
const DEADLINE_MS = 60_000;

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  try {
    return await run(parseArguments(words));
  } catch (error) {
    process.stderr.write(`ds4-context: ${error instanceof Error ? error.message : String(error)}\n`);
    return isBadInput(error) ? 2 : 1;
  }
}

function isBadInput(error: unknown): boolean {
  return error instanceof BadInput || (error instanceof EngineError && (error.code === "invalid-input" || error.code === "not-found"));
}

async function run(words: Arguments): Promise<number> {
  switch (words.command) {
    case "help":
      print(helpText);
      return 0;
    case "version": {
      const manifest = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
      print(`ds4-context ${manifest.version}`);
      return 0;
    }
    case "plan":
      return withSession(words.session, words.config, (session) => plan(session, words));
    case "inspect":
      return withSession(words.session, undefined, async (session) => {
        const document = await session.document("inspect", undefined, { deadlineMs: DEADLINE_MS });
        print(words.json ? text(document) : inspectTable(await session.inspect()));
        return 0;
      });
  }
}

async function withSession(file: string, configFile: string | undefined, use: (session: Session) => Promise<number>): Promise<number> {
  await requireFile(file);
  const engine = await ContextEngine.start();
  try {
    const config = configFile === undefined ? {} : await readConfig(engine, configFile);
    const session = await engine.openSession({ sessionId: basename(file).replace(/\.jsonl$/, ""), logFile: resolve(file), config });
    await session.syncToEnd({ deadlineMs: DEADLINE_MS });
    return await use(session);
  } finally {
    await engine.close();
  }
}

async function plan(session: Session, words: PlanArguments): Promise<number> {
  const model = await namedModel(session, words);
  const made = await session.plan({
    deadlineMs: DEADLINE_MS,
    ...(words.at === undefined ? {} : { leafId: words.at }),
    ...(words.budget === undefined ? {} : { budget: words.budget }),
    ...(model === undefined ? {} : { model }),
  });
  print(words.json ? text(await session.document("render")) : planTable(await session.render(), await session.manifest()));
  if (made.fallback === undefined) {
    return 0;
  }
  process.stderr.write(`ds4-context: no plan could be made: ${made.fallback}\n`);
  return 1;
}

/** The model that the flags name; what they leave open is the log's own. */
async function namedModel(session: Session, words: PlanArguments): Promise<Model | undefined> {
  if (words.model === undefined && words.window === undefined) {
    return undefined;
  }
  const ownModel = words.model ?? (await session.inspect()).model ?? undefined;
  return { provider: ownModel?.provider ?? "unknown", id: ownModel?.id ?? "unknown", contextWindow: words.window ?? DEFAULT_WINDOW };
}

async function readConfig(engine: ContextEngine, file: string): Promise<Config> {
  await requireFile(file);
  const merged = await engine.mergeConfig([{ source: file, content: await readFile(file) }]);
  const [problem] = merged.problems;
  if (problem !== undefined) {
    throw new BadInput(`${problem.source}: ${problem.message}`);
  }
  return merged.config;
}

async function requireFile(file: string): Promise<void> {
  try {
    if ((await stat(file)).isFile()) {
      return;
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new BadInput(code === "ENOENT" ? `there is no file ${file}` : `${file} cannot be read (${code ?? "unknown"})`);
  }
  throw new BadInput(`${file} is not a file`);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function print(lines: string): void {
  process.stdout.write(`${lines}\n`);
}
