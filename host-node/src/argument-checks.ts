/**
 * What a caller passed, checked before it goes to the worker. One place for every call, because a value of the wrong type
 * would crash on its way into the component, and cost every session its worker.
 *
 * Only types and ranges of the contract are checked here; what a value means is the component's to judge.
 */
import type { ConfigLayer } from "./contract.js";
import { EngineError } from "./errors.js";
import type { SessionOptions } from "./session.js";
import type { SessionCall } from "./worker/messages.js";

/** Throws `invalid-input` where a value is not what the contract has there; `name` says which. */
type Check = (value: unknown, name: string) => void;

/** Throws `invalid-input`. */
export function checkCall(call: SessionCall): void {
  const check = callChecks[call.call];
  if (check === undefined) {
    throw new EngineError("invalid-input", `there is no call ${shown(call.call)}`);
  }
  check(call, call.call);
}

/** Throws `invalid-input`. */
export function checkSessionOptions(options: SessionOptions): void {
  sessionOptions(options, "the options");
}

/** Throws `invalid-input` for what is no list of layers. */
export function checkLayers(layers: readonly ConfigLayer[]): void {
  configLayers(layers, "the layers");
}

/** Throws `invalid-input` for what is no list of texts. */
export function checkTexts(texts: readonly string[]): void {
  listOf(text)(texts, "the texts");
}

/** Throws `invalid-input` for a clock that gives no time. */
export function checkTime(nowMs: number): void {
  u64(nowMs, "the time in milliseconds");
}

/** Throws `invalid-input` for what is neither text nor bytes. */
export function checkLines(lines: string | Uint8Array): void {
  require(typeof lines === "string" || lines instanceof Uint8Array, "lines", "a text or bytes", lines);
}

const text: Check = (value, name) => require(typeof value === "string", name, "a text", value);
const flag: Check = (value, name) => require(typeof value === "boolean", name, "true or false", value);
const bytes: Check = (value, name) => require(value instanceof Uint8Array, name, "bytes", value);
const price: Check = (value, name) => require(typeof value === "number", name, "a number", value);
const u32: Check = (value, name) =>
  require(Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32, name, "a whole number from 0 to 2^32 - 1", value);
/** Whole numbers above 2^53 are not exact in JavaScript. */
const u64: Check = (value, name) =>
  require(Number.isSafeInteger(value) && (value as number) >= 0, name, "a whole number that is not negative", value);

function oneOf(...allowed: readonly string[]): Check {
  return (value, name) => require(typeof value === "string" && allowed.includes(value), name, `one of ${allowed.join(", ")}`, value);
}

function optional(check: Check): Check {
  return (value, name) => {
    if (value !== undefined) {
      check(value, name);
    }
  };
}

function record(fields: Readonly<Record<string, Check>>): Check {
  return (value, name) => {
    require(typeof value === "object" && value !== null, name, "an object", value);
    for (const [field, check] of Object.entries(fields)) {
      check((value as Record<string, unknown>)[field], `${field} of ${name}`);
    }
  };
}

function listOf(check: Check): Check {
  return (value, name) => {
    require(Array.isArray(value), name, "a list", value);
    // Not `forEach`: a list with holes has nothing there, and that is no value either.
    for (const [place, item] of (value as unknown[]).entries()) {
      check(item, `item ${place} of ${name}`);
    }
  };
}

const historyScope = oneOf("current-branch", "current-session", "current-lineage", "project");
const run = record({ first: u32, count: u32 });
const model = record({
  provider: text,
  id: text,
  contextWindow: u32,
  maxOutput: optional(u32),
  cost: optional(record({ input: price, output: price, cacheRead: price, cacheWrite: price })),
});

const callChecks: Readonly<Record<SessionCall["call"], Check>> = {
  open: record({}),
  sync: record({ maxBytes: u32, nowMs: u64 }),
  index: record({ maxBytes: u32, nowMs: u64 }),
  "index-scope": record({ scope: historyScope, maxBytes: u32, nowMs: u64 }),
  "rebuild-index": record({}),
  append: record({ lines: bytes, nowMs: u64 }),
  "select-leaf": record({ leafId: optional(text) }),
  "select-model": record({ model }),
  "projected-messages": record({}),
  "record-usage": record({ manifestId: text, usage: record({ input: u64, output: u64, cacheRead: u64, cacheWrite: u64 }), nowMs: u64 }),
  plan: record({
    readLog: flag,
    leafId: optional(text),
    model: optional(model),
    projectedMessages: optional(u32),
    messages: listOf(record({ tag: oneOf("projected", "inline"), val: run })),
    inline: bytes,
    systemPrompt: optional(text),
    tools: optional(bytes),
    budget: optional(u32),
    patienceMs: u64,
    nowMs: u64,
  }),
  "search-history": record({
    text,
    scope: historyScope,
    limit: u32,
    maxTokens: u32,
    nowMs: u64,
  }),
  "read-history": record({ reference: text, firstLine: u32, count: u32, nowMs: u64 }),
  health: record({ depth: oneOf("quick", "deep"), nowMs: u64 }),
  document: record({ name: oneOf("render", "manifest", "explain", "inspect", "status"), manifestId: optional(text) }),
  close: record({}),
};

const configLayers = listOf(record({ source: text }));

const sessionOptions = record({
  sessionId: text,
  format: optional(oneOf("pi-session-v3", "runtime-session-v1")),
  logFile: optional(text),
  logFolder: optional(text),
  config: optional(record({})),
  trustedProjectRoot: optional(text),
  projectRoot: optional(text),
  dataFolder: optional(text),
  seed: optional(bytes),
});

function require(holds: boolean, name: string, expected: string, value: unknown): void {
  if (!holds) {
    throw new EngineError("invalid-input", `${name} has to be ${expected}, not ${shown(value)}`);
  }
}

/** A value in a few words; what a caller passed may be long and may be secret. */
function shown(value: unknown): string {
  switch (typeof value) {
    case "number":
    case "boolean":
    case "undefined":
      return String(value);
    case "string":
      return value.length <= 40 ? JSON.stringify(value) : "a text";
    default:
      return value === null ? "null" : Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
  }
}
