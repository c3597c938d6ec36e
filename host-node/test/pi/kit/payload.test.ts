/** The checks of `payload.ts` against payloads that are right and payloads that are wrong in one way each. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compareOrder, estimateTokens, extendsPayload, findFaults, messageKeys, readPayload } from "./payload.ts";

const call = (id: string, name = "bash") => ({ id, type: "function", function: { name, arguments: '{"command":"ls"}' } });
const openAi = (...messages: object[]) => readPayload({ model: "mock-1", messages: [{ role: "system", content: "S" }, ...messages] });
const user = (content: unknown) => ({ role: "user", content });
const calls = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map((id) => call(id)) });
const result = (id: string, content = "out") => ({ role: "tool", tool_call_id: id, content });
const use = (...ids: string[]) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "bash", input: { command: "ls" } })),
});
const answer = (...ids: string[]) => ({
  role: "user",
  content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "out" }] })),
});
const anthropic = (...messages: object[]) => readPayload({ model: "mock-claude", system: [{ type: "text", text: "S" }], messages });
const kinds = (payload: ReturnType<typeof readPayload>) => findFaults(payload).map((fault) => fault.kind);

describe("reading a payload", () => {
  test("OpenAI chat: system text apart, calls and results in place", () => {
    const payload = openAi(user([{ type: "text", text: "go" }]), calls("a"), result("a"));
    assert.equal(payload.shape, "openai-chat");
    assert.equal(payload.system, "S");
    assert.deepEqual(payload.messages.map((message) => message.role), ["user", "assistant", "tool"]);
    assert.deepEqual(payload.messages[1]?.calls, [{ id: "a", name: "bash", arguments: '{"command":"ls"}' }]);
    assert.deepEqual(payload.messages[2]?.results, [{ callId: "a", text: "out" }]);
  });

  test("Anthropic messages: results of a user message come before its text", () => {
    const mixed = { role: "user", content: [...answer("a").content, { type: "text", text: "and now this" }] };
    const payload = anthropic(user("go"), use("a"), mixed);
    assert.equal(payload.shape, "anthropic-messages");
    assert.deepEqual(payload.messages.map((message) => message.role), ["user", "assistant", "tool", "user"]);
    assert.equal(payload.messages.at(-1)?.text, "and now this");
    assert.deepEqual(messageKeys(payload), ["user go", "calls a", "result a", "user and now this"]);
  });

  test("a body of neither shape is refused", () => {
    assert.throws(() => readPayload("text"), TypeError);
    assert.throws(() => readPayload({ messages: [{ role: "critic", content: "x" }] }), /unknown role critic/);
  });
});

describe("faults of a payload", () => {
  test("whole exchanges have none, in both shapes", () => {
    assert.deepEqual(kinds(openAi(user("go"), calls("a", "b"), result("b"), result("a"), user("next"))), []);
    assert.deepEqual(kinds(anthropic(user("go"), use("a", "b"), answer("a", "b"), user("next"))), []);
  });

  test("the same call ID in two turns far apart is no fault", () => {
    assert.deepEqual(kinds(openAi(user("1"), calls("a"), result("a"), user("2"), calls("a"), result("a"))), []);
  });

  test("a result without its call", () => {
    assert.deepEqual(kinds(openAi(user("go"), result("a"))), ["orphan-result"]);
    assert.deepEqual(kinds(anthropic(user("go"), answer("a"))), ["orphan-result"]);
  });

  test("a result whose call stands after it, or before another user message", () => {
    assert.deepEqual(kinds(openAi(user("go"), result("a"), calls("a"))), ["orphan-result", "missing-result"]);
    assert.deepEqual(kinds(openAi(calls("a"), user("go"), result("a"))), ["missing-result", "orphan-result"]);
  });

  test("a call without its result: alone, beside an answered one, and at the end", () => {
    assert.deepEqual(kinds(openAi(calls("a"), user("go"))), ["missing-result"]);
    assert.deepEqual(kinds(openAi(calls("a", "b"), result("a"), user("go"))), ["missing-result"]);
    assert.deepEqual(kinds(anthropic(user("go"), use("a", "b"), answer("b"))), ["missing-result"]);
  });

  test("a second result of one call", () => {
    assert.deepEqual(kinds(openAi(user("go"), calls("a"), result("a"), result("a"))), ["duplicate-result"]);
  });

  test("nothing to answer: no message, no user message, an empty message", () => {
    assert.deepEqual(kinds(openAi()), ["no-message"]);
    assert.deepEqual(kinds(openAi({ role: "assistant", content: "hello" })), ["no-user-message"]);
    assert.deepEqual(kinds(openAi(user("go"), { role: "assistant", content: [] })), ["empty-message"]);
  });
});

describe("measuring and comparing", () => {
  test("the estimate counts system, text, calls, results and schemas", () => {
    const bare = estimateTokens(openAi(user("x".repeat(400))));
    assert.equal(bare, 1 + 100 + 16);
    const withResult = openAi(user("x".repeat(400)), calls("a"), result("a", "y".repeat(4000)));
    assert.equal(estimateTokens(withResult) - bare, 1 + 4 + 1000 + 16);
    const tools = readPayload({ model: "m", messages: [user("x".repeat(400))], tools: [{ name: "t".repeat(36) }] });
    assert.equal(estimateTokens(tools), 100 + Math.ceil(tools.toolsText.length / 4) + 16);
  });

  test("a request extends another where it begins with all of it", () => {
    const first = openAi(user("1"), calls("a"), result("a"));
    assert.ok(extendsPayload(openAi(user("1"), calls("a"), result("a"), user("2")), first));
    assert.ok(!extendsPayload(openAi(calls("a"), result("a"), user("2")), first));
    assert.ok(!extendsPayload(openAi(user("1"), calls("a")), first));
  });

  test("order: what is unknown and what stands elsewhere are told apart", () => {
    const whole = messageKeys(openAi(user("1"), calls("a"), result("a"), user("2")));
    assert.deepEqual(compareOrder([whole[0]!, whole[3]!], whole), { unknown: [], displaced: [] });
    assert.deepEqual(compareOrder([whole[3]!, whole[0]!], whole).displaced, [whole[0]]);
    assert.deepEqual(compareOrder(["user 3"], whole).unknown, ["user 3"]);
  });

  test("order: a key that is there twice may be sent twice, and not three times", () => {
    assert.deepEqual(compareOrder(["a", "a"], ["a", "b", "a"]), { unknown: [], displaced: [] });
    assert.deepEqual(compareOrder(["a", "a", "a"], ["a", "b", "a"]).displaced, ["a"]);
  });
});
