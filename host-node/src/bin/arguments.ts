/** What the command line says, checked. Every mistake is one line that says what is allowed. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { HistoryScope, LogFormat } from "../contract.js";
import { FOUND_HITS } from "../limits.js";

const COMMANDS = "plan, inspect, search, index, health or redact";

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

export interface SearchArguments extends LogArguments {
  readonly command: "search";
  /** The one question, unless `queries` names a file of them. */
  readonly query?: string;
  /** A file of questions, or `-` for standard input. */
  readonly queries?: string;
  readonly limit: number;
  readonly scope: HistoryScope;
  readonly at?: string;
  readonly config: readonly string[];
  readonly json: boolean;
  readonly stats: boolean;
  /** Milliseconds since 1970 of the search instead of the clock's. */
  readonly nowMs?: number;
}

export interface IndexArguments extends LogArguments {
  readonly command: "index";
  readonly rebuild: boolean;
  readonly config: readonly string[];
  readonly json: boolean;
}

export interface HealthArguments extends LogArguments {
  readonly command: "health";
  readonly config: readonly string[];
  readonly json: boolean;
}

export interface RedactArguments {
  readonly command: "redact";
  /** A file of texts, or `-` for standard input. */
  readonly file: string;
}

export type Arguments =
  | PlanArguments
  | InspectArguments
  | SearchArguments
  | IndexArguments
  | HealthArguments
  | RedactArguments
  | { readonly command: "help" }
  | { readonly command: "version" };

/** The caller's mistake; the program ends with exit code 2. */
export class BadInput extends Error {
  override readonly name = "BadInput";
}

export const helpText = `ds4-context: decides what a coding agent's context window holds

  ds4-context plan --session FILE [--at ENTRY] [--window N] [--budget N]
                   [--model PROVIDER/ID] [--config FILE] [--json]
  ds4-context inspect --session FILE [--json]
  ds4-context search --session FILE [--limit K] [--scope SCOPE] [--at ENTRY]
                     [--json] QUERY
  ds4-context search --session FILE [--limit K] [--stats] --queries FILE|-
  ds4-context index --session FILE [--rebuild] [--json]
  ds4-context health --session FILE [--json]
  ds4-context redact [FILE|-]

plan      what is in, what is out, and why
inspect   the log's tree, branches, turns, tokens and the damage found in it
search    what was said, done and put out earlier in the session
index     brings the session's search index up to date and keeps it
health    where the index lives, how large it is, and whether it is whole
redact    texts without the keys, tokens and passwords in them: a file (or
          standard input) of {"id": …, "text": "…"} lines, each answered by
          {"id": …, "text": "…", "redactions": [{"start": …, "end": …,
          "rule": "…"}]} with ranges of the given text in UTF-8 bytes

--session FILE        the session log
--format pi|runtime   the log's format; by default its first line tells
--at ENTRY            plan at this entry, or search its branch, instead of the
                      log's last
--window N            tokens of the model's context window
--budget N            tokens of input; replaces the target, never raises the
                      hard limit
--model PROVIDER/ID   the model to plan for instead of the log's own
--config FILE         a configuration file; the last one wins
--queries FILE        a file of questions, one {"id": …, "query": "…"} a line,
                      or - for standard input
--limit K             hits a question, 1 to 1000; 10 unless said otherwise
--scope SCOPE         current-branch; current-session has the other branches
                      as well, current-lineage the sessions that it was
                      forked from, project every session of the folder,
                      which needs historyTools.allowProjectScope
--stats               with --queries: one more line at the end with the times
                      of indexing and searching, in milliseconds
--rebuild             make the session's index anew from its log
--data-dir DIR        folder with ds4-context.json and for what is derived,
                      instead of DS4_CONTEXT_HOME; by default the platform's
                      data folder, where only index and health keep anything
--json                print the planned messages, the inspection, the answer
                      or the state as one line of JSON
--explain             for every exclusion the smallest change that would
                      include it
--manifest            print the plan's manifest, one line of JSON
--now-ms MS           time of the manifest or the search, instead of the
                      clock's

Examples:
  ds4-context plan --session session.jsonl --budget 25000 --explain
  ds4-context search --session session.jsonl "retry budget of parseLine"
  echo '{"id":1,"query":"tokio"}' |
    ds4-context search --session session.jsonl --queries -
  ds4-context index --session session.jsonl --rebuild
  ds4-context health --session session.jsonl --json
  echo '{"id":1,"text":"DB_PASSWORD=correct-Horse7battery"}' |
    ds4-context redact

Exit code: 0 done, 1 no plan could be made or the index is damaged,
2 bad input.`;

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

const searchOptions = {
  ...logOptions,
  queries: { type: "string" },
  limit: { type: "string" },
  scope: { type: "string" },
  at: { type: "string" },
  config: { type: "string", multiple: true },
  stats: { type: "boolean" },
  "now-ms": { type: "string" },
} as const;

const healthOptions = { ...logOptions, config: { type: "string", multiple: true } } as const;
const indexOptions = { ...healthOptions, rebuild: { type: "boolean" } } as const;

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
      const { values } = parsed(rest, logOptions);
      return { command, ...logArguments(values), json: values.json ?? false };
    }
    case "search":
      return searchArguments(rest);
    case "index": {
      const { values } = parsed(rest, indexOptions);
      return { command, ...logArguments(values), rebuild: values.rebuild ?? false, config: values.config ?? [], json: values.json ?? false };
    }
    case "health": {
      const { values } = parsed(rest, healthOptions);
      return { command, ...logArguments(values), config: values.config ?? [], json: values.json ?? false };
    }
    case "redact": {
      const { positionals } = parsed(rest, {}, true);
      const [file, surplus] = positionals;
      if (surplus !== undefined) {
        throw new BadInput(`'${surplus}' is one word too many; redact takes one FILE`);
      }
      return { command, file: file ?? "-" };
    }
    case "--version":
    case "-V":
      return { command: "version" };
    case undefined:
      throw new BadInput(`a command is missing: ${COMMANDS}; see --help`);
    default:
      throw new BadInput(`there is no command '${command}'; use ${COMMANDS}`);
  }
}

function planArguments(words: readonly string[]): PlanArguments {
  const { values } = parsed(words, planOptions);
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
    ...nowMs(values["now-ms"]),
  };
}

function searchArguments(words: readonly string[]): SearchArguments {
  const { values, positionals } = parsed(words, searchOptions, true);
  const [query, surplus] = positionals;
  const { queries } = values;
  if (surplus !== undefined) {
    throw new BadInput(`'${surplus}' is one word too many; put the question in quotation marks`);
  }
  if ((query === undefined) === (queries === undefined)) {
    throw new BadInput(query === undefined ? "a question or --queries FILE is missing; see --help" : "a question and --queries cannot be used together");
  }
  if (queries === undefined ? values.stats === true : values.json === true) {
    throw new BadInput(queries === undefined ? "--stats needs --queries" : "--json and --queries cannot be used together");
  }
  return {
    command: "search",
    ...logArguments(values),
    ...(query === undefined ? {} : { query }),
    ...(queries === undefined ? {} : { queries }),
    limit: values.limit === undefined ? FOUND_HITS : wholeNumber("--limit", values.limit, 1, 1000, "hits"),
    scope: searchScope(values.scope ?? "current-branch"),
    ...(values.at === undefined ? {} : { at: values.at }),
    config: values.config ?? [],
    json: values.json ?? false,
    stats: values.stats ?? false,
    ...nowMs(values["now-ms"]),
  };
}

const scopes: readonly HistoryScope[] = ["current-branch", "current-session", "current-lineage", "project"];

function searchScope(name: string): HistoryScope {
  const scope = scopes.find((known) => known === name);
  if (scope === undefined) {
    throw new BadInput(`--scope takes ${scopes.join(", ")}, not '${name}'`);
  }
  return scope;
}

function nowMs(text: string | undefined): { nowMs?: number } {
  return text === undefined ? {} : { nowMs: wholeNumber("--now-ms", text, 0, Number.MAX_SAFE_INTEGER, "milliseconds") };
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

function parsed<Options extends NonNullable<ParseArgsConfig["options"]>>(
  words: readonly string[],
  options: Options,
  allowPositionals = false,
) {
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals });
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
