/** The session that the flags name, opened, with its log read to the end. */
import { dirname, resolve } from "node:path";
import type { HistoryScope } from "../contract.js";
import { ContextEngine } from "../engine.js";
import type { Session } from "../session.js";
import { printable } from "../text/layout.js";
import { BadInput, type LogArguments } from "./arguments.js";
import { configLayers, dataFolder, findSession, namedDataFolder, type SessionFile } from "./files.js";
import { ProgressBar } from "./output.js";

/** Milliseconds for each call. A person waits longer than a request does. */
const DEADLINE_MS = 60_000;

export const patient = { deadlineMs: DEADLINE_MS };

export interface SessionNeeds {
  /** Configuration files; none where the command has no use for them, the person's own included. */
  readonly config?: readonly string[];
  /** Whether derived state is kept in the platform's folder where none is named; else it is in memory then. */
  readonly keepsDerivedState?: boolean;
  /** The time of every call instead of the clock's. */
  readonly nowMs?: number | undefined;
}

/** Opens the session, reads its whole log, hands it over, and ends the engine. Throws `BadInput`. */
export async function withSession(words: LogArguments, needs: SessionNeeds, use: (session: Session) => Promise<void>): Promise<void> {
  const file = await findSession(words);
  const engine = await ContextEngine.start({ memoryBytes: file.memoryBytes });
  try {
    const config = needs.config === undefined ? {} : await mergedConfig(engine, words, needs.config);
    await use(await openSession(engine, file, config, words, needs));
  } finally {
    await engine.close();
  }
}

/** Indexes what is new of what a scope covers, with a bar where it takes long. */
export async function bringUpToDate(session: Session, scope: HistoryScope): Promise<void> {
  const bar = new ProgressBar();
  try {
    await session.indexScope(scope, { ...patient, onProgress: ({ done, total }) => bar.show(done, total ?? done) });
  } finally {
    bar.clear();
  }
}

async function openSession(
  engine: ContextEngine,
  file: SessionFile,
  config: object,
  words: LogArguments,
  { keepsDerivedState, nowMs }: SessionNeeds,
): Promise<Session> {
  const folder = keepsDerivedState === true ? dataFolder(words.dataDir, process.env) : namedDataFolder(words.dataDir, process.env);
  const session = await engine.openSession({
    sessionId: file.sessionId,
    logFile: file.path,
    logFolder: dirname(file.path),
    config,
    ...(folder === undefined ? {} : { dataFolder: resolve(folder) }),
    ...(file.format === undefined ? {} : { format: file.format }),
    ...(nowMs === undefined ? {} : { clock: () => nowMs }),
  });
  await session.syncToEnd(patient);
  if (file.format === undefined && (await session.inspect(patient)).entries.total === 0) {
    throw new BadInput(`${file.named} is not a session log that this program knows`);
  }
  return session;
}

/** Problems of a file that a flag named end the command; those of the person's own file are told. */
async function mergedConfig(engine: ContextEngine, words: LogArguments, files: readonly string[]): Promise<object> {
  const layers = await configLayers(words.dataDir, files);
  if (layers.length === 0) {
    return {};
  }
  const { config, problems } = await engine.mergeConfig(layers);
  for (const problem of problems) {
    const line = printable(`${problem.source}: ${problem.message}${problem.ignoredLayer ? "; the whole file is ignored" : ""}`);
    if (files.includes(problem.source)) {
      throw new BadInput(line);
    }
    process.stderr.write(`ds4-context: ${line}\n`);
  }
  return config;
}
