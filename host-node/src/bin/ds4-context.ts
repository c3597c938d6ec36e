#!/usr/bin/env node
/**
 * The command line for Node users: the commands of the Rust one but `config`, with the same flags.
 *
 * Invariants: standard output has the answer and nothing else; what goes wrong is one line on standard error. Only `index`
 * writes, in the data folder, and `health` looks there; the others work in memory unless a folder is named. With `--json` the output is,
 * to the byte, the Rust command line's.
 */
import { readFile } from "node:fs/promises";
import { EngineError } from "../errors.js";
import { printable } from "../text/layout.js";
import { BadInput, helpText, parseArguments, type Arguments, type InspectArguments } from "./arguments.js";
import { healthCommand, indexCommand } from "./index-commands.js";
import { print, text } from "./output.js";
import { planCommand } from "./plan.js";
import { redactCommand } from "./redact.js";
import { searchCommand } from "./search.js";
import { patient, withSession } from "./sessions.js";
import { inspectTable } from "./tables.js";

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
    case "plan":
      return planCommand(words);
    case "inspect":
      return inspectCommand(words);
    case "search":
      return searchCommand(words);
    case "index":
      return indexCommand(words);
    case "health":
      return healthCommand(words);
    case "redact":
      return redactCommand(words);
  }
}

async function inspectCommand(words: InspectArguments): Promise<void> {
  await withSession(words, {}, async (session) => {
    print(words.json ? text(await session.document("inspect", undefined, patient)) : inspectTable(await session.inspect(patient)));
  });
}
