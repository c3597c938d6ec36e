/**
 * Another extension that ran before ours added, changed and removed messages (failures.md 53): its changes go out, and the request
 * stays valid, whether the session fits or has to be trimmed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADDED } from "./extensions/rewriter.ts";
import { MOCK_SMALL } from "./kit/agent-home.ts";
import { assertFits, assertQuiet, assertValid, holdsOutputOf, isEvidence, talk, turnPrompt } from "./kit/conversation.ts";
import { describeForEachPi, extensionPackage, testExtension } from "./kit/installations.ts";
import { payloadText } from "./kit/payload.ts";
import { assertSameRequests, requestBodies } from "./kit/same-requests.ts";
import { Scene } from "./kit/scene.ts";

const SHORT_PROMPTS = [
  "REMOVE-ME [[bash:echo removed]] [[say:removed too]]",
  'CHANGE-ME and look. [[bash:echo "CHANGE""-ME"]] [[say:kept]]',
  "And now? [[say:the end]]",
];

describeForEachPi("another extension before ours", (pi) => {
  test("a session that fits goes out as that extension left it", async (t) => {
    const runs: Record<string, unknown>[][] = [];
    for (const extensions of [[testExtension("rewriter")], [testExtension("rewriter"), extensionPackage()]]) {
      const scene = await Scene.open(t, pi);
      // A tool is part of every request.
      scene.home.configure("ds4-context.json", { historyTools: { enabled: false } });
      const rpc = await scene.start({ extensions });
      for (const prompt of SHORT_PROMPTS) await rpc.prompt(prompt);
      await rpc.close();
      assertQuiet(rpc);
      runs.push(requestBodies(scene));
    }
    const [plain = [], planned = []] = runs;
    assert.equal(plain.length, 5);
    assertSameRequests(planned, plain);
  });

  test("a session that is trimmed keeps its changes", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [testExtension("rewriter"), extensionPackage()] });
    await rpc.selectModel(MOCK_SMALL);
    await talk(rpc, 1, 4);
    await rpc.prompt("REMOVE-ME [[bash:echo removed]] [[say:removed too]]");
    await talk(rpc, 5, 5);
    await rpc.prompt('CHANGE-ME and look. [[bash:echo "CHANGE""-ME"]] [[say:kept]]');
    const first = scene.provider.requests.length;
    await rpc.prompt(turnPrompt(6));
    assertQuiet(rpc);
    for (const request of scene.provider.requests.slice(first)) {
      assertValid(request, turnPrompt(6));
      assertFits(request, MOCK_SMALL);
      const texts = request.payload.messages
        .flatMap((message) => [message.text, ...message.results.map((result) => result.text)])
        .filter((text) => !isEvidence(text));
      const all = payloadText(request.payload);
      assert.equal(texts.filter((text) => text === ADDED).length, 1, "the added message is there once");
      assert.equal(texts.indexOf(ADDED), texts.indexOf(turnPrompt(6)) - 1, "right before the current prompt");
      assert.match(all, /^CHANGED and look/m);
      assert.match(all, /^CHANGED$/m);
      assert.doesNotMatch(all, /REMOVE-ME|removed too|CHANGE-ME/);
      assert.ok(!holdsOutputOf(request, 1), "the session was trimmed");
    }
  });

  test("a session that it leaves with halves of exchanges goes out without the halves", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [testExtension("breaker"), extensionPackage()] });
    await rpc.prompt('First. [[bash:echo "LOSE-THE-"CALL; : LOSE-THE-CALL]] [[bash:echo whole]] [[say:one]]');
    await rpc.prompt('Second. [[bash:echo "LOSE-THE-""RESULT"]] [[say:two]]');
    const prompt = "Third. [[say:three]]";
    await rpc.prompt(prompt);
    assertQuiet(rpc);
    const last = scene.provider.requests.at(-1);
    assert.ok(last !== undefined);
    assertValid(last, prompt);
    assert.match(payloadText(last.payload), /^whole$/m, "the whole exchange is there");
  });
});
