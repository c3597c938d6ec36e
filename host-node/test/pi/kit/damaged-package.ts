/**
 * Copies of the extension's package that are broken in one way each, without a switch in the product for it.
 *
 * Invariant: only files of the copy are changed. The damage knows two names of the package, `dist/worker/main.js` and `*.wasm`, and
 * nothing of the protocol between them.
 */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A way to break the package. */
export type Damage =
  /** The component's files hold no WebAssembly. */
  | "component-damaged"
  /** The worker ends at the first call it gets, every time it is started. */
  | "worker-dies"
  /** The worker ends at its fifth call, every time it is started. */
  | "worker-dies-later"
  /** The worker starts and then never answers a call. */
  | "worker-hangs"
  /** The worker never gets through its start. */
  | "worker-never-starts";

/** Copies the package into `target` and breaks it there. Throws where there is nothing to break. */
export function copyDamaged(packageFolder: string, target: string, damage: Damage): void {
  for (const name of ["package.json", "dist"]) cpSync(join(packageFolder, name), join(target, name), { recursive: true });
  if (damage === "component-damaged") {
    const files = readdirSync(join(target, "dist"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".wasm"));
    if (files.length === 0) throw new Error(`${packageFolder}/dist holds no .wasm file to damage`);
    for (const name of files) writeFileSync(join(target, "dist", name), "this is no WebAssembly");
    return;
  }
  const worker = join(target, "dist", "worker", "main.js");
  if (!existsSync(worker)) throw new Error(`${packageFolder} has no dist/worker/main.js to damage`);
  writeFileSync(worker, `${BEFORE_WORKER[damage]}\n${readFileSync(worker, "utf8")}`);
}

const ON_MESSAGE = `import { parentPort as damagedPort } from "node:worker_threads"; let damagedCalls = 0; damagedPort.on("message", () => {`;

const BEFORE_WORKER: Record<Exclude<Damage, "component-damaged">, string> = {
  "worker-dies": `${ON_MESSAGE} process.exit(9); });`,
  "worker-dies-later": `${ON_MESSAGE} if (++damagedCalls === 5) process.exit(9); });`,
  "worker-hangs": `${ON_MESSAGE} for (;;); });`,
  "worker-never-starts": "for (;;);",
};
