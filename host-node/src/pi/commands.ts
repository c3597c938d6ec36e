/** The command `/context`: what the engine knows, why it decided so, and the switch for this session. */
import { CALL_DEADLINE_MS } from "../limits.js";
import { EngineError, toEngineError } from "../errors.js";
import type { Session } from "../session.js";
import type { BoundSession } from "./bound-session.js";
import type { PiCommand, PiContext } from "./pi-types.js";
import { explainText, itemsText, manifestText, statusText } from "./report-text.js";

const subcommands = ["status", "manifest", "explain", "included", "excluded", "off", "on"] as const;
type Subcommand = (typeof subcommands)[number];

export interface CommandState {
  bound(context: PiContext): BoundSession;
  readonly lastFailure: string | undefined;
}

export function contextCommand(state: CommandState): PiCommand {
  return {
    description: "ds4-context: status | manifest | explain | included | excluded | off | on",
    getArgumentCompletions: (prefix) =>
      subcommands.filter((name) => name.startsWith(prefix.trim())).map((name) => ({ value: name, label: name })),
    handler: async (args, context) => {
      const [name = "status"] = args.trim().split(/\s+/).filter(Boolean);
      try {
        if (!isSubcommand(name)) {
          throw new EngineError("invalid-input", `/context ${name} is not known; there is ${subcommands.join(", ")}`);
        }
        tell(context, await run(name, state, context), "info");
      } catch (error) {
        tell(context, describe(toEngineError(error)), "error");
      }
    },
  };
}

function isSubcommand(name: string): name is Subcommand {
  return (subcommands as readonly string[]).includes(name);
}

async function run(name: Subcommand, state: CommandState, context: PiContext): Promise<string> {
  const bound = state.bound(context);
  if (name === "off" || name === "on") {
    bound.isOff = name === "off";
    return `ds4-context is ${name} for this session`;
  }
  const { session, config, problems } = await bound.opened;
  switch (name) {
    case "status": {
      await readLog(bound, session);
      const host = { isOff: bound.isOff, isEnabled: config.enabled, lastFailure: state.lastFailure, problems };
      return statusText(await session.status(), host);
    }
    case "manifest":
      return manifestText(await session.manifest());
    case "explain":
      return explainText(await session.explain());
    case "included":
      return itemsText("in", (await session.manifest()).included);
    case "excluded":
      return itemsText("out", (await session.manifest()).excluded);
  }
}

/** A log that is not written yet is no reason not to answer. */
async function readLog(bound: BoundSession, session: Session): Promise<void> {
  try {
    if (bound.hasLog) {
      await session.syncToEnd({ deadlineMs: CALL_DEADLINE_MS });
    }
  } catch (error) {
    if (toEngineError(error).code !== "not-found") {
      throw error;
    }
  }
}

function describe(error: EngineError): string {
  return error.code === "not-found" ? "ds4-context has made no plan in this session yet" : `ds4-context: ${error.message}`;
}

/** Without a user interface only the print mode leaves standard output to people. */
function tell(context: PiContext, text: string, kind: "info" | "error"): void {
  if (context.hasUI) {
    context.ui.notify(text, kind);
  } else if (context.mode === "print") {
    console.log(text);
  }
}
