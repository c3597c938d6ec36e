/**
 * The messages that the active branch projects to, as the engine counts them: without system messages, with context
 * edits applied.
 *
 * Pi 0.87 and later say so themselves. Before, Pi neither had context edits nor this function, but a log that a later Pi
 * wrote may hold them; the engine applies them, so the same rule is followed here, and Pi's own unedited message then goes
 * along inline.
 */
import type { PiEntry, PiMessage, PiSessionManager } from "./pi-types.js";

export function projectedMessages(manager: PiSessionManager): PiMessage[] {
  const messages = manager.buildSessionProjection?.().entries.flatMap((entry) => entry.messages) ?? projectBranch(manager.getBranch());
  return messages.filter((message) => message.role !== "system");
}

/** A branch's messages by Pi's rule, from its entries in order from the root. */
export function projectBranch(branch: readonly PiEntry[]): PiMessage[] {
  const selected = selectEntries(branch);
  const edits = new Map(selected.filter((entry) => entry.type === "context_edit").map((entry) => [entry["targetId"], entry]));
  return selected.flatMap((entry, place) => {
    // An older compaction inside the kept range contributes nothing.
    if (entry.type === "compaction" && place > 0) {
      return [];
    }
    return editedMessages(messagesOf(entry), edits.get(entry.id));
  });
}

/** The newest compaction, what it kept, and what came after it. Where its first kept entry is missing, nothing was kept. */
function selectEntries(branch: readonly PiEntry[]): readonly PiEntry[] {
  const place = branch.findLastIndex((entry) => entry.type === "compaction");
  const compaction = branch[place];
  if (compaction === undefined) {
    return branch;
  }
  const before = branch.slice(0, place);
  const firstKept = before.findIndex((entry) => entry.id === compaction["firstKeptEntryId"]);
  return [compaction, ...(firstKept < 0 ? [] : before.slice(firstKept)), ...branch.slice(place + 1)];
}

function messagesOf(entry: PiEntry): PiMessage[] {
  const timestamp = new Date(entry.timestamp ?? Number.NaN).getTime();
  switch (entry.type) {
    case "message": {
      const message = entry["message"] as PiMessage;
      const mayLackContent = message.role === "user" || message.role === "assistant" || message.role === "toolResult";
      return [mayLackContent && message.content == null ? { ...message, content: [] } : message];
    }
    case "custom_message": {
      const { customType, content, display, details } = entry;
      return [{ role: "custom", customType, content: (content ?? []) as string | readonly unknown[], display, details, timestamp }];
    }
    case "branch_summary":
      return entry["summary"] ? [{ role: "branchSummary", summary: entry["summary"], fromId: entry["fromId"], timestamp }] : [];
    case "compaction":
      return [{ role: "compactionSummary", summary: entry["summary"], tokensBefore: entry["tokensBefore"], timestamp }];
    default:
      return [];
  }
}

function editedMessages(messages: PiMessage[], edit: PiEntry | undefined): PiMessage[] {
  if (edit === undefined) {
    return messages;
  }
  const replacement = edit["replacement"] as { readonly content: string | readonly unknown[] } | null;
  if (replacement === null) {
    return [];
  }
  return messages.map((message) => {
    switch (message.role) {
      case "assistant":
      case "toolResult":
        return {
          ...message,
          content: typeof replacement.content === "string" ? [{ type: "text", text: replacement.content }] : replacement.content,
        };
      case "user":
      case "custom":
        return { ...message, content: replacement.content };
      default:
        return message;
    }
  });
}
