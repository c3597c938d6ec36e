/**
 * What the caller's thread and the worker say to each other. One request is answered by one response; the caller sends
 * the next only after that. Bulk is bytes, whose buffers are handed over and not copied.
 */
import type { HistoryAnswer, HistoryLines, HistoryScope, LogFormat, Model, Redaction, Span, Usage } from "../contract.js";
import type { DocumentName } from "../documents.js";
import type { EngineErrorCode } from "../errors.js";
import type { PlaceGrants } from "../ports/places.js";
import type { CoreModule } from "./web-assembly.js";

/** A UTF-8 JSON document. */
export type JsonBytes = Uint8Array<ArrayBuffer>;

/** Given to the worker when it starts. */
export interface WorkerStart {
  /** URL of the transpiled component's module. */
  readonly componentUrl: string;
  /** The memory of the worker's `HeldLocks`, in which the starting thread looks when the worker is gone. */
  readonly heldLocks: SharedArrayBuffer;
}

/**
 * The first message to the worker: the component's core modules by file name, compiled once per process. They come after
 * the start, so that compiling and loading the worker's code go on side by side.
 */
export type CoreModules = ReadonlyMap<string, CoreModule>;

/** Everything that makes a session again: what a new worker is told before the first call about it. */
export interface SessionRecipe {
  readonly options: {
    readonly sessionId: string;
    readonly format: LogFormat;
    /** The log's path in the place `sessions`. */
    readonly log?: string;
    readonly logFolder?: string;
    readonly config: JsonBytes;
    readonly projectTrusted: boolean;
    readonly projectRoot?: string;
    readonly seed: Uint8Array;
    readonly nowMs: number;
  };
  readonly places: PlaceGrants;
  /** The folder for derived state. */
  readonly dataFolder?: string;
  readonly model?: Model;
  readonly leafId?: string;
  /** Entries of a session without a log, in the order in which they were given. */
  readonly appended: readonly JsonBytes[];
  /** Whether the log was being followed, and has to be read to its end again. */
  readonly logRead: boolean;
  /** Whether the index is to be made anew, and no slice of that was answered yet. */
  readonly rebuildIndex: boolean;
}

export interface PlanCall {
  readonly call: "plan";
  /** Reads what the log gained first. A log that is not there (yet) counts as empty. */
  readonly readLog: boolean;
  /** The leaf to plan for; none for the one selected before. */
  readonly leafId?: string;
  readonly model?: Model;
  /** How many messages the caller's spans count in; another number on this side refuses the plan as `stale`. */
  readonly projectedMessages?: number;
  readonly messages: readonly Span[];
  readonly inline: JsonBytes;
  readonly systemPrompt?: string;
  readonly tools?: JsonBytes;
  readonly budget?: number;
  /** For how long the plan waits for an index that another process holds. */
  readonly patienceMs: number;
  readonly nowMs: number;
}

export interface SearchCall {
  readonly call: "search-history";
  readonly text: string;
  readonly scope: HistoryScope;
  readonly limit: number;
  /** 0 leaves the excerpts out. */
  readonly maxTokens: number;
  readonly nowMs: number;
}

/** Calls about one session. */
export type SessionCall =
  | { readonly call: "open" }
  | { readonly call: "sync"; readonly maxBytes: number; readonly nowMs: number }
  | { readonly call: "index"; readonly maxBytes: number; readonly nowMs: number }
  | { readonly call: "index-scope"; readonly scope: HistoryScope; readonly maxBytes: number; readonly nowMs: number }
  | { readonly call: "rebuild-index" }
  | { readonly call: "append"; readonly lines: JsonBytes; readonly nowMs: number }
  | { readonly call: "select-leaf"; readonly leafId?: string }
  | { readonly call: "select-model"; readonly model: Model }
  | { readonly call: "projected-messages" }
  | { readonly call: "record-usage"; readonly manifestId: string; readonly usage: Usage; readonly nowMs: number }
  | PlanCall
  | SearchCall
  | { readonly call: "read-history"; readonly reference: string; readonly firstLine: number; readonly count: number; readonly nowMs: number }
  | { readonly call: "health"; readonly depth: "quick" | "deep"; readonly nowMs: number }
  | { readonly call: "document"; readonly name: DocumentName; readonly manifestId?: string }
  | { readonly call: "close" };

/** Calls about none. */
export type EngineCall =
  | { readonly call: "merge-config"; readonly layers: readonly { readonly source: string; readonly content: JsonBytes }[] }
  | { readonly call: "find-secrets"; readonly texts: readonly string[] };

export interface SessionRequest {
  /** The caller's number for the session. */
  readonly session: number;
  /** How to make it, where this worker does not hold it. */
  readonly recipe?: SessionRecipe;
  /** Milliseconds that may go into reading the log and waiting for the index. */
  readonly readingMs: number;
  readonly body: SessionCall;
}

export interface EngineRequest {
  readonly body: EngineCall;
}

export type Request = SessionRequest | EngineRequest;

/** A plan as it crosses: JSON still as bytes. */
export interface WirePlan {
  readonly items: readonly WirePlanItem[];
  readonly manifestId: string;
  readonly promptHash: string;
  readonly estimatedTokens: number;
  readonly estimator: string;
  readonly fallback?: string;
}

export type WirePlanItem =
  | { readonly tag: "keep"; readonly val: { readonly first: number; readonly count: number } }
  | { readonly tag: "replace"; readonly val: { readonly position: number; readonly content: Uint8Array } }
  | {
      readonly tag: "insert";
      readonly val: {
        readonly kind: "pin" | "memory" | "history" | "project" | "summary" | "notice";
        readonly text: string;
        readonly tokens: number;
        readonly classification: "normal" | "internal" | "sensitive" | "local-only";
        readonly sourceIds: readonly string[];
      };
    };

export interface WireMergedConfig {
  readonly config: Uint8Array;
  readonly problems: readonly {
    readonly source: string;
    readonly ignoredLayer: boolean;
    readonly code: string;
    readonly path: string;
    readonly message: string;
  }[];
}

export interface WireProgress {
  readonly done: number;
  readonly total?: number;
  readonly finished: boolean;
}

/** What each call answers. */
export interface Results {
  readonly open: null;
  readonly sync: WireProgress;
  readonly index: WireProgress;
  readonly "index-scope": WireProgress;
  readonly "rebuild-index": null;
  readonly append: number;
  readonly "select-leaf": null;
  readonly "select-model": null;
  readonly "projected-messages": number;
  readonly "record-usage": null;
  readonly plan: WirePlan;
  readonly "search-history": HistoryAnswer;
  readonly "read-history": HistoryLines;
  readonly health: Uint8Array;
  readonly document: Uint8Array;
  readonly close: null;
  readonly "merge-config": WireMergedConfig;
  /** One list a text. */
  readonly "find-secrets": readonly (readonly Redaction[])[];
}

export type CallName = keyof Results;

export type Response =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly result: Results[CallName] }
  /** `held` tells whether this worker holds the session now; after `trapped` the worker is of no more use. */
  | { readonly kind: "failure"; readonly code: EngineErrorCode; readonly message: string; readonly held: boolean };
