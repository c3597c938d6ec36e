/** The comparisons that other tests rely on can fail: equal requests, a log that only grows, a branch read from a log. */
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { AppendOnlyWatch } from "./append-only.ts";
import { assertSameRequests } from "./same-requests.ts";
import { activeBranch, conversationKeys, readSessionLog } from "./session-log.ts";

const body = (...texts: string[]) => ({ model: "m", messages: texts.map((content) => ({ role: "user", content })) });

function temporaryFile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "ds4-kit-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "session.jsonl");
  writeFileSync(path, text);
  return path;
}

describe("requests of two runs", () => {
  test("are the same, message by message", () => {
    assertSameRequests([body("a", "b"), body("c")], [body("a", "b"), body("c")]);
  });

  test("differ in a message, in their number, in their order, beside the messages", () => {
    const expected = [body("a", "b")];
    assert.throws(() => assertSameRequests([body("a", "x")], expected), /request 1, message 1 differs at character 26/);
    assert.throws(() => assertSameRequests([body("a")], expected), /request 1, message 1 is missing/);
    assert.throws(() => assertSameRequests([body("a", "b", "c")], expected), /as many messages/);
    assert.throws(() => assertSameRequests([body("b", "a")], expected), /message 0 differs/);
    assert.throws(() => assertSameRequests([], expected), /request 1 was not sent/);
    assert.throws(() => assertSameRequests([...expected, ...expected], expected), /as many requests/);
    assert.throws(() => assertSameRequests([{ ...body("a", "b"), model: "n" }], expected), /beside its messages differs/);
  });
});

describe("a session log", () => {
  test("that grew is fine; one that was rewritten or cut is not", (t) => {
    const path = temporaryFile(t, "one\n");
    const watch = new AppendOnlyWatch(path);
    appendFileSync(path, "two\n");
    watch.check();
    writeFileSync(path, "one\ntwO\nthree\n");
    assert.throws(() => watch.check(), /not only appended/);
    writeFileSync(path, "one\n");
    assert.throws(() => watch.check(), /not only appended/);
  });

  test("is read along the branch of its last line", (t) => {
    const message = (id: string, parentId: string | null, value: object): string =>
      `${JSON.stringify({ type: "message", id, parentId, message: value })}\n`;
    const text =
      '{"type":"session","version":3,"id":"s"}\n' +
      message("1", null, { role: "user", content: "ask" }) +
      message("2", "1", { role: "assistant", content: [{ type: "text", text: "left" }] }) +
      message("3", "1", { role: "assistant", content: [{ type: "toolCall", id: "c", name: "bash", arguments: {} }] }) +
      message("4", "3", { role: "toolResult", toolCallId: "c", content: [{ type: "text", text: "out" }] });
    const branch = activeBranch(readSessionLog(temporaryFile(t, text)));
    assert.deepEqual(conversationKeys(branch), ["user ask", "calls c", "result c"]);
  });
});
