/**
 * What a provider received, read the same way for both wire shapes, and the rules that a real provider applies to it.
 *
 * Invariants: this module knows the two request shapes (OpenAI chat completions and Anthropic messages) and nothing of
 * Pi, of the engine or of the mock server. It reports; a test asserts. It never repairs a payload.
 */

/** The two request shapes that the kit's models speak. */
export type PayloadShape = "openai-chat" | "anthropic-messages";

/** A tool call as the provider sees it. `arguments` is the text of the JSON arguments. */
export interface PayloadCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A tool result as the provider sees it. */
export interface PayloadResult {
  readonly callId: string;
  readonly text: string;
}

/**
 * One message of a request. An OpenAI `tool` message and an Anthropic user message made of `tool_result` blocks both
 * have the role `tool`; an Anthropic user message that holds results and text becomes a `tool` message and a `user`
 * message, in that order, as the provider reads it.
 */
export interface PayloadMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly calls: readonly PayloadCall[];
  readonly results: readonly PayloadResult[];
}

/** A request body, read. `toolsText` is the JSON of the tool schemas, or "" where there are none. */
export interface Payload {
  readonly shape: PayloadShape;
  readonly model: string;
  readonly system: string;
  readonly toolsText: string;
  readonly messages: readonly PayloadMessage[];
}

/** Something for which a real provider rejects a request. `at` is the index in `Payload.messages`. */
export interface PayloadFault {
  readonly kind:
    | "no-message"
    | "no-user-message"
    | "orphan-result"
    | "missing-result"
    | "duplicate-result"
    | "empty-message";
  readonly at: number;
  readonly detail: string;
}

/** Reads a request body. Throws a TypeError where the body has neither shape: the test that sees it is broken. */
export function readPayload(body: unknown): Payload {
  if (!isRecord(body) || !Array.isArray(body["messages"])) {
    throw new TypeError("not a request body: it has no list of messages");
  }
  const messages: unknown[] = body["messages"];
  const shape = shapeOf(body, messages);
  const read = shape === "openai-chat" ? readOpenAiMessages(messages) : readAnthropicMessages(messages);
  const system = shape === "openai-chat" ? read.system : textOf(body["system"]);
  const tools = body["tools"];
  return {
    shape,
    model: typeof body["model"] === "string" ? body["model"] : "",
    system,
    toolsText: Array.isArray(tools) && tools.length > 0 ? JSON.stringify(tools) : "",
    messages: read.messages,
  };
}

/**
 * Every fault of the payload, in order. Both providers want each call answered exactly once, in the messages that
 * directly follow it, and no answer without its call (failures.md 5, 7, 9, 10).
 */
export function findFaults(payload: Payload): PayloadFault[] {
  const faults: PayloadFault[] = [];
  if (payload.messages.length === 0) {
    return [{ kind: "no-message", at: 0, detail: "the request holds no message" }];
  }
  if (!payload.messages.some((message) => message.role === "user")) {
    faults.push({ kind: "no-user-message", at: 0, detail: "the request holds no user message" });
  }
  let open: { at: number; waiting: Map<string, string>; answered: Set<string> } | undefined;
  const close = (): void => {
    for (const [id, name] of open?.waiting ?? []) {
      faults.push({ kind: "missing-result", at: open?.at ?? 0, detail: `call ${id} (${name}) has no result` });
    }
    open = undefined;
  };
  payload.messages.forEach((message, at) => {
    if (message.role !== "tool") close();
    if (message.text === "" && message.calls.length === 0 && message.results.length === 0) {
      faults.push({ kind: "empty-message", at, detail: `a ${message.role} message without content` });
    }
    for (const result of message.results) {
      if (open?.answered.has(result.callId)) {
        faults.push({ kind: "duplicate-result", at, detail: `call ${result.callId} has a second result` });
      } else if (open?.waiting.delete(result.callId)) {
        open.answered.add(result.callId);
      } else {
        faults.push({ kind: "orphan-result", at, detail: `result of ${result.callId} without its call before it` });
      }
    }
    if (message.calls.length > 0) {
      open = { at, waiting: new Map(message.calls.map((call) => [call.id, call.name])), answered: new Set() };
    }
  });
  close();
  return faults;
}

/**
 * Estimate of the input tokens: a quarter of the characters of all text, call, result and schema, and 8 for each
 * message. It is the test's own measure, near `chars-v1` (behaviour 2.1) and computed from what was really sent.
 */
export function estimateTokens(payload: Payload): number {
  const parts = [payload.system, payload.toolsText];
  for (const message of payload.messages) {
    parts.push(message.text);
    for (const call of message.calls) parts.push(call.name, call.arguments);
    for (const result of message.results) parts.push(result.text);
  }
  const text = parts.reduce((sum, part) => sum + Math.ceil(part.length / 4), 0);
  return text + 8 * (payload.messages.length + 1);
}

/** All text of the messages, results included, one a line. */
export function payloadText(payload: Payload): string {
  return payload.messages.flatMap((message) => [message.text, ...message.results.map((result) => result.text)]).join("\n");
}

/**
 * Names for the messages of a payload by which two requests of one session can be compared: an assistant message by the IDs of
 * its calls, each result by the ID of its call, everything else by role and text.
 */
export function messageKeys(payload: Payload): string[] {
  return payload.messages.flatMap((message) => {
    if (message.calls.length > 0) return [`calls ${message.calls.map((call) => call.id).join(" ")}`];
    if (message.results.length > 0) return message.results.map((result) => `result ${result.callId}`);
    return [`${message.role} ${message.text}`];
  });
}

/** Whether a request begins with the whole of the one before, so that the provider's prefix cache serves all of that. */
export function extendsPayload(payload: Payload, before: Payload): boolean {
  const keys = messageKeys(payload);
  return payload.system === before.system && messageKeys(before).every((key, index) => keys[index] === key);
}

/**
 * Compares what was sent with the whole conversation it was chosen from. `unknown` are keys that the whole does not
 * hold, `displaced` are keys that stand in another order than there. Equal keys are taken in their order.
 */
export function compareOrder(
  sent: readonly string[],
  whole: readonly string[],
): { unknown: string[]; displaced: string[] } {
  const unknown: string[] = [];
  const displaced: string[] = [];
  let next = 0;
  for (const key of sent) {
    const at = whole.indexOf(key, next);
    if (at >= 0) next = at + 1;
    else if (whole.includes(key)) displaced.push(key);
    else unknown.push(key);
  }
  return { unknown, displaced };
}

function shapeOf(body: Record<string, unknown>, messages: unknown[]): PayloadShape {
  if (body["system"] !== undefined) return "anthropic-messages";
  const anthropicBlock = messages.some(
    (message) =>
      isRecord(message) &&
      Array.isArray(message["content"]) &&
      message["content"].some((block: unknown) => isRecord(block) && /^tool_(use|result)$/.test(String(block["type"]))),
  );
  return anthropicBlock ? "anthropic-messages" : "openai-chat";
}

function readOpenAiMessages(messages: unknown[]): { system: string; messages: PayloadMessage[] } {
  const system: string[] = [];
  const read: PayloadMessage[] = [];
  for (const message of messages) {
    if (!isRecord(message)) throw new TypeError("a message is no object");
    const text = textOf(message["content"]);
    switch (message["role"]) {
      case "system":
      case "developer":
        system.push(text);
        break;
      case "user":
        read.push({ role: "user", text, calls: [], results: [] });
        break;
      case "assistant":
        read.push({ role: "assistant", text, calls: openAiCalls(message["tool_calls"]), results: [] });
        break;
      case "tool":
        read.push({ role: "tool", text: "", calls: [], results: [{ callId: String(message["tool_call_id"]), text }] });
        break;
      default:
        throw new TypeError(`a message has the unknown role ${String(message["role"])}`);
    }
  }
  return { system: system.join("\n"), messages: read };
}

function openAiCalls(value: unknown): PayloadCall[] {
  const calls: unknown[] = Array.isArray(value) ? value : [];
  return calls.map((call) => {
    const called = isRecord(call) && isRecord(call["function"]) ? call["function"] : {};
    return {
      id: isRecord(call) ? String(call["id"]) : "",
      name: String(called["name"]),
      arguments: String(called["arguments"] ?? ""),
    };
  });
}

function readAnthropicMessages(messages: unknown[]): { system: string; messages: PayloadMessage[] } {
  const read: PayloadMessage[] = [];
  for (const message of messages) {
    if (!isRecord(message)) throw new TypeError("a message is no object");
    const content = message["content"];
    const blocks: unknown[] = Array.isArray(content) ? content : [];
    const text = textOf(content);
    if (message["role"] === "assistant") {
      read.push({ role: "assistant", text, calls: blocks.flatMap(anthropicCall), results: [] });
      continue;
    }
    if (message["role"] !== "user") throw new TypeError(`a message has the unknown role ${String(message["role"])}`);
    const results = blocks.flatMap(anthropicResult);
    if (results.length > 0) read.push({ role: "tool", text: "", calls: [], results });
    if (results.length === 0 || text !== "") read.push({ role: "user", text, calls: [], results: [] });
  }
  return { system: "", messages: read };
}

function anthropicCall(block: unknown): PayloadCall[] {
  if (!isRecord(block) || block["type"] !== "tool_use") return [];
  return [{ id: String(block["id"]), name: String(block["name"]), arguments: JSON.stringify(block["input"] ?? {}) }];
}

function anthropicResult(block: unknown): PayloadResult[] {
  if (!isRecord(block) || block["type"] !== "tool_result") return [];
  return [{ callId: String(block["tool_use_id"]), text: textOf(block["content"]) }];
}

/** The text of a content value: a string, or the text blocks of a list, one a line. Other blocks have no text. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((block: unknown) => (isRecord(block) && typeof block["text"] === "string" ? [block["text"]] : []))
    .join("\n");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
