/** The few parts of Pi's extension interface that the test extensions use. Types only. */

/** A message as the `context` hook sees it; only what the test extensions read. */
export interface ContextMessage {
  readonly role: string;
  readonly content: string | readonly ContentBlock[];
  readonly [field: string]: unknown;
}

/** A block of a message's content. */
export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
}

/** An entry of the session tree. */
export interface SessionEntry {
  readonly id: string;
  readonly type: string;
  readonly message?: ContextMessage;
}

/** What `turn_end` tells; the entry IDs are there from Pi 0.87 on. */
export interface TurnEnd {
  readonly toolResults: readonly ContextMessage[];
  readonly toolResultEntryIds?: readonly string[];
  readonly entries?: readonly object[];
}

/** What a command handler gets. */
export interface CommandContext {
  readonly sessionManager: { getBranch(): readonly SessionEntry[] };
  navigateTree(entryId: string, options?: { summarize?: boolean }): Promise<{ cancelled: boolean }>;
  reload(): Promise<void>;
}

/** The extension interface. */
export interface Pi {
  on(
    event: "context",
    handler: (event: { messages: readonly ContextMessage[] }) => { messages: readonly ContextMessage[] } | undefined,
  ): unknown;
  on(event: "turn_end", handler: (event: TurnEnd) => { entries: readonly object[] } | undefined): unknown;
  sendMessage(message: { customType: string; content: string; display: boolean }): void;
  registerCommand(
    name: string,
    command: { description: string; handler: (argument: string, context: CommandContext) => Promise<void> },
  ): void;
}

/** The text of a message, its blocks one a line. */
export function textOf(message: ContextMessage): string {
  return typeof message.content === "string" ? message.content : message.content.map((block) => block.text ?? "").join("\n");
}
