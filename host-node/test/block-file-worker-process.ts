/** Starts workers on one block file, of this host or of the other one, and collects what they say. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A program with the commands of `block-file-worker`. */
export type WorkerProgram = readonly [string, ...string[]];

export const nodeWorker: WorkerProgram = [process.execPath, fileURLToPath(new URL("./block-file-worker.js", import.meta.url))];

const rustProgram = fileURLToPath(new URL("../../target/release/block-file-worker", import.meta.url));

/** None where it is not built (`cargo build --release -p ds4-context-tests`). */
export const rustWorker: WorkerProgram | undefined = existsSync(rustProgram) ? [rustProgram] : undefined;

export interface Step {
  readonly what: "committed" | "read";
  readonly generation: number;
  readonly counter: number;
}

export class WorkerProcess {
  readonly steps: Step[] = [];
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
  readonly #signal: (signal: NodeJS.Signals) => void;
  #isRunning = true;

  /** `count` 0 is without end. */
  constructor(program: WorkerProgram, command: "commit" | "read", folder: string, count: number, seed = 0) {
    const [path, ...words] = program;
    const numbers = command === "commit" ? [count, seed] : [count];
    const child = spawn(path, [...words, command, folder, "pages", ...numbers.map(String)], { stdio: ["ignore", "pipe", "pipe"] });
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [what, generation, counter] = line.split(" ");
      // The last line of a process that is killed may be cut.
      if ((what === "committed" || what === "read") && counter !== undefined) {
        this.steps.push({ what, generation: Number(generation), counter: Number(counter) });
      }
    });
    let said = "";
    child.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()));
    this.#signal = (signal) => child.kill(signal);
    this.ended = once(child, "close").then(() => {
      this.#isRunning = false;
      return { code: child.exitCode, said };
    });
  }

  /** Waits until the worker has said something, or ended. */
  async speaks(): Promise<void> {
    while (this.steps.length === 0 && this.#isRunning) {
      await wait(2);
    }
  }

  /** Kills it where it stands. What it said on standard error is empty unless it found a mixture. */
  async kill(): Promise<string> {
    this.#signal("SIGKILL");
    return (await this.ended).said;
  }

  /** Lets it stand still where it is, until `goOn`. */
  stop(): void {
    this.#signal("SIGSTOP");
  }

  goOn(): void {
    this.#signal("SIGCONT");
  }
}
