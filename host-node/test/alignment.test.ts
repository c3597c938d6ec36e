import assert from "node:assert/strict";
import { test } from "node:test";
import { alignMessages, allInline } from "../dist/pi/alignment.js";
import { sameMessage } from "../dist/pi/message-equality.js";
import type { PiMessage } from "../dist/pi/pi-types.js";

const projection: PiMessage[] = Array.from({ length: 30 }, (_, place) => ({
  role: place % 2 === 0 ? "user" : "assistant",
  content: [{ type: "text", text: `text ${place}` }],
  timestamp: 1000 + place,
}));

/** As a hook gets them: equal, and nothing the same object. */
function copies(messages: readonly PiMessage[] = projection): PiMessage[] {
  return structuredClone([...messages]);
}

function projected(first: number, count: number) {
  return { tag: "projected", val: { first, count } };
}

function inline(first: number, count: number) {
  return { tag: "inline", val: { first, count } };
}

test("an untouched context is one projected span", () => {
  assert.deepEqual(alignMessages(copies(), projection), { spans: [projected(0, 30)], inline: [] });
});

test("an empty context has no spans", () => {
  assert.deepEqual(alignMessages([], projection), { spans: [], inline: [] });
  assert.deepEqual(allInline([]), { spans: [], inline: [] });
});

test("an inserted message makes only itself inline", () => {
  const note: PiMessage = { role: "user", content: "note", timestamp: 5 };
  for (const place of [0, 1, 15, 30]) {
    const { spans, inline: own } = alignMessages(copies().toSpliced(place, 0, note), projection);
    assert.deepEqual(own, [note]);
    const expected = [projected(0, place), inline(0, 1), projected(place, 30 - place)].filter((span) => span.val.count > 0);
    assert.deepEqual(spans, expected);
  }
});

test("a removed message, and a removed stretch, leave the rest projected", () => {
  assert.deepEqual(alignMessages(copies().toSpliced(4, 1), projection).spans, [projected(0, 4), projected(5, 25)]);
  assert.deepEqual(alignMessages(copies().toSpliced(2, 25), projection).spans, [projected(0, 2), projected(27, 3)]);
  assert.deepEqual(alignMessages(copies().slice(-1), projection).spans, [projected(29, 1)]);
});

test("a changed message goes inline and the next one is projected", () => {
  const messages = copies();
  messages[7] = { ...projection[7]!, content: [{ type: "text", text: "changed" }] };
  assert.deepEqual(alignMessages(messages, projection).spans, [projected(0, 7), inline(0, 1), projected(8, 22)]);
});

test("a long run of changed messages does not lose the rest", () => {
  const messages = copies().map((message, place) => (place < 20 ? { ...message, content: "changed" } : message));
  assert.deepEqual(alignMessages(messages, projection).spans, [inline(0, 20), projected(20, 10)]);
});

test("the newest message moved to the front makes only itself inline", () => {
  const messages = copies();
  messages.unshift(messages.pop()!);
  assert.deepEqual(alignMessages(messages, projection).spans, [inline(0, 1), projected(0, 29)]);
});

test("equal messages are matched one by one, and no position is used twice", () => {
  const twin: PiMessage = { role: "user", content: "again", timestamp: 7 };
  assert.deepEqual(alignMessages(copies([twin, twin, twin]), [twin, twin]).spans, [projected(0, 2), inline(0, 1)]);
});

test("messages without time stamps align too", () => {
  const bare = projection.map(({ role, content }): PiMessage => ({ role, content: content ?? null }));
  assert.deepEqual(alignMessages(copies(bare).toSpliced(3, 2), bare).spans, [projected(0, 3), projected(5, 25)]);
});

test("messages are the same by what goes out, whatever else hangs on them", () => {
  const message: PiMessage = { role: "toolResult", timestamp: 1, content: [{ type: "text", text: "x" }], isError: false };
  const same = (other: object) => sameMessage(message, { ...message, ...other });
  assert.ok(same({}));
  assert.ok(same({ details: { truncation: "x" } }));
  assert.ok(same({ usage: { input: 1 } }));
  assert.ok(same({ structured: undefined }));
  assert.ok(!same({ isError: true }));
  assert.ok(!same({ timestamp: 2 }));
  assert.ok(!same({ extra: 0 }));
  assert.ok(!same({ content: "x" }));
  assert.ok(!same({ content: [] }));
  assert.ok(!same({ content: [{ type: "text", text: "x", more: 1 }] }));
  assert.ok(!same({ content: { 0: { type: "text", text: "x" } } }));
  assert.ok(!same({ content: null }));
  assert.ok(sameMessage({ role: "custom", content: null, value: Number.NaN }, { role: "custom", content: null, value: Number.NaN }));
});

/** Whole numbers below a bound, the same ones in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("whatever was done to the list, the spans give it back, in order, and use no position twice", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const below = numbers(seed);
    // Few different time stamps and texts, so that equal messages and wrong candidates are frequent.
    const original = Array.from({ length: below(40) }, (): PiMessage => ({
      role: "user",
      content: `text ${below(6)}`,
      timestamp: below(8),
    }));
    const messages = copies(original);
    for (let edits = below(8); edits > 0; edits--) {
      const place = below(messages.length + 1);
      const [moved] = messages.slice(place, place + 1);
      switch (below(4)) {
        case 0:
          messages.splice(place, below(5));
          break;
        case 1:
          messages.splice(place, 0, { role: "user", content: `new ${below(3)}`, timestamp: below(8) });
          break;
        case 2:
          moved && messages.splice(place, 1, { ...moved, content: "changed" });
          break;
        default:
          moved && messages.splice(below(messages.length), 0, ...messages.splice(place, 1));
      }
    }
    const { spans, inline: own } = alignMessages(messages, original);
    const list = { projected: original, inline: own };
    const back = spans.flatMap(({ tag, val }) => list[tag].slice(val.first, val.first + val.count));
    assert.deepEqual(back, messages, `seed ${seed}`);
    for (const tag of ["projected", "inline"] as const) {
      const used = spans.flatMap((span) => (span.tag === tag ? [span.val] : []));
      assert.ok(
        used.every((run, place) => run.count > 0 && run.first >= (place === 0 ? 0 : used[place - 1]!.first + used[place - 1]!.count)),
        `seed ${seed}`,
      );
    }
  }
});
