/**
 * One opened session: its log or its appended entries, its place in the tree, its model, and plans for it.
 *
 * A session survives the loss of its worker: the next call makes it again from its log, its appended entries, its model
 * and its leaf. Only manifests of earlier plans and references of earlier searches are gone then (`not-found`).
 */
import { randomBytes } from "node:crypto";
import { basename, dirname, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { checkCall, checkLines, checkSessionOptions, checkTime } from "./argument-checks.js";
import { busyTimeout, repeatedWhileBusy } from "./busy.js";
import { untilAborted, type CallOptions } from "./call-options.js";
import type {
  HistoryAnswer,
  HistoryLines,
  HistoryQuery,
  HistoryScope,
  LogFormat,
  Model,
  Plan,
  PlanItem,
  Progress,
  Span,
  ToolDefinition,
  Usage,
} from "./contract.js";
import type { DocumentName, DocumentTypes, HealthDocument } from "./documents.js";
import { EngineError } from "./errors.js";
import { jsonBytes, parsedJson } from "./json.js";
import {
  CALL_DEADLINE_MS,
  DEEP_CHECK_DEADLINE_MS,
  FOUND_HITS,
  INDEX_PAUSE_MS,
  INDEX_SLICE_BYTES,
  LOG_SLICE_BYTES,
  PLAN_DEADLINE_MS,
  PLAN_PATIENCE_MS,
  READ_LINES,
  SEED_BYTES,
} from "./limits.js";
import type { RemoteSession, WorkerClient } from "./worker/client.js";
import type { JsonBytes, Results, SessionCall, SessionRecipe, WirePlan } from "./worker/messages.js";

/** How much of the index is made at a time, and who is told. */
export interface IndexOptions extends CallOptions {
  /** Bytes of text of one slice, which is one transaction at least; other calls go between slices. */
  readonly maxBytes?: number;
  /** Called after each slice. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface SessionOptions {
  /** Names the session in manifests and references. */
  readonly sessionId: string;
  /** `pi-session-v3` unless said otherwise. */
  readonly format?: LogFormat;
  /** The log's path; its folder becomes the place `sessions`. None for a session that lives in memory only. */
  readonly logFile?: string;
  /**
   * The log's folder as an absolute path, where the ID is taken from the file's name and logs of other folders may have the same one:
   * it keeps their rows in the index apart. Only its hash is kept. None where the ID tells sessions apart.
   */
  readonly logFolder?: string;
  /** A configuration that `mergeConfig` returned, or any document it accepts; the defaults unless given. */
  readonly config?: object;
  /** The root of a project that the user trusts; it becomes the place `project`. */
  readonly trustedProjectRoot?: string;
  /**
   * The same root as an absolute path, where the project is to have a database of its own (behaviour 2.14); none for a home
   * folder and the root of a file system. It counts only beside `trustedProjectRoot`.
   */
  readonly projectRoot?: string;
  /**
   * The path of a folder for derived state, such as the index; made where it is not there, with access for this user only.
   * Sessions of any processes may share it, on a local file system. All in it can be deleted and is made again. Without it
   * the session keeps derived state in memory.
   */
  readonly dataFolder?: string;
  /** At least 32 unguessable bytes; made unless given. */
  readonly seed?: Uint8Array;
  /** Milliseconds since 1970, for whatever the engine records; the system's clock unless given. */
  readonly clock?: () => number;
}

export interface PlanRequest extends CallOptions {
  /** Reads what the log gained first, in the same round trip. */
  readonly readLog?: boolean;
  /** Moves to this leaf first. */
  readonly leafId?: string;
  /** Plans for this model from now on. */
  readonly model?: Model;
  /** How many messages `messages` counts in; where the log projects to another number, the plan is refused as `stale`. */
  readonly projectedMessages?: number;
  /** The host's context in order. None: everything that the active branch projects to. */
  readonly messages?: readonly Span[];
  /** Native messages that `inline` spans point at. */
  readonly inline?: readonly object[];
  /** None: what the log's own system messages say. */
  readonly systemPrompt?: string;
  /** None: what the log says. Bytes are taken as a JSON array that was made before. */
  readonly tools?: readonly ToolDefinition[] | Uint8Array<ArrayBuffer>;
  /** Tokens of input. Replaces the target and the category ceilings; never raises the hard limit. */
  readonly budget?: number;
}

export class Session implements AsyncDisposable {
  readonly #client: WorkerClient;
  readonly #remote: RemoteSession;
  readonly #clock: () => number;
  readonly #appended: JsonBytes[] = [];
  #model: Model | undefined;
  #leafId: string | undefined;
  #logRead = false;
  #rebuildIndex = false;
  readonly #busyTimeoutMs: number;
  #closed = false;

  private constructor(client: WorkerClient, number: number, options: SessionOptions) {
    this.#client = client;
    this.#clock = options.clock ?? Date.now;
    this.#busyTimeoutMs = busyTimeout(options.config ?? {});
    const nowMs = this.#clock();
    checkTime(nowMs);
    const fixed = fixedPart(options, nowMs);
    this.#remote = {
      number,
      recipe: () => ({
        ...fixed,
        appended: this.#appended,
        logRead: this.#logRead,
        rebuildIndex: this.#rebuildIndex,
        ...(this.#model === undefined ? {} : { model: this.#model }),
        ...(this.#leafId === undefined ? {} : { leafId: this.#leafId }),
      }),
    };
  }

  /** For `ContextEngine.openSession`. */
  static async open(client: WorkerClient, number: number, options: SessionOptions): Promise<Session> {
    checkSessionOptions(options);
    const session = new Session(client, number, options);
    await session.#call({ call: "open" }, {});
    return session;
  }

  /**
   * Takes in up to `maxBytes` of what the log has gained, and at least one line; call again until `finished`. Errors:
   * `not-found` where the log is not there, `storage` where it cannot be read; what was read before stays.
   */
  async sync(options: CallOptions & { readonly maxBytes?: number } = {}): Promise<Progress> {
    const progress = await this.#call({ call: "sync", maxBytes: options.maxBytes ?? LOG_SLICE_BYTES, nowMs: this.#clock() }, options);
    this.#logRead = true;
    return progress;
  }

  /** Calls `sync` until the log is read to its end. */
  async syncToEnd(options: CallOptions = {}): Promise<Progress> {
    for (;;) {
      const progress = await this.sync(options);
      if (progress.finished) {
        return progress;
      }
      await wait(INDEX_PAUSE_MS);
    }
  }

  /**
   * Entries of a session without a log, one JSON document a line, of at most 8 MiB together. Returns how many were new.
   * They are kept on this side too, so that a new worker gets them again.
   */
  async append(lines: string | Uint8Array, options: CallOptions = {}): Promise<number> {
    checkLines(lines);
    const bytes = typeof lines === "string" ? new TextEncoder().encode(lines) : new Uint8Array(lines);
    const count = await this.#call({ call: "append", lines: bytes, nowMs: this.#clock() }, options);
    if (count > 0) {
      this.#appended.push(bytes);
    }
    return count;
  }

  /** Moves to another leaf of the tree; none means the log's own last entry, now and after every `sync`. */
  async selectLeaf(leafId: string | undefined, options: CallOptions = {}): Promise<void> {
    await this.#call({ call: "select-leaf", ...(leafId === undefined ? {} : { leafId }) }, options);
    this.#leafId = leafId;
  }

  /** The model that plans are for. */
  async selectModel(model: Model, options: CallOptions = {}): Promise<void> {
    await this.#call({ call: "select-model", model }, options);
    this.#model = model;
  }

  /** How many messages the active branch projects to. */
  async projectedMessages(options: CallOptions = {}): Promise<number> {
    return this.#call({ call: "projected-messages" }, options);
  }

  /** What the provider reported for the request that `manifestId` describes. */
  async recordUsage(manifestId: string, usage: Usage, options: CallOptions = {}): Promise<void> {
    await this.#call({ call: "record-usage", manifestId, usage, nowMs: this.#clock() }, options);
  }

  /**
   * Decides what the next request holds; without evidence where another process holds the index for too long. Errors: `stale` (see `projectedMessages`), `not-found` for an unknown leaf,
   * `deadline-missed` also where the log was not read to its end in time; the next call goes on from there.
   */
  async plan(request: PlanRequest = {}): Promise<Plan> {
    const inline = jsonBytes(request.inline ?? []);
    const tools = request.tools instanceof Uint8Array || request.tools === undefined ? request.tools : jsonBytes(request.tools);
    if (request.readLog === true) {
      this.#logRead = true;
    }
    const wire = await this.#call(
      {
        call: "plan",
        readLog: request.readLog === true,
        messages: request.messages ?? [],
        inline,
        patienceMs: Math.min(PLAN_PATIENCE_MS, this.#busyTimeoutMs),
        nowMs: this.#clock(),
        ...(request.leafId === undefined ? {} : { leafId: request.leafId }),
        ...(request.model === undefined ? {} : { model: request.model }),
        ...(request.projectedMessages === undefined ? {} : { projectedMessages: request.projectedMessages }),
        ...(request.systemPrompt === undefined ? {} : { systemPrompt: request.systemPrompt }),
        ...(tools === undefined ? {} : { tools }),
        ...(request.budget === undefined ? {} : { budget: request.budget }),
      },
      { deadlineMs: PLAN_DEADLINE_MS, ...request },
      [inline.buffer],
    );
    this.#leafId = request.leafId ?? this.#leafId;
    this.#model = request.model ?? this.#model;
    return planOf(wire);
  }

  /**
   * Indexes what `sync` or `append` has brought, so that it can be found, slice by slice until it is done; a slice is one
   * transaction of up to `maxBytes` of text, at least one entry. Between two slices other calls get their turn. Progress
   * counts entries. Every new process calls it once before it searches, to compare the index with the log.
   *
   * A database that is damaged or was deleted is made anew from the log. Errors: `busy` where another process held the
   * database for longer than `storage.busyTimeoutMs`, `storage` where it cannot be written; what was indexed before stays.
   */
  async index(options: IndexOptions = {}): Promise<Progress> {
    return this.#inSlices((maxBytes) => ({ call: "index", maxBytes, nowMs: this.#clock() }), options);
  }

  /**
   * Reads the logs of the other sessions that a scope covers, and indexes these and the session itself, in slices of `maxBytes` of
   * text as `index`. `total` is known when it has finished. Call `sync` before: of the session itself only what was read is indexed.
   * Errors: as `index`, and `invalid-input` for a scope that the configuration does not allow.
   */
  async indexScope(scope: HistoryScope, options: IndexOptions = {}): Promise<Progress> {
    return this.#inSlices((maxBytes) => ({ call: "index-scope", scope, maxBytes, nowMs: this.#clock() }), options);
  }

  /** Lets the next `index` make the session's part of the index anew from its log. */
  async rebuildIndex(options: CallOptions = {}): Promise<void> {
    await this.#call({ call: "rebuild-index" }, options);
    this.#rebuildIndex = true;
  }

  /**
   * The entries that answer a question best. Errors: `invalid-input` for a limit outside 1 to 1,000 and for a scope that the
   * configuration does not allow, `busy` and `storage` as `index`.
   */
  async searchHistory(query: HistoryQuery, options: CallOptions = {}): Promise<HistoryAnswer> {
    const { text, scope = "current-branch", limit = FOUND_HITS, maxTokens = 0 } = query;
    return this.#callWhileBusy(() => ({ call: "search-history", text, scope, limit, maxTokens, nowMs: this.#clock() }), options);
  }

  /**
   * Up to `count` lines (1 to 200) of the entry that a hit's reference opens, from `firstLine` on, counted from 1; at most
   * 256 KiB. Errors: `not-found` where the reference is older than ten minutes, its worker is gone, or the scope in which it was given no
   * longer holds the entry: search again.
   */
  async readHistory(reference: string, firstLine = 1, count = READ_LINES, options: CallOptions = {}): Promise<HistoryLines> {
    return this.#callWhileBusy(() => ({ call: "read-history", reference, firstLine, count, nowMs: this.#clock() }), options);
  }

  /**
   * Where the index lives, how large it is, how far the session is indexed, and what is wrong. `deep` checks every page of
   * the database, in time in proportion to it; other calls wait meanwhile. Errors: as `index`.
   */
  async health(options: CallOptions & { readonly deep?: boolean } = {}): Promise<HealthDocument> {
    return parsedJson(await this.healthBytes(options));
  }

  /** The health document's bytes exactly as the component wrote them. */
  async healthBytes(options: CallOptions & { readonly deep?: boolean } = {}): Promise<Uint8Array> {
    const depth = options.deep === true ? "deep" : "quick";
    const deadlineMs = options.deadlineMs ?? (depth === "deep" ? DEEP_CHECK_DEADLINE_MS : CALL_DEADLINE_MS);
    return this.#callWhileBusy(() => ({ call: "health", depth, nowMs: this.#clock() }), { ...options, deadlineMs });
  }

  /** The planned request itself, of the newest plan where no manifest is named. */
  async render(manifestId?: string, options: CallOptions = {}): Promise<DocumentTypes["render"]> {
    return parsedJson(await this.document("render", manifestId, options));
  }

  /** A plan's manifest, the newest where no ID is given. */
  async manifest(manifestId?: string, options: CallOptions = {}): Promise<DocumentTypes["manifest"]> {
    return parsedJson(await this.document("manifest", manifestId, options));
  }

  /** For every item its reason, for every exclusion the smallest change that would have included it. */
  async explain(manifestId?: string, options: CallOptions = {}): Promise<DocumentTypes["explain"]> {
    return parsedJson(await this.document("explain", manifestId, options));
  }

  /** The tree, branches, turns, tokens and the damage found in the log. */
  async inspect(options: CallOptions = {}): Promise<DocumentTypes["inspect"]> {
    return parsedJson(await this.document("inspect", undefined, options));
  }

  /** Session, leaf, model, budgets, and the newest plan in a few figures. */
  async status(options: CallOptions = {}): Promise<DocumentTypes["status"]> {
    return parsedJson(await this.document("status", undefined, options));
  }

  /** A document's bytes exactly as the component wrote them: equal on every host. */
  async document(name: DocumentName, manifestId?: string, options: CallOptions = {}): Promise<Uint8Array> {
    return this.#call({ call: "document", name, ...(manifestId === undefined ? {} : { manifestId }) }, options);
  }

  /** Releases the session; calls after it fail as `closed`. Calling it twice is fine. */
  async close(): Promise<void> {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    try {
      await this.#client.callSession(this.#remote, { call: "close" }, CALL_DEADLINE_MS);
    } catch (error) {
      // With its worker gone the session is gone too.
      if (!(error instanceof EngineError)) {
        throw error;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Makes slices of the index until nothing is left to do. */
  async #inSlices(
    slice: (maxBytes: number) => Extract<SessionCall, { readonly call: "index" | "index-scope" }>,
    options: IndexOptions,
  ): Promise<Progress> {
    const { maxBytes = INDEX_SLICE_BYTES, onProgress } = options;
    for (;;) {
      const progress = await this.#callWhileBusy(() => slice(maxBytes), options);
      this.#rebuildIndex = false;
      onProgress?.(progress);
      if (progress.finished) {
        return progress;
      }
      await wait(INDEX_PAUSE_MS);
    }
  }

  #callWhileBusy<Body extends SessionCall>(body: () => Body, options: CallOptions): Promise<Results[Body["call"]]> {
    return repeatedWhileBusy(() => this.#call(body(), options), this.#busyTimeoutMs, options.signal);
  }

  async #call<Body extends SessionCall>(body: Body, options: CallOptions, transfer: readonly ArrayBuffer[] = []) {
    if (this.#closed) {
      throw new EngineError("closed", "the session was closed");
    }
    checkCall(body);
    return untilAborted(this.#client.callSession(this.#remote, body, options.deadlineMs ?? CALL_DEADLINE_MS, transfer), options.signal);
  }
}

/** The part of a session's recipe that never changes. */
function fixedPart(options: SessionOptions, nowMs: number): Pick<SessionRecipe, "options" | "places" | "dataFolder"> {
  const { logFile, logFolder, trustedProjectRoot, projectRoot, dataFolder } = options;
  return {
    options: {
      sessionId: options.sessionId,
      format: options.format ?? "pi-session-v3",
      config: jsonBytes(options.config ?? {}),
      projectTrusted: trustedProjectRoot !== undefined,
      seed: options.seed ?? new Uint8Array(randomBytes(SEED_BYTES)),
      nowMs,
      ...(logFile === undefined ? {} : { log: basename(logFile) }),
      ...(logFolder === undefined ? {} : { logFolder }),
      ...(projectRoot === undefined ? {} : { projectRoot }),
    },
    places: {
      ...(logFile === undefined ? {} : { sessions: dirname(logFile) }),
      ...(trustedProjectRoot === undefined ? {} : { project: trustedProjectRoot }),
    },
    ...(dataFolder === undefined ? {} : { dataFolder: resolve(dataFolder) }),
  };
}

function planOf(wire: WirePlan): Plan {
  const items = wire.items.map((item): PlanItem =>
    item.tag === "replace" ? { tag: "replace", val: { position: item.val.position, content: parsedJson(item.val.content) } } : item,
  );
  const { fallback, ...rest } = wire;
  return { ...rest, items, ...(fallback === undefined ? {} : { fallback }) };
}
