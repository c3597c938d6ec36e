/** The commands `search`, `index` and `health` as a person runs them, and byte for byte against the Rust command line. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { millionths } from "../dist/bin/search-table.js";
import type { HealthDocument } from "../dist/index.js";
import { hashOf, needle, needleLog } from "./needle-logs.js";
import { conversation, PiLog } from "./pi-logs.js";
import { temporaryFolder } from "./temporary-folder.js";

const nodeProgram = [process.execPath, fileURLToPath(new URL("../dist/bin/ds4-context.js", import.meta.url))];
const rustProgram = fileURLToPath(new URL("../../target/release/ds4-context", import.meta.url));
/** Compiling the component takes the Rust host several seconds; its code is kept from one run of the tests to the next. */
const rustCodeCache = fileURLToPath(new URL("../../target/command-line-code", import.meta.url));
const fixtures = fileURLToPath(new URL("../../fixtures/sessions", import.meta.url));

const hasRust = existsSync(rustProgram) && /search/.test(spawnSync(rustProgram, ["--help"], { encoding: "utf8" }).stdout);
const withRust = { skip: !hasRust && "target/release/ds4-context with `search` is not built: the two command lines were NOT compared" };
const programs: readonly (readonly string[])[] = hasRust ? [nodeProgram, [rustProgram]] : [nodeProgram];

function run(home: string, program: readonly string[], words: readonly string[], input = "") {
  const [path = "", ...before] = program;
  // No configuration and no data of the person who runs the tests.
  const env = { PATH: process.env["PATH"], HOME: home, XDG_DATA_HOME: join(home, "share"), DS4_CONTEXT_CACHE: rustCodeCache, LANG: "C.UTF-8" };
  const { status, stdout, stderr } = spawnSync(path, [...before, ...words], { encoding: "utf8", env, input });
  return { status, stdout, stderr };
}

function scene(context: TestContext, entries = 20) {
  const folder = temporaryFolder(context);
  const log = needleLog(join(folder, "session.jsonl"), entries, 200);
  const home = temporaryFolder(context);
  return { folder, log, home, node: (...words: string[]) => run(home, nodeProgram, words) };
}

test("search answers one question, in words and as a document, and keeps nothing", (context) => {
  const { log, home, node } = scene(context);
  const shown = node("search", "--session", log.file, `where is ${needle(7)}?`);
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /^ 1 {2}e7 +user +2026-12-01 \d\d:\d\d +\d+\.\d{3}\n {4}[^\n]+\n {4}needle7q /);
  for (const line of shown.stdout.split("\n")) {
    assert.ok(line.length <= 80, line);
  }
  const { stdout } = node("search", "--session", log.file, "--json", "--limit", "1", needle(7));
  const answer = JSON.parse(stdout) as { status: string; hits: { entryId: string }[]; indexedEntries: number; logEntries: number };
  assert.deepEqual([answer.status, answer.hits.map(({ entryId }) => entryId), answer.indexedEntries, answer.logEntries], ["complete", ["e7"], 20, 20]);
  assert.match(node("search", "--session", log.file, "zzzunknown").stdout, /^Nothing was found\.\n$/);
  assert.match(node("search", "--session", log.file, "a").stdout, /^Nothing to search for in that: name a word/);
  assert.deepEqual(readdirSync(home), []);
});

test("search finds what the sessions said that this one was forked from, and says where", (context) => {
  const { folder, node } = scene(context);
  new PiLog(join(folder, "parent.jsonl"), { id: "parent" }).user("The lighthouse is painted cerulean.");
  const own = new PiLog(join(folder, "own.jsonl"), { id: "own", parentSession: "/elsewhere/parent.jsonl" });
  own.user("Go on");
  const shown = node("search", "--session", own.file, "--scope", "current-lineage", "cerulean");
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /^ 1 {2}e0 [^\n]+\n {4}words cerulean\n {4}before the fork, session parent\n {4}The lighthouse/);
  rmSync(join(folder, "parent.jsonl"));
  assert.match(node("search", "--session", own.file, "--scope", "current-lineage", "cerulean").stdout, /^Nothing was found\.\n\nLeft out: 1 session /);
});

test("search answers a file of questions, and standard input, a line each", (context) => {
  const { folder, log, home, node } = scene(context);
  const questions = join(folder, "questions.jsonl");
  writeFileSync(questions, `{"id":1,"query":"${needle(3)}"}\r\n\n{"id":"two","query":"${needle(4)}","more":true}\n`);
  const fromFile = node("search", "--session", log.file, "--queries", questions, "--limit", "1", "--stats");
  assert.equal(fromFile.status, 0, fromFile.stderr);
  const lines = fromFile.stdout.trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(lines.slice(0, 2).map(({ id, hits }) => [id, (hits as { entryId: string }[])[0]?.entryId]), [[1, "e3"], ["two", "e4"]]);
  assert.deepEqual(Object.keys(lines[2]?.["stats"] as object), ["index_ms", "query_ms"]);
  const input = run(home, nodeProgram, ["search", "--session", log.file, "--queries", "-", "--limit", "1"], readFileSync(questions, "utf8"));
  assert.equal(input.stdout, fromFile.stdout.split("\n").slice(0, 2).join("\n") + "\n");
});

test("a file of questions is read as other programs write it, and every line that is none is named", (context) => {
  const { folder, log, node } = scene(context);
  const questions = join(folder, "questions.jsonl");
  writeFileSync(questions, `\ufeff{"id":"\\udc00","query":"${needle(3)} \\ud800"}\r\n`);
  const { stdout, stderr } = node("search", "--session", log.file, "--queries", questions, "--limit", "1");
  assert.equal(stderr, "");
  assert.match(stdout, /^\{"id":"\ufffd","hits":\[\{"entryId":"e3"/);
  writeFileSync(questions, '{"id":1,"query":"x"}\n{}\n[\n1\n2\n3\n4\n');
  assert.match(node("search", "--session", log.file, "--queries", questions).stderr, /, lines 2, 3, 4, 5, 6 and 1 more: not \{"id"/);
});

test("a hit that only stands beside a match is marked", (context) => {
  const folder = temporaryFolder(context);
  const log = new PiLog(join(folder, "session.jsonl"));
  for (let part = 0; part < 12; part++) {
    log.user(`Look at part ${part} of the parser`);
  }
  log.user("Why does the zebrafish pipeline stop?");
  log.assistant("The seed was stale, so nothing matched.");
  const { stdout } = run(folder, nodeProgram, ["search", "--session", log.file, "zebrafish pipeline"]);
  const line = (id: string) => stdout.split("\n").find((candidate) => new RegExp(`^ *\\d+ {2}${id} `).test(candidate)) ?? "";
  assert.match(line("e12"), /user/);
  assert.doesNotMatch(line("e12"), /beside a match/);
  assert.match(line("e13"), /beside a match/);
});

test("no line of a help text or a table is wider than 80 columns", (context) => {
  const folder = temporaryFolder(context);
  const data = join(folder, "a-folder-with-a-long-name/".repeat(6));
  const long = conversation(join(folder, `${"long-name-".repeat(12)}.jsonl`), 80, 800);
  writeFileSync(long.file, readFileSync(long.file, "utf8").replaceAll(/"e(\d+)"/g, '"an-entry-of-a-very-long-name-indeed-$1"'));
  const tables = [
    ["--help"],
    ...[long.file, needleLog(join(folder, "short.jsonl"), 2, 100).file].flatMap((log) =>
      [
        ["plan"],
        ["plan", "--window", "20000"],
        ["plan", "--explain", "--window", "20000"],
        ["inspect"],
        ["index", "--data-dir", data],
        ["health", "--data-dir", data],
        ["search", "Question 7 answer needle1q notes.txt"],
        ["search", "the of"],
      ].map((words) => [...words, "--session", log]),
    ),
  ];
  for (const words of tables) {
    const { status, stdout, stderr } = run(folder, nodeProgram, words);
    assert.notEqual(status, 2, stderr);
    for (const line of stdout.split("\n")) {
      assert.ok(line.length <= 80, `${words.slice(0, 3).join(" ")}: ${line}`);
    }
  }
});

test("index keeps the index, makes it anew, and health checks it", (context) => {
  const { folder, log, home, node } = scene(context);
  const before = hashOf(log.file);
  const data = join(folder, "data");
  const words = ["--session", log.file, "--data-dir", data];
  const shown = node("index", ...words);
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /^Session {4}session\nKept {7}context\.db in\s[^]*\nIndex {6}20 of 20 entries, up to date; last\s[^]*\nTook {7}\d/);
  assert.ok(existsSync(join(data, "context.db")));
  const health = JSON.parse(node("health", ...words, "--json").stdout) as HealthDocument;
  assert.deepEqual([health.healthy, health.problems, health.upToDate, health.session?.rebuilds], [true, [], true, 0]);
  const rebuilt = JSON.parse(node("index", ...words, "--rebuild", "--json").stdout) as HealthDocument;
  assert.deepEqual([rebuilt.session?.rebuilds, rebuilt.session?.lastReason], [1, "forced"]);
  assert.match(node("health", ...words).stdout, /Made anew {2}1 time, last because somebody asked for it\nDatabase {3}whole: every page was checked\n$/);
  assert.deepEqual(readdirSync(home), [], "nothing beside the named folder");
  node("index", "--session", log.file);
  assert.ok(existsSync(join(home, "share", "ds4-context", "context.db")), "without a named folder the platform's");
  assert.equal(hashOf(log.file), before);
});

test("health where nothing was indexed says so, and makes nothing", (context) => {
  const { folder, log, home } = scene(context);
  const data = join(folder, "data");
  const words = ["health", "--session", log.file, "--data-dir", data];
  const documents = programs.map((program) => {
    const shown = run(home, program, words);
    assert.deepEqual([shown.status, shown.stderr], [0, ""]);
    assert.match(shown.stdout, /nothing yet: there is no index[^]*\nTo do {5,6}`ds4-context index` makes the index\n$/);
    const document = run(home, program, [...words, "--json"]).stdout;
    assert.deepEqual((JSON.parse(document) as HealthDocument).database, { kind: "absent", name: "context.db", madeAnew: false });
    return document;
  });
  assert.equal(new Set(documents).size, 1);
  assert.ok(!existsSync(data));
  assert.deepEqual(readdirSync(home), []);
});

test("logs of one name in two folders share a data folder, and neither is indexed twice", (context) => {
  const { home } = scene(context, 1);
  const data = temporaryFolder(context);
  const logs = ["a", "b"].map((word) => {
    const log = new PiLog(join(temporaryFolder(context), "session.jsonl"));
    log.user(`The word of this log is ${word.repeat(5)}.`);
    return log.file;
  });
  for (const program of [...programs, ...programs]) {
    for (const log of logs) {
      const { stdout, stderr } = run(home, program, ["index", "--session", log, "--data-dir", data, "--json"]);
      const { sessionId, sessions, session } = JSON.parse(stdout || stderr) as HealthDocument;
      assert.deepEqual([sessionId, session?.rebuilds, session?.lastReason], ["session", 0, "initial"]);
      assert.equal(sessions, log === logs[0] && program === programs[0] && sessions === 1 ? 1 : 2);
    }
  }
});

test("a plan that finds the index damaged says so in one line, and the next command mends it", (context) => {
  const { folder, log, home } = scene(context, 60);
  log.user(`And what was ${needle(3)}?`);
  for (const [place, program] of programs.entries()) {
    const data = join(folder, `data-${place}`);
    const words = ["--session", log.file, "--data-dir", data];
    const plan = () => run(home, program, ["plan", ...words, "--budget", "1500", "--manifest", "--now-ms", "1796128879388"]);
    assert.equal(run(home, program, ["index", ...words]).status, 0);
    const whole = plan();
    assert.deepEqual([whole.status, whole.stderr], [0, ""]);
    assert.match(whole.stdout, /"retrieval":\{[^}]*"status":"complete"/);
    damageFullText(join(data, "context.db"));
    const damaged = plan();
    assert.equal(damaged.status, 0);
    assert.match(damaged.stdout, /"retrieval":\{[^}]*"status":"failed"/);
    assert.match(damaged.stderr, /^ds4-context: planned without evidence: [^\n]+; give the command again, it mends the index first\n$/);
    assert.deepEqual(plan(), whole);
    assert.equal(run(home, program, ["health", ...words]).status, 0);
  }
});

/** Overwrites every page but those with the schema and the row of the session, which alone are read before a search. */
function damageFullText(file: string): void {
  const bytes = readFileSync(file);
  for (let page = 4096; page < bytes.length; page += 4096) {
    const content = bytes.subarray(page, page + 4096);
    if (!content.includes("CREATE ") && !content.includes("session")) {
      content.fill(0xaa);
    }
  }
  writeFileSync(file, bytes);
}

test("bad input is one clear line and exit code 2", (context) => {
  const { folder, log, node } = scene(context, 2);
  const broken = join(folder, "broken.jsonl");
  writeFileSync(broken, '{"id":1,"query":"x"}\n{"id":2}\n');
  writeFileSync(join(folder, "bytes"), Buffer.from([0xff, 0xfe]));
  const session = ["--session", log.file];
  const bad: string[][] = [
    ["search", ...session],
    ["search", "x"],
    ["search", ...session, "two", "words"],
    ["search", ...session, "--limit", "0", "x"],
    ["search", ...session, "--limit", "1001", "x"],
    ["search", ...session, "--scope", "project", "x"],
    ["search", ...session, "--scope", "lineage", "x"],
    ["search", ...session, "--at", "nowhere", "x"],
    ["search", ...session, "--queries", broken],
    ["search", ...session, "--queries", join(folder, "gone.jsonl")],
    ["search", ...session, "--queries", join(folder, "bytes")],
    ["search", ...session, "--queries", broken, "x"],
    ["search", ...session, "--queries", broken, "--json"],
    ["search", ...session, "--stats", "x"],
    ["index"],
    ["index", ...session, "--at", "e0"],
    ["index", ...session, "x"],
    ["health", "--session", join(folder, "gone.jsonl")],
    ["health", ...session, "--rebuild"],
  ];
  for (const words of bad) {
    const { status, stdout, stderr } = node(...words);
    assert.equal(status, 2, `${words.join(" ")}: ${stderr}`);
    assert.equal(stdout, "");
    assert.match(stderr, /^ds4-context: [^\n]+\n$/, words.join(" "));
  }
  assert.match(node("search", ...session, "--queries", broken).stderr, /line 2/);
  assert.match(node("search", ...session, "--scope", "project", "x").stderr, /set historyTools\.allowProjectScope to true/);
  assert.match(node("search", "--help").stdout, /Examples:\n/);
});

test("a score is written as the Rust command line writes it", () => {
  const scores = [0, 1, 12, 999_999, 1_000_000, 4_417_961, 85_000_000, 63_250_000, -1_500_000, -3];
  assert.deepEqual(scores.map(millionths), ["0.0", "1e-6", "0.000012", "0.999999", "1.0", "4.417961", "85.0", "63.25", "-1.5", "-3e-6"]);
});

test("the JSON of both command lines is equal to the byte", withRust, (context) => {
  const { folder, home } = scene(context);
  const odd = new PiLog(join(folder, "odd.jsonl"));
  odd.user('quotes " and \\ backslashes, a tab\t, \u0001 control, é 漢字 🙂 and parseLine in src/main.rs');
  odd.exchange("call_1", "error[E0277]: the trait bound\n\u001b[31mred\u001b[0m \u2028 line");
  const logs = [odd.file, ...readdirSync(fixtures).filter((name) => name.endsWith(".jsonl")).map((name) => join(fixtures, name))];
  const questions = '{"id":1,"query":"parseLine 漢字"}\n{"id":{"b":"é","a":[null]},"query":"error E0277"}\n{"id":"none","query":"a"}\n';
  const lineage = new PiLog(join(folder, "fork.jsonl"), { id: "fork", parentSession: "/elsewhere/odd.jsonl" });
  lineage.user("What was the error?");
  const allowing = join(folder, "allowing.json");
  writeFileSync(allowing, '{"historyTools":{"allowProjectScope":true}}');
  logs.push(lineage.file);
  for (const log of logs) {
    for (const words of [
      ["search", "--session", log, "--json", "--now-ms", "1796128879388", "--scope", "current-lineage", "E0277"],
      ["search", "--session", log, "--json", "--now-ms", "1796128879388", "--scope", "project", "--config", allowing, "E0277"],
      ["search", "--session", log, "--queries", "-", "--limit", "3", "--scope", "project", "--config", allowing],
      ["search", "--session", log, "--json", "--now-ms", "1796128879388", "parseLine, an error or notes.txt"],
      ["search", "--session", log, "--json", "--now-ms", "1796128879388", "--scope", "current-session", "E0277"],
      ["search", "--session", log, "--json", "a"],
      ["search", "--session", log, "--queries", "-", "--limit", "3"],
    ]) {
      const [node, rust] = [nodeProgram, [rustProgram]].map((program) => run(home, program, words, questions));
      assert.deepEqual(node, rust, words.join(" "));
      assert.equal(node?.status, 0);
    }
    const health = [nodeProgram, [rustProgram]].map((program, place) => {
      const data = join(folder, `data-${place}`);
      run(home, program, ["index", "--session", log, "--data-dir", data]);
      return run(home, program, ["health", "--session", log, "--data-dir", data, "--json"]).stdout.replace(/"indexedAt":\d+/, '"indexedAt":0');
    });
    assert.equal(health[0], health[1]);
  }
});
