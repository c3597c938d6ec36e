/**
 * A session that outgrows its window goes out trimmed: inside the window, its exchanges whole, in order, with the current prompt,
 * with a beginning that stays the same for many requests, and without a change to Pi's log.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOCK_CLAUDE, MOCK_SMALL } from "./kit/agent-home.ts";
import { AppendOnlyWatch } from "./kit/append-only.ts";
import { assertFits, assertQuiet, assertValid, holdsOutputOf, isEvidence, isNotice, REQUESTS_PER_TURN, talk, turnPrompt } from "./kit/conversation.ts";
import { describeForEachPi, extensionPackage } from "./kit/installations.ts";
import { compareOrder, extendsPayload, messageKeys, type Payload } from "./kit/payload.ts";
import { Scene } from "./kit/scene.ts";
import { activeBranch, conversationKeys, conversationTokens, readSessionLog } from "./kit/session-log.ts";

/** What Pi itself writes into a log. Anything else there would be ours. */
const ENTRY_TYPES_OF_PI = ["message", "model_change", "thinking_level_change", "session_info", "label", "usage"];
const TURNS = 7;

/** Evidence stands before the newest user message and changes with it; what stands before that is to stay the same. */
function withoutEvidence(payload: Payload): Payload {
  return { ...payload, messages: payload.messages.filter(({ text }) => !isEvidence(text)) };
}

describeForEachPi("a long session", (pi) => {
  for (const model of [MOCK_SMALL, MOCK_CLAUDE]) {
    test(`goes out trimmed to ${model.provider}/${model.id}`, async (t) => {
      const scene = await Scene.open(t, pi);
      const rpc = await scene.start({ extensions: [extensionPackage()] });
      await rpc.selectModel(model);
      await talk(rpc, 1, 1);
      const logFile = await rpc.sessionFile();
      assert.ok(logFile !== undefined);
      const watch = new AppendOnlyWatch(logFile);
      for (let turn = 2; turn <= TURNS; turn++) {
        await talk(rpc, turn, turn);
        watch.check();
      }
      assert.deepEqual(await rpc.close(), { code: 0, signal: null, killed: false });
      watch.check();
      assertQuiet(rpc);

      const { requests } = scene.provider;
      assert.equal(requests.length, TURNS * REQUESTS_PER_TURN);
      const entries = readSessionLog(logFile);
      const branch = activeBranch(entries);
      const whole = conversationKeys(branch);
      assert.ok(conversationTokens(branch) > model.contextWindow, "the session is larger than the window");
      requests.forEach((request, index) => {
        assertValid(request, turnPrompt(Math.floor(index / REQUESTS_PER_TURN) + 1));
        assertFits(request, model);
        const { unknown, displaced } = compareOrder(messageKeys(request.payload), whole);
        assert.deepEqual(displaced, [], `order of request ${request.sequence}`);
        const ours = unknown.map((key) => key.replace(/^user /, ""));
        assert.ok(ours.every((text) => isNotice(text) || isEvidence(text)), `request ${request.sequence} holds only the session: ${unknown.join()}`);
        assert.equal(request.payload.system, requests[0]?.payload.system);
        assert.equal(request.payload.toolsText, requests[0]?.payload.toolsText);
      });
      const last = requests.at(-1);
      assert.ok(last !== undefined && !holdsOutputOf(last, 1), "the first turn's output was left out");
      assert.ok(holdsOutputOf(last, TURNS - 1) && holdsOutputOf(last, TURNS), "the newest turns' is there");

      const rewritten = requests.filter((request, index) => {
        const before = requests[index - 1];
        return before !== undefined && !extendsPayload(withoutEvidence(request.payload), withoutEvidence(before.payload));
      });
      assert.ok(rewritten.length <= TURNS, `the cut moved ${rewritten.length} times in ${TURNS} turns`);

      const foreign = entries.filter((entry) => !ENTRY_TYPES_OF_PI.includes(entry.type));
      assert.deepEqual(foreign, [], "the log holds Pi's own entries only");
    });
  }

  test("one turn larger than the window keeps its prompt and its newest exchange", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.selectModel(MOCK_SMALL);
    const steps = Array.from({ length: 14 }, (_, step) => `[[bash:echo step ${step}; seq 1000 2600]]`);
    const prompt = `One turn. ${steps.join(" ")} [[say:finished]]`;
    assert.equal(await rpc.prompt(prompt), "finished");
    const { requests } = scene.provider;
    assert.equal(requests.length, steps.length + 1);
    requests.forEach((request, index) => {
      assertValid(request, prompt);
      assertFits(request, MOCK_SMALL);
      if (index === 0) return;
      const { messages } = request.payload;
      const newest = messages.at(-1)?.results[0];
      assert.equal(newest?.callId, `call_${index}`);
      assert.match(newest.text, new RegExp(`^step ${index - 1}\\n`));
      const leftOut = index - messages.flatMap((message) => message.calls).length;
      const notices = messages.filter((message) => isNotice(message.text)).map((message) => message.text);
      assert.equal(notices.length, leftOut === 0 ? 0 : 1, `request ${request.sequence} says once what is missing`);
      if (leftOut > 0) assert.match(notices[0] ?? "", new RegExp(`^\\[ds4-context: ${leftOut} earlier steps? `));
      assert.ok(leftOut < index, "the newest exchange is there");
    });
    const session = activeBranch(readSessionLog((await rpc.sessionFile()) ?? ""));
    assert.ok(conversationTokens(session) > MOCK_SMALL.contextWindow, "the turn is larger than the window");
    assertQuiet(rpc);
  });

  test("a single result larger than the window is cut, not sent whole and not dropped", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.selectModel(MOCK_SMALL);
    // Pi's own limit for one result is 50 KB, about half the window; two at once are more than it.
    const large = (letter: string): string => `bash:echo first ${letter}; head -c 49000 /dev/zero | tr '\\0' ${letter} | fold -w 100; echo last ${letter}`;
    const prompt = `Large results. [[par:${large("a")}||${large("b")}]] [[say:seen]]`;
    assert.equal(await rpc.prompt(prompt), "seen");
    const last = scene.provider.requests.at(-1);
    assert.ok(last !== undefined);
    assertValid(last, prompt);
    assertFits(last, MOCK_SMALL);
    const results = last.payload.messages.flatMap((message) => message.results.map((result) => result.text));
    assert.equal(results.length, 2);
    assert.match(results[0] ?? "", /^first a\n[^]*last a\n/);
    assert.match(results[1] ?? "", /^first b\n[^]*last b\n/);
    assertQuiet(rpc);
  });
});
