/**
 * The WASI that the component gets: nothing. Rust's standard library links these interfaces whether they are used or
 * not; every one of them answers as a machine without files, environment, arguments, terminal, time or randomness would,
 * and always the same. What the component prints (a panic's message may quote a session) goes nowhere.
 *
 * The keys are what the transpiler derives from the interfaces' names: `wasi:cli/terminal-input` is `cliTerminalInput`.
 */

/** Thrown by an interface that the component has no business calling; ends the instance. */
class ClosedWorldViolation extends Error {
  override readonly name = "ClosedWorldViolation";
}

function refuse(what: string): never {
  throw new ClosedWorldViolation(`the component called ${what}, which the closed world does not have`);
}

class IoError {
  toDebugString(): string {
    return "closed";
  }
}

class Pollable {
  ready(): boolean {
    return true;
  }
  block(): void {}
}

/** A stream at its end. */
class InputStream {
  read(_length: bigint): Uint8Array {
    throw closedStream();
  }
  blockingRead(_length: bigint): Uint8Array {
    throw closedStream();
  }
  subscribe(): Pollable {
    return new Pollable();
  }
}

/** Takes everything and keeps nothing. */
class OutputStream {
  checkWrite(): bigint {
    return 65_536n;
  }
  write(_bytes: Uint8Array): void {}
  blockingWriteAndFlush(_bytes: Uint8Array): void {}
  flush(): void {}
  blockingFlush(): void {}
  subscribe(): Pollable {
    return new Pollable();
  }
}

/** A WIT error of the type `stream-error`. */
function closedStream(): Error & { payload: { tag: "closed" } } {
  return Object.assign(new Error("closed"), { payload: { tag: "closed" as const } });
}

class TerminalInput {}
class TerminalOutput {}
class Descriptor {}
class DirectoryEntryStream {}

export const closedWorld = {
  cliEnvironment: {
    getEnvironment: (): [string, string][] => [],
    getArguments: (): string[] => [],
    initialCwd: (): string | undefined => undefined,
  },
  cliExit: { exit: (_status: unknown): never => refuse("exit") },
  cliStdin: { getStdin: () => new InputStream() },
  cliStdout: { getStdout: () => new OutputStream() },
  cliStderr: { getStderr: () => new OutputStream() },
  cliTerminalInput: { TerminalInput },
  cliTerminalOutput: { TerminalOutput },
  cliTerminalStdin: { getTerminalStdin: (): TerminalInput | undefined => undefined },
  cliTerminalStdout: { getTerminalStdout: (): TerminalOutput | undefined => undefined },
  cliTerminalStderr: { getTerminalStderr: (): TerminalOutput | undefined => undefined },
  clocksMonotonicClock: {
    now: (): bigint => 0n,
    resolution: (): bigint => 1n,
    subscribeDuration: (_duration: bigint) => new Pollable(),
    subscribeInstant: (_instant: bigint) => new Pollable(),
  },
  clocksWallClock: {
    now: () => ({ seconds: 0n, nanoseconds: 0 }),
    resolution: () => ({ seconds: 1n, nanoseconds: 0 }),
  },
  filesystemPreopens: { getDirectories: (): [Descriptor, string][] => [] },
  filesystemTypes: { Descriptor, DirectoryEntryStream, filesystemErrorCode: (_error: unknown): undefined => undefined },
  ioError: { Error: IoError },
  ioPoll: { Pollable, poll: (pollables: readonly unknown[]) => Uint32Array.from(pollables.keys()) },
  ioStreams: { InputStream, OutputStream },
  randomInsecure: { getInsecureRandomBytes: (length: bigint) => new Uint8Array(Number(length)), getInsecureRandomU64: (): bigint => 0n },
  randomInsecureSeed: { insecureSeed: (): [bigint, bigint] => [0n, 0n] },
  randomRandom: { getRandomBytes: (_length: bigint): never => refuse("randomness"), getRandomU64: (): never => refuse("randomness") },
};
