/** What the command line says, checked. Every mistake is one line that says what is allowed. */
import { parseArgs, type ParseArgsConfig } from "node:util";

export interface PlanArguments {
  readonly command: "plan";
  readonly session: string;
  readonly at?: string;
  readonly window?: number;
  readonly budget?: number;
  readonly model?: { readonly provider: string; readonly id: string };
  readonly config?: string;
  readonly json: boolean;
}

export interface InspectArguments {
  readonly command: "inspect";
  readonly session: string;
  readonly json: boolean;
}

export type Arguments = PlanArguments | InspectArguments | { readonly command: "help" } | { readonly command: "version" };

/** The caller's mistake; the program ends with exit code 2. */
export class BadInput extends Error {
  override readonly name = "BadInput";
}

export const helpText = `ds4-context: plans what a coding agent's context window holds

  ds4-context plan --session FILE [--at ENTRY] [--window N] [--budget N] [--model PROVIDER/ID] [--config FILE] [--json]
  ds4-context inspect --session FILE [--json]

plan      what is in, what is out, and why; with --json the planned messages
inspect   the log's tree, branches, turns, tokens and the damage found in it

--session FILE      a session log of the Pi coding agent
--at ENTRY          plan at this entry instead of the log's last
--window N          tokens of the model's context window
--budget N          tokens of input; replaces the target, never raises the hard limit
--model P/ID        the model to plan for instead of the log's own
--config FILE       a ds4-context.json

Exit code: 0 planned, 1 no plan could be made, 2 bad input.`;

const optionsOf = {
  plan: {
    session: { type: "string" },
    at: { type: "string" },
    window: { type: "string" },
    budget: { type: "string" },
    model: { type: "string" },
    config: { type: "string" },
    json: { type: "boolean" },
  },
  inspect: { session: { type: "string" }, json: { type: "boolean" } },
} as const satisfies Record<string, NonNullable<ParseArgsConfig["options"]>>;

/** Throws `BadInput`. */
export function parseArguments(words: readonly string[]): Arguments {
  const [command, ...rest] = words;
  if (command === undefined || command === "help" || words.some((word) => word === "--help" || word === "-h")) {
    return { command: "help" };
  }
  if (command === "--version" || command === "-V") {
    return { command: "version" };
  }
  switch (command) {
    case "plan":
      return planArguments(parsed(rest, optionsOf.plan));
    case "inspect": {
      const values = parsed(rest, optionsOf.inspect);
      return { command: "inspect", session: required(values.session), json: values.json ?? false };
    }
    default:
      throw new BadInput(`there is no command '${command}'; use plan or inspect`);
  }
}

function parsed<Options extends NonNullable<ParseArgsConfig["options"]>>(words: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const line = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new BadInput(line);
  }
}

function planArguments(values: ReturnType<typeof parsed<typeof optionsOf.plan>>): PlanArguments {
  return {
    command: "plan",
    session: required(values.session),
    json: values.json ?? false,
    ...(values.at === undefined ? {} : { at: values.at }),
    ...(values.config === undefined ? {} : { config: values.config }),
    ...(values.window === undefined ? {} : { window: tokens("--window", values.window) }),
    ...(values.budget === undefined ? {} : { budget: tokens("--budget", values.budget) }),
    ...(values.model === undefined ? {} : { model: modelName(values.model) }),
  };
}

function required(session: string | undefined): string {
  if (session === undefined || session === "") {
    throw new BadInput("--session FILE is missing");
  }
  return session;
}

function tokens(flag: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 0xffff_ffff) {
    throw new BadInput(`${flag} takes a number of tokens from 1 to 4294967295, not '${text}'`);
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
