/** What the command line says, checked. Every mistake is one line that says what is allowed. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { LogFormat } from "../contract.js";

/** Flags of every command about a log. */
export interface LogArguments {
  readonly session: string;
  /** None: the log's first line tells. */
  readonly format?: LogFormat;
  /** Folder of the person's own configuration, instead of the platform's. */
  readonly dataDir?: string;
}

export interface PlanArguments extends LogArguments {
  readonly command: "plan";
  readonly at?: string;
  readonly window?: number;
  readonly budget?: number;
  readonly model?: { readonly provider: string; readonly id: string };
  /** Configuration files; the last one wins. */
  readonly config: readonly string[];
  readonly json: boolean;
  readonly explain: boolean;
  readonly manifest: boolean;
  /** Milliseconds since 1970 that the manifest carries instead of the clock's. */
  readonly nowMs?: number;
}

export interface InspectArguments extends LogArguments {
  readonly command: "inspect";
  readonly json: boolean;
}

export type Arguments = PlanArguments | InspectArguments | { readonly command: "help" } | { readonly command: "version" };

/** The caller's mistake; the program ends with exit code 2. */
export class BadInput extends Error {
  override readonly name = "BadInput";
}

export const helpText = `ds4-context: decides what a coding agent's context window holds

  ds4-context plan --session FILE [--at ENTRY] [--window N] [--budget N] [--model PROVIDER/ID] [--config FILE] [--json]
  ds4-context inspect --session FILE [--json]

plan      what is in, what is out, and why
inspect   the log's tree, branches, turns, tokens and the damage found in it

--session FILE        the session log
--format pi|runtime   the log's format; by default its first line tells
--at ENTRY            plan at this entry instead of the log's last
--window N            tokens of the model's context window
--budget N            tokens of input; replaces the target, never raises the hard limit
--model PROVIDER/ID   the model to plan for instead of the log's own
--config FILE         a configuration file; the last one wins
--data-dir DIR        folder with ds4-context.json, instead of DS4_CONTEXT_HOME or the platform's data folder
--json                print the planned messages, or the inspection, as one line of JSON
--explain             for every exclusion the smallest change that would include it
--manifest            print the plan's manifest, one line of JSON
--now-ms MS           time that the manifest carries, instead of the clock's

Exit code: 0 done, 1 no plan could be made, 2 bad input.`;

const logOptions = {
  session: { type: "string" },
  format: { type: "string" },
  "data-dir": { type: "string" },
  json: { type: "boolean" },
} as const;

const planOptions = {
  ...logOptions,
  at: { type: "string" },
  window: { type: "string" },
  budget: { type: "string" },
  model: { type: "string" },
  config: { type: "string", multiple: true },
  explain: { type: "boolean" },
  manifest: { type: "boolean" },
  "now-ms": { type: "string" },
} as const;

/** Throws `BadInput`. */
export function parseArguments(words: readonly string[]): Arguments {
  const [command, ...rest] = words;
  if (command === "help" || words.some((word) => word === "--help" || word === "-h")) {
    return { command: "help" };
  }
  switch (command) {
    case "plan":
      return planArguments(rest);
    case "inspect": {
      const values = parsed(rest, logOptions);
      return { command, ...logArguments(values), json: values.json ?? false };
    }
    case "--version":
    case "-V":
      return { command: "version" };
    case undefined:
      throw new BadInput("a command is missing: plan or inspect; see --help");
    default:
      throw new BadInput(`there is no command '${command}'; use plan or inspect`);
  }
}

function planArguments(words: readonly string[]): PlanArguments {
  const values = parsed(words, planOptions);
  if (values.explain === true && values.manifest === true) {
    throw new BadInput("--explain and --manifest cannot be used together");
  }
  return {
    command: "plan",
    ...logArguments(values),
    config: values.config ?? [],
    json: values.json ?? false,
    explain: values.explain ?? false,
    manifest: values.manifest ?? false,
    ...(values.at === undefined ? {} : { at: values.at }),
    ...(values.window === undefined ? {} : { window: tokens("--window", values.window) }),
    ...(values.budget === undefined ? {} : { budget: tokens("--budget", values.budget) }),
    ...(values.model === undefined ? {} : { model: modelName(values.model) }),
    ...(values["now-ms"] === undefined
      ? {}
      : { nowMs: wholeNumber("--now-ms", values["now-ms"], 0, Number.MAX_SAFE_INTEGER, "milliseconds") }),
  };
}

function logArguments(values: { session?: string; format?: string; "data-dir"?: string }): LogArguments {
  if (values.session === undefined || values.session === "") {
    throw new BadInput("--session FILE is missing");
  }
  const dataDir = values["data-dir"];
  return {
    session: values.session,
    ...(values.format === undefined ? {} : { format: logFormat(values.format) }),
    ...(dataDir === undefined ? {} : { dataDir }),
  };
}

function parsed<Options extends NonNullable<ParseArgsConfig["options"]>>(words: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new BadInput(`${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}; see --help`);
  }
}

function logFormat(name: string): LogFormat {
  switch (name) {
    case "pi":
      return "pi-session-v3";
    case "runtime":
      return "runtime-session-v1";
    default:
      throw new BadInput(`--format takes pi or runtime, not '${name}'`);
  }
}

function tokens(flag: string, text: string): number {
  return wholeNumber(flag, text, 1, 0xffff_ffff, "tokens");
}

function wholeNumber(flag: string, text: string, least: number, most: number, unit: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new BadInput(`${flag} takes a number of ${unit} from ${least} to ${most}, not '${text}'`);
  }
  return value;
}

function modelName(text: string): { provider: string; id: string } {
  const slash = text.indexOf("/");
  if (slash < 1 || slash === text.length - 1) {
    throw new BadInput(`--model takes PROVIDER/ID, not '${text}'`);
  }
  return { provider: text.slice(0, slash), id: text.slice(slash + 1) };
}
