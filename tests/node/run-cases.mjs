/**
 * Runs cases of `fixtures/cases` in the Node package and prints one JSON line a case: `{"case", "outcomes"}`.
 *
 *     node tests/node/run-cases.mjs fixtures/cases/short-session-whole …
 *
 * Documents are passed on as the text that the component wrote; plain data is written in canonical form (RFC 8785). The
 * Rust tests start this program and compare, see `tests/src/hosts/node.rs`. `host-node/dist` must be built.
 */
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { ContextEngine, EngineError } from "../../host-node/dist/index.js";

/** The same as in `tests/src/lib.rs`. */
const NOW_MS = 1_796_000_000_000;
const SEED_BYTE = 7;
const SEED_BYTES = 32;
const LOG_NAME = "session.jsonl";

const decoder = new TextDecoder();

const engine = await ContextEngine.start();
try {
  for (const folder of process.argv.slice(2)) {
    const outcomes = await runCase(folder);
    console.log(JSON.stringify({ case: basename(folder), outcomes }));
  }
} finally {
  await engine.close();
}

async function runCase(folder) {
  const { session: options, steps } = JSON.parse(readFileSync(join(folder, "case.json"), "utf8"));
  const temporary = mkdtempSync(join(tmpdir(), "ds4-context-case-"));
  const log = join(temporary, LOG_NAME);
  try {
    if (options.log !== undefined) {
      copyFileSync(join(folder, options.log), log);
    }
    for (const file of options.otherLogs ?? []) {
      copyFileSync(join(folder, file), join(temporary, file));
    }
    const opened = await outcome("open", () => openSession(options, log));
    if (opened.outcome.error !== undefined) {
      return [opened.outcome];
    }
    return await runSteps(opened.value, steps, (file) => join(folder, file), log);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function openSession(options, log) {
  const hasLog = options.log !== undefined || options.logIsMissing === true;
  return engine.openSession({
    sessionId: options.id,
    format: options.format,
    seed: new Uint8Array(options.seedBytes ?? SEED_BYTES).fill(SEED_BYTE),
    clock: () => NOW_MS,
    ...(hasLog ? { logFile: log } : {}),
    ...(options.config === undefined ? {} : { config: options.config }),
  });
}

async function runSteps(session, steps, caseFile, log) {
  const outcomes = [];
  const manifests = [];
  /** The references of the newest search's hits. */
  let references = [];
  for (const step of steps) {
    if (step.call === "growLog") {
      appendFileSync(log, readFileSync(caseFile(step.file)));
    } else if (step.call === "replaceLog") {
      copyFileSync(caseFile(step.file), log);
    } else if (step.call === "removeLog") {
      rmSync(join(dirname(log), step.file));
    } else {
      const { outcome: made, value } = await outcome(step.call, () => call(session, step, manifests, references));
      if (step.call === "plan" && value !== undefined) {
        manifests.push(value.manifestId);
      }
      if (step.call === "search" && value !== undefined) {
        references = value.hits.map((hit) => hit.reference);
      }
      outcomes.push(made);
    }
  }
  await session.close();
  return outcomes;
}

/** What a call came to. Anything but an `EngineError` is a fault of this program and ends it. */
async function outcome(name, call) {
  try {
    const value = await call();
    const ok = value instanceof Uint8Array ? decoder.decode(value) : name === "open" ? "null" : canonical(value ?? null);
    return { outcome: { call: name, ok }, value };
  } catch (error) {
    if (error instanceof EngineError) {
      return { outcome: { call: name, error: { code: error.code, message: error.message } } };
    }
    throw error;
  }
}

async function call(session, step, manifests, references) {
  const manifest = () => (step.plan === undefined ? undefined : (manifests[step.plan] ?? "m_unknown"));
  switch (step.call) {
    case "sync":
      return session.syncToEnd();
    case "append":
      return session.append(`${step.lines.join("\n")}\n`);
    case "selectLeaf":
      return session.selectLeaf(step.entryId ?? undefined);
    case "selectModel":
      return session.selectModel(step.model);
    case "projectedMessages":
      return session.projectedMessages();
    case "plan": {
      const { call: _, ...request } = step;
      return session.plan(request);
    }
    case "recordUsage":
      return session.recordUsage(manifest(), step.usage);
    case "render":
    case "manifest":
    case "explain":
      return session.document(step.call, manifest());
    case "index":
      return session.index();
    case "indexScope":
      return session.indexScope(step.scope);
    case "rebuildIndex":
      return session.rebuildIndex();
    case "search": {
      const { call: _, ...query } = step;
      return session.searchHistory(query);
    }
    case "readHistory":
      return session.readHistory(references[step.hit] ?? "hist_unknown", step.firstLine, step.count);
    case "health":
      return session.healthBytes({ deep: true });
    case "inspect":
    case "status":
      return session.document(step.call);
    case "mergeConfig": {
      const encoder = new TextEncoder();
      return engine.mergeConfig(step.layers.map(({ source, content }) => ({ source, content: encoder.encode(content) })));
    }
    case "findSecrets":
      return engine.findSecrets(step.texts);
    default:
      throw new Error(`unknown step ${step.call}`);
  }
}

/** RFC 8785: JavaScript's own numbers and strings, keys in the order of their UTF-16 units. */
function canonical(value) {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    const fields = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value);
}
