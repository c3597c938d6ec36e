/** The command `/context`: what the engine knows, why it decided so, its index, and the switch for this session. */
import { EngineError, toEngineError } from "../errors.js";
import type { Session } from "../session.js";
import type { BoundSession } from "./bound-session.js";
import type { PiCommand, PiContext } from "./pi-types.js";
import {
  excludedItemsText,
  explainText,
  healthText,
  includedItemsText,
  manifestText,
  rebuiltText,
  retrievedText,
  statusText,
  storageText,
} from "./report-text.js";

/** What the status line shows while the index is made anew. */
const PROGRESS_KEY = "ds4-context-index";

const subcommands = [
  "status",
  "manifest",
  "explain",
  "included",
  "excluded",
  "retrieved",
  "storage",
  "health",
  "rebuild-index",
  "off",
  "on",
] as const;
type Subcommand = (typeof subcommands)[number];

export interface CommandState {
  bound(context: PiContext): BoundSession;
  readonly lastFailure: string | undefined;
}

export function contextCommand(state: CommandState): PiCommand {
  return {
    description: `ds4-context: ${subcommands.join(" | ")}`,
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
  bound.noteEntries(context.sessionManager);
  const { session, config, problems, dataFolder } = await bound.opened;
  switch (name) {
    case "status": {
      await bound.complete();
      const host = { isOff: bound.isOff, isEnabled: config.enabled, lastFailure: state.lastFailure, problems };
      return statusText(await session.status(), host);
    }
    case "manifest":
      return manifestText(await session.manifest());
    case "explain":
      return explainText(await session.explain());
    case "included":
      return includedItemsText((await session.manifest()).included);
    case "excluded":
      return excludedItemsText((await session.manifest()).excluded);
    case "retrieved":
      return retrievedText(await session.manifest());
    case "storage":
      await bound.upkeep.begin();
      return storageText(await session.health(), dataFolder, bound.upkeep.lastFailure);
    case "health":
      // It looks, and makes nothing: the index is kept up to date without being asked.
      return healthText(await session.health({ deep: true }), dataFolder);
    case "rebuild-index":
      return rebuildIndex(bound, session, context);
  }
}

/** Makes the index anew, with how far it is in the status line. */
async function rebuildIndex(bound: BoundSession, session: Session, context: PiContext): Promise<string> {
  const started = performance.now();
  try {
    await bound.upkeep.rebuild(({ done, total }) => showProgress(context, `index ${done} of ${total ?? done} entries`));
  } finally {
    showProgress(context, undefined);
  }
  return rebuiltText(await session.health(), (performance.now() - started) / 1000);
}

function showProgress(context: PiContext, text: string | undefined): void {
  try {
    if (context.hasUI) {
      context.ui.setStatus(PROGRESS_KEY, text);
    }
  } catch {
    // Pi took its context object back: the session that was looked at is gone
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
