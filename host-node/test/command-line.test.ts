import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ContextEngine, type InspectDocument, type PlanDocument } from "../dist/index.js";
import { conversation } from "./pi-logs.js";
import { temporaryFolder } from "./temporary-folder.js";

const program = fileURLToPath(new URL("../dist/bin/ds4-context.js", import.meta.url));

function run(...words: string[]) {
  return runWith({ DS4_CONTEXT_HOME: "/nowhere" }, ...words);
}

function runWith(environment: Record<string, string>, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...environment },
  });
  return { status, stdout, stderr };
}

test("plan --json prints the component's own document", async (context) => {
  const { file } = conversation(join(temporaryFolder(context), "session.jsonl"), 80, 8000);
  const { status, stdout, stderr } = run("plan", "--session", file, "--window", "32768", "--json");
  assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
  await using engine = await ContextEngine.start();
  const session = await engine.openSession({ sessionId: "session", logFile: file });
  await session.syncToEnd();
  await session.index();
  await session.plan({ readLog: true, model: { provider: "mock", id: "mock-1", contextWindow: 32_768 } });
  assert.equal(stdout.trimEnd(), new TextDecoder().decode(await session.document("render")));
  const plan = JSON.parse(stdout) as PlanDocument;
  assert.equal(plan.schema, "ds4-context-plan-v1");
  assert.ok(plan.messages.length < 320 && plan.excluded.length > 0);
});

test("a budget, a place and a model are respected", (context) => {
  const { file } = conversation(join(temporaryFolder(context), "session.jsonl"), 80, 8000);
  const plan = (...words: string[]) => JSON.parse(run("plan", "--session", file, "--json", ...words).stdout) as PlanDocument;
  assert.ok(plan("--budget", "10000").estimatedTokens <= 10_000);
  assert.equal(plan("--at", "e7").messages.at(-1)?.entryId, "e7");
  assert.notEqual(plan("--model", "other/model").manifestId, "");
});

test("the manifest and the explanation are printed too, with a time of the caller's", (context) => {
  const { file } = conversation(join(temporaryFolder(context), "session.jsonl"), 80, 8000);
  const document = (...words: string[]) =>
    JSON.parse(run("plan", "--session", file, "--window", "32768", "--now-ms", "7", ...words).stdout) as Record<string, unknown>;
  assert.equal(document("--manifest")["createdAt"], 7);
  assert.ok((document("--explain", "--json")["excluded"] as unknown[]).length > 0);
  assert.match(run("plan", "--session", file, "--window", "32768", "--explain").stdout, /messages +tokens +why +entries\n +\d/);
});

test("a person's own configuration counts, below the named ones, and its problems end nothing", (context) => {
  const folder = temporaryFolder(context);
  const { file } = conversation(join(folder, "session.jsonl"), 80, 8000);
  writeFileSync(join(folder, "ds4-context.json"), '{"context":{"mode":"observer"},"nonsense":1}');
  writeFileSync(join(folder, "managed.json"), '{"context":{"mode":"managed"}}');
  const planned = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { planning: { mode: string } }).planning.mode;
  const words = ["plan", "--session", file, "--manifest"];
  for (const observed of [run(...words, "--data-dir", folder), runWith({ DS4_CONTEXT_HOME: folder }, ...words)]) {
    assert.equal(observed.status, 0);
    assert.equal(planned(observed), "observer");
    assert.match(observed.stderr, /^ds4-context: .*nonsense.* is ignored\n$/);
  }
  assert.equal(planned(run(...words, "--data-dir", folder, "--config", join(folder, "managed.json"))), "managed");
});

test("the log's first line tells its format", (context) => {
  const folder = temporaryFolder(context);
  const runtime = join(folder, "runtime.jsonl");
  const message = {
    id: "s:e1",
    sourceEntryId: "e1",
    role: "user",
    blocks: [{ type: "text", text: "hello" }],
    provenance: { source: "runtime-session", sessionId: "s", entryId: "e1" },
    flags: {},
  };
  writeFileSync(
    runtime,
    `${JSON.stringify({ type: "ds4-runtime-session-v1", runtimeId: "jsonl-reference", sessionId: "s", projectRoot: "/work" })}\n${JSON.stringify({ type: "message", message })}\n`,
  );
  assert.equal((JSON.parse(run("plan", "--session", runtime, "--json").stdout) as PlanDocument).messages[0]?.text, "hello");
  const link = join(folder, "link.jsonl");
  mkdirSync(join(folder, "elsewhere"));
  symlinkSync(conversation(join(folder, "elsewhere", "log.jsonl"), 1, 10).file, link);
  assert.equal((JSON.parse(run("plan", "--session", link, "--json").stdout) as PlanDocument).messages.length, 4);
  writeFileSync(join(folder, "poem.txt"), "no log\nat all\n");
  assert.match(run("inspect", "--session", join(folder, "poem.txt")).stderr, /is not a session log/);
});

test("the human form shows what is in and out, and why", (context) => {
  const { file } = conversation(join(temporaryFolder(context), "session.jsonl"), 80, 8000);
  const { status, stdout } = run("plan", "--session", file, "--window", "32768");
  assert.equal(status, 0);
  assert.match(stdout, /mock\/mock-1, window of 32,768/);
  assert.match(stdout, /recent history +\d+/);
  assert.match(stdout, /Out messages +tokens +why +entries\n +\d/);
});

test("inspect shows the log, with its damage", (context) => {
  const log = conversation(join(temporaryFolder(context), "session.jsonl"), 2, 100);
  writeFileSync(log.file, `${readFileSync(log.file, "utf8")}{ broken\n{"type":"mess`);
  const { status, stdout } = run("inspect", "--session", log.file, "--json");
  assert.equal(status, 0);
  const inspect = JSON.parse(stdout) as InspectDocument;
  assert.equal(inspect.projection.messages, 8);
  assert.deepEqual(inspect.damage.map(({ code }) => code).sort(), ["malformed-line", "torn-tail"]);
  assert.match(run("inspect", "--session", log.file).stdout, /malformed-line ×1, first in line 10/);
});

test("a plan that cannot be made says why and ends with 1", (context) => {
  const log = conversation(join(temporaryFolder(context), "session.jsonl"), 1, 100);
  log.user("x".repeat(400_000));
  const { status, stderr } = run("plan", "--session", log.file, "--window", "16384", "--json");
  assert.equal(status, 1);
  assert.match(stderr, /^ds4-context: no plan could be made: [a-z-]+\n$/);
});

test("bad input is one clear line, exit code 2, and nothing written", (context) => {
  const folder = temporaryFolder(context);
  const { file } = conversation(join(folder, "session.jsonl"), 1, 100);
  writeFileSync(join(folder, "broken.json"), "{");
  writeFileSync(join(folder, "unknown.json"), '{"nonsense":1}');
  writeFileSync(join(folder, "range.json"), '{"context":{"targetFillRatio":7}}');
  mkdirSync(join(folder, "folder"));
  const before = readdirSync(folder);
  const bad: string[][] = [
    [],
    ["plan"],
    ["plan", "--session"],
    ["plan", "--session", join(folder, "gone.jsonl")],
    ["plan", "--session", join(folder, "folder")],
    ["plan", "--session", file, "--window", "0"],
    ["plan", "--session", file, "--window=-5"],
    ["plan", "--session", file, "--window", "many"],
    ["plan", "--session", file, "--budget", "1.5"],
    ["plan", "--session", file, "--budget", "4294967296"],
    ["plan", "--session", file, "--model", "no-slash"],
    ["plan", "--session", file, "--at", "nowhere"],
    ["plan", "--session", file, "--config", join(folder, "gone.json")],
    ["plan", "--session", file, "--config", join(folder, "broken.json")],
    ["plan", "--session", file, "--config", join(folder, "unknown.json")],
    ["plan", "--session", file, "--config", join(folder, "range.json")],
    ["plan", "--session", file, "--nonsense"],
    ["plan", file],
    ["inspect"],
    ["inspect", "--session", file, "--budget", "1"],
    ["sing"],
  ];
  for (const words of bad) {
    const { status, stdout, stderr } = run(...words);
    assert.equal(status, 2, words.join(" "));
    assert.equal(stdout, "");
    assert.match(stderr, /^ds4-context: [^\n]+\n$/, words.join(" "));
  }
  assert.deepEqual(readdirSync(folder), before);
});

test("help and version", () => {
  assert.match(run("help").stdout, /ds4-context plan --session FILE/);
  assert.match(run("plan", "--help").stdout, /Exit code/);
  assert.match(run("--version").stdout, /^ds4-context \d+\.\d+\.\d+\n$/);
});
