/** The command `/context`: the switch for this session, and what it says about the newest plan. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MOCK_SMALL } from "./kit/agent-home.ts";
import { assertFits, assertValid, fits, talk, turnAnswer } from "./kit/conversation.ts";
import { describeForEachPi, extensionPackage } from "./kit/installations.ts";
import { estimateTokens } from "./kit/payload.ts";
import type { PiRpc } from "./kit/pi-rpc.ts";
import { Scene } from "./kit/scene.ts";

const SUBCOMMANDS = ["", "status", "manifest", "explain", "included", "excluded", "retrieved", "storage", "health", "rebuild-index"];
/** Names that belong to the engine and say nothing to a person. */
const INTERNAL_NAMES = /\b[a-z]+[A-Z]\w*(Limit|Tokens|Reserve|Margin)\b|recent-tail|input-budget|stable-cut|group:/;

/** Runs a command that has to answer with exactly one notification, and returns its level and text. */
async function ask(rpc: PiRpc, command: string): Promise<{ level: string | undefined; text: string }> {
  const notified = (await rpc.command(command)).filter(({ method }) => method === "notify");
  assert.equal(notified.length, 1, `${command} answers once: ${JSON.stringify(notified)}`);
  return { level: notified[0]?.level, text: notified[0]?.text ?? "" };
}

describeForEachPi("the command /context", (pi) => {
  test("off sends Pi's own requests, on plans again", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.selectModel(MOCK_SMALL);
    await talk(rpc, 1, 5);
    const steps = [["off", false], ["on", true], ["off", false]] as const;
    for (const [index, [word, planned]] of steps.entries()) {
      assert.match((await ask(rpc, `/context ${word}`)).text, new RegExp(`\\b${word}\\b`));
      assert.match((await ask(rpc, "/context")).text, word === "off" ? /\boff\b/ : /managed/);
      const prompt = `Step ${index}, ${word}`;
      await rpc.prompt(prompt);
      const request = scene.provider.requests.at(-1);
      assert.ok(request !== undefined);
      assertValid(request, prompt);
      assert.equal(fits(request, MOCK_SMALL), planned, `after /context ${word}`);
    }
    // The switch is this session's: another one is planned.
    await rpc.request({ type: "new_session" });
    assert.match((await ask(rpc, "/context")).text, /managed/);
    assert.deepEqual(rpc.extensionErrors, []);
  });

  test("says what the newest plan holds, and shows no text of the session", async (t) => {
    const scene = await Scene.open(t, pi);
    // Without the band, what does not fit is left out and not condensed: `excluded` has something to show.
    scene.home.configure("ds4-context.json", { context: { condensedBand: { enabled: false } } });
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.selectModel(MOCK_SMALL);
    await talk(rpc, 1, 5);
    const request = scene.provider.requests.at(-1);
    assert.ok(request !== undefined);
    assertFits(request, MOCK_SMALL);
    const logFile = (await rpc.sessionFile()) ?? "";
    const [log, requests] = [readFileSync(logFile), scene.provider.requests.length];

    const answers = new Map<string, string>();
    for (const word of SUBCOMMANDS) {
      const { level, text } = await ask(rpc, `/context ${word}`.trim());
      assert.equal(level, "info", text);
      assert.doesNotMatch(text, /print numbers|\b2499\b|undefined|NaN|\[object/, `/context ${word}`);
      assert.doesNotMatch(text, INTERNAL_NAMES, `/context ${word}`);
      for (const line of text.split("\n")) assert.ok(line.length <= 80, `/context ${word}: ${line}`);
      answers.set(word, text);
    }
    const status = answers.get("") ?? "";
    assert.equal(answers.get("status"), status);
    assert.match(status, /mock\/mock-small/);
    assert.match(status, /24,000/);
    const planned = Number(/^Last plan +([\d,]+) tokens/m.exec(status)?.[1]?.replaceAll(",", ""));
    const sent = estimateTokens(request.payload);
    assert.ok(Math.abs(planned - sent) < 0.15 * sent, `the plan says ${planned} tokens, about ${sent} were sent`);
    assert.match(answers.get("manifest") ?? "", /^Plan +m_[0-9a-f]{32}, managed$/m);
    assert.match(answers.get("included") ?? "", /^In: [1-9]\d* items/);
    assert.match(answers.get("excluded") ?? "", /^Out: [1-9]\d* items/);
    assert.match(answers.get("explain") ?? "", /over the recent tail|over the input budget|older than the tail/);
    assert.match(answers.get("storage") ?? "", /^Kept +\S+ in\s[^]*^Index +(\d+) of \1 entries, up to date/m);
    assert.match(answers.get("health") ?? "", /^Database +whole: every page was checked$/m);
    assert.match(answers.get("rebuild-index") ?? "", /^The index was made anew in [^]*^Made anew +1 time/m);

    assert.equal(scene.provider.requests.length, requests, "no command is a prompt");
    assert.ok(readFileSync(logFile).equals(log), "no command writes into the log");
    assert.deepEqual(rpc.dialogs, []);
    assert.deepEqual(rpc.extensionErrors, []);
  });

  test("answers in one clear line where it cannot: an unknown word, no plan yet", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    for (const word of ["manifest", "explain", "included", "excluded"]) {
      const { text } = await ask(rpc, `/context ${word}`);
      assert.match(text, /^[^\n]*no plan[^\n]*$/, `/context ${word}`);
    }
    const unknown = await ask(rpc, "/context manifets");
    assert.equal(unknown.level, "error");
    assert.match(unknown.text, /^[^\n]*manifets[^\n]*manifest[^\n]*$/);
    assert.equal((await ask(rpc, "/context")).level, "info");
    assert.equal(await rpc.prompt(`Still there? [[say:${turnAnswer(1)}]]`), turnAnswer(1));
    assert.deepEqual(rpc.extensionErrors, []);
  });
});
