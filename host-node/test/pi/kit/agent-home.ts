/**
 * A temporary home for one Pi: agent folder with models and settings, a working folder, and an environment that leads nowhere
 * else (no user's settings, keys or proxies, no network).
 *
 * Invariant: everything a run writes lies below `root`, and `remove` takes it away.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** A model of the mock provider, as `models.json` declares it. */
export interface MockModel {
  readonly provider: "mock" | "mockant";
  readonly id: string;
  /** Context window in tokens. */
  readonly contextWindow: number;
  /** Longest answer in tokens. */
  readonly maxTokens: number;
}

/** OpenAI chat, 128,000 tokens: the short conversations come nowhere near its window. */
export const MOCK_LARGE: MockModel = { provider: "mock", id: "mock-1", contextWindow: 128_000, maxTokens: 4_096 };
/** OpenAI chat, 400,000 tokens: a conversation far larger than the small window fits, and so does its tail's ceiling (behaviour 2.1). */
export const MOCK_HUGE: MockModel = { provider: "mock", id: "mock-huge", contextWindow: 400_000, maxTokens: 4_096 };
/** OpenAI chat, 24,000 tokens: three turns of tool output are more than its window. */
export const MOCK_SMALL: MockModel = { provider: "mock", id: "mock-small", contextWindow: 24_000, maxTokens: 2_048 };
/** Anthropic messages, 24,000 tokens. */
export const MOCK_CLAUDE: MockModel = { provider: "mockant", id: "claude", contextWindow: 24_000, maxTokens: 2_048 };

const MODELS = [MOCK_LARGE, MOCK_HUGE, MOCK_SMALL, MOCK_CLAUDE];

/** Folders and environment of one Pi. */
export class AgentHome {
  readonly root = mkdtempSync(join(tmpdir(), "ds4-pi-"));
  /** `PI_CODING_AGENT_DIR`. */
  readonly agentFolder = join(this.root, "agent");
  /** The working folder in which Pi runs. */
  readonly workFolder = join(this.root, "work");

  /** Makes the folders. `providerUrl` is the address of the mock provider; Pi's own compaction is off. */
  constructor(providerUrl: string) {
    for (const folder of [this.agentFolder, this.workFolder]) mkdirSync(folder);
    this.configure("models.json", {
      providers: {
        mock: provider("openai-completions", `${providerUrl}/v1`, "mock"),
        mockant: provider("anthropic-messages", providerUrl, "mockant"),
      },
    });
    this.configure("settings.json", {
      defaultProvider: MOCK_LARGE.provider,
      defaultModel: MOCK_LARGE.id,
      enableInstallTelemetry: false,
      cacheWarming: "off",
      // Off, but a compaction that a test asks for finds something to summarise.
      compaction: { enabled: false, keepRecentTokens: 2_000 },
      branchSummary: { skipPrompt: true },
      retry: { enabled: true, maxRetries: 2, baseDelayMs: 10 },
    });
    writeFileSync(join(this.workFolder, "notes.txt"), "alpha\nbeta\ngamma\n");
  }

  /** Writes a JSON file into the agent folder, for example our `ds4-context.json`. */
  configure(name: string, value: object): void {
    this.configureText(name, JSON.stringify(value, undefined, 1));
  }

  /** The same with any text, which need not be JSON. */
  configureText(name: string, text: string): void {
    writeFileSync(join(this.agentFolder, name), text);
  }

  /** The whole environment of a Pi that `node` runs. Nothing of this process's environment goes in but `PATH`. */
  environment(node: string): Record<string, string> {
    return {
      PATH: [dirname(node), process.env["PATH"] ?? ""].join(delimiter),
      HOME: this.root,
      TMPDIR: this.root,
      LANG: "C.UTF-8",
      NO_COLOR: "1",
      PI_CODING_AGENT_DIR: this.agentFolder,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
    };
  }

  /** Paths of the session logs below the agent folder, oldest name first. */
  sessionLogs(): string[] {
    return this.files()
      .filter((path) => path.startsWith(join(this.agentFolder, "sessions")) && path.endsWith(".jsonl"))
      .sort();
  }

  /** Paths of all files below the root. */
  files(): string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  }

  /** Deletes it all. */
  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

function provider(api: string, baseUrl: string, name: MockModel["provider"]): object {
  const models = MODELS.filter((model) => model.provider === name).map((model) => ({
    id: model.id,
    name: model.id,
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
    contextWindow: model.contextWindow,
    maxTokens: model.maxTokens,
  }));
  return { baseUrl, api, apiKey: "mock-key", models };
}
