/**
 * What the extension uses of Pi's interface, declared here because the extension imports nothing of Pi: it loads as a
 * native module in every version from 0.84.3 to 1.6.0. Members that one of them lacks are optional.
 */

/** A message of Pi's transcript. Only what decides about planning is named; the rest is carried along untouched. */
export interface PiMessage {
  readonly role: string;
  readonly timestamp?: number;
  readonly content?: string | readonly unknown[] | null;
  readonly [field: string]: unknown;
}

/** A line of a session's log. */
export interface PiEntry {
  readonly type: string;
  readonly id: string;
  readonly parentId?: string | null;
  readonly timestamp?: string;
  readonly [field: string]: unknown;
}

export interface PiSessionManager {
  /** None for a session that is kept in memory only. */
  getSessionFile(): string | undefined;
  getSessionId(): string;
  getLeafId(): string | null;
  /** From the root to the leaf, entries of every type. */
  getBranch(): readonly PiEntry[];
  /** Of all branches, in the order in which they were written. */
  getEntries(): readonly PiEntry[];
  /** Since 0.87. */
  buildSessionProjection?(): { readonly entries: readonly { readonly messages: readonly PiMessage[] }[] };
}

export interface PiModel {
  readonly provider: string;
  readonly id: string;
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly cost?: { readonly input?: number; readonly output?: number; readonly cacheRead?: number; readonly cacheWrite?: number };
}

export interface PiUi {
  notify(message: string, kind?: "info" | "warning" | "error"): void;
  /** Without a text, the status is taken away. */
  setStatus(key: string, text: string | undefined): void;
}

export interface PiContext {
  readonly ui: PiUi;
  readonly mode?: string;
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly sessionManager: PiSessionManager;
  readonly model?: PiModel | undefined;
  readonly signal?: AbortSignal | undefined;
  isProjectTrusted?(): boolean;
  getSystemPrompt?(): string;
}

export interface PiTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
}

export interface PiContextEvent {
  readonly messages: readonly PiMessage[];
}

export interface PiEvents {
  session_start: { readonly reason?: string };
  context: PiContextEvent;
  before_agent_start: { readonly prompt?: string };
  agent_settled: { readonly aborted?: boolean };
  session_tree: { readonly newLeafId?: string | null };
  model_select: { readonly model?: PiModel };
  session_shutdown: { readonly reason?: string };
}

/** A handler may answer at once or later; of these events only `context` takes an answer. */
export type PiHandler<Name extends keyof PiEvents> = (
  event: PiEvents[Name],
  context: PiContext,
) => Name extends "context" ? Promise<{ messages: PiMessage[] } | undefined> : Promise<void> | void;

export interface PiCommand {
  readonly description: string;
  getArgumentCompletions?(prefix: string): readonly { readonly value: string; readonly label: string }[] | null;
  handler(args: string, context: PiContext): Promise<void>;
}

export interface PiToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly details: unknown;
}

export interface PiToolDefinition {
  readonly name: string;
  readonly label: string;
  /** Part of every request. */
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: object;
  execute(
    callId: string,
    parameters: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: PiContext,
  ): Promise<PiToolResult>;
}

export interface PiExtensionApi {
  on<Name extends keyof PiEvents>(event: Name, handler: PiHandler<Name>): unknown;
  registerCommand(name: string, command: PiCommand): void;
  registerTool(tool: PiToolDefinition): void;
  getActiveTools?(): readonly string[];
  getAllTools?(): readonly PiTool[];
}
