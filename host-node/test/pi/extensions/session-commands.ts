/**
 * Commands that RPC does not have: `/rewind TEXT` moves to the last assistant message of the branch whose text is TEXT, without a
 * summary; `/reload-extensions` reloads as Pi's own `/reload` does.
 */
import { textOf, type Pi } from "./surface.ts";

export default function sessionCommands(pi: Pi): void {
  pi.registerCommand("rewind", {
    description: "Moves to an earlier answer",
    handler: async (argument, context) => {
      const target = context.sessionManager
        .getBranch()
        .findLast(({ message }) => message?.role === "assistant" && textOf(message) === argument);
      if (target === undefined) throw new Error(`no answer "${argument}" on this branch`);
      await context.navigateTree(target.id, { summarize: false });
    },
  });
  pi.registerCommand("reload-extensions", {
    description: "Reloads all extensions",
    handler: (_argument, context) => context.reload(),
  });
}
