/**
 * How the mock provider writes an answer: server-sent events of the OpenAI chat and the Anthropic messages interfaces, and
 * the errors of both.
 *
 * Invariants: pure; an answer becomes a status and a body. Nothing here looks at a request.
 */
import type { PayloadShape } from "./payload.ts";
import type { Answer, ScriptedCall } from "./script.ts";

/** A whole HTTP answer. */
export interface WireAnswer {
  readonly status: number;
  readonly contentType: "application/json" | "text/event-stream";
  readonly body: string;
  /** Whether the connection stays open after the body: the answer is only begun. */
  readonly unfinished?: boolean;
}

/** What an answer carries beside its text or calls. */
export interface AnswerFacts {
  /** Running number of the request, from 1; makes IDs of answers. */
  readonly sequence: number;
  readonly model: string;
  readonly inputTokens: number;
  /** IDs for the calls of the answer, as many as it has calls. */
  readonly callIds: readonly string[];
}

/** Writes the answer in the given shape. */
export function writeAnswer(shape: PayloadShape, answer: Answer, facts: AnswerFacts): WireAnswer {
  switch (answer.kind) {
    case "http-error":
      return errorAnswer(shape, answer.status, "mock_failure", "the script asked for this failure");
    case "overflow":
      return shape === "openai-chat"
        ? errorAnswer(shape, 400, "context_length_exceeded", "This model's maximum context length is exceeded by your messages.")
        : errorAnswer(shape, 400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum");
    case "stall":
      return unfinished(shape === "openai-chat" ? openAiText(answer.text, facts) : anthropicText(answer.text, facts));
    case "text":
      return shape === "openai-chat" ? openAiText(answer.text, facts) : anthropicText(answer.text, facts);
    case "calls":
      return shape === "openai-chat" ? openAiCalls(answer.calls, facts) : anthropicCalls(answer.calls, facts);
  }
}

/** Writes an error in the provider's own form. */
export function errorAnswer(shape: PayloadShape, status: number, code: string, message: string): WireAnswer {
  const error =
    shape === "openai-chat"
      ? { error: { message, type: "invalid_request_error", code } }
      : { type: "error", error: { type: code, message } };
  return { status, contentType: "application/json", body: JSON.stringify(error) };
}

function openAiText(text: string, facts: AnswerFacts): WireAnswer {
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  return openAiStream(facts, words.map((content) => ({ content })), "stop", tokensOf(text));
}

function openAiCalls(calls: readonly ScriptedCall[], facts: AnswerFacts): WireAnswer {
  const deltas = calls.flatMap((call, index) => {
    const name = { index, id: facts.callIds[index], type: "function", function: { name: call.name, arguments: "" } };
    const rest = { index, function: { arguments: JSON.stringify(call.arguments) } };
    return [{ tool_calls: [name] }, { tool_calls: [rest] }];
  });
  return openAiStream(facts, deltas, "tool_calls", tokensOf(JSON.stringify(calls)));
}

function openAiStream(facts: AnswerFacts, deltas: readonly object[], finish: string, outputTokens: number): WireAnswer {
  const base = { id: `chatcmpl-${facts.sequence}`, object: "chat.completion.chunk", created: 0, model: facts.model };
  const chunk = (delta: object, finishReason: string | null): string =>
    event({ ...base, choices: [{ index: 0, delta, finish_reason: finishReason }] });
  const usage = {
    prompt_tokens: facts.inputTokens,
    completion_tokens: outputTokens,
    total_tokens: facts.inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0 },
  };
  return stream([
    chunk({ role: "assistant", content: "" }, null),
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish),
    event({ ...base, choices: [], usage }),
    "data: [DONE]\n\n",
  ]);
}

function anthropicText(text: string, facts: AnswerFacts): WireAnswer {
  const block = { start: { type: "text", text: "" }, delta: { type: "text_delta", text } };
  return anthropicStream(facts, [block], "end_turn", tokensOf(text));
}

function anthropicCalls(calls: readonly ScriptedCall[], facts: AnswerFacts): WireAnswer {
  const blocks = calls.map((call, index) => ({
    start: { type: "tool_use", id: facts.callIds[index], name: call.name, input: {} },
    delta: { type: "input_json_delta", partial_json: JSON.stringify(call.arguments) },
  }));
  return anthropicStream(facts, blocks, "tool_use", tokensOf(JSON.stringify(calls)));
}

function anthropicStream(
  facts: AnswerFacts,
  blocks: readonly { start: object; delta: object }[],
  stopReason: string,
  outputTokens: number,
): WireAnswer {
  const named = (value: { type: string } & Record<string, unknown>): string => event(value, value.type);
  const usage = { input_tokens: facts.inputTokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const message = { id: `msg_${facts.sequence}`, type: "message", role: "assistant", model: facts.model, content: [] };
  return stream([
    named({ type: "message_start", message: { ...message, stop_reason: null, usage: { ...usage, output_tokens: 1 } } }),
    ...blocks.flatMap(({ start, delta }, index) => [
      named({ type: "content_block_start", index, content_block: start }),
      named({ type: "content_block_delta", index, delta }),
      named({ type: "content_block_stop", index }),
    ]),
    named({ type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: outputTokens } }),
    named({ type: "message_stop" }),
  ]);
}

/** The same answer without its last three events: with its text, and without anything that says that it ended. */
function unfinished(answer: WireAnswer): WireAnswer {
  const events = answer.body.split("\n\n");
  return { ...answer, body: `${events.slice(0, -4).join("\n\n")}\n\n`, unfinished: true };
}

function event(value: object, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
}

function stream(events: readonly string[]): WireAnswer {
  return { status: 200, contentType: "text/event-stream", body: events.join("") };
}

function tokensOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}
