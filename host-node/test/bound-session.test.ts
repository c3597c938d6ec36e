/** Which folder for derived state a session of Pi gets. The engine is a double that remembers how it was asked. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { ContextEngine, SessionOptions } from "../dist/index.js";
import { BoundSession } from "../dist/pi/bound-session.js";
import type { PiContext } from "../dist/pi/pi-types.js";
import { temporaryFolder } from "./temporary-folder.js";

async function optionsFor(context: TestContext, sessionFile: string | undefined): Promise<{ agent: string; options: SessionOptions }> {
  const agent = temporaryFolder(context);
  const previous = process.env["PI_CODING_AGENT_DIR"];
  process.env["PI_CODING_AGENT_DIR"] = agent;
  context.after(() => {
    process.env["PI_CODING_AGENT_DIR"] = previous ?? "";
  });
  let asked: SessionOptions | undefined;
  const engine = {
    mergeConfig: async () => ({ config: {}, problems: [] }),
    openSession: async (options: SessionOptions) => {
      asked = options;
      return { syncToEnd: async () => {}, append: async () => 0, index: async () => {} };
    },
  };
  const sessionManager = { getSessionFile: () => sessionFile, getSessionId: () => "s", getEntries: () => [] };
  const pi = { sessionManager, cwd: agent, model: undefined };
  await new BoundSession(engine as unknown as ContextEngine, pi as unknown as PiContext, false).opened;
  assert.ok(asked !== undefined);
  return { agent, options: asked };
}

test("a session with a file keeps derived state in the agent's folder, which is not made yet", async (context) => {
  const { agent, options } = await optionsFor(context, "/sessions/a.jsonl");
  assert.equal(options.dataFolder, join(agent, "ds4-context"));
  assert.deepEqual(readdirSync(agent), []);
});

test("a session without a file keeps nothing", async (context) => {
  const { options } = await optionsFor(context, undefined);
  assert.ok(!("dataFolder" in options));
});
