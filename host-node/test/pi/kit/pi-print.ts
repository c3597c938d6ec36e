/**
 * Pi in print mode (`pi -p`): one prompt, the answer on stdout, no user interface.
 *
 * Invariant: stdin is closed from the start, so a question that nobody can answer ends the run or hits the time limit; it never
 * waits for the tester.
 */
import { spawn } from "node:child_process";
import type { AgentHome } from "./agent-home.ts";
import type { PiInstallation } from "./installations.ts";

/** What one run gave. */
export interface PrintRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From start of the process to its end. */
  readonly milliseconds: number;
}

/** What to run. */
export interface PrintOptions {
  readonly pi: PiInstallation;
  readonly home: AgentHome;
  readonly extensions?: readonly string[];
  readonly arguments?: readonly string[];
  /** Limit in ms, after which the process is killed and `code` is null. Default 30,000. */
  readonly timeoutMs?: number;
}

/** Runs one prompt. */
export async function printRun(prompt: string, options: PrintOptions): Promise<PrintRun> {
  const { pi, home, extensions = [], arguments: more = [], timeoutMs = 30_000 } = options;
  const argv = [pi.cli, "-p", "-ne", ...extensions.flatMap((path) => ["-e", path]), ...more, prompt];
  const started = performance.now();
  const child = spawn(pi.node, argv, {
    cwd: home.workFolder,
    env: home.environment(pi.node),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, stdout, stderr, milliseconds: performance.now() - started };
}
