/**
 * What a user or another extension can do to a session and RPC cannot:
 *
 * - `/rewind TEXT` moves to the last answer of the branch whose text is TEXT; `/rewind-with-summary TEXT` has Pi summarise the branch it leaves;
 * - `/note TEXT` adds a custom message that the model sees and the user does not;
 * - `/reload-extensions` reloads as Pi's own `/reload` does;
 * - a tool result that holds `ELIDE-ME` is replaced by a context edit at the end of its turn (Pi 0.87 or newer).
 */
import { textOf, type CommandContext, type Pi, type TurnEnd } from "./surface.ts";

export default function sessionCommands(pi: Pi): void {
  pi.registerCommand("rewind", {
    description: "Moves to an earlier answer",
    handler: (argument, context) => rewind(context, argument, false),
  });
  pi.registerCommand("rewind-with-summary", {
    description: "Moves to an earlier answer and keeps a summary",
    handler: (argument, context) => rewind(context, argument, true),
  });
  pi.registerCommand("note", {
    description: "Adds a custom message",
    handler: async (argument) => pi.sendMessage({ customType: "test-note", content: argument, display: false }),
  });
  pi.registerCommand("reload-extensions", {
    description: "Reloads all extensions",
    handler: (_argument, context) => context.reload(),
  });
  pi.on("turn_end", elide);
}

async function rewind(context: CommandContext, answer: string, summarize: boolean): Promise<void> {
  const target = context.sessionManager
    .getBranch()
    .findLast(({ message }) => message?.role === "assistant" && textOf(message) === answer);
  if (target === undefined) throw new Error(`no answer "${answer}" on this branch`);
  await context.navigateTree(target.id, { summarize });
}

function elide({ toolResults, toolResultEntryIds, entries }: TurnEnd): { entries: readonly object[] } | undefined {
  const at = toolResults.findIndex((result) => textOf(result).includes("ELIDE-ME"));
  const targetId = toolResultEntryIds?.[at];
  if (targetId === undefined) return undefined;
  return { entries: [...(entries ?? []), { type: "context_edit", targetId, replacement: { content: "[elided by the test]" } }] };
}
