/** The package as users get it: packed, installed into an empty folder, and used from there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { conversation } from "./pi-logs.js";
import { temporaryFolder } from "./temporary-folder.js";

const packageRoot = fileURLToPath(new URL("..", import.meta.url));

function run(program: string, words: readonly string[], folder: string): string {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, `${program} ${words.join(" ")}: ${stderr}${stdout}`);
  return stdout;
}

test("the packed package installs without dependencies, plans a session, and loads in Pi's way", (context) => {
  const folder = temporaryFolder(context);
  // Offline: a package without runtime dependencies needs nothing from anywhere.
  const packed = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder, packageRoot], folder)) as {
    filename: string;
    files: { path: string }[];
  }[];
  const [tarball] = packed;
  assert.ok(tarball !== undefined);
  const paths = tarball.files.map(({ path }) => path);
  for (const path of [
    "dist/index.js",
    "dist/index.d.ts",
    "dist/pi/extension.js",
    "dist/bin/ds4-context.js",
    "dist/worker/main.js",
    "dist/component/engine.js",
    "dist/component/engine.core.wasm",
    "README.md",
  ]) {
    assert.ok(paths.includes(path), `${path} is packed`);
  }
  assert.deepEqual(
    paths.filter((path) => /^(src|test|build|dist-test)\/|bench|node_modules/.test(path)),
    [],
  );
  const licences = readdirSync(join(packageRoot, "..")).filter((name) => name.startsWith("LICENSE"));
  assert.deepEqual(
    paths.filter((path) => path.startsWith("LICENSE")),
    licences,
  );

  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, tarball.filename)], folder);
  const installed = join(folder, "node_modules", "ds4-context-engine");
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies?: object;
    pi: { extensions: string[] };
  };
  assert.equal(manifest.dependencies, undefined);
  assert.ok(manifest.pi.extensions.every((path) => statSync(join(installed, path)).isFile()));

  const { file } = conversation(join(folder, "session.jsonl"), 80, 8000);
  writeFileSync(
    join(folder, "use.js"),
    `import { ContextEngine } from "ds4-context-engine";
     import extension from "ds4-context-engine/pi";
     const engine = await ContextEngine.start();
     const session = await engine.openSession({ sessionId: "s", logFile: ${JSON.stringify(file)} });
     const plan = await session.plan({ readLog: true, model: { provider: "p", id: "m", contextWindow: 32768 } });
     console.log(JSON.stringify({ extension: typeof extension, messages: (await session.render()).messages.length, hash: plan.promptHash }));
     await engine.close();`,
  );
  const used = JSON.parse(run(process.execPath, ["use.js"], folder)) as { extension: string; messages: number; hash: string };
  assert.equal(used.extension, "function");
  assert.ok(used.messages > 0 && used.messages < 320);
  assert.match(used.hash, /^[0-9a-f]{64}$/);

  const program = join(folder, "node_modules", ".bin", process.platform === "win32" ? "ds4-context.cmd" : "ds4-context");
  assert.match(run(program, ["plan", "--session", file, "--json"], folder), /"schema":"ds4-context-plan-v1"/);
});

test("the extension's module and everything it loads name no package of a host", () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) {
      return;
    }
    seen.add(path);
    for (const [, specifier = ""] of readFileSync(path, "utf8").matchAll(/\bfrom\s+"([^"]+)"|\bimport\s+"([^"]+)"/g)) {
      if (specifier.startsWith(".")) {
        visit(join(path, "..", specifier));
      } else {
        assert.match(specifier, /^node:/, `${path} loads ${specifier}`);
      }
    }
  };
  visit(join(packageRoot, "dist", "pi", "extension.js"));
  visit(join(packageRoot, "dist", "worker", "main.js"));
  assert.ok(seen.size > 15);
});

test("the declarations compile for a strict user without Node's types", (context) => {
  const folder = temporaryFolder(context);
  mkdirSync(join(folder, "src"));
  writeFileSync(
    join(folder, "src", "use.ts"),
    `import { ContextEngine, EngineError, type Plan } from ${JSON.stringify(join(packageRoot, "dist", "index.js"))};\nexport async function use(): Promise<Plan> {\n  const engine = await ContextEngine.start({ memoryBytes: 1 });\n  void EngineError;\n  return (await engine.openSession({ sessionId: "s" })).plan();\n}\n`,
  );
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    target: "es2022",
    lib: ["es2022", "esnext.disposable", "dom"],
    types: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  run(process.execPath, [fileURLToPath(import.meta.resolve("typescript/lib/tsc.js")), "-p", folder], folder);
});
