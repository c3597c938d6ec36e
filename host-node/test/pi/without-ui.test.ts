/** Where there is no file and nobody to ask (failures.md 54): a session in memory, print mode, a client that answers no dialog. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOCK_SMALL } from "./kit/agent-home.ts";
import { assertFits, assertQuiet, assertValid, holdsOutputOf, talk, turnPrompt } from "./kit/conversation.ts";
import { describeForEachPi, extensionPackage } from "./kit/installations.ts";
import { Scene } from "./kit/scene.ts";

const SMALL = ["--model", `${MOCK_SMALL.provider}/${MOCK_SMALL.id}`];

describeForEachPi("without a file or a person", (pi) => {
  test("a session in memory is trimmed like any other", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()], arguments: ["--no-session", ...SMALL], dialogs: "ignore" });
    assert.equal(await rpc.sessionFile(), undefined);
    await talk(rpc, 1, 6);
    for (const request of scene.provider.requests) assertFits(request, MOCK_SMALL);
    const last = scene.provider.requests.at(-1);
    assert.ok(last !== undefined);
    assertValid(last, turnPrompt(6));
    assert.ok(!holdsOutputOf(last, 1), "the session was trimmed");
    assertQuiet(rpc);
    assert.deepEqual(await rpc.close(), { code: 0, signal: null, killed: false });
    assert.deepEqual(scene.home.sessionLogs(), []);
  });

  test("print mode answers, continues a session, and prints nothing of ours", async (t) => {
    const scene = await Scene.open(t, pi);
    const extensions = [extensionPackage()];
    for (let turn = 1; turn <= 5; turn++) {
      const run = await scene.print(turnPrompt(turn), { extensions, arguments: [...SMALL, ...(turn === 1 ? [] : ["-c"])] });
      assert.deepEqual({ ...run, milliseconds: 0 }, { code: 0, stdout: `Answer ${turn}\n`, stderr: "", milliseconds: 0 });
    }
    assert.equal(scene.home.sessionLogs().length, 1);
    const last = scene.provider.requests.at(-1);
    assert.ok(last !== undefined);
    assertValid(last, turnPrompt(5));
    for (const request of scene.provider.requests) assertFits(request, MOCK_SMALL);
  });

  test("the command answers in print mode and ends", async (t) => {
    const scene = await Scene.open(t, pi);
    const run = await scene.print("/context", { extensions: [extensionPackage()], arguments: SMALL });
    assert.equal(run.code, 0, run.stderr);
    // Pi keeps stdout for the model's answer and may move what an extension prints to stderr.
    assert.match(run.stdout + run.stderr, /^ds4-context .*\n(.*\n)*Model +mock\/mock-small/);
    assert.equal(scene.provider.requests.length, 0, "a command is no prompt");
  });
});
