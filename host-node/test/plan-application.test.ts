import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlanItem } from "../dist/index.js";
import type { PiMessage } from "../dist/pi/pi-types.js";
import { applyPlan } from "../dist/pi/plan-application.js";

const messages: PiMessage[] = Array.from({ length: 5 }, (_, place) => ({
  role: "user",
  content: `m${place}`,
  timestamp: 100 + place,
  details: place,
}));

const keep = (first: number, count: number): PlanItem => ({ tag: "keep", val: { first, count } });
const replace = (position: number, text: string): PlanItem => ({ tag: "replace", val: { position, content: [{ type: "text", text }] } });
const insert = (text: string): PlanItem => ({
  tag: "insert",
  val: { kind: "notice", text, tokens: 1, classification: "normal", sourceIds: ["e1"] },
});

function changed(items: readonly PlanItem[]): PiMessage[] {
  const applied = applyPlan({ items }, messages);
  assert.equal(applied.kind, "changed");
  return applied.kind === "changed" ? applied.messages : [];
}

test("a plan that keeps everything leaves Pi's own list alone", () => {
  assert.deepEqual(applyPlan({ items: [keep(0, 5)] }, messages), { kind: "unchanged" });
  assert.deepEqual(applyPlan({ items: [keep(0, 2), keep(2, 3)] }, messages), { kind: "unchanged" });
  assert.deepEqual(applyPlan({ items: [] }, []), { kind: "unchanged" });
});

test("kept messages are Pi's own objects", () => {
  const planned = changed([keep(1, 1), keep(3, 2)]);
  assert.equal(planned.length, 3);
  assert.ok(planned[0] === messages[1] && planned[1] === messages[3] && planned[2] === messages[4]);
});

test("a replaced message is a copy with other content, and the original stays", () => {
  const [planned] = changed([replace(0, "short"), keep(1, 4)]);
  assert.deepEqual(planned, { role: "user", content: [{ type: "text", text: "short" }], timestamp: 100, details: 0 });
  assert.equal(messages[0]?.content, "m0");
});

test("an inserted message takes its time stamp from its neighbour", () => {
  assert.deepEqual(changed([insert("note"), keep(3, 2)])[0], { role: "user", content: [{ type: "text", text: "note" }], timestamp: 103 });
  assert.equal(changed([keep(0, 2), insert("note")])[2]?.timestamp, 101);
  assert.equal(changed([insert("a"), insert("b"), replace(4, "x")])[0]?.timestamp, 104);
});

test("the same plan gives the same bytes", () => {
  const items = [insert("note"), replace(1, "short"), keep(3, 2)];
  assert.equal(JSON.stringify(changed(items)), JSON.stringify(changed(items)));
});

test("a plan that does not hold is refused", () => {
  const refused = (items: readonly PlanItem[]) => applyPlan({ items }, messages);
  assert.deepEqual(refused([keep(0, 6)]), { kind: "refused", why: "unknown-position" });
  assert.deepEqual(refused([keep(-1, 2)]), { kind: "refused", why: "unknown-position" });
  assert.deepEqual(refused([keep(0.5, 2)]), { kind: "refused", why: "unknown-position" });
  assert.deepEqual(refused([replace(5, "x")]), { kind: "refused", why: "unknown-position" });
  assert.deepEqual(refused([keep(2, 1), keep(1, 1)]), { kind: "refused", why: "out-of-order" });
  assert.deepEqual(refused([keep(0, 2), replace(1, "x")]), { kind: "refused", why: "out-of-order" });
  assert.deepEqual(refused([]), { kind: "refused", why: "nothing-left" });
  assert.deepEqual(refused([insert("only this")]), { kind: "refused", why: "nothing-left" });
});
