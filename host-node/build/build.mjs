// Builds dist/: the transpiled component first (its types are inputs of the compiler), then the TypeScript.
//
// The component is read from $DS4_COMPONENT, else from target/component/engine.wasm of the workspace, which
// `cargo xtask build` makes.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transpileBytes } from "@bytecodealliance/jco-transpile";

const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(packageRoot, "dist");

/** One object answers every WASI interface; the loader passes it under this name. */
const closedWorldSpecifier = "./closed-world.js#*";

async function transpileComponent() {
  const path = resolve(process.env.DS4_COMPONENT ?? join(packageRoot, "..", "target", "component", "engine.wasm"));
  if (!existsSync(path)) {
    throw new Error(`no component at ${path}: run \`cargo xtask build\`, or set DS4_COMPONENT to a component file`);
  }
  const { files } = await transpileBytes(readFileSync(path), {
    name: "engine",
    instantiation: "async",
    wasiShim: false,
    map: { "wasi:*": closedWorldSpecifier },
    // A WIT error has to arrive as an Error with `payload`; the library's default throws the bare payload.
    noComponentErrorWrapping: false,
    base64Cutoff: 0,
    // The loader passes the compiled modules; without this the code could also read files by itself.
    nodejsCompat: false,
    strict: true,
    minify: true,
  });
  for (const [name, content] of Object.entries(files)) {
    const target = join(dist, "component", name);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}

function compileTypeScript() {
  const compiler = fileURLToPath(import.meta.resolve("typescript/lib/tsc.js"));
  const { status } = spawnSync(process.execPath, [compiler, "-p", packageRoot], { stdio: "inherit" });
  if (status !== 0) {
    throw new Error("the TypeScript sources do not compile");
  }
}

try {
  rmSync(dist, { recursive: true, force: true });
  await transpileComponent();
  compileTypeScript();
  chmodSync(join(dist, "bin", "ds4-context.js"), 0o755);
} catch (error) {
  console.error(`ds4-context-engine build: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
