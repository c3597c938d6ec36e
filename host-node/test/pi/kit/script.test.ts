/** The directive language: what a prompt makes the mock model answer, request after request. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LOOP_GUARD_ANSWER, OVERFLOW_LIMIT, PLAIN_ANSWER, Script, ScriptError } from "./script.ts";

const text = (value: string) => ({ kind: "text", text: value });

describe("the script of a prompt", () => {
  test("directives are answered in order, then comes the plain answer", () => {
    const script = new Script();
    const prompt = 'A [[bash:ls]] [[par:read:a.txt||bash:echo "x"]] [[call:write {"path":"b"}]] [[say:done]]';
    assert.deepEqual(script.answer([prompt], 0), { kind: "calls", calls: [{ name: "bash", arguments: { command: "ls" } }] });
    assert.deepEqual(script.answer([prompt], 0), {
      kind: "calls",
      calls: [
        { name: "read", arguments: { path: "a.txt" } },
        { name: "bash", arguments: { command: 'echo "x"' } },
      ],
    });
    assert.deepEqual(script.answer([prompt], 0), { kind: "calls", calls: [{ name: "write", arguments: { path: "b" } }] });
    assert.deepEqual(script.answer([prompt], 0), text("done"));
    assert.deepEqual(script.answer([prompt], 0), text(PLAIN_ANSWER));
  });

  test("the newest user message with directives is the prompt, whatever stands around it", () => {
    const script = new Script();
    assert.deepEqual(script.answer(["1 [[say:a]]", "2 [[say:b]]", "a note without any"], 0), text("b"));
    assert.deepEqual(script.answer(["1 [[say:a]]"], 0), text("a"));
    assert.deepEqual(script.answer(["no directive"], 0), text(PLAIN_ANSWER));
    assert.deepEqual(script.answer([], 0), text(PLAIN_ANSWER));
  });

  test("a failure is answered once, the request that is sent again gets the next step", () => {
    const script = new Script();
    assert.deepEqual(script.answer(["F [[fail:503]] [[say:ok]]"], 0), { kind: "http-error", status: 503 });
    assert.deepEqual(script.answer(["F [[fail:503]] [[say:ok]]"], 0), text("ok"));
  });

  test("a stall carries the text that is said before it", () => {
    assert.deepEqual(new Script().answer(["S [[stall:half a]]"], 0), { kind: "stall", text: "half a" });
  });

  test("an overflow with a number lasts as long as the request is above it, up to the loop guard", () => {
    const script = new Script();
    assert.deepEqual(script.answer(["O [[overflow:100]] [[say:fits]]"], 101), { kind: "overflow" });
    assert.deepEqual(script.answer(["O [[overflow:100]] [[say:fits]]"], 100), text("fits"));
    for (let i = 0; i < OVERFLOW_LIMIT; i++) assert.deepEqual(script.answer(["P [[overflow:5]]"], 6), { kind: "overflow" });
    assert.deepEqual(script.answer(["P [[overflow:5]]"], 6), text(LOOP_GUARD_ANSWER));
  });

  test("a directive with a typing error is an error", () => {
    for (const prompt of ["[[sya:x]]", "[[fail:]]", "[[fail:often]]", "[[call:write path]]", "[[par:bash:a||b]]"]) {
      assert.throws(() => new Script().answer([prompt], 0), ScriptError, prompt);
    }
  });
});
