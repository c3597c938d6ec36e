/** The mock provider over HTTP, without Pi. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { MockProvider } from "./mock-provider.ts";

async function start(t: TestContext): Promise<{ provider: MockProvider; logFile: string }> {
  const folder = mkdtempSync(join(tmpdir(), "ds4-mock-test-"));
  const logFile = join(folder, "requests.jsonl");
  const provider = await MockProvider.start(logFile);
  t.after(async () => {
    await provider.close();
    rmSync(folder, { recursive: true });
  });
  return { provider, logFile };
}

async function post(provider: MockProvider, path: string, body: unknown): Promise<{ status: number; events: unknown[]; text: string }> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(provider.url + path, { method: "POST", body: text });
  const answer = await response.text();
  const events = [...answer.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? "") as unknown);
  return { status: response.status, events, text: answer };
}

const chat = (content: string) => ({ model: "mock-1", messages: [{ role: "user", content }] });

describe("the mock provider", () => {
  test("answers OpenAI chat: text, calls with IDs of their own, usage, end mark", async (t) => {
    const { provider } = await start(t);
    const said = await post(provider, "/v1/chat/completions", chat("[[say:hello world]]"));
    assert.equal(said.status, 200);
    assert.match(said.text, /"content":"hello "/);
    assert.match(said.text, /"prompt_tokens":\d+/);
    assert.match(said.text, /data: \[DONE\]\n\n$/);
    const called = await post(provider, "/v1/chat/completions", chat("[[par:bash:a||bash:b]]"));
    assert.match(called.text, /"id":"call_1"/);
    assert.match(called.text, /"id":"call_2"/);
    assert.match(called.text, /"finish_reason":"tool_calls"/);
  });

  test("answers Anthropic messages in that order of events", async (t) => {
    const { provider } = await start(t);
    const body = { model: "claude", system: "S", messages: [{ role: "user", content: "[[bash:ls]]" }] };
    const { events } = await post(provider, "/v1/messages?beta=true", body);
    assert.deepEqual(
      events.map((event) => (event as { type: string }).type),
      ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"],
    );
  });

  test("keeps each request in memory and in the file, in order", async (t) => {
    const { provider, logFile } = await start(t);
    await post(provider, "/v1/chat/completions", chat("one"));
    await post(provider, "/v1/chat/completions", chat("two"));
    assert.deepEqual(provider.requests.map((request) => request.payload.messages[0]?.text), ["one", "two"]);
    const logged = readFileSync(logFile, "utf8").trimEnd().split("\n").map((line) => (JSON.parse(line) as { sequence: number }).sequence);
    assert.deepEqual(logged, [1, 2]);
  });

  test("stalls after the text, without an end", async (t) => {
    const { provider } = await start(t);
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const response = await fetch(provider.url + path, { method: "POST", body: JSON.stringify(chat(`${path} [[stall:half]]`)) });
      assert.ok(response.body !== null);
      const reader = response.body.getReader();
      const begun = Buffer.from((await reader.read()).value ?? []).toString("utf8");
      assert.match(begun, /"half"/);
      assert.doesNotMatch(begun, /DONE|finish_reason":"stop|message_delta|content_block_stop/);
      await reader.cancel();
    }
  });

  test("fails as the script says, and in the provider's own words for an overflow", async (t) => {
    const { provider } = await start(t);
    assert.equal((await post(provider, "/v1/chat/completions", chat("x [[fail:503]]"))).status, 503);
    const overflow = await post(provider, "/v1/chat/completions", chat("y [[overflow]]"));
    assert.equal(overflow.status, 400);
    assert.match(overflow.text, /context_length_exceeded/);
  });

  test("says what is wrong with a request or a script, and lets an unknown path be unknown", async (t) => {
    const { provider } = await start(t);
    assert.match((await post(provider, "/v1/chat/completions", chat("[[sya:x]]"))).text, /unknown directive \[\[sya:x\]\]/);
    assert.match((await post(provider, "/v1/chat/completions", "no json")).text, /cannot read this request/);
    assert.equal((await post(provider, "/v1/embeddings", {})).status, 404);
  });

  test("an orphan result is taken like anything else: it judges nothing", async (t) => {
    const { provider } = await start(t);
    const body = { model: "mock-1", messages: [{ role: "user", content: "go" }, { role: "tool", tool_call_id: "x", content: "y" }] };
    assert.equal((await post(provider, "/v1/chat/completions", body)).status, 200);
  });
});
