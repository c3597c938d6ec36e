/**
 * The JSON documents that the component returns. Hosts show them and never change them; fields that a later version adds
 * are allowed and ignored, and what is not there may be `null`. No document but the plan's holds prompt content.
 */

/** `ds4-context-plan-v1`: the planned request itself. */
export interface PlanDocument {
  readonly schema: "ds4-context-plan-v1";
  readonly messages: readonly PlannedMessage[];
  readonly estimatedTokens: number;
  readonly messageTokens: number;
  readonly estimator: string;
  readonly promptHash: string;
  readonly manifestId: string;
  readonly fallback?: string | null;
  readonly excluded: readonly ExcludedRange[];
}

export interface PlannedMessage {
  readonly role: "user" | "assistant" | "toolResult";
  readonly kind: string;
  readonly entryId?: string | null;
  readonly text: string;
  readonly toolCallIds?: readonly string[];
  readonly toolCallId?: string | null;
  readonly toolName?: string | null;
}

export interface ExcludedRange {
  readonly kind: string;
  readonly firstEntryId?: string | null;
  readonly lastEntryId?: string | null;
  readonly messageCount: number;
  readonly tokens: number;
  readonly reason: string;
}

/** A plan's manifest: what went in, what stayed out, the budgets, and the reason for each. */
export interface ManifestDocument {
  readonly id: string;
  readonly sessionId: string;
  readonly branchLeafId?: string | null;
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly contextWindow: number;
  readonly hardInputLimit: number;
  readonly softInputLimit: number;
  readonly activeInputBudget: number;
  readonly estimatedInputTokens: number;
  readonly estimator: string;
  readonly composition: readonly { readonly kind: string; readonly items: number; readonly tokens: number }[];
  readonly included: readonly ManifestItem[];
  /** What is out; both ends of the list where `persistedInventory` says that it was rolled up. */
  readonly excluded: readonly ManifestItem[];
  readonly persistedInventory?: { readonly items: number; readonly sha256: string } | null;
  readonly planning: { readonly mode: string; readonly fallbackReason?: string | null; readonly [field: string]: unknown };
  /** What the search for evidence came to; `reason` says why it failed. */
  readonly retrieval: { readonly status: string; readonly reason?: string; readonly [field: string]: unknown };
  readonly warnings: readonly { readonly code: string; readonly details: readonly unknown[]; readonly truncated: boolean }[];
  readonly promptHash: string;
  readonly [field: string]: unknown;
}

export interface ManifestItem {
  readonly kind: string;
  readonly sourceId: string;
  readonly role: string;
  readonly groupId?: string | null;
  readonly tokens: number;
  readonly reason: string;
  readonly [field: string]: unknown;
}

/** For each item its reason, and for each exclusion the smallest change that would have included it. */
export interface ExplainDocument {
  readonly manifestId: string;
  readonly included: readonly ManifestItem[];
  readonly excluded: readonly ExplainedExclusion[];
}

export interface ExplainedExclusion {
  readonly groupId: string;
  readonly kind: string;
  readonly firstEntryId?: string | null;
  readonly lastEntryId?: string | null;
  readonly messageCount: number;
  readonly tokens: number;
  readonly reason: string;
  readonly smallestChange: {
    readonly setting: string;
    readonly value?: number | null;
    /** With a window: the budget to ask for in it. */
    readonly budget?: number;
    /** Whether the budget is the smallest; else it is enough for sure. */
    readonly exact?: boolean;
    readonly text: string;
  };
}

/** `ds4-context-inspect-v1`: the tree, branches, turns, tokens and damage of a log. */
export interface InspectDocument {
  readonly schema: "ds4-context-inspect-v1";
  readonly session: {
    readonly id: string;
    readonly format: string;
    readonly version: number;
    readonly cwd?: string | null;
    readonly bytes: number;
    readonly lines: number;
  };
  readonly model?: { readonly provider: string; readonly id: string } | null;
  readonly estimator: string;
  readonly entries: {
    readonly total: number;
    readonly byType: Readonly<Record<string, number>>;
    readonly messagesByRole: Readonly<Record<string, number>>;
  };
  readonly activeLeafId?: string | null;
  readonly projection: { readonly messages: number; readonly tokens: number; readonly compactionEntryId?: string };
  readonly branches: readonly {
    readonly leafId: string;
    readonly active: boolean;
    readonly forkEntryId?: string | null;
    readonly entries: number;
    readonly messages: number;
    readonly turns: number;
    readonly tokens: number;
  }[];
  readonly branchCount: number;
  readonly turns: readonly {
    readonly entryId?: string | null;
    readonly messages: number;
    readonly exchanges: number;
    readonly toolCalls: number;
    readonly tokens: number;
    readonly timestampMs?: number;
  }[];
  readonly labels: readonly { readonly entryId: string; readonly label: string }[];
  readonly damage: readonly { readonly code: string; readonly count: number; readonly firstLine?: number | null; readonly text: string }[];
}

/** Session, leaf, model, budgets, and the newest plan in a few figures. */
export interface StatusDocument {
  readonly sessionId: string;
  readonly leafId?: string | null;
  readonly mode: string;
  readonly model?: { readonly provider: string; readonly id: string; readonly contextWindow: number } | null;
  readonly estimator: string;
  readonly budgets: Readonly<Record<string, unknown>>;
  readonly messages: number;
  readonly tokens: number;
  readonly lastPlan?: {
    readonly manifestId: string;
    readonly estimatedTokens: number;
    readonly includedMessages: number;
    readonly excludedMessages: number;
    readonly fallback?: string | null;
  } | null;
  readonly version: string;
  readonly supports: readonly string[];
  readonly unsupported: readonly string[];
}

/** Where the derived state lives, how large it is, how far the session is indexed, and what is wrong. */
export interface HealthDocument {
  readonly sessionId: string;
  readonly database: {
    /** `absent`: nothing was indexed yet. */
    readonly kind: "stored" | "in-memory" | "absent";
    /** The database's file in the data folder. */
    readonly name?: string | null;
    /** Why it is in memory only: `no-data-folder`, `not-writable`, `privacy`, `newer-schema`. */
    readonly reason?: string | null;
    /** It could not be used as it was found. */
    readonly madeAnew: boolean;
  };
  readonly bytes: number;
  readonly freeBytes: number;
  /** Sessions that share the database; with the next two figures, all of them together. */
  readonly sessions: number;
  readonly entries: number;
  readonly textBytes: number;
  /** This session's part; none before it was indexed. */
  readonly session?: {
    readonly entries: number;
    readonly textBytes: number;
    /** Milliseconds since 1970. */
    readonly indexedAt: number;
    readonly rebuilds: number;
    /** Why it was made anew the last time, such as `truncated`. */
    readonly lastReason: string;
  } | null;
  readonly logEntries: number;
  readonly upToDate: boolean;
  /** What a deep check found; none where the check was a quick one. */
  readonly problems?: readonly string[] | null;
  readonly healthy: boolean;
}

/** Which document a session is asked for. */
export type DocumentName = "render" | "manifest" | "explain" | "inspect" | "status";

export interface DocumentTypes {
  readonly render: PlanDocument;
  readonly manifest: ManifestDocument;
  readonly explain: ExplainDocument;
  readonly inspect: InspectDocument;
  readonly status: StatusDocument;
}
