/**
 * The public face: an engine, which is one worker with one instance of the component, and its sessions.
 *
 * ```ts
 * await using engine = await ContextEngine.start();
 * const session = await engine.openSession({ sessionId: "s1", logFile: "/path/to/session.jsonl" });
 * const plan = await session.plan({ readLog: true });
 * ```
 */
import { checkLayers, checkTexts } from "./argument-checks.js";
import { untilAborted, type CallOptions } from "./call-options.js";
import type { Config, ConfigLayer, MergedConfig, Redaction } from "./contract.js";
import { CALL_DEADLINE_MS, COMPONENT_MEMORY_BYTES } from "./limits.js";
import { jsonBytes, parsedJson } from "./json.js";
import { Session, type SessionOptions } from "./session.js";
import { WorkerClient } from "./worker/client.js";

export interface EngineOptions {
  /** Bytes of memory that the component may grow to; 1 GiB unless said otherwise. */
  readonly memoryBytes?: number;
  /** URL of another transpiled component's module than the one in this package. */
  readonly componentUrl?: string;
  /** Gives up a start that is under way, which then fails as `closed`. Without it, a component that hangs holds up its caller. */
  readonly signal?: AbortSignal;
}

export class ContextEngine implements AsyncDisposable {
  readonly #client: WorkerClient;
  #sessions = 0;

  private constructor(client: WorkerClient) {
    this.#client = client;
  }

  /** An engine whose component is loaded with its first call, in the background. */
  static create(options: EngineOptions = {}): ContextEngine {
    return new ContextEngine(
      new WorkerClient({
        componentUrl: options.componentUrl ?? new URL("./component/engine.js", import.meta.url).href,
        memoryBytes: options.memoryBytes ?? COMPONENT_MEMORY_BYTES,
      }),
    );
  }

  /** Loads the component and waits until it answers. Errors: `other` where it cannot be loaded. */
  static async start(options: EngineOptions = {}): Promise<ContextEngine> {
    const engine = ContextEngine.create(options);
    const giveUp = () => void engine.close();
    options.signal?.addEventListener("abort", giveUp, { once: true });
    try {
      options.signal?.aborted === true && (await engine.close());
      await engine.mergeConfig([]);
    } catch (error) {
      await engine.close();
      throw error;
    } finally {
      options.signal?.removeEventListener("abort", giveUp);
    }
    return engine;
  }

  /**
   * Opens a session without reading its log. Errors: `invalid-input` for a configuration or seed that does not hold.
   */
  async openSession(options: SessionOptions): Promise<Session> {
    return Session.open(this.#client, this.#sessions++, options);
  }

  /**
   * Checks every key of every layer, merges them (the last wins), and fills in the defaults. A layer that is not valid
   * is ignored as a whole and named among the problems, so the result is always usable. Errors: `invalid-input` for a value
   * that is no list of layers.
   */
  async mergeConfig(layers: readonly ConfigLayer[]): Promise<MergedConfig> {
    checkLayers(layers);
    const wire = layers.map(({ source, content }) => ({
      source,
      content: content instanceof Uint8Array ? new Uint8Array(content) : jsonBytes(content),
    }));
    const merged = await this.#client.callEngine({ call: "merge-config", layers: wire }, CALL_DEADLINE_MS);
    return { config: parsedJson<Config>(merged.config), problems: merged.problems };
  }

  /**
   * The keys, tokens and passwords of each text, by the engine's rules: one list a text, each in the order of the ranges, which do
   * not overlap. All texts cross to the worker at once: a few megabytes a call are fast. Errors: `invalid-input` for a value that
   * is no list of texts.
   */
  async findSecrets(texts: readonly string[], options: CallOptions = {}): Promise<readonly (readonly Redaction[])[]> {
    checkTexts(texts);
    const call = this.#client.callEngine({ call: "find-secrets", texts }, options.deadlineMs ?? CALL_DEADLINE_MS);
    return untilAborted(call, options.signal);
  }

  /** Stops the worker. Calls under way fail as `closed`; calling it twice is fine. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
