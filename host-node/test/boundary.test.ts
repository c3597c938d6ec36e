/**
 * The boundary of the transpiled component, tortured: strings, lists, numbers, errors of each kind, traps, and resources
 * that are released twice. Run against the component itself, in this thread and without our worker.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request as PlanRequest } from "../dist/component/interfaces/ds4-context-planning.js";
import { StoragePort } from "../dist/ports/storage.js";
import { PortFailure } from "../dist/ports/port-failure.js";
import { componentFailure, dispose, instantiateComponent, type Component } from "../dist/worker/component.js";
import { compileCoreModules } from "../dist/worker/core-modules.js";

const componentUrl = new URL("../dist/component/engine.js", import.meta.url).href;
const U64_MAX = 0xffff_ffff_ffff_ffffn;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

class ScriptedStorage extends StoragePort {
  answer: (offset: bigint, length: number) => Uint8Array = () => new Uint8Array();
  asked: { path: string; offset: bigint; length: number }[] = [];

  override readFile(_place: "sessions" | "project", path: string, offset: bigint, length: number): Uint8Array {
    this.asked.push({ path, offset, length });
    return this.answer(offset, length);
  }
}

async function instance(memoryBytes = 256 * 1024 * 1024) {
  const storage = new ScriptedStorage();
  const component = await instantiateComponent(componentUrl, await compileCoreModules(componentUrl, memoryBytes), storage);
  return { storage, component };
}

function open(
  component: Component,
  options: { sessionId?: string; log?: string; config?: Uint8Array; seed?: Uint8Array; nowMs?: bigint } = {},
) {
  return component.sessions.Session.open({
    sessionId: "s",
    format: "pi-session-v3",
    config: encoder.encode("{}"),
    projectTrusted: false,
    seed: new Uint8Array(32),
    nowMs: 1n,
    ...options,
  });
}

function request(
  messages: readonly object[],
  rest: { systemPrompt?: string; tools?: Uint8Array; budget?: number; nowMs?: bigint } = {},
): PlanRequest {
  return {
    messages: [{ tag: "inline", val: { first: 0, count: messages.length } }],
    inline: encoder.encode(JSON.stringify(messages)),
    nowMs: 1n,
    ...rest,
  };
}

function user(text: string) {
  return { role: "user", content: [{ type: "text", text }], timestamp: 1 };
}

function code(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return componentFailure(error).code;
  }
  return "no error";
}

function plan(component: Component, session: ReturnType<typeof open>, wire: PlanRequest) {
  const job = component.planning.Job.start(session, wire);
  try {
    return job.advance() ?? job.finishNow();
  } finally {
    dispose(job);
  }
}

const texts = {
  "a NUL": "a\0b",
  "an emoji": "😀👩‍👩‍👧‍👦",
  Chinese: "会话上下文".repeat(50),
  "combining marks": "e\u0301\u0302".repeat(100),
  "a byte order mark": "\ufefftext",
  "line separators": "a\r\nb\u2028c\u2029d",
  "quotes and backslashes": '"\\"\\u0000\\',
  "half of a surrogate pair": "a\ud83d and \udc00",
  "two million characters": "long text ".repeat(200_000),
};

for (const [name, text] of Object.entries(texts)) {
  test(`${name} crosses as a session's name, a system prompt and a message`, async () => {
    const { component } = await instance();
    const session = open(component, { sessionId: text });
    const status = JSON.parse(decoder.decode(component.diagnostics.status(session))) as { sessionId: string };
    assert.equal(status.sessionId, text.toWellFormed());
    const planned = plan(component, session, request([user(text.toWellFormed()), user("last")], { systemPrompt: text }));
    assert.match(planned.manifestId, /^m_/);
    dispose(session);
  });
}

test("an empty text crosses as a message and a system prompt, and names no session", async () => {
  const { component } = await instance();
  assert.equal(
    code(() => open(component, { sessionId: "" })),
    "invalid-input",
  );
  const planned = plan(component, open(component), request([user(""), user("last")], { systemPrompt: "" }));
  assert.match(planned.manifestId, /^m_/);
});

test("empty lists and the largest numbers cross", async () => {
  const { component } = await instance();
  const session = open(component, { nowMs: U64_MAX });
  assert.equal(session.append(new Uint8Array(), U64_MAX), 0);
  assert.equal(session.projectedMessages(), 0);
  const planned = plan(component, session, request([user("x")], { budget: 0xffff_ffff, nowMs: U64_MAX, tools: encoder.encode("[]") }));
  assert.ok(Array.isArray(planned.items));
  session.selectModel({
    provider: "p",
    id: "m",
    contextWindow: 0xffff_ffff,
    maxOutput: 0xffff_ffff,
    cost: { input: Number.MAX_VALUE, output: 0, cacheRead: 5e-324, cacheWrite: 0 },
  });
  assert.throws(() => session.append(new Uint8Array(), U64_MAX + 1n));
});

test("what breaks the contract is invalid-input, and the instance goes on", async () => {
  const { component } = await instance();
  assert.equal(
    code(() => open(component, { seed: new Uint8Array(31) })),
    "invalid-input",
  );
  const session = open(component);
  const broken: PlanRequest[] = [
    { ...request([]), inline: encoder.encode("[") },
    { ...request([]), inline: encoder.encode("{}") },
    { ...request([]), inline: Uint8Array.of(0xff, 0xfe) },
    { ...request([user("x")]), messages: [{ tag: "inline", val: { first: 1, count: 1 } }] },
    { ...request([user("x")]), messages: [{ tag: "inline", val: { first: 0xffff_ffff, count: 0xffff_ffff } }] },
    { ...request([user("x")]), messages: [{ tag: "projected", val: { first: 0, count: 1 } }] },
  ];
  for (const wire of broken) {
    assert.equal(
      code(() => plan(component, session, wire)),
      "invalid-input",
    );
  }
  assert.equal(
    code(() => session.selectLeaf("nowhere")),
    "not-found",
  );
  assert.match(plan(component, session, request([user("x")])).manifestId, /^m_/);
});

test("a job that answered is spent", async () => {
  const { component } = await instance();
  const session = open(component);
  const job = component.planning.Job.start(session, request([user("x")]));
  assert.ok(job.advance() !== undefined);
  assert.equal(
    code(() => job.advance()),
    "invalid-input",
  );
  dispose(job);
});

test("what this version does not have is said so", async () => {
  const { component } = await instance();
  const session = open(component);
  assert.equal(
    code(() => component.privacy.checkPayload(session, "p", encoder.encode("{}"))),
    "unsupported",
  );
  assert.equal(
    code(() => component.compaction.shouldCompact(session)),
    "unsupported",
  );
  assert.equal(
    code(() => component.compaction.settle(session, "s", true, 1n)),
    "unsupported",
  );
});

test("secrets are found in many texts at once, in UTF-8 bytes", async () => {
  const { component } = await instance();
  const text = "è 🔑 DB_PASSWORD=Harbor_candle4711 😀";
  const start = encoder.encode("è 🔑 DB_PASSWORD=").length;
  const secret = { start, end: start + "Harbor_candle4711".length, rule: "assigned-secret", placeholder: "[DS4 REDACTED SECRET]" };
  assert.deepEqual(component.privacy.findSecrets([text, "", "nothing", text]), [[secret], [], [], [secret]]);
  assert.deepEqual(component.privacy.findSecrets([]), []);
});

test("every error of the storage port becomes an error of the call, and the instance goes on", async () => {
  const { component, storage } = await instance();
  const session = open(component, { log: "é😀.jsonl" });
  const expected = {
    "not-found": ["not-found"],
    "access-denied": ["storage"],
    busy: ["busy", "storage"],
    full: ["storage"],
    corrupt: ["storage"],
    other: ["storage"],
  };
  for (const [tag, codes] of Object.entries(expected)) {
    storage.answer = () => {
      throw new PortFailure(tag === "corrupt" || tag === "other" ? { tag, val: "é😀" } : { tag });
    };
    const answered = code(() => session.sync(1000, 1n));
    assert.ok(codes.includes(answered), `${tag} became ${answered}`);
  }
  assert.equal(storage.asked[0]?.path, "é😀.jsonl");
  storage.answer = () => new Uint8Array();
  assert.ok(session.sync(1000, 1n).finished);
});

test("a port that breaks its contract is a trap and nothing else", async () => {
  const { component, storage } = await instance();
  const session = open(component, { log: "log.jsonl" });
  storage.answer = () => {
    throw new Error("not of this contract");
  };
  assert.equal(
    code(() => session.sync(1000, 1n)),
    "trapped",
  );
});

test("a component that wants more memory than its limit traps, and a new instance works", async () => {
  const { component, storage } = await instance(96 * 1024 * 1024);
  const session = open(component, { log: "log.jsonl" });
  const line = encoder.encode(`${JSON.stringify({ type: "message", id: "PLACE", parentId: null, message: user("x".repeat(1000)) })}\n`);
  const log = Buffer.concat(Array.from({ length: 30_000 }, () => line));
  storage.answer = (offset, length) => new Uint8Array(log.subarray(Number(offset), Number(offset) + length));
  const outgrow = () => {
    while (!session.sync(1024 * 1024, 1n).finished);
    plan(component, session, request([user("y".repeat(60_000_000))]));
  };
  assert.equal(code(outgrow), "trapped");
  const { component: another } = await instance();
  assert.match(plan(another, open(another), request([user("x")])).manifestId, /^m_/);
});

test("a resource can be released once, and is of no use afterwards", async () => {
  const { component } = await instance();
  const session = open(component);
  dispose(session);
  assert.equal(
    code(() => session.projectedMessages()),
    "trapped",
  );
  const another = open(component);
  dispose(another);
  assert.doesNotThrow(() => dispose(another), "the second release does nothing");
});

test("the same calls give the same bytes in two instances", async () => {
  const run = async () => {
    const { component } = await instance();
    const session = open(component, { nowMs: 5n });
    plan(component, session, request([user("é😀"), user("b")], { systemPrompt: "p" }));
    return [component.planning.render(session, undefined), component.diagnostics.manifest(session, undefined)].map((bytes) =>
      decoder.decode(bytes),
    );
  };
  assert.deepEqual(await run(), await run());
});

test("configuration layers of every kind are taken or named", async () => {
  const { component } = await instance();
  const layers = ["{}", "", "[", "[]", "null", '{"nonsense":1}', '{"enabled":"yes"}', `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`].map(
    (content, place) => ({ source: `layer ${place} é😀`, content: encoder.encode(content) }),
  );
  const merged = component.sessions.mergeConfig(layers);
  assert.equal((JSON.parse(decoder.decode(merged.config)) as { enabled: boolean }).enabled, true);
  assert.ok(merged.problems.some((problem) => problem.ignoredLayer && problem.source === "layer 2 é😀"));
  assert.deepEqual(component.sessions.mergeConfig([]).problems, []);
});
