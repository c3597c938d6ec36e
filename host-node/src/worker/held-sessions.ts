/**
 * The sessions that this worker's component holds, and each call about one of them.
 *
 * Invariants: resources are released when their session is closed and jobs as soon as they answered; a session that is
 * not held is made from its recipe, in the order options, entries, model, log, leaf.
 */
import type { HistoryAnswer, Model } from "../contract.js";
import { EngineError } from "../errors.js";
import { LOG_SLICE_BYTES, PLAN_POLL_MS } from "../limits.js";
import type { PlaceGrants } from "../ports/places.js";
import type { StoragePort } from "../ports/storage.js";
import { componentFailure, dispose, type Component, type ComponentSession } from "./component.js";
import type {
  EngineCall,
  PlanCall,
  Results,
  SearchCall,
  SessionCall,
  SessionRecipe,
  SessionRequest,
  WirePlan,
  WireProgress,
} from "./messages.js";

interface HeldSession {
  readonly resource: ComponentSession;
  readonly places: PlaceGrants;
  readonly dataFolder: string | undefined;
  readonly hasLog: boolean;
  model: string | undefined;
}

/** `performance.now()` after which no further slice of a log is begun, and no plan waits. */
type ReadingEnd = number;

export class HeldSessions {
  readonly #component: Component;
  readonly #storage: StoragePort;
  readonly #held = new Map<number, HeldSession>();

  constructor(component: Component, storage: StoragePort) {
    this.#component = component;
    this.#storage = storage;
  }

  holds(session: number): boolean {
    return this.#held.has(session);
  }

  answer(request: SessionRequest): Results[SessionCall["call"]] {
    const readingEnd = performance.now() + request.readingMs;
    if (request.body.call === "close") {
      return this.#close(request.session);
    }
    const session = this.#held.get(request.session) ?? this.#open(request, readingEnd);
    this.#storage.grant(session.places, session.dataFolder);
    return this.#call(session, request.body, readingEnd);
  }

  /** Answers a call that is about no session. */
  answerEngine(body: EngineCall): Results[EngineCall["call"]] {
    switch (body.call) {
      case "merge-config":
        return this.#component.sessions.mergeConfig([...body.layers]);
      case "find-secrets":
        return this.#component.privacy.findSecrets([...body.texts]);
    }
  }

  #open(request: SessionRequest, readingEnd: ReadingEnd): HeldSession {
    const recipe = request.recipe;
    if (recipe === undefined) {
      throw new EngineError("closed", "the session is not open");
    }
    this.#storage.grant(recipe.places, recipe.dataFolder);
    const { nowMs, ...options } = recipe.options;
    const resource = this.#component.sessions.Session.open({ ...options, nowMs: BigInt(nowMs) });
    const { places, dataFolder } = recipe;
    const session: HeldSession = { resource, places, dataFolder, hasLog: options.log !== undefined, model: undefined };
    try {
      replay(session, recipe, readingEnd, request.body);
    } catch (error) {
      // A log that takes long is read on by the next call; anything else leaves no half-made session behind.
      if (!(error instanceof EngineError && error.code === "deadline-missed")) {
        releaseAfterFailure(resource, error);
        throw error;
      }
      this.#held.set(request.session, session);
      throw error;
    }
    this.#held.set(request.session, session);
    return session;
  }

  #close(session: number): null {
    const held = this.#held.get(session);
    this.#held.delete(session);
    if (held !== undefined) {
      dispose(held.resource);
    }
    return null;
  }

  #call(session: HeldSession, body: Exclude<SessionCall, { call: "close" }>, readingEnd: ReadingEnd): Results[SessionCall["call"]] {
    const { resource } = session;
    switch (body.call) {
      case "open":
        return null;
      case "sync":
        return progressOf(resource.sync(body.maxBytes, BigInt(body.nowMs)));
      case "index":
        return progressOf(resource.index(body.maxBytes, BigInt(body.nowMs)));
      case "index-scope":
        return progressOf(this.#component.retrieval.indexScope(resource, body.scope, body.maxBytes, BigInt(body.nowMs)));
      case "rebuild-index":
        resource.rebuildIndex();
        return null;
      case "append":
        return resource.append(body.lines, BigInt(body.nowMs));
      case "select-leaf":
        resource.selectLeaf(body.leafId);
        return null;
      case "select-model":
        selectModel(session, body.model);
        return null;
      case "projected-messages":
        return resource.projectedMessages();
      case "record-usage": {
        const { input, output, cacheRead, cacheWrite } = body.usage;
        const usage = { input: BigInt(input), output: BigInt(output), cacheRead: BigInt(cacheRead), cacheWrite: BigInt(cacheWrite) };
        resource.recordUsage(body.manifestId, usage, BigInt(body.nowMs));
        return null;
      }
      case "plan":
        return this.#plan(session, body, readingEnd);
      case "search-history":
        return this.#searchHistory(session, body);
      case "read-history":
        return this.#component.retrieval.read(resource, body.reference, body.firstLine, body.count, BigInt(body.nowMs));
      case "health":
        return this.#component.diagnostics.health(resource, body.depth, BigInt(body.nowMs));
      case "document":
        return this.#document(session, body.name, body.manifestId);
    }
  }

  #plan(session: HeldSession, body: PlanCall, readingEnd: ReadingEnd): WirePlan {
    if (body.readLog) {
      readLogToEnd(session, body.nowMs, readingEnd);
    }
    if (body.model !== undefined) {
      selectModel(session, body.model);
    }
    if (body.leafId !== undefined) {
      session.resource.selectLeaf(body.leafId);
    }
    if (body.projectedMessages !== undefined) {
      const projected = session.resource.projectedMessages();
      if (projected !== body.projectedMessages) {
        throw new EngineError("stale", `the log projects to ${projected} messages, the caller counts ${body.projectedMessages}`);
      }
    }
    const job = this.#component.planning.Job.start(session.resource, {
      messages: [...body.messages],
      inline: body.inline,
      nowMs: BigInt(body.nowMs),
      ...(body.systemPrompt === undefined ? {} : { systemPrompt: body.systemPrompt }),
      ...(body.tools === undefined ? {} : { tools: body.tools }),
      ...(body.budget === undefined ? {} : { budget: body.budget }),
    });
    try {
      const givesUpAt = Math.min(performance.now() + body.patienceMs, readingEnd);
      let plan = job.advance();
      while (plan === undefined && performance.now() < givesUpAt) {
        pause(PLAN_POLL_MS);
        plan = job.advance();
      }
      return plan ?? job.finishNow();
    } finally {
      dispose(job);
    }
  }

  #searchHistory(session: HeldSession, body: SearchCall): HistoryAnswer {
    const { text, scope, limit, maxTokens, nowMs } = body;
    const answer = this.#component.retrieval.searchHistory(session.resource, { text, scope, limit, maxTokens, nowMs: BigInt(nowMs) });
    const hits = answer.hits.map(({ score, timestampMs, ...hit }) => ({
      ...hit,
      score: Number(score),
      ...(timestampMs === undefined ? {} : { timestampMs: Number(timestampMs) }),
    }));
    return { ...answer, hits };
  }

  #document(session: HeldSession, name: string, manifestId: string | undefined): Uint8Array {
    const { planning, diagnostics } = this.#component;
    switch (name) {
      case "render":
        return planning.render(session.resource, manifestId);
      case "manifest":
        return diagnostics.manifest(session.resource, manifestId);
      case "explain":
        return diagnostics.explain(session.resource, manifestId);
      case "inspect":
        return diagnostics.inspect(session.resource);
      default:
        return diagnostics.status(session.resource);
    }
  }
}

function replay(session: HeldSession, recipe: SessionRecipe, readingEnd: ReadingEnd, next: SessionCall): void {
  for (const lines of recipe.appended) {
    session.resource.append(lines, BigInt(recipe.options.nowMs));
  }
  if (recipe.model !== undefined) {
    selectModel(session, recipe.model);
  }
  if (recipe.logRead) {
    readLogToEnd(session, recipe.options.nowMs, readingEnd);
  }
  if (recipe.rebuildIndex) {
    session.resource.rebuildIndex();
  }
  // A plan brings its own leaf; an older one may be gone from the log by now.
  if (recipe.leafId !== undefined && !(next.call === "plan" && next.leafId !== undefined)) {
    session.resource.selectLeaf(recipe.leafId);
  }
}

/** Reads what the log gained, slice by slice. A log that is not there holds nothing; what was read before stays. */
function readLogToEnd(session: HeldSession, nowMs: number, readingEnd: ReadingEnd): void {
  if (!session.hasLog) {
    return;
  }
  for (;;) {
    const progress = syncOrNothing(session, nowMs);
    if (progress === undefined || progress.finished) {
      return;
    }
    if (performance.now() >= readingEnd) {
      const total = progress.total === undefined ? "" : ` of ${progress.total}`;
      throw new EngineError("deadline-missed", `the session's log is still being read (${progress.done}${total} bytes)`);
    }
  }
}

function syncOrNothing(session: HeldSession, nowMs: number) {
  try {
    return session.resource.sync(LOG_SLICE_BYTES, BigInt(nowMs));
  } catch (error) {
    const failure = componentFailure(error);
    if (failure.code === "not-found") {
      return undefined;
    }
    throw failure;
  }
}

/** Lets this thread stand still: it has nothing else to do, and the caller's goes on. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, milliseconds);
}

/** Selects the model where it is another one: selecting it anew would forget what depends on it. */
function selectModel(session: HeldSession, model: Model): void {
  const key = JSON.stringify(model);
  if (key !== session.model) {
    session.resource.selectModel(model);
    session.model = key;
  }
}

/** After a trap the instance refuses every call, the release included. */
function releaseAfterFailure(resource: ComponentSession, error: unknown): void {
  if (componentFailure(error).code !== "trapped") {
    dispose(resource);
  }
}

function progressOf({ done, total, finished }: { done: bigint; total?: bigint | undefined; finished: boolean }): WireProgress {
  return { done: Number(done), finished, ...(total === undefined ? {} : { total: Number(total) }) };
}
