/**
 * The Rust programs that some tests run beside Pi. `cargo xtask test` builds them; a missing one fails the test that needs it with one
 * clear line.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** How a program ended, and all that it said. */
export interface ProgramRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of `target/release` to its end. */
export async function runRust(name: "ds4-context" | "index-worker", words: readonly string[], environment: Readonly<Record<string, string>>): Promise<ProgramRun> {
  const path = fileURLToPath(new URL(`../../../../target/release/${name}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`${path} does not exist; build it: cargo xtask test`);
  const child = spawn(path, words, { env: { ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, stdout, stderr };
}
