/**
 * A Pi in RPC mode, driven by a test: one request at a time, its events, its extension UI, its end.
 *
 * Invariants: every wait has a time limit, and its error says what Pi wrote to stderr. A dialog gets an answer at once (or none, where
 * the test says so) and is recorded. The process ends by closing its stdin; it is killed, by its own process ID, only
 * when it does not.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import type { AgentHome, MockModel } from "./agent-home.ts";
import type { PiInstallation } from "./installations.ts";
import { LineSplitter } from "./lines.ts";

/** A record that Pi wrote to stdout. */
export type RpcRecord = { readonly type: string } & Readonly<Record<string, unknown>>;

/** An `extension_ui_request`: `notify`, `setStatus`, … or a dialog. */
export interface UiRequest {
  readonly method: string;
  readonly text: string;
  /** For `notify`: info, warning or error. */
  readonly level: string | undefined;
  readonly record: RpcRecord;
}

/** How a process ended. `killed` says that the driver had to kill it. */
export interface PiExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly killed: boolean;
}

/** What to start. */
export interface PiRpcOptions {
  readonly pi: PiInstallation;
  readonly home: AgentHome;
  /** Paths given with `-e`, in this order. Auto-discovery is off. */
  readonly extensions?: readonly string[];
  /** More arguments, for example `--no-session`. */
  readonly arguments?: readonly string[];
  /** More environment, over that of the home. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Answer to dialogs; `ignore` leaves them open as a client without a person does. Default: `decline`. */
  readonly dialogs?: "decline" | "ignore";
  /** Limit of each wait in ms. Default 30,000. */
  readonly timeoutMs?: number;
}

const DIALOGS = new Set(["select", "confirm", "input", "editor"]);
const EXIT_LIMIT_MS = 10_000;

/** The driver. */
export class PiRpc {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<PiExit>;
  readonly #timeoutMs: number;
  readonly #dialogs: "decline" | "ignore";
  readonly #records: RpcRecord[] = [];
  readonly #listeners = new Set<(record: RpcRecord | undefined) => void>();
  #stderr = "";
  #requests = 0;
  #ended = false;
  #killed = false;

  /** Starts Pi and waits until it answers. */
  static async start(options: PiRpcOptions): Promise<PiRpc> {
    const rpc = new PiRpc(options);
    try {
      await rpc.request({ type: "get_state" });
    } catch (error) {
      await rpc.close();
      throw error;
    }
    return rpc;
  }

  private constructor({ pi, home, extensions = [], arguments: more = [], ...rest }: PiRpcOptions) {
    this.#timeoutMs = rest.timeoutMs ?? 30_000;
    this.#dialogs = rest.dialogs ?? "decline";
    const argv = [pi.cli, "--mode", "rpc", "-ne", ...extensions.flatMap((path) => ["-e", path]), ...more];
    this.#child = spawn(pi.node, argv, { cwd: home.workFolder, env: { ...home.environment(pi.node), ...rest.environment } });
    this.#exited = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        this.#ended = true;
        for (const listener of this.#listeners) listener(undefined);
        resolve({ code, signal, killed: this.#killed });
      });
    });
    const lines = new LineSplitter();
    this.#child.stdout.on("data", (chunk: Buffer) => lines.push(chunk).forEach((line) => this.#receive(line)));
    this.#child.stderr.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString("utf8")));
    // A write after Pi died must fail the wait that follows it, not the test process.
    this.#child.stdin.on("error", () => undefined);
  }

  /** Threads of the process, workers included; undefined where the system does not say (it is read from `/proc`). */
  get threads(): number | undefined {
    const folder = `/proc/${this.#child.pid}/task`;
    return existsSync(folder) ? readdirSync(folder).length : undefined;
  }

  /** Everything Pi wrote to stdout so far. */
  get records(): readonly RpcRecord[] {
    return this.#records;
  }

  /** Everything Pi wrote to stderr so far. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Errors of extensions: `event: error`, one string each. */
  get extensionErrors(): string[] {
    return this.#records
      .filter((record) => record.type === "extension_error")
      .map((record) => `${String(record["event"])}: ${String(record["error"])}`);
  }

  /** Extension UI records from index `from` of {@link records} on. */
  uiRequests(from = 0): UiRequest[] {
    return this.#records.slice(from).filter((record) => record.type === "extension_ui_request").map(readUiRequest);
  }

  /** UI records that wait for an answer of a person. */
  get dialogs(): UiRequest[] {
    return this.uiRequests().filter((request) => DIALOGS.has(request.method));
  }

  /** Notifications: what a person reads, in order. */
  get notifications(): UiRequest[] {
    return this.uiRequests().filter((request) => request.method === "notify");
  }

  /** Sends a command, returns the `data` of its response. Throws where the response is no success. */
  async request(command: { type: string } & Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = `r${++this.#requests}`;
    const response = this.#waitFor((record) => record.type === "response" && record["id"] === id, `the response to ${command.type}`);
    this.#write({ id, ...command });
    const record = await response;
    if (record["success"] !== true) throw new Error(`${command.type} failed: ${String(record["error"])}`);
    const data = record["data"];
    return typeof data === "object" && data !== null ? { ...data } : {};
  }

  /** Sends a prompt to the model and waits until the run has settled. Returns the text of the last answer. */
  async prompt(message: string): Promise<string> {
    const settled = this.#waitFor((record) => record.type === "agent_settled", `the end of the run of "${message.slice(0, 60)}"`);
    settled.catch(() => undefined);
    await this.request({ type: "prompt", message });
    await settled;
    return String((await this.request({ type: "get_last_assistant_text" }))["text"] ?? "");
  }

  /** Sends a prompt, waits for the first record that `isReached` accepts, aborts there, and waits until the run has settled. */
  async abortAt(message: string, isReached: (record: RpcRecord) => boolean): Promise<void> {
    const reached = this.#waitFor(isReached, "the place to abort at");
    const settled = this.#waitFor((record) => record.type === "agent_settled", "the end of the aborted run");
    for (const wait of [reached, settled]) wait.catch(() => undefined);
    await this.request({ type: "prompt", message });
    await reached;
    await this.request({ type: "abort" });
    await settled;
  }

  /** Runs a slash command of an extension and returns the UI records that came until it had ended. */
  async command(message: string): Promise<UiRequest[]> {
    const from = this.#records.length;
    await this.request({ type: "prompt", message });
    return this.uiRequests(from);
  }

  /** Selects a model. */
  async selectModel(model: MockModel): Promise<void> {
    await this.request({ type: "set_model", provider: model.provider, modelId: model.id });
  }

  /** Path of the session's log; undefined for a session in memory. */
  async sessionFile(): Promise<string | undefined> {
    const path = (await this.request({ type: "get_state" }))["sessionFile"];
    return typeof path === "string" ? path : undefined;
  }

  /** Closes stdin and waits for the end. Kills the process where it is still there after ten seconds. */
  async close(): Promise<PiExit> {
    if (!this.#ended) {
      this.#child.stdin.end();
      const timer = setTimeout(() => {
        this.#killed = true;
        this.#child.kill("SIGKILL");
      }, EXIT_LIMIT_MS);
      await this.#exited;
      clearTimeout(timer);
    }
    return this.#exited;
  }

  #write(record: object): void {
    this.#child.stdin.write(`${JSON.stringify(record)}\n`);
  }

  #receive(line: string): void {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      record = { type: "not_json", line };
    }
    if (!isRpcRecord(record)) return;
    this.#records.push(record);
    const dialog = record.type === "extension_ui_request" && DIALOGS.has(String(record["method"]));
    if (dialog && this.#dialogs === "decline") {
      const answer = record["method"] === "confirm" ? { confirmed: false } : { cancelled: true };
      this.#write({ type: "extension_ui_response", id: record["id"], ...answer });
    }
    for (const listener of this.#listeners) listener(record);
  }

  #waitFor(wanted: (record: RpcRecord) => boolean, what: string): Promise<RpcRecord> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        stop();
        reject(new Error(`${why} while waiting for ${what}; stderr of Pi: ${this.#stderr.trim() || "(empty)"}`));
      };
      const listener = (record: RpcRecord | undefined): void => {
        if (record === undefined) return fail("Pi ended");
        if (!wanted(record)) return;
        stop();
        resolve(record);
      };
      const timer = setTimeout(() => fail(`no answer in ${this.#timeoutMs} ms`), this.#timeoutMs);
      const stop = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
      };
      if (this.#ended) return fail("Pi had ended");
      this.#listeners.add(listener);
    });
  }
}

function readUiRequest(record: RpcRecord): UiRequest {
  const lines: unknown = record["widgetLines"];
  const parts = [record["title"], record["message"], record["statusText"], ...(Array.isArray(lines) ? lines : [])];
  const level = record["notifyType"];
  return {
    method: String(record["method"]),
    text: parts.filter((part) => typeof part === "string").join("\n"),
    level: typeof level === "string" ? level : undefined,
    record,
  };
}

function isRpcRecord(value: unknown): value is RpcRecord {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
