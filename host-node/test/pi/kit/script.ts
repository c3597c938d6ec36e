/**
 * The directive language in which a test writes, inside a user prompt, what the mock provider shall answer.
 *
 * One directive is one answer of the model, in order:
 *
 * - `[[say:TEXT]]` answers with text;
 * - `[[bash:COMMAND]]`, `[[read:PATH]]` call one tool, `[[call:TOOL {json}]]` calls any tool;
 * - `[[par:bash:A||read:B]]` makes several calls in one answer;
 * - `[[fail:STATUS]]` answers once with that HTTP status;
 * - `[[stall:TEXT]]` begins to answer with text and never ends, until the client goes away;
 * - `[[overflow]]` answers once with the provider's own "context too long" error, and `[[overflow:N]]` does so for as long as
 *   the request is estimated above N tokens.
 *
 * Invariants: what is answered depends on the prompt and on how many answers it already got, never on the rest of the
 * request. So a plan that leaves messages out changes nothing in the script, and a request that is sent again gets the next step.
 * The text of a prompt is its identity: a test gives each prompt a text of its own. A malformed directive throws; the server turns
 * that into HTTP 400, so that a typing error in a test is seen.
 */

/** One tool call that the mock model makes. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** One answer of the mock model. */
export type Answer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "stall"; readonly text: string }
  | { readonly kind: "calls"; readonly calls: readonly ScriptedCall[] }
  | { readonly kind: "http-error"; readonly status: number }
  | { readonly kind: "overflow" };

type Step = Answer | { readonly kind: "overflow-above"; readonly tokens: number };

/** Thrown for a directive that this language does not have. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
}

/** Answer to a prompt without directives, and to a prompt whose directives are used up. */
export const PLAIN_ANSWER = "MOCK-OK";
/** Answer that ends a run which met the same `[[overflow:N]]` more than {@link OVERFLOW_LIMIT} times. */
export const LOOP_GUARD_ANSWER = "MOCK-LOOP-GUARD";
/** How often one `[[overflow:N]]` may answer with an overflow. */
export const OVERFLOW_LIMIT = 8;

const DIRECTIVE = /\[\[(\w+)(?::((?:(?!\]\]).)*))?\]\]/gs;

/** Remembers, per prompt, how many answers were given. One instance serves one mock provider. */
export class Script {
  readonly #answered = new Map<string, { steps: readonly Step[]; next: number; overflows: number }>();

  /**
   * The next answer. `userTexts` are the texts of the request's user messages, oldest first; the newest that holds a
   * directive is the prompt. `estimatedTokens` is read by `[[overflow:N]]` only.
   */
  answer(userTexts: readonly string[], estimatedTokens: number): Answer {
    const prompt = userTexts.findLast((text) => text.includes("[["));
    if (prompt === undefined) return { kind: "text", text: PLAIN_ANSWER };
    let state = this.#answered.get(prompt);
    if (state === undefined) {
      state = { steps: parseDirectives(prompt), next: 0, overflows: 0 };
      this.#answered.set(prompt, state);
    }
    for (;;) {
      const step = state.steps[state.next];
      if (step === undefined) return { kind: "text", text: PLAIN_ANSWER };
      if (step.kind !== "overflow-above") {
        state.next += 1;
        return step;
      }
      if (estimatedTokens > step.tokens) {
        state.overflows += 1;
        return state.overflows > OVERFLOW_LIMIT ? { kind: "text", text: LOOP_GUARD_ANSWER } : { kind: "overflow" };
      }
      state.next += 1;
    }
  }
}

function parseDirectives(prompt: string): Step[] {
  return [...prompt.matchAll(DIRECTIVE)].map(([whole, name = "", value = ""]) => parseDirective(whole, name, value));
}

function parseDirective(whole: string, name: string, value: string): Step {
  switch (name) {
    case "say":
      return { kind: "text", text: value };
    case "stall":
      return { kind: "stall", text: value };
    case "fail":
      return { kind: "http-error", status: parseNumber(whole, value) };
    case "overflow":
      return value === "" ? { kind: "overflow" } : { kind: "overflow-above", tokens: parseNumber(whole, value) };
    case "par":
      return { kind: "calls", calls: value.split("||").map((part) => parseCall(whole, ...splitAt(part, ":"))) };
    default:
      return { kind: "calls", calls: [parseCall(whole, name, value)] };
  }
}

function parseCall(whole: string, name: string, value: string): ScriptedCall {
  switch (name) {
    case "bash":
      return { name: "bash", arguments: { command: value } };
    case "read":
      return { name: "read", arguments: { path: value } };
    case "call": {
      const [tool, json] = splitAt(value, " ");
      return { name: tool, arguments: parseArguments(whole, json) };
    }
    default:
      throw new ScriptError(`unknown directive ${whole}`);
  }
}

function parseArguments(whole: string, json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Falls through to the one error below.
  }
  throw new ScriptError(`the arguments of ${whole} are no JSON object`);
}

function parseNumber(whole: string, value: string): number {
  const number = Number(value);
  if (value === "" || !Number.isSafeInteger(number) || number < 0) throw new ScriptError(`${whole} needs a whole number`);
  return number;
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}
