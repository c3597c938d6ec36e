/**
 * One session of Pi, bound to one session of the engine.
 *
 * Opening happens in the background, so that Pi starts as fast as without us; whoever needs the session waits for
 * `opened`. What Pi's context object says is read at once and never after waiting, because Pi takes it back when the user
 * switches sessions.
 */
import type { Config, HistoryScope, Model } from "../contract.js";
import type { ContextEngine } from "../engine.js";
import { EngineError, toEngineError } from "../errors.js";
import { jsonBytes } from "../json.js";
import { PORT_CALL_BYTES } from "../limits.js";
import type { Session } from "../session.js";
import { dataFolder } from "./agent-folder.js";
import { readConfigFiles } from "./config-files.js";
import { IndexUpkeep } from "./index-upkeep.js";
import { withoutHeavyFields } from "./inline-messages.js";
import type { PiContext, PiEntry, PiMessage, PiSessionManager } from "./pi-types.js";
import { projectRoot } from "./project-root.js";
import { modelOf } from "./request-parts.js";

export interface OpenedSession {
  readonly session: Session;
  readonly config: Config;
  /** One line for each problem of the configuration. */
  readonly problems: readonly string[];
  /** Where derived state is kept; none for a session that is to leave nothing behind. */
  readonly dataFolder: string | undefined;
}

export class BoundSession {
  /** Which of Pi's sessions this is. */
  readonly key: string;
  readonly opened: Promise<OpenedSession>;
  /** Whether Pi writes a log that the engine can read. */
  readonly hasLog: boolean;
  /** Set by `/context off`. */
  isOff: boolean;
  /** Opening failed; the next one who needs the session binds it anew. */
  hasFailed = false;
  readonly upkeep: IndexUpkeep;
  /** Keeps up the index of the other sessions of a scope, once somebody asked for it. */
  readonly #wider = new Map<HistoryScope, IndexUpkeep>();
  /** Entries that a session without a log was fed. */
  readonly #fed = new Set<string>();
  /** What Pi last showed of a session without a log. */
  #entries: readonly PiEntry[] = [];

  constructor(engine: ContextEngine, context: PiContext, isOff: boolean) {
    const { sessionManager, cwd } = context;
    const logFile = sessionManager.getSessionFile();
    this.key = sessionKey(sessionManager);
    this.hasLog = logFile !== undefined;
    this.isOff = isOff;
    const model = modelOf(context.model);
    this.opened = open(engine, sessionManager.getSessionId(), logFile, model, cwd, context.isProjectTrusted?.() ?? false);
    this.opened.catch(() => {
      this.hasFailed = true;
    });
    this.upkeep = new IndexUpkeep(() => this.complete());
    this.noteEntries(sessionManager);
    // What goes wrong here goes wrong for a plan again, which reports it.
    void this.upkeep.begin();
  }

  /**
   * Begins to bring the index up to date of what a scope covers, or joins the run that does. The promise is fulfilled when it is, or
   * cannot be.
   */
  async beginIndex(scope: HistoryScope): Promise<void> {
    await this.upkeep.begin();
    if (scope === "current-lineage" || scope === "project") {
      const upkeep = this.#wider.get(scope) ?? new IndexUpkeep(() => this.complete(), scope);
      this.#wider.set(scope, upkeep);
      await upkeep.begin();
    }
  }

  /** Takes the entries of a session without a log from Pi, for the index; those of a log are read from there. */
  noteEntries(manager: PiSessionManager): void {
    if (!this.hasLog) {
      this.#entries = [...manager.getEntries()];
    }
  }

  /**
   * Feeds a session without a log the entries that are new since the last time. The engine's copy leaves out what no
   * provider reads.
   */
  async feed(session: Session, entries: readonly PiEntry[]): Promise<void> {
    const fresh = entries.filter((entry) => !this.#fed.has(entry.id));
    for (const chunk of chunksOfLines(fresh.map(entryLine))) {
      await session.append(chunk);
    }
    for (const entry of fresh) {
      this.#fed.add(entry.id);
    }
  }

  /** The engine's copy of the session, with all that Pi has written or shown. */
  async complete(): Promise<Session> {
    const { session } = await this.opened;
    if (this.hasLog) {
      await readLog(session);
    } else {
      await this.feed(session, this.#entries);
    }
    return session;
  }
}

export function sessionKey(manager: PiSessionManager): string {
  return `${manager.getSessionId()} ${manager.getSessionFile() ?? ""}`;
}

async function open(
  engine: ContextEngine,
  sessionId: string,
  logFile: string | undefined,
  model: Model | undefined,
  cwd: string,
  isProjectTrusted: boolean,
): Promise<OpenedSession> {
  const files = await readConfigFiles(cwd, isProjectTrusted);
  const merged = await engine.mergeConfig(files.layers);
  // Without a file a session is to leave nothing behind.
  const folder = logFile === undefined ? undefined : dataFolder(process.env);
  const root = projectRoot(cwd, isProjectTrusted);
  const session = await engine.openSession({
    sessionId,
    config: merged.config,
    ...(logFile === undefined ? {} : { logFile }),
    ...(folder === undefined ? {} : { dataFolder: folder }),
    ...(isProjectTrusted ? { trustedProjectRoot: cwd } : {}),
    ...(root === undefined ? {} : { projectRoot: root }),
  });
  if (model !== undefined) {
    await session.selectModel(model);
  }
  const problems = merged.problems.map((problem) => `${problem.source}: ${problem.message}`);
  return { session, config: merged.config, problems: [...files.unreadable, ...problems], dataFolder: folder };
}

/** A log that is not written yet holds nothing. */
async function readLog(session: Session): Promise<void> {
  try {
    await session.syncToEnd();
  } catch (error) {
    if (toEngineError(error).code !== "not-found") {
      throw error;
    }
  }
}

function entryLine(entry: PiEntry): Uint8Array<ArrayBuffer> {
  return jsonBytes(entry.type === "message" ? { ...entry, message: withoutHeavyFields(entry["message"] as PiMessage) } : entry);
}

/** Lines joined into chunks that one call may carry. */
function* chunksOfLines(lines: readonly Uint8Array[]): Generator<Uint8Array> {
  let chunk: Uint8Array[] = [];
  let bytes = 0;
  for (const line of lines) {
    if (line.length + 1 > PORT_CALL_BYTES) {
      throw new EngineError("limit", "an entry of this session is too large to be handed over");
    }
    if (bytes + line.length + 1 > PORT_CALL_BYTES) {
      yield joined(chunk, bytes);
      chunk = [];
      bytes = 0;
    }
    chunk.push(line);
    bytes += line.length + 1;
  }
  if (chunk.length > 0) {
    yield joined(chunk, bytes);
  }
}

function joined(lines: readonly Uint8Array[], bytes: number): Uint8Array {
  const chunk = new Uint8Array(bytes).fill("\n".charCodeAt(0));
  let at = 0;
  for (const line of lines) {
    chunk.set(line, at);
    at += line.length + 1;
  }
  return chunk;
}
