/**
 * A component that does what a test's plan request says in `systemPrompt`, to see how the worker is looked after:
 * `trap`, `hang`, `end` (the worker ends itself), `error:<tag>`. It keeps what it was told, and shows it as its status.
 */
const encoder = new TextEncoder();

class Session {
  readonly options: { sessionId: string; log?: string };
  readonly calls: string[] = [];
  leafId: string | undefined;
  model: { id: string } | undefined;
  lines = 0;
  read = 0;
  disposed = false;

  constructor(options: { sessionId: string; log?: string }) {
    this.options = options;
  }

  static open(options: { sessionId: string; log?: string }): Session {
    if (options.sessionId === "refused") {
      throw failure("invalid-input", "this session is refused");
    }
    return new Session(options);
  }

  sync(maxBytes: number) {
    this.read += Math.min(maxBytes, 1);
    if (this.options.log === "endless.jsonl") {
      const until = performance.now() + 20;
      while (performance.now() < until);
      return { done: BigInt(this.read), total: undefined, finished: false };
    }
    return { done: BigInt(this.read), total: BigInt(this.read), finished: true };
  }

  append(lines: Uint8Array): number {
    this.lines += lines.filter((byte) => byte === 10).length;
    return this.lines;
  }

  selectLeaf(leafId: string | undefined): void {
    this.leafId = leafId;
  }

  selectModel(model: { id: string }): void {
    this.calls.push(`model ${model.id}`);
    this.model = model;
  }

  projectedMessages(): number {
    return this.lines;
  }

  recordUsage(): void {}

  [Symbol.dispose](): void {
    if (this.disposed) {
      throw new Error("disposed twice");
    }
    this.disposed = true;
  }
}

class Job {
  static start(_session: Session, request: { systemPrompt?: string }): Job {
    const what = request.systemPrompt ?? "";
    if (what === "trap") {
      throw new Error("wasm trap: unreachable");
    }
    if (what === "end") {
      process.exit(7);
    }
    while (what === "hang");
    if (what.startsWith("error:")) {
      throw failure(what.slice("error:".length), "as asked");
    }
    return new Job();
  }

  advance() {
    return { items: [], manifestId: "m_1", promptHash: "0", estimatedTokens: 0, estimator: "none", fallback: undefined };
  }
}

function failure(tag: string, val: string): Error {
  return Object.assign(new Error(tag), { payload: { tag, val } });
}

export function instantiate() {
  return {
    sessions: { Session, mergeConfig: () => ({ config: encoder.encode("{}"), problems: [] }) },
    planning: { Job, render: () => encoder.encode("{}") },
    diagnostics: {
      status: (session: Session) =>
        encoder.encode(
          JSON.stringify({
            sessionId: session.options.sessionId,
            leafId: session.leafId,
            model: session.model,
            messages: session.lines,
            read: session.read,
            calls: session.calls,
          }),
        ),
    },
  };
}
