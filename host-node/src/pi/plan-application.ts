/**
 * Turns a plan into the list of messages that Pi sends.
 *
 * Kept messages are Pi's own objects, so that Pi sees what did not change; a replaced message is a shallow copy with new
 * content; an inserted one is a user message. The same plan over the same messages gives the same list to the byte: an
 * inserted message takes its time stamp from its neighbour, never from the clock.
 *
 * Pi does not check what a hook returns, so a plan that does not hold is refused here.
 */
import type { Plan, PlanItem } from "../contract.js";
import type { PiMessage } from "./pi-types.js";

export type AppliedPlan =
  /** Everything in order: Pi's own list can go out. */
  | { readonly kind: "unchanged" }
  | { readonly kind: "changed"; readonly messages: PiMessage[] }
  | { readonly kind: "refused"; readonly why: "unknown-position" | "out-of-order" | "nothing-left" };

export function applyPlan(plan: Pick<Plan, "items">, messages: readonly PiMessage[]): AppliedPlan {
  const refusal = whyRefused(plan.items, messages.length);
  if (refusal !== undefined) {
    return { kind: "refused", why: refusal };
  }
  if (keepsEverything(plan.items, messages.length)) {
    return { kind: "unchanged" };
  }
  const planned: PiMessage[] = [];
  for (const [place, item] of plan.items.entries()) {
    if (item.tag === "keep") {
      planned.push(...messages.slice(item.val.first, item.val.first + item.val.count));
    } else if (item.tag === "replace") {
      planned.push(
        ...messages.slice(item.val.position, item.val.position + 1).map((message) => ({ ...message, content: item.val.content })),
      );
    } else {
      const timestamp = neighbourTimestamp(plan.items, place, messages);
      planned.push({ role: "user", content: [{ type: "text", text: item.val.text }], timestamp });
    }
  }
  return { kind: "changed", messages: planned };
}

function whyRefused(items: readonly PlanItem[], length: number): "unknown-position" | "out-of-order" | "nothing-left" | undefined {
  let next = 0;
  let planned = 0;
  for (const item of items) {
    if (item.tag === "insert") {
      continue;
    }
    const { first, count } = hostRun(item);
    if (!Number.isInteger(first) || !Number.isInteger(count) || first < 0 || count < 0 || first + count > length) {
      return "unknown-position";
    }
    if (first < next) {
      return "out-of-order";
    }
    next = first + count;
    planned += count;
  }
  return planned === 0 && length > 0 ? "nothing-left" : undefined;
}

function keepsEverything(items: readonly PlanItem[], length: number): boolean {
  let next = 0;
  for (const item of items) {
    if (item.tag !== "keep" || item.val.first !== next) {
      return false;
    }
    next += item.val.count;
  }
  return next === length;
}

function hostRun(item: Exclude<PlanItem, { tag: "insert" }>): { first: number; count: number } {
  return item.tag === "keep" ? item.val : { first: item.val.position, count: 1 };
}

/** The time stamp of the message that follows in the plan, else of the one before. */
function neighbourTimestamp(items: readonly PlanItem[], place: number, messages: readonly PiMessage[]): number {
  const positions = (run: readonly PlanItem[]) =>
    run.flatMap((item) => (item.tag === "insert" || hostRun(item).count === 0 ? [] : [hostRun(item)]));
  const after = positions(items.slice(place + 1))[0];
  const before = positions(items.slice(0, place)).at(-1);
  const position = after?.first ?? (before === undefined ? 0 : before.first + before.count - 1);
  return messages[position]?.timestamp ?? 0;
}
