/**
 * The session under the extension changes: another process resumes it, the model gets smaller, the user goes back in the tree,
 * forks, starts a new session, reloads. The next request follows, and nothing of the old state shows in it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOCK_CLAUDE, MOCK_HUGE, MOCK_SMALL } from "./kit/agent-home.ts";
import { AppendOnlyWatch } from "./kit/append-only.ts";
import { assertFits, assertQuiet, assertValid, fits, holdsOutputOf, talk, turnAnswer, turnStart } from "./kit/conversation.ts";
import { describeForEachPi, extensionPackage, testExtension } from "./kit/installations.ts";
import type { ReceivedRequest } from "./kit/mock-provider.ts";
import { payloadText } from "./kit/payload.ts";
import type { PiRpc } from "./kit/pi-rpc.ts";
import { Scene } from "./kit/scene.ts";

function textOf(request: ReceivedRequest): string {
  return payloadText(request.payload);
}

function lastRequest(scene: Scene): ReceivedRequest {
  const request = scene.provider.requests.at(-1);
  assert.ok(request !== undefined, "the provider got a request");
  return request;
}

/** Prompts once more and checks the request of it. */
async function askAndCheck(scene: Scene, rpc: PiRpc, prompt: string): Promise<ReceivedRequest> {
  await rpc.prompt(prompt);
  const request = lastRequest(scene);
  assertValid(request, prompt);
  assertQuiet(rpc);
  return request;
}

describeForEachPi("a session that changes", (pi) => {
  test("is resumed by another process, by its file and as the last one", async (t) => {
    const scene = await Scene.open(t, pi);
    const extensions = [extensionPackage()];
    const model = ["--model", `${MOCK_SMALL.provider}/${MOCK_SMALL.id}`];
    const first = await scene.start({ extensions, arguments: model });
    await talk(first, 1, 5);
    const logFile = await first.sessionFile();
    assert.ok(logFile !== undefined);
    await first.close();
    const watch = new AppendOnlyWatch(logFile);
    for (const [turn, resume] of [[6, ["--session", logFile]], [7, ["-c"]]] as const) {
      const rpc = await scene.start({ extensions, arguments: [...model, ...resume] });
      assert.equal(await rpc.sessionFile(), logFile);
      const request = await askAndCheck(scene, rpc, `Resumed, turn ${turn}`);
      assertFits(request, MOCK_SMALL);
      assert.match(textOf(request), new RegExp(`^${turnAnswer(5)}$`, "m"), "the turn before the resume is there");
      assert.ok(!holdsOutputOf(request, 1), "the first turn's output is not");
      await rpc.close();
      watch.check();
    }
  });

  test("fits the smaller window from the next request on", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.selectModel(MOCK_HUGE);
    await talk(rpc, 1, 6);
    assert.ok(!fits(lastRequest(scene), MOCK_SMALL), "the session is larger than the small window");
    assert.ok(holdsOutputOf(lastRequest(scene), 1), "and the huge one holds all of it");
    for (const model of [MOCK_SMALL, MOCK_CLAUDE]) {
      await rpc.selectModel(model);
      assertFits(await askAndCheck(scene, rpc, `On ${model.id} now`), model);
      assert.equal(lastRequest(scene).payload.model, model.id);
    }
    await rpc.selectModel(MOCK_HUGE);
    assert.ok(holdsOutputOf(await askAndCheck(scene, rpc, "And back"), 1), "the huge window holds all of it again");
  });

  test("follows the branch to which the user goes back in the tree", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [testExtension("session-commands"), extensionPackage()] });
    await rpc.selectModel(MOCK_SMALL);
    await talk(rpc, 1, 6);
    await rpc.command(`/rewind ${turnAnswer(2)}`);
    const request = await askAndCheck(scene, rpc, "On another branch");
    assertFits(request, MOCK_SMALL);
    assert.match(textOf(request), new RegExp(`^${turnAnswer(2)}$`, "m"));
    assert.doesNotMatch(textOf(request), /^(Turn|Answer) [3-6]/m);
    await talk(rpc, 7, 9);
    assertFits(lastRequest(scene), MOCK_SMALL);
    assert.doesNotMatch(textOf(lastRequest(scene)), /^(Turn|Answer) [3-6]/m);
  });

  test("follows a fork into a file of its own, and a new session", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.selectModel(MOCK_SMALL);
    await talk(rpc, 1, 4);
    const original = await rpc.sessionFile();
    const { messages } = await rpc.request({ type: "get_fork_messages" });
    const third = (messages as { entryId: string; text: string }[]).find(({ text }) => text.startsWith(turnStart(3)));
    assert.ok(third !== undefined);
    await rpc.request({ type: "fork", entryId: third.entryId });
    assert.notEqual(await rpc.sessionFile(), original);
    const forked = await askAndCheck(scene, rpc, "In the fork");
    assertFits(forked, MOCK_SMALL);
    assert.match(textOf(forked), new RegExp(`^${turnAnswer(2)}$`, "m"));
    assert.doesNotMatch(textOf(forked), /^(Turn|Answer) [34]/m);

    await rpc.request({ type: "new_session" });
    const fresh = await askAndCheck(scene, rpc, "In a new session");
    assert.deepEqual(fresh.payload.messages.map((message) => message.text), ["In a new session"]);

    await rpc.request({ type: "switch_session", sessionPath: original });
    const back = await askAndCheck(scene, rpc, "Back in the first");
    assertFits(back, MOCK_SMALL);
    assert.match(textOf(back), new RegExp(`^${turnAnswer(4)}$`, "m"));
    assert.doesNotMatch(textOf(back), /In the fork|In a new session/);
  });

  test("is planned on after a reload, once", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [testExtension("session-commands"), extensionPackage()] });
    await rpc.selectModel(MOCK_SMALL);
    await talk(rpc, 1, 5);
    const threads: (number | undefined)[] = [];
    for (let reload = 1; reload <= 4; reload++) {
      await rpc.command("/reload-extensions");
      const before = scene.provider.requests.length;
      assertFits(await askAndCheck(scene, rpc, `After reload ${reload}`), MOCK_SMALL);
      assert.equal(scene.provider.requests.length, before + 1);
      threads.push(rpc.threads);
    }
    const [first, last] = [threads[0] ?? 0, threads.at(-1) ?? 0];
    assert.ok(last < first + 3, `three more reloads leave no worker behind: ${threads.join()} threads`);
    const { commands } = await rpc.request({ type: "get_commands" });
    const ours = (commands as { name: string }[]).filter(({ name }) => name.startsWith("context"));
    assert.deepEqual(ours.map(({ name }) => name), ["context"], "the command is there once");
    assert.deepEqual(await rpc.close(), { code: 0, signal: null, killed: false }, "no old worker keeps the process alive");
  });
});
