import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { StoragePort } from "../dist/ports/storage.js";
import { closedWorld } from "../dist/wasi/closed-world.js";
import { componentImports } from "../dist/worker/component.js";

const component = new URL("../dist/component/", import.meta.url);
const declarations = readFileSync(new URL("engine.d.ts", component), "utf8");
const code = readFileSync(new URL("engine.js", component), "utf8");

/** The component's imports, as the transpiler declares them: `package:name/interface`, with its version. */
const imports = [...declarations.matchAll(/^ {2}'([^']+)': typeof (?:Ds4Context|Wasi)\w+,$/gm)]
  .map((match) => match[1] ?? "")
  .slice(0, declarations.slice(0, declarations.indexOf("export interface Root")).match(/^ {2}'/gm)?.length ?? 0);

/** What Rust's standard library links and the component may therefore import. Nothing that reaches files, sockets or HTTP. */
const allowed = new Set([
  "ds4:context/types",
  "ds4:context/storage",
  "ds4:context/embedding",
  "ds4:context/completion",
  "ds4:context/local-kv",
  "wasi:cli/environment",
  "wasi:cli/exit",
  "wasi:cli/stdin",
  "wasi:cli/stdout",
  "wasi:cli/stderr",
  "wasi:cli/terminal-input",
  "wasi:cli/terminal-output",
  "wasi:cli/terminal-stdin",
  "wasi:cli/terminal-stdout",
  "wasi:cli/terminal-stderr",
  "wasi:io/error",
  "wasi:io/poll",
  "wasi:io/streams",
  "wasi:random/insecure-seed",
]);

test("the component imports its ports and the closed world, and nothing else", () => {
  assert.ok(imports.includes("ds4:context/storage@0.1.0"), `read from the declarations: ${imports.join(", ")}`);
  for (const name of imports) {
    assert.ok(allowed.has(name.replace(/@.*/, "")), `${name} is not allowed`);
  }
});

test("every port is passed under both of its names", () => {
  const passed = componentImports(new StoragePort());
  for (const name of imports.filter((name) => name.startsWith("ds4:") && !name.includes("/types"))) {
    assert.ok(passed[name] !== undefined, name);
    assert.equal(passed[name], passed[name.replace(/@.*/, "")]);
  }
});

test("the generated code asks for what is there and loads nothing itself", () => {
  const loaded = code.match(/\bimport\s*\([^)]*\)|\bimport\b[^;(]*?\bfrom\s*["'`][^"'`]*|preview2-shim|\bnode:\w+/g) ?? [];
  assert.deepEqual(loaded, []);
});

test("the closed world answers the same, always", () => {
  const {
    cliEnvironment,
    clocksMonotonicClock,
    clocksWallClock,
    cliStdout,
    cliStdin,
    filesystemPreopens,
    randomInsecureSeed,
    randomInsecure,
  } = closedWorld;
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(cliEnvironment.getEnvironment(), []);
    assert.deepEqual(cliEnvironment.getArguments(), []);
    assert.equal(cliEnvironment.initialCwd(), undefined);
    assert.deepEqual(filesystemPreopens.getDirectories(), []);
    assert.equal(clocksMonotonicClock.now(), 0n);
    assert.deepEqual(clocksWallClock.now(), { seconds: 0n, nanoseconds: 0 });
    assert.deepEqual(randomInsecureSeed.insecureSeed(), [0n, 0n]);
    assert.deepEqual(randomInsecure.getInsecureRandomBytes(3n), new Uint8Array(3));
  }
  cliStdout.getStdout().write(new Uint8Array(10));
  assert.throws(
    () => cliStdin.getStdin().read(1n),
    (error: unknown) => (error as { payload?: { tag?: string } }).payload?.tag === "closed",
  );
  assert.throws(() => closedWorld.cliExit.exit({ tag: "ok" }), /closed world/);
  assert.throws(() => closedWorld.randomRandom.getRandomU64(), /closed world/);
});
