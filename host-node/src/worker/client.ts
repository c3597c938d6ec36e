/**
 * The caller's side of the worker: starts it when it is needed, sends one request at a time, and bounds each by a
 * deadline.
 *
 * Invariants:
 * - A call that misses its deadline while it runs costs the worker, because nothing else can stop a component; one that
 *   misses it while it waits costs nothing. Calls behind it wait for the next worker.
 * - After a trap, a missed deadline or a lost worker the next call starts another worker.
 * - A worker that is gone holds no lock on a block file: what it held is released before another worker takes calls.
 * - The worker keeps the process alive while a call is under way and never otherwise.
 */
import { Worker, type Transferable } from "node:worker_threads";
import { EngineError } from "../errors.js";
import { LOG_READING_SHARE, LONGEST_TIMER_MS, WORKER_HEAP_MIB } from "../limits.js";
import { releaseLocksOfEndedWorker } from "../storage/file-lock.js";
import { HeldLocks } from "../storage/held-locks.js";
import { compileCoreModules } from "./core-modules.js";
import type { EngineCall, Request, Response, Results, SessionCall, SessionRecipe, WorkerStart } from "./messages.js";

export interface ClientOptions {
  /** URL of the transpiled component's module. */
  readonly componentUrl: string;
  /** Bytes of memory that the component may grow to. */
  readonly memoryBytes: number;
}

/** A session as the client needs to know it: a number, and how to make it again. */
export interface RemoteSession {
  readonly number: number;
  recipe(): SessionRecipe;
}

interface Call {
  readonly body: SessionCall | EngineCall;
  readonly session: RemoteSession | undefined;
  readonly transfer: readonly ArrayBuffer[];
  /** `performance.now()` at which the caller stops waiting. */
  readonly endsAt: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (result: Results[keyof Results]) => void;
  readonly reject: (error: EngineError) => void;
}

export class WorkerClient {
  readonly #options: ClientOptions;
  readonly #waiting: Call[] = [];
  #running: Call | undefined;
  #worker: Worker | undefined;
  #starting = false;
  /** A worker that is not ready yet. */
  #startingWorker: Worker | undefined;
  /** The end of the worker before, which may have had files locked. */
  #ending: Promise<unknown> | undefined;
  /** Sessions that the current worker holds. */
  readonly #held = new Set<number>();
  #closed = false;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Starts the worker now instead of with the first call. */
  warmUp(): void {
    if (this.#worker === undefined && !this.#starting) {
      void this.#start();
    }
  }

  /** Sends a call about a session. `transfer` lists buffers that the caller gives away. */
  callSession<Body extends SessionCall>(
    session: RemoteSession,
    body: Body,
    deadlineMs: number,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<Results[Body["call"]]> {
    return this.#enqueue(session, body, deadlineMs, transfer) as Promise<Results[Body["call"]]>;
  }

  callEngine<Body extends EngineCall>(body: Body, deadlineMs: number): Promise<Results[Body["call"]]> {
    return this.#enqueue(undefined, body, deadlineMs, []) as Promise<Results[Body["call"]]>;
  }

  /** Stops the worker; calls that are under way fail as `closed`. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    const calls = [...(this.#running === undefined ? [] : [this.#running]), ...this.#waiting.splice(0)];
    this.#running = undefined;
    for (const call of calls) {
      fail(call, closedError());
    }
    await this.#startingWorker?.terminate();
    await this.#dropWorker();
  }

  #enqueue(session: RemoteSession | undefined, body: SessionCall | EngineCall, deadlineMs: number, transfer: readonly ArrayBuffer[]) {
    return new Promise<Results[keyof Results]>((resolve, reject) => {
      if (this.#closed) {
        reject(closedError());
        return;
      }
      const call: Call = {
        body,
        session,
        transfer,
        endsAt: performance.now() + deadlineMs,
        timer: setTimeout(() => this.#missDeadline(call, deadlineMs), Math.min(deadlineMs, LONGEST_TIMER_MS)),
        resolve,
        reject,
      };
      this.#waiting.push(call);
      this.#sendNext();
    });
  }

  #sendNext(): void {
    if (this.#running !== undefined || this.#waiting.length === 0) {
      return;
    }
    if (this.#worker === undefined) {
      this.warmUp();
      return;
    }
    const call = this.#takeNext();
    if (call === undefined) {
      return;
    }
    this.#running = call;
    this.#worker.ref();
    try {
      this.#worker.postMessage(this.#request(call), call.transfer as readonly Transferable[]);
    } catch (error) {
      // A value that cannot be handed to another thread; the worker never saw it.
      this.#running = undefined;
      fail(call, new EngineError("invalid-input", error instanceof Error ? error.message : String(error)));
      this.#rest();
    }
  }

  /** The first that waits; of slices of an index behind which a plan waits, that plan, because a request waits for it. */
  #takeNext(): Call | undefined {
    const place = this.#waiting.findIndex(({ body }) => body.call !== "index" && body.call !== "index-scope");
    return this.#waiting[place]?.body.call === "plan" ? this.#waiting.splice(place, 1)[0] : this.#waiting.shift();
  }

  #request(call: Call): Request {
    if (call.session === undefined) {
      return { body: call.body as EngineCall };
    }
    const { number } = call.session;
    const readingMs = Math.max(0, call.endsAt - performance.now()) * LOG_READING_SHARE;
    const body = call.body as SessionCall;
    return this.#held.has(number)
      ? { session: number, readingMs, body }
      : { session: number, recipe: call.session.recipe(), readingMs, body };
  }

  #receive(response: Response): void {
    const call = this.#running;
    if (response.kind === "ready" || call === undefined) {
      return;
    }
    this.#running = undefined;
    const held = response.kind === "answer" ? call.body.call !== "close" : response.held;
    if (call.session !== undefined) {
      held ? this.#held.add(call.session.number) : this.#held.delete(call.session.number);
    }
    clearTimeout(call.timer);
    if (response.kind === "answer") {
      call.resolve(response.result);
    } else {
      call.reject(new EngineError(response.code, response.message));
      if (response.code === "trapped") {
        void this.#dropWorker();
      }
    }
    this.#rest();
  }

  /** Sends the next call, or lets the process end if it wants to. */
  #rest(): void {
    if (this.#waiting.length === 0) {
      this.#worker?.unref();
    } else {
      this.#sendNext();
    }
  }

  #missDeadline(call: Call, deadlineMs: number): void {
    const error = new EngineError("deadline-missed", `the context engine did not answer within ${deadlineMs} ms`);
    if (this.#running === call) {
      this.#running = undefined;
      void this.#dropWorker();
    } else {
      const place = this.#waiting.indexOf(call);
      if (place >= 0) {
        this.#waiting.splice(place, 1);
      }
    }
    fail(call, error);
    this.#rest();
  }

  async #start(): Promise<void> {
    this.#starting = true;
    try {
      const { componentUrl, memoryBytes } = this.#options;
      const compiling = compileCoreModules(componentUrl, memoryBytes);
      const heldLocks = new HeldLocks();
      const worker = startWorker({ componentUrl, heldLocks: heldLocks.memory });
      this.#startingWorker = worker;
      // Listened to from its first moment: an error without a listener would end the whole process.
      worker.on("error", (error) => this.#loseWorker(worker, error.message));
      worker.on("exit", (code) => {
        releaseLocksOfEndedWorker(heldLocks);
        this.#loseWorker(worker, `exit code ${code}`);
      });
      compiling.then((coreModules) => worker.postMessage(coreModules)).catch(() => void worker.terminate());
      const [failure] = await Promise.all([firstResponse(worker), compiling, this.#ending]);
      if (failure !== undefined || this.#closed) {
        void worker.terminate();
        throw failure ?? closedError();
      }
      worker.on("message", (response: Response) => {
        // An answer of a worker that was given up may still be on its way.
        if (this.#worker === worker) {
          this.#receive(response);
        }
      });
      this.#worker = worker;
      worker.unref();
    } catch (error) {
      const failure =
        error instanceof EngineError
          ? error
          : new EngineError("other", `the component cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
      for (const call of this.#waiting.splice(0)) {
        fail(call, failure);
      }
    } finally {
      this.#starting = false;
      this.#startingWorker = undefined;
    }
    this.#sendNext();
  }

  #loseWorker(worker: Worker, why: string): void {
    if (this.#worker !== worker) {
      return;
    }
    this.#worker = undefined;
    this.#held.clear();
    const call = this.#running;
    this.#running = undefined;
    if (call !== undefined) {
      fail(call, new EngineError("worker-lost", `the context engine's worker ended by itself (${why})`));
    }
    this.#sendNext();
  }

  async #dropWorker(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#held.clear();
    this.#ending = Promise.all([this.#ending, worker?.terminate()]);
    await this.#ending;
  }
}

function startWorker(start: WorkerStart): Worker {
  return new Worker(new URL("./main.js", import.meta.url), {
    workerData: start,
    name: "ds4-context-engine",
    // Nothing of the process is inherited: neither its flags nor its environment concern the component.
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MIB },
  });
}

/** Waits until the worker is ready; the error where it never will be. */
function firstResponse(worker: Worker): Promise<EngineError | undefined> {
  return new Promise((resolve) => {
    worker.once("message", (response: Response) => {
      resolve(response.kind === "failure" ? new EngineError(response.code, response.message) : undefined);
    });
    worker.once("error", (error) => resolve(new EngineError("worker-lost", error.message)));
    worker.once("exit", () => resolve(new EngineError("worker-lost", "the context engine's worker ended while it started")));
  });
}

function fail(call: Call, error: EngineError): void {
  clearTimeout(call.timer);
  call.reject(error);
}

function closedError(): EngineError {
  return new EngineError("closed", "the context engine was closed");
}
