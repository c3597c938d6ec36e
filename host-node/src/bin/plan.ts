/** The command `plan`. */
import type { Model } from "../contract.js";
import type { Session } from "../session.js";
import type { PlanArguments } from "./arguments.js";
import { Failed, print, text, warn } from "./output.js";
import { bringUpToDate, patient, withSession } from "./sessions.js";
import { explainTable, planTable } from "./tables.js";

/** Tokens of a model whose window nobody named: the contract's own default. */
const DEFAULT_WINDOW = 200_000;

export async function planCommand(words: PlanArguments): Promise<void> {
  await withSession(words, { config: words.config, nowMs: words.nowMs }, async (session) => {
    // The leaf first: a branch has a model of its own.
    if (words.at !== undefined) {
      await session.selectLeaf(words.at, patient);
    }
    const model = await namedModel(session, words);
    // What is not indexed cannot come back as evidence.
    await bringUpToDate(session, "current-session").catch((error: unknown) => {
      warn("planned without evidence", error);
    });
    const made = await session.plan({
      ...patient,
      ...(words.budget === undefined ? {} : { budget: words.budget }),
      ...(model === undefined ? {} : { model }),
    });
    const { reason } = (await session.manifest(undefined, patient)).retrieval;
    if (reason !== undefined) {
      // What is wrong with the index the next command mends.
      warn("planned without evidence", new Error(`${reason}; give the command again, it mends the index first`));
    }
    print(await answer(session, words));
    if (made.fallback !== undefined) {
      throw new Failed(`no plan could be made: ${made.fallback}`);
    }
  });
}

async function answer(session: Session, words: PlanArguments): Promise<string> {
  if (words.manifest) {
    return text(await session.document("manifest", undefined, patient));
  }
  if (words.json) {
    return text(await session.document(words.explain ? "explain" : "render", undefined, patient));
  }
  return words.explain
    ? explainTable(await session.explain())
    : planTable(await session.render(undefined, patient), await session.manifest());
}

/** The model that the flags name; what they leave open is the log's own. */
async function namedModel(session: Session, words: PlanArguments): Promise<Model | undefined> {
  const contextWindow = words.window ?? DEFAULT_WINDOW;
  if (words.model !== undefined) {
    return { ...words.model, contextWindow };
  }
  if (words.window === undefined) {
    return undefined;
  }
  const own = (await session.status(patient)).model;
  return { provider: own?.provider ?? "unknown", id: own?.id ?? "unknown", contextWindow };
}
