/**
 * The same conversations in a Pi without our extension: what the other files assert is not so by itself. If Pi begins to trim on
 * its own, this file says so.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOCK_SMALL } from "./kit/agent-home.ts";
import { assertQuiet, assertValid, fits, talk, turnPrompt } from "./kit/conversation.ts";
import { describeForEachPi, testExtension } from "./kit/installations.ts";
import { Scene } from "./kit/scene.ts";
import { ADDED } from "./extensions/rewriter.ts";

describeForEachPi("without the extension", (pi) => {
  test("a long session outgrows the window of a small model", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start();
    await rpc.selectModel(MOCK_SMALL);
    await talk(rpc, 1, 6);
    const last = scene.provider.requests.at(-1);
    assert.ok(last !== undefined);
    assertValid(last, turnPrompt(6));
    assert.ok(!fits(last, MOCK_SMALL));
    assert.deepEqual(await rpc.close(), { code: 0, signal: null, killed: false });
    assertQuiet(rpc);
  });

  test("the rewriter alone adds, changes and removes", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [testExtension("rewriter")] });
    await rpc.prompt("REMOVE-ME [[say:removed]]");
    await rpc.prompt('CHANGE-ME and look. [[bash:echo "CHANGE""-ME"]] [[say:kept]]');
    const payload = scene.provider.requests.at(-1)?.payload;
    assert.deepEqual(
      payload?.messages.map((message) => message.text || message.results[0]?.text.trim() || message.calls[0]?.id),
      [ADDED, 'CHANGED and look. [[bash:echo "CHANGE""-ME"]] [[say:kept]]', "call_1", "CHANGED"],
    );
  });
});
