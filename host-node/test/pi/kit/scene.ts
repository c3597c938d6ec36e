/**
 * One test's stage: a mock provider, a home, and the Pi processes that run in it. All of it is closed and removed when the
 * test ends, whatever its outcome.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { AgentHome } from "./agent-home.ts";
import type { PiInstallation } from "./installations.ts";
import { MockProvider } from "./mock-provider.ts";
import { printRun, type PrintOptions, type PrintRun } from "./pi-print.ts";
import { PiRpc, type PiRpcOptions } from "./pi-rpc.ts";

/** Provider, home and processes of one test. */
export class Scene {
  readonly pi: PiInstallation;
  readonly provider: MockProvider;
  readonly home: AgentHome;
  readonly #processes: PiRpc[] = [];

  /** Opens a stage that closes itself after the test. */
  static async open(test: TestContext, pi: PiInstallation): Promise<Scene> {
    const logFolder = mkdtempSync(join(tmpdir(), "ds4-mock-"));
    const provider = await MockProvider.start(join(logFolder, "requests.jsonl"));
    const scene = new Scene(pi, provider);
    test.after(async () => {
      for (const process of scene.#processes) await process.close();
      await provider.close();
      scene.home.remove();
      rmSync(logFolder, { recursive: true, force: true });
    });
    return scene;
  }

  private constructor(pi: PiInstallation, provider: MockProvider) {
    this.pi = pi;
    this.provider = provider;
    this.home = new AgentHome(provider.url);
  }

  /** Starts Pi in RPC mode. */
  async start(options: Omit<PiRpcOptions, "pi" | "home"> = {}): Promise<PiRpc> {
    const rpc = await PiRpc.start({ pi: this.pi, home: this.home, ...options });
    this.#processes.push(rpc);
    return rpc;
  }

  /** Runs Pi in print mode. */
  print(prompt: string, options: Omit<PrintOptions, "pi" | "home"> = {}): Promise<PrintRun> {
    return printRun(prompt, { pi: this.pi, home: this.home, ...options });
  }
}
