/**
 * A component that does with a block file what a test's plan request says in `systemPrompt`, and answers in the plan's
 * `manifestId`: `lock` (lock, read, unlock; the counter or the error), `hold` (lock, begin a commit and stay so), and then
 * `hold-hang`, `hold-trap`, `hold-end` (the worker ends itself).
 */
interface BlockFile {
  lock(): bigint;
  unlock(): void;
  size(): bigint;
  commit(extents: readonly { offset: bigint; length: number }[], data: Uint8Array, newSize: bigint, final: boolean): bigint;
}

interface Storage {
  openBlockFile(name: string): BlockFile;
}

let storage: Storage;
const held: BlockFile[] = [];

class Session {
  static open(): Session {
    return new Session();
  }

  [Symbol.dispose](): void {}
}

class Job {
  readonly #answer: string;

  constructor(answer: string) {
    this.#answer = answer;
  }

  static start(_session: Session, request: { systemPrompt?: string }): Job {
    const what = request.systemPrompt ?? "";
    return new Job(what === "lock" ? lockAndUnlock() : hold(what));
  }

  advance() {
    return { items: [], manifestId: this.#answer, promptHash: "0", estimatedTokens: 0, estimator: "none", fallback: undefined };
  }
}

function lockAndUnlock(): string {
  try {
    const file = storage.openBlockFile("index");
    const counter = file.lock();
    const size = file.size();
    file.unlock();
    return `counter ${counter} size ${size}`;
  } catch (error) {
    return (error as { payload?: { tag?: string } }).payload?.tag ?? String(error);
  }
}

function hold(what: string): string {
  const file = storage.openBlockFile("index");
  const counter = file.lock();
  file.commit([{ offset: 0n, length: 4 }], new TextEncoder().encode("half"), 4n, false);
  held.push(file);
  if (what === "hold-trap") {
    throw new Error("wasm trap: unreachable");
  }
  if (what === "hold-end") {
    process.exit(7);
  }
  while (what === "hold-hang");
  return `counter ${counter}`;
}

export function instantiate(_getCoreModule: unknown, imports: Readonly<Record<string, unknown>>) {
  storage = imports["ds4:context/storage"] as Storage;
  return { sessions: { Session, mergeConfig: () => ({ config: new TextEncoder().encode("{}"), problems: [] }) }, planning: { Job } };
}
