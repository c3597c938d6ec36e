/** The commands `index`, which keeps what it makes in the named folder or the platform's, and `health`, which looks at it. */
import type { HealthDocument } from "../documents.js";
import { parsedJson } from "../json.js";
import { indexRows, storageRows, verdictRow } from "../text/health-text.js";
import { row } from "../text/layout.js";
import type { HealthArguments, IndexArguments } from "./arguments.js";
import { dataFolder } from "./files.js";
import { Failed, print, text } from "./output.js";
import { bringUpToDate, patient, withSession } from "./sessions.js";

export async function indexCommand(words: IndexArguments): Promise<void> {
  await withSession(words, { config: words.config, keepsDerivedState: true }, async (session) => {
    if (words.rebuild) {
      await session.rebuildIndex(patient);
    }
    const started = performance.now();
    await bringUpToDate(session, "current-session");
    const seconds = (performance.now() - started) / 1000;
    const document = await session.healthBytes(patient);
    const health = parsedJson<HealthDocument>(document);
    print(words.json ? text(document) : [...rows(words, health), ...row("Took", `${seconds.toFixed(2)} s`)].join("\n"));
    requireKept(health);
  });
}

export async function healthCommand(words: HealthArguments): Promise<void> {
  await withSession(words, { config: words.config, keepsDerivedState: true }, async (session) => {
    const document = await session.healthBytes({ ...patient, deep: true });
    const health = parsedJson<HealthDocument>(document);
    const advice = health.database.kind === "absent" ? row("To do", "`ds4-context index` makes the index") : [];
    print(words.json ? text(document) : [...rows(words, health), ...verdictRow(health), ...advice].join("\n"));
    if (!health.healthy) {
      throw new Failed("the index database is damaged; `ds4-context index --rebuild` makes it anew from the log");
    }
    requireKept(health);
  });
}

/** An index that was to be kept and is gone with the program is a failure; privacy wants it so. */
function requireKept({ database }: HealthDocument): void {
  if (database.kind === "in-memory" && database.reason !== "privacy") {
    throw new Failed("nothing was kept: the data folder cannot be used for it; name another one with --data-dir");
  }
}

function rows(words: IndexArguments | HealthArguments, health: HealthDocument): string[] {
  const folder = dataFolder(words.dataDir, process.env);
  return [...row("Session", health.sessionId), ...storageRows(health, folder), ...indexRows(health)];
}
