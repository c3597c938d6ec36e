/** The user's `ds4-context.json`: what it switches, and what happens where it does not hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOCK_SMALL } from "./kit/agent-home.ts";
import { assertFits, assertValid, fits, talk, turnPrompt } from "./kit/conversation.ts";
import { describeForEachPi, extensionPackage } from "./kit/installations.ts";
import { Scene } from "./kit/scene.ts";

const FILE = "ds4-context.json";

describeForEachPi("the configuration", (pi) => {
  for (const [meaning, config] of [
    ["enabled false", { enabled: false }],
    ["observer mode", { context: { mode: "observer" } }],
  ] as const) {
    test(`${meaning} sends Pi's own requests`, async (t) => {
      const scene = await Scene.open(t, pi);
      scene.home.configure(FILE, config);
      const rpc = await scene.start({ extensions: [extensionPackage()] });
      await rpc.selectModel(MOCK_SMALL);
      await talk(rpc, 1, 5);
      const last = scene.provider.requests.at(-1);
      assert.ok(last !== undefined);
      assertValid(last, turnPrompt(5));
      assert.ok(!fits(last, MOCK_SMALL), "nothing was left out");
      const manifest = (await rpc.command("/context manifest")).map(({ text }) => text).join("\n");
      assert.match(manifest, meaning === "observer mode" ? /^Plan +m_[0-9a-f]{32}.*observer/ : /no plan/);
      assert.deepEqual(rpc.extensionErrors, []);
    });
  }

  for (const [meaning, text, said] of [
    ["that is no JSON", "{ not json", /ds4-context\.json/],
    ["with an unknown key and a value out of range", '{"contxt":{},"context":{"targetFillRatio":7}}', /contxt|targetFillRatio/],
  ] as const) {
    test(`a file ${meaning} is named and does not stop planning`, async (t) => {
      const scene = await Scene.open(t, pi);
      scene.home.configureText(FILE, text);
      const rpc = await scene.start({ extensions: [extensionPackage()] });
      await rpc.selectModel(MOCK_SMALL);
      await talk(rpc, 1, 5);
      for (const request of scene.provider.requests) assertFits(request, MOCK_SMALL);
      const notified = rpc.notifications;
      assert.ok(notified.length >= 1 && notified.length <= 2, JSON.stringify(notified));
      for (const { level, text: line } of notified) {
        assert.equal(level, "warning");
        assert.match(line, /^[^\n]+$/, "one line");
      }
      assert.match(notified.map(({ text: line }) => line).join("\n"), said);
      assert.deepEqual(rpc.extensionErrors, []);
    });
  }
});
