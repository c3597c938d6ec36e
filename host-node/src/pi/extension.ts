/**
 * The extension for the Pi coding agent: `pi install npm:ds4-context-engine`.
 *
 * Pi runs this factory for every session and after every reload, while the module may stay in the process. So everything
 * about a session is in the factory's closure; module scope holds nothing but the compiled component (`core-modules`).
 *
 * Invariants: no hook throws, waits for the user, or outlasts the plan's deadline; on any failure Pi's own context goes out.
 */
import { ContextEngine } from "../engine.js";
import { EngineError } from "../errors.js";
import { PLAN_DEADLINE_MS } from "../limits.js";
import { BoundSession, sessionKey } from "./bound-session.js";
import { contextCommand } from "./commands.js";
import { planContext, type ContextOutcome } from "./context-hook.js";
import { historyTools } from "./history-tools.js";
import { MissedDeadlines, MISSED_DEADLINES_IN_A_ROW } from "./missed-deadlines.js";
import type { PiContext, PiExtensionApi } from "./pi-types.js";
import { ActiveTools, modelOf } from "./request-parts.js";

const STATUS_KEY = "ds4-context";

export default function ds4ContextExtension(pi: PiExtensionApi): void {
  const state = new ExtensionState();
  const tools = new ActiveTools(pi);

  pi.on("session_start", (_event, context) => {
    quietly(() => offerHistoryTools(pi, state, context));
  });

  // Before the first request is put together, so that no tool appears in the middle of a conversation.
  pi.on("before_agent_start", async (_event, context) => {
    if (!state.offersHistoryTools && !state.bound(context).isOff) {
      await atMost(PLAN_DEADLINE_MS, offerHistoryTools(pi, state, context));
    }
  });

  pi.on("context", async (event, context) => {
    try {
      const bound = state.bound(context);
      const outcome = await planContext(bound, event.messages, context, tools);
      state.note(outcome, bound, context);
      return outcome.kind === "planned" ? { messages: outcome.messages } : undefined;
    } catch {
      return undefined; // Pi took its context object back meanwhile
    }
  });

  pi.on("agent_settled", (_event, context) => {
    quietly(() => {
      const bound = state.bound(context);
      bound.noteEntries(context.sessionManager);
      void bound.upkeep.begin();
    });
  });

  pi.on("session_tree", (event, context) => {
    const leafId = event.newLeafId;
    if (leafId) {
      quietly(() => state.bound(context).opened.then(({ session }) => session.selectLeaf(leafId)));
    }
  });

  pi.on("model_select", (event, context) => {
    const model = modelOf(event.model);
    if (model !== undefined) {
      quietly(() => state.bound(context).opened.then(({ session }) => session.selectModel(model)));
    }
  });

  pi.on("session_shutdown", async () => {
    await state.close();
  });

  pi.registerCommand("context", contextCommand(state));
}

/** The history tools, where the configuration allows them, which is known when the session is open. */
async function offerHistoryTools(pi: PiExtensionApi, state: ExtensionState, context: PiContext): Promise<void> {
  const { config } = await state.bound(context).opened;
  if (config.enabled && config.historyTools.enabled && !state.offersHistoryTools) {
    state.offersHistoryTools = true;
    for (const tool of historyTools((now) => state.bound(now))) {
      pi.registerTool(tool);
    }
  }
}

/** Waits for work, but never longer than that, and never fails. */
async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work.catch(() => {}), end]);
  clearTimeout(timer);
}

/** Work ahead of the next plan: what fails here fails there again, and is reported there. */
function quietly(work: () => unknown): void {
  void Promise.resolve()
    .then(work)
    .catch(() => {});
}

class ExtensionState {
  lastFailure: string | undefined;
  offersHistoryTools = false;
  /** Its worker starts with the first call; closing it does not wait for that. */
  #engine: ContextEngine | undefined;
  #bound: BoundSession | undefined;
  #isClosed = false;
  readonly #told = new Set<string>();
  readonly #deadlines = new MissedDeadlines();

  /** The engine's side of the session that Pi is in now. */
  bound(context: PiContext): BoundSession {
    const previous = this.#bound;
    const isSame = previous?.key === sessionKey(context.sessionManager);
    if (previous !== undefined && isSame && !previous.hasFailed) {
      return previous;
    }
    quietly(() => previous?.opened.then(({ session }) => session.close()));
    this.lastFailure = isSame ? this.lastFailure : undefined;
    const bound = new BoundSession(this.#startedEngine(), context, isSame && previous.isOff);
    this.#bound = bound;
    this.#tellProblems(bound, context);
    return bound;
  }

  /** Keeps the last failure, says each kind of it once, and stops planning where it costs more than it gives. */
  note(outcome: ContextOutcome, bound: BoundSession, context: PiContext): void {
    if (this.#deadlines.isTooMany(outcome)) {
      bound.isOff = true;
      this.#tellOnce(
        `ds4-context is off for this session: ${MISSED_DEADLINES_IN_A_ROW} plans in a row took too long; /context on tries again`,
        context,
      );
    }
    const reason = outcome.kind === "failed" ? outcome.reason : undefined;
    if (reason === this.lastFailure) {
      return;
    }
    this.lastFailure = reason;
    if (context.hasUI) {
      context.ui.setStatus(STATUS_KEY, reason === undefined ? undefined : `context not planned: ${reason}`);
    }
    if (reason !== undefined) {
      this.#tellOnce(`ds4-context did not plan this request (${reason}); Pi's own context was sent`, context);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#bound = undefined;
    await this.#engine?.close();
  }

  #startedEngine(): ContextEngine {
    if (this.#isClosed) {
      throw new EngineError("closed", "the session was shut down");
    }
    this.#engine ??= ContextEngine.create();
    return this.#engine;
  }

  #tellProblems(bound: BoundSession, context: PiContext): void {
    quietly(async () => {
      for (const problem of (await bound.opened).problems) {
        this.#tellOnce(problem, context);
      }
    });
  }

  #tellOnce(text: string, context: PiContext): void {
    if (context.hasUI && !this.#told.has(text)) {
      this.#told.add(text);
      context.ui.notify(text, "warning");
    }
  }
}
