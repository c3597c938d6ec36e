/**
 * Indexing and searching a large session in this host: `node dist/bench-history.js LOG QUESTIONS DATA`, where QUESTIONS has JSON
 * lines `{"kind", "text"}` and DATA is an empty folder for the index. The Rust benchmark makes all three and runs this, so that
 * both hosts do the same work. Prints one JSON object a line: `{"bench", "p50", "p95", "runs"}` in milliseconds, and
 * `{"bench": "index", "seconds", "textBytes", "databaseBytes"}`.
 */
import { readFileSync } from "node:fs";
import { ContextEngine } from "./engine.js";

const [log, questions, data] = process.argv.slice(2);
if (log === undefined || questions === undefined || data === undefined) {
  throw new Error("usage: node bench-history.js LOG QUESTIONS DATA");
}
const patient = { deadlineMs: 120_000 };
const engine = await ContextEngine.start({ memoryBytes: 2 ** 30 });
try {
  const session = await engine.openSession({ sessionId: "bench", logFile: log, dataFolder: data });
  await session.syncToEnd(patient);
  const start = performance.now();
  await session.index(patient);
  const seconds = (performance.now() - start) / 1000;
  const { textBytes, bytes } = await session.health();
  console.log(JSON.stringify({ bench: "index", seconds, textBytes, databaseBytes: bytes }));
  const times = new Map<string, number[]>();
  for (const line of readFileSync(questions, "utf8").trim().split("\n")) {
    const { kind, text } = JSON.parse(line) as { readonly kind: string; readonly text: string };
    const before = performance.now();
    await session.searchHistory({ text, scope: "current-branch", limit: 12, maxTokens: 3_000 });
    times.set(kind, [...(times.get(kind) ?? []), performance.now() - before]);
  }
  for (const [bench, values] of times) {
    const sorted = values.sort((left, right) => left - right);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    console.log(JSON.stringify({ bench, p50: at(0.5), p95: at(0.95), runs: sorted.length }));
  }
} finally {
  await engine.close();
}
