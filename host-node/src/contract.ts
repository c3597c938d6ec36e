/**
 * The contract's plain data, as this package's callers see it: the types of `wit/`, under the same names, with numbers
 * for milliseconds and JavaScript values for JSON. The worker checks at compile time that these fit what the component
 * was generated with.
 */

/** A model as its provider names it, with the limits that budgets are derived from. */
export interface Model {
  readonly provider: string;
  readonly id: string;
  /** Tokens of input and output together; at least 1. */
  readonly contextWindow: number;
  /** Most tokens of output, where the provider states it. */
  readonly maxOutput?: number;
  /** Prices per million tokens; only their ratios are used. */
  readonly cost?: TokenCost;
}

export interface TokenCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Tokens that a provider reported for one request. `input` excludes the cached ones. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export type LogFormat = "pi-session-v3" | "runtime-session-v1";

/** How far reading a log has come, in bytes. */
export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly finished: boolean;
}

/** One configuration file or set of flags: its name in problems, and its bytes or its value. */
export interface ConfigLayer {
  readonly source: string;
  readonly content: Uint8Array | object;
}

export interface ConfigProblem {
  readonly source: string;
  /** The layer was ignored as a whole; else only the key was. */
  readonly ignoredLayer: boolean;
  /** A stable code such as `unknown-key`. */
  readonly code: string;
  /** The key's path, such as `context.targetFillRatio`; empty where the document itself is at fault. */
  readonly path: string;
  /** One line for a person, with what is allowed. */
  readonly message: string;
}

export interface MergedConfig {
  /** The whole `ds4-context-config-v1` with every default filled in. */
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
}

/** The part of the configuration that a host acts on; the rest is the component's. */
export interface Config {
  readonly enabled: boolean;
  readonly context: { readonly mode: "managed" | "observer" };
  readonly [section: string]: unknown;
}

/** Consecutive messages: the first one's position and how many. */
export interface Run {
  readonly first: number;
  readonly count: number;
}

/**
 * A part of the host's context: messages that the active branch projects to, by position, or messages that the log does
 * not hold, by position in `inline`.
 */
export type Span = { readonly tag: "projected"; readonly val: Run } | { readonly tag: "inline"; readonly val: Run };

export type SupplementKind = "pin" | "memory" | "history" | "project" | "summary" | "notice";

export type Classification = "normal" | "internal" | "sensitive" | "local-only";

/** A message of the planner's own, to be sent with the role `user`. */
export interface Supplement {
  readonly kind: SupplementKind;
  readonly text: string;
  readonly tokens: number;
  readonly classification: Classification;
  /** The entries it was made from; never empty. */
  readonly sourceIds: readonly string[];
}

/** A host's message with other content. */
export interface Replacement {
  /** Its place in the request's messages, counted in messages. */
  readonly position: number;
  /** Native content blocks. */
  readonly content: readonly unknown[];
}

/** What to send, in order. `keep` counts in the request's messages. */
export type PlanItem =
  | { readonly tag: "keep"; readonly val: Run }
  | { readonly tag: "replace"; readonly val: Replacement }
  | { readonly tag: "insert"; readonly val: Supplement };

export interface Plan {
  readonly items: readonly PlanItem[];
  readonly manifestId: string;
  /** SHA-256 over the canonical form of the planned request: equal on every host. */
  readonly promptHash: string;
  /** Tokens of the planned messages, the system prompt and the tools. */
  readonly estimatedTokens: number;
  readonly estimator: string;
  /** Why the plan is the host's own context and nothing else. */
  readonly fallback?: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}
