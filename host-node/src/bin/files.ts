/** Files that the command line names, or that stand where the platform keeps a person's own. */
import { open, readFile, realpath, stat } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { basename, join } from "node:path";
import type { ConfigLayer, LogFormat } from "../contract.js";
import { COMPONENT_MEMORY_BYTES } from "../limits.js";
import { BadInput, type LogArguments } from "./arguments.js";

/** Bytes of a log's start that are looked at for its format. */
const FORMAT_BYTES = 64 * 1024;
/** Bytes of a configuration file that are read; the component takes fewer and says so. */
const CONFIG_BYTES = 16 * 1024 * 1024;
/** Memory for each byte of a log that is larger than the default limit is made for. */
const MEMORY_PER_LOG_BYTE = 8;
/** All that a 32-bit component can address. */
const LARGEST_MEMORY = 4 * 1024 * 1024 * 1024;

const CONFIG_FILE = "ds4-context.json";

/** A readable log. */
export interface SessionFile {
  /** As the person wrote it, for messages. */
  readonly named: string;
  /** With links followed: the person named them, and inside the granted folder none is followed out. */
  readonly path: string;
  readonly sessionId: string;
  /** None where the first line does not tell; it may be damaged. */
  readonly format: LogFormat | undefined;
  /** Memory that a component for this log may use. */
  readonly memoryBytes: number;
}

/** Throws `BadInput`. */
export async function findSession(words: LogArguments): Promise<SessionFile> {
  const named = words.session;
  const bytes = await fileSize(named);
  const path = await readable(named, realpath(named));
  return {
    named,
    path,
    sessionId: basename(named).replace(/\.jsonl$/, ""),
    format: words.format ?? (await readable(named, detectedFormat(path))),
    memoryBytes: Math.max(COMPONENT_MEMORY_BYTES, Math.min(bytes * MEMORY_PER_LOG_BYTE, LARGEST_MEMORY)),
  };
}

/** The person's own configuration where there is one, then the named files. Throws `BadInput`. */
export async function configLayers(dataDir: string | undefined, files: readonly string[]): Promise<ConfigLayer[]> {
  const own = join(dataFolder(dataDir, process.env), CONFIG_FILE);
  const ownFiles = (await stat(own).catch(() => undefined))?.isFile() === true ? [own] : [];
  return Promise.all([...ownFiles, ...files].map(configLayer));
}

async function configLayer(file: string): Promise<ConfigLayer> {
  if ((await fileSize(file)) > CONFIG_BYTES) {
    throw new BadInput(`${file} is too large for a configuration`);
  }
  const content = new Uint8Array(await readable(file, readFile(file)));
  utf8(file, content);
  return { source: file, content };
}

/** The text of a file. Throws `BadInput`. */
export async function readText(file: string, reading: Promise<Uint8Array>): Promise<string> {
  return utf8(file, await readable(file, reading));
}

function utf8(file: string, content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new BadInput(`${file} is not UTF-8 text`);
  }
}

/** `--data-dir`, else `DS4_CONTEXT_HOME`. An empty name is none. */
export function namedDataFolder(named: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  const chosen = named ?? environment["DS4_CONTEXT_HOME"];
  return chosen === "" ? undefined : chosen;
}

/** The named folder, else the platform's for data. */
export function dataFolder(named: string | undefined, environment: NodeJS.ProcessEnv): string {
  const chosen = namedDataFolder(named, environment);
  if (chosen !== undefined) {
    return chosen;
  }
  switch (platform()) {
    case "darwin":
      return join(homedir(), "Library", "Application Support", "ds4-context");
    case "win32":
      return join(environment["APPDATA"] ?? join(homedir(), "AppData", "Roaming"), "ds4-context", "data");
    default:
      return join(environment["XDG_DATA_HOME"] ?? join(homedir(), ".local", "share"), "ds4-context");
  }
}

async function fileSize(file: string): Promise<number> {
  const found = await readable(file, stat(file));
  if (!found.isFile()) {
    throw new BadInput(`${file} is not a file`);
  }
  return found.size;
}

async function readable<Result>(file: string, reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    switch (code) {
      case "ENOENT":
        throw new BadInput(`there is no file ${file}`);
      case "EACCES":
        throw new BadInput(`${file} may not be read`);
      default:
        throw new BadInput(`${file} cannot be read (${code ?? "unknown"})`);
    }
  }
}

async function detectedFormat(path: string): Promise<LogFormat | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FORMAT_BYTES), 0, FORMAT_BYTES, 0);
    const [firstLine = ""] = buffer.toString("utf8", 0, bytesRead).split("\n");
    return /^\s*\{.*"type"\s*:\s*"ds4-runtime-session-v1"/.test(firstLine) ? "runtime-session-v1" : undefined;
  } finally {
    await file.close();
  }
}
