/**
 * A process that indexes a log, to be killed while it does: `indexing-process LOG DATA-FOLDER`. It makes the index anew, without end,
 * and says `slice` after each slice.
 */
import { ContextEngine } from "../dist/index.js";

const [logFile = "", dataFolder = ""] = process.argv.slice(2);
const engine = await ContextEngine.start();
const session = await engine.openSession({ sessionId: "s", logFile, dataFolder });
await session.syncToEnd();
for (;;) {
  await session.rebuildIndex();
  await session.index({ maxBytes: 64 * 1024, onProgress: () => process.stdout.write("slice\n") });
}
