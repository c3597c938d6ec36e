/**
 * The `context` hook: what Pi is about to send, planned.
 *
 * It answers with the planned list or with nothing, and nothing means that Pi's own context goes out as it was. Whatever
 * happens it does not throw, and it does not take longer than the deadline.
 */
import type { Plan } from "../contract.js";
import { EngineError, toEngineError } from "../errors.js";
import { PLAN_DEADLINE_MS } from "../limits.js";
import type { PlanRequest, Session } from "../session.js";
import { alignMessages, allInline, type Alignment } from "./alignment.js";
import type { BoundSession } from "./bound-session.js";
import { withoutHeavyFields } from "./inline-messages.js";
import type { PiContext, PiEntry, PiMessage } from "./pi-types.js";
import { applyPlan } from "./plan-application.js";
import { projectedMessages } from "./projection.js";
import { modelOf, type ActiveTools } from "./request-parts.js";

/** What came of a request. `reason` is a category and never holds prompt content. */
export type ContextOutcome =
  | { readonly kind: "planned"; readonly messages: PiMessage[] }
  /** The plan keeps everything, or the user or the configuration switched planning off. */
  | { readonly kind: "untouched" }
  | { readonly kind: "failed"; readonly reason: string };

/** What is taken from Pi before anything is waited for. */
interface PiSnapshot {
  readonly messages: readonly PiMessage[];
  readonly projection: readonly PiMessage[];
  readonly leafId: string | undefined;
  readonly request: Pick<PlanRequest, "model" | "systemPrompt" | "tools" | "signal">;
  /** Entries of a session without a log. */
  readonly entries: readonly PiEntry[];
}

export async function planContext(
  bound: BoundSession,
  messages: readonly PiMessage[],
  context: PiContext,
  tools: ActiveTools,
): Promise<ContextOutcome> {
  if (bound.isOff) {
    return { kind: "untouched" };
  }
  try {
    const endsAt = performance.now() + PLAN_DEADLINE_MS;
    return await beforeDeadline(planSnapshot(bound, snapshot(bound, messages, context, tools), endsAt));
  } catch (error) {
    const { code } = toEngineError(error);
    return code === "cancelled" ? { kind: "untouched" } : { kind: "failed", reason: code };
  }
}

function snapshot(bound: BoundSession, messages: readonly PiMessage[], context: PiContext, tools: ActiveTools): PiSnapshot {
  const model = modelOf(context.model);
  const systemPrompt = context.getSystemPrompt?.();
  const toolsJson = tools.json();
  return {
    messages,
    projection: projectedMessages(context.sessionManager),
    leafId: context.sessionManager.getLeafId() ?? undefined,
    request: {
      ...(model === undefined ? {} : { model }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(toolsJson === undefined ? {} : { tools: toolsJson }),
      ...(context.signal === undefined ? {} : { signal: context.signal }),
    },
    entries: bound.hasLog ? [] : context.sessionManager.getEntries(),
  };
}

async function planSnapshot(bound: BoundSession, pi: PiSnapshot, endsAt: number): Promise<ContextOutcome> {
  const { session, config } = await bound.opened;
  if (!config.enabled) {
    return { kind: "untouched" };
  }
  const plan = await planWhatTheLogHolds(bound, session, pi, endsAt);
  if (plan.fallback !== undefined) {
    return { kind: "failed", reason: plan.fallback };
  }
  const applied = applyPlan(plan, pi.messages);
  switch (applied.kind) {
    case "unchanged":
      return { kind: "untouched" };
    case "changed":
      return { kind: "planned", messages: applied.messages };
    case "refused":
      return { kind: "failed", reason: `plan-${applied.why}` };
  }
}

/**
 * Plans over the engine's own view of the session. Where that is another one than Pi's (entries that are not written yet,
 * a log that somebody replaced), every message goes along instead.
 */
async function planWhatTheLogHolds(bound: BoundSession, session: Session, pi: PiSnapshot, endsAt: number): Promise<Plan> {
  // What is left of the request's time: a component that hangs is stopped no later than the request goes out.
  const left = () => ({ deadlineMs: Math.max(1, endsAt - performance.now()) });
  if (pi.leafId !== undefined && pi.projection.length > 0) {
    try {
      if (!bound.hasLog) {
        await bound.feed(session, pi.entries);
      }
      return await session.plan({
        ...pi.request,
        ...left(),
        ...alignedRequest(alignMessages(pi.messages, pi.projection)),
        readLog: bound.hasLog,
        leafId: pi.leafId,
        projectedMessages: pi.projection.length,
      });
    } catch (error) {
      if (!isOtherView(error)) {
        throw error;
      }
    }
  }
  return session.plan({ ...pi.request, ...left(), ...alignedRequest(allInline(pi.messages)), readLog: bound.hasLog });
}

function isOtherView(error: unknown): boolean {
  return error instanceof EngineError && (error.code === "stale" || error.code === "not-found" || error.code === "limit");
}

function alignedRequest(alignment: Alignment): Pick<PlanRequest, "messages" | "inline"> {
  return { messages: alignment.spans, inline: alignment.inline.map(withoutHeavyFields) };
}

/** The whole of it, opening and a second attempt included, within one deadline. */
function beforeDeadline<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new EngineError("deadline-missed", `no plan within ${PLAN_DEADLINE_MS} ms`)), PLAN_DEADLINE_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
