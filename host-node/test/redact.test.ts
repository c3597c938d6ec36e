/** Secrets found by the engine, and the command `redact`, byte for byte against the Rust command line. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { ContextEngine } from "../dist/index.js";
import { temporaryFolder } from "./temporary-folder.js";

const nodeProgram = [process.execPath, fileURLToPath(new URL("../dist/bin/ds4-context.js", import.meta.url))];
const rustProgram = fileURLToPath(new URL("../../target/release/ds4-context", import.meta.url));
const rustCodeCache = fileURLToPath(new URL("../../target/command-line-code", import.meta.url));

const hasRust = existsSync(rustProgram) && /redact/.test(spawnSync(rustProgram, ["--help"], { encoding: "utf8" }).stdout);
const withRust = { skip: !hasRust && "target/release/ds4-context with `redact` is not built: the two command lines were NOT compared" };

function run(context: TestContext, program: readonly string[], words: readonly string[], input = "") {
  const [path = "", ...before] = program;
  const env = { PATH: process.env["PATH"], HOME: temporaryFolder(context), DS4_CONTEXT_CACHE: rustCodeCache, LANG: "C.UTF-8" };
  const { status, stdout, stderr } = spawnSync(path, [...before, "redact", ...words], { encoding: "utf8", env, input, maxBuffer: 64 * 1024 * 1024 });
  return { status, stdout, stderr };
}

test("the engine finds secrets in UTF-8 bytes, and refuses what is no list of texts", async () => {
  await using engine = await ContextEngine.start();
  const found = await engine.findSecrets(["é: SMTP_PASSWORD=Orchard_velvet2207", "nothing"]);
  assert.deepEqual(found, [[{ start: 18, end: 36, rule: "assigned-secret", placeholder: "[DS4 REDACTED SECRET]" }], []]);
  assert.deepEqual(await engine.findSecrets([]), []);
  for (const texts of ["text", [1], [undefined], null] as unknown as string[][]) {
    await assert.rejects(engine.findSecrets(texts), { code: "invalid-input" });
  }
});

test("redact answers each line, from a file or standard input", (context) => {
  const lines = '{"id":1,"text":"DB_PASSWORD=Harbor_candle4711"}\n\n{"text":"nothing","id":{"a":[1]}}\n';
  const expected =
    '{"id":1,"text":"DB_PASSWORD=[DS4 REDACTED SECRET]","redactions":[{"start":12,"end":29,"rule":"assigned-secret"}]}\n' +
    '{"id":{"a":[1]},"text":"nothing","redactions":[]}\n';
  const file = join(temporaryFolder(context), "texts.jsonl");
  writeFileSync(file, lines);
  for (const { status, stdout, stderr } of [run(context, nodeProgram, [file]), run(context, nodeProgram, [], lines), run(context, nodeProgram, ["-"], lines)]) {
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: expected, stderr: "" });
  }
  assert.deepEqual(run(context, nodeProgram, [], ""), { status: 0, stdout: "", stderr: "" });
});

test("lines that are no texts refuse the whole file, by number, as do files that are not there", (context) => {
  for (const [words, input, says] of [
    [[], '{"id":1,"text":"x"}\n{"id":2}\n[]\n', '-, lines 2 and 3: not {"id": …, "text": "…"}'],
    [["missing.jsonl"], "", "there is no file missing.jsonl"],
    [["one", "two"], "", "'two' is one word too many"],
  ] as const) {
    const { status, stdout, stderr } = run(context, nodeProgram, words, input);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.ok(stderr.includes(says), stderr);
  }
});

test("both command lines redact to the same bytes, over many batches and odd strings", withRust, (context) => {
  const texts = Array.from({ length: 600 }, (_, n) => {
    const filler = `let value_${n} = read(&path)?; // più righe, 行, 🙂\n`.repeat(60);
    return `${filler}DB_PASSWORD="Granite_willow${1000 + n}zq7"\n\u0000\u2028\u007f${n % 7 === 0 ? "\ud800" : ""} postgres://app:Meadow.copper${n}x9@db/app\n`;
  });
  const input = texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join("");
  const node = run(context, nodeProgram, [], input);
  const rust = run(context, [rustProgram], [], input);
  assert.deepEqual([node.status, node.stderr, rust.status, rust.stderr], [0, "", 0, ""]);
  assert.ok(node.stdout === rust.stdout, "the outputs differ");
  assert.equal(node.stdout.split("[DS4 REDACTED").length - 1, 2 * texts.length);
  assert.equal(run(context, [rustProgram], ["--native"], input).stdout === rust.stdout, true);
});
