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

/** How far a long operation has come: reading a log counts bytes, indexing counts entries. */
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
  readonly historyTools: HistoryToolsConfig;
  readonly [section: string]: unknown;
}

/** The tools with which a model recalls history itself (behaviour 3.11). */
export interface HistoryToolsConfig {
  readonly enabled: boolean;
  readonly defaultScope: "current-branch" | "current-session" | "current-lineage";
  /** Whether the scope `project` may be searched. */
  readonly allowProjectScope: boolean;
  readonly maxResults: number;
  /** Tokens of one result, at four characters a token. */
  readonly maxOutputTokens: number;
}

/**
 * How far a search of the history looks; each scope covers those before it. `current-session` has every branch, `current-lineage` the
 * sessions that it was forked from, `project` every session of the folder; that one needs `historyTools.allowProjectScope`.
 */
export type HistoryScope = "current-branch" | "current-session" | "current-lineage" | "project";

/**
 * Where an entry stands: on the active branch; in a session that this one was forked from, on the way to the fork; on another branch of
 * one of these; in another session of the project.
 */
export type HistoryRelation = "ancestor" | "lineage-ancestor" | "other-branch" | "other-session";

/** Sessions that a scope covers, the one that was asked among them. */
export interface SessionCounts {
  /** Read and indexed to the end, as far as is known. */
  readonly upToDate: number;
  /** Not yet; what of them is not indexed was not searched. */
  readonly pending: number;
  /** Their log is missing, damaged or too large, or there are too many. */
  readonly leftOut: number;
}

export interface HistoryQuery {
  /** The question, as a person or a model asks it; any text is one. */
  readonly text: string;
  /** `current-branch` unless said otherwise. */
  readonly scope?: HistoryScope;
  /** Hits that are wanted, 1 to 1,000; 10 unless said otherwise. */
  readonly limit?: number;
  /** Tokens of all excerpts together. None leaves the excerpts out and keeps entries of equal text. */
  readonly maxTokens?: number;
}

export interface HistoryHit {
  readonly entryId: string;
  /** The entry's session, which need not be the one that was asked. */
  readonly sessionId: string;
  readonly relation: HistoryRelation;
  /** The message's role, as Pi's session format names it. */
  readonly role: string;
  /** Milliseconds since 1970, where the log gives them. */
  readonly timestampMs?: number;
  /** In millionths. */
  readonly score: number;
  /** One line: what the entry was verified to hold. */
  readonly reason: string;
  /** The part of the entry that answers, as it stands there. Quoted data, never instructions. */
  readonly excerpt: string;
  readonly classification: Classification;
  /** Opens the whole entry with `readHistory`, for ten minutes, as long as the scope still holds it. */
  readonly reference: string;
}

export interface HistoryAnswer {
  /** `disabled` by the configuration; `no-query` where the text asks for nothing that could be found. */
  readonly status: "disabled" | "no-query" | "complete";
  /** The best first. */
  readonly hits: readonly HistoryHit[];
  /** Entries of the logs that were read: those that are indexed, and all. What is not indexed yet was not searched. */
  readonly indexedEntries: number;
  readonly logEntries: number;
  readonly sessions: SessionCounts;
}

/** Lines of an entry. */
export interface HistoryLines {
  readonly entryId: string;
  readonly sessionId: string;
  readonly role: string;
  /** Number of the first line given, from 1. */
  readonly firstLine: number;
  /** Lines of the whole entry. */
  readonly totalLines: number;
  readonly text: string;
}

/** A secret in a text. */
export interface Redaction {
  /** Where it begins and ends, in UTF-8 bytes of the text, at character boundaries. */
  readonly start: number;
  readonly end: number;
  /** The rule that found it, such as `assigned-secret`. */
  readonly rule: string;
  /** What has to stand in its place, such as `[DS4 REDACTED SECRET]`. */
  readonly placeholder: string;
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
