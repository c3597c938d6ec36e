/**
 * What the window no longer holds is found again: by the model through the history tools, over the index that the extension
 * keeps in the background, also where two processes of Pi share one project.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MOCK_CLAUDE, MOCK_SMALL } from "./kit/agent-home.ts";
import { assertFits, assertQuiet, assertValid, isEvidence, isNotice, talk } from "./kit/conversation.ts";
import { describeForEachPi, extensionPackage } from "./kit/installations.ts";
import { payloadText } from "./kit/payload.ts";
import type { PiRpc } from "./kit/pi-rpc.ts";
import { Scene } from "./kit/scene.ts";

const RECALL = "context_history_recall";
const READ = "context_history_read";
const STATUS = "context_history_status";
const SECRET = "The release is called Quirky Heron and ships from branch rel/heron-7.";

interface Hit {
  readonly reference: string;
  readonly role: string;
  readonly relation: string;
  readonly sessionId?: string;
  readonly excerpt: string;
}

interface HistoryResult {
  readonly schema: string;
  readonly quotedData: boolean;
  readonly status: string;
  readonly indexedEntries?: number;
  readonly logEntries?: number;
  readonly hits?: readonly Hit[];
  readonly text?: string;
  readonly [field: string]: unknown;
}

let prompts = 0;

/** Has the model call a tool, and returns the result as the provider got it. */
async function call(scene: Scene, rpc: PiRpc, tool: string, parameters: object): Promise<HistoryResult> {
  const answer = `done ${++prompts}`;
  assert.equal(await rpc.prompt(`Question ${prompts}. [[call:${tool} ${JSON.stringify(parameters)}]] [[say:${answer}]]`), answer);
  const results = scene.provider.requests.at(-1)?.payload.messages.flatMap((message) => message.results) ?? [];
  const text = results.at(-1)?.text ?? "";
  const result = JSON.parse(text) as HistoryResult;
  assert.equal(result.schema, "ds4-history-result-v1");
  assert.equal(result.quotedData, true);
  assert.ok(text.length <= (3_000 + 96) * 4, `${text.length} characters`);
  return result;
}

function toolsText(scene: Scene): string {
  return scene.provider.requests.at(-1)?.payload.toolsText ?? "";
}

describeForEachPi("the history", (pi) => {
  for (const model of [MOCK_SMALL, MOCK_CLAUDE]) {
    test(`answers what was said before the window of ${model.provider}/${model.id}`, async (t) => {
      const scene = await Scene.open(t, pi);
      const rpc = await scene.start({ extensions: [extensionPackage()] });
      await rpc.selectModel(model);
      await rpc.prompt(`${SECRET} [[bash:echo heron build 4711]] [[say:Noted.]]`);
      await talk(rpc, 1, 6);
      const before = scene.provider.requests.at(-1);
      assert.ok(before !== undefined);
      assertFits(before, model);
      // A telling line of it, or a quote, may be there; the messages themselves are out.
      const messages = before.payload.messages.filter(({ text }) => !isNotice(text) && !isEvidence(text)).map(({ text }) => text);
      assert.doesNotMatch(messages.join("\n"), /Quirky Heron|heron build/, "the window holds it no longer");

      const found = await call(scene, rpc, RECALL, { query: "how is the release called, and its branch?" });
      assert.equal(found.status, "complete");
      assert.equal(found.indexedEntries, found.logEntries);
      const hit = found.hits?.find(({ role, excerpt }) => role === "user" && excerpt.includes("Quirky Heron"));
      assert.ok(hit !== undefined, JSON.stringify(found));
      assert.equal(hit.relation, "ancestor");
      assert.match(hit.reference, /^hist_[0-9a-f]{32}$/);
      assert.match(payloadText(scene.provider.requests.at(-1)?.payload ?? before.payload), /never instructions/);

      const read = await call(scene, rpc, READ, { reference: hit.reference });
      assert.equal(read.status, "ok");
      assert.ok(read.text?.startsWith(SECRET), read.text);
      const output = await call(scene, rpc, RECALL, { query: "heron build 4711", limit: 2 });
      assert.ok(output.hits?.some(({ excerpt }) => excerpt.includes("heron build 4711")), JSON.stringify(output));

      const tools = new Set(scene.provider.requests.map(({ payload }) => payload.toolsText));
      assert.equal(tools.size, 1, "the tools are there from the first request on, and stay the same");
      for (const name of [RECALL, READ, STATUS]) assert.ok(toolsText(scene).includes(name));
      assertQuiet(rpc);
    });
  }

  test("comes back by itself where the request asks for it, and /context retrieved shows it", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.selectModel(MOCK_SMALL);
    await rpc.prompt(`${SECRET} [[say:Noted.]]`);
    await talk(rpc, 1, 6);
    const prompt = "From which branch does Quirky Heron ship? [[say:From that one.]]";
    await rpc.prompt(prompt);
    const request = scene.provider.requests.at(-1);
    assert.ok(request !== undefined);
    assertValid(request, prompt);
    assertFits(request, MOCK_SMALL);
    const evidence = request.payload.messages.map(({ text }) => text).filter(isEvidence);
    assert.ok(evidence.some((text) => text.includes("rel/heron-7")), evidence.join("\n"));
    const shown = (await rpc.command("/context retrieved"))[0]?.text ?? "";
    assert.match(shown, new RegExp(`^Found in the history: ${evidence.length} items?, [\\d,]+ tokens\\n  entry [0-9a-f]{8}, `));
    assert.doesNotMatch(shown, /rel\/heron-7/, "no text of the session");
    assertQuietBut(rpc, /^Found in the history/);
  });

  test("answers every mistake with a status, and the run goes on", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.prompt("A first word. [[say:Yes.]]");
    assert.equal((await call(scene, rpc, RECALL, { query: "first word", scope: "project" })).status, "scope-not-allowed");
    assert.equal((await call(scene, rpc, RECALL, { query: "first word", scope: "everywhere" })).status, "invalid-parameters");
    assert.equal((await call(scene, rpc, RECALL, { query: "x".repeat(2_001) })).status, "invalid-parameters");
    assert.equal((await call(scene, rpc, RECALL, { query: "a" })).status, "no-query");
    assert.equal((await call(scene, rpc, READ, { reference: "hist_nonsense" })).status, "invalid-parameters");
    assert.equal((await call(scene, rpc, READ, { reference: `hist_${"0".repeat(32)}` })).status, "reference-expired");
    const status = await call(scene, rpc, STATUS, {});
    assert.equal(status.status, "ok");
    assert.equal(status.indexedEntries, status.logEntries);
    assert.deepEqual(status["scopes"], ["current-branch", "current-session", "current-lineage"]);
    assertQuiet(rpc);
  });

  test("reaches the session from which this one was begun, and a fork finds what it copied as its own", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.prompt(`${SECRET} [[say:Noted.]]`);
    const original = (await rpc.sessionFile()) ?? "";
    await rpc.prompt("The door is painted vermilion. [[say:I see.]]");
    const query = "how is the release called?";
    const isSecret = ({ role, excerpt }: Hit) => role === "user" && excerpt.includes("Quirky Heron");

    // Begun anew, with the old one named as its parent.
    await rpc.request({ type: "new_session", parentSession: original });
    assert.notEqual(await rpc.sessionFile(), original);
    const narrow = await call(scene, rpc, RECALL, { query, scope: "current-session" });
    assert.ok(!narrow.hits?.some(isSecret), JSON.stringify(narrow));
    const found = await call(scene, rpc, RECALL, { query, scope: "current-lineage" });
    assert.deepEqual(found["sessions"], { upToDate: 2, pending: 0, leftOut: 0 });
    const hit = found.hits?.find(isSecret);
    assert.ok(hit !== undefined, JSON.stringify(found));
    assert.deepEqual([hit.relation, hit.sessionId !== undefined && original.includes(hit.sessionId)], ["lineage-ancestor", true]);
    const read = await call(scene, rpc, READ, { reference: hit.reference });
    assert.ok(read.text?.startsWith(SECRET), JSON.stringify(read));

    // Forked: Pi copies the way to the fork into the new file.
    await rpc.request({ type: "switch_session", sessionPath: original });
    const { messages } = await rpc.request({ type: "get_fork_messages" });
    const door = (messages as { entryId: string; text: string }[]).find(({ text }) => text.startsWith("The door"));
    await rpc.request({ type: "fork", entryId: door?.entryId });
    const forked = await call(scene, rpc, RECALL, { query, scope: "current-lineage" });
    assert.deepEqual(forked["sessions"], { upToDate: 2, pending: 0, leftOut: 0 });
    const own = forked.hits?.filter(isSecret) ?? [];
    assert.deepEqual(own.map(({ relation, sessionId }) => [relation, sessionId]), [["ancestor", undefined]], JSON.stringify(forked));
    const later = await call(scene, rpc, RECALL, { query: "vermilion", scope: "current-lineage" });
    assert.ok(!later.hits?.some(({ role, excerpt }) => role === "user" && excerpt.startsWith("The door")), "what came after the fork is no history of it");
    assertQuiet(rpc);
  });

  test("reaches every session of the project where the configuration allows it", async (t) => {
    const scene = await Scene.open(t, pi);
    scene.home.configure("ds4-context.json", { historyTools: { allowProjectScope: true } });
    const rpc = await scene.start({ extensions: [extensionPackage()] });
    await rpc.prompt(`${SECRET} [[say:Noted.]]`);
    await rpc.request({ type: "new_session" });
    const found = await call(scene, rpc, RECALL, { query: "how is the release called?", scope: "project" });
    const hit = found.hits?.find(({ excerpt }) => excerpt.includes("Quirky Heron"));
    assert.equal(hit?.relation, "other-session", JSON.stringify(found));
    assert.equal((await call(scene, rpc, READ, { reference: hit?.reference })).status, "ok");
    assertQuiet(rpc);
  });

  test("is searched in a session without a file too, and leaves nothing behind", async (t) => {
    const scene = await Scene.open(t, pi);
    const rpc = await scene.start({ extensions: [extensionPackage()], arguments: ["--no-session"] });
    await rpc.selectModel(MOCK_SMALL);
    await rpc.prompt(`${SECRET} [[say:Noted.]]`);
    await talk(rpc, 1, 3);
    const found = await call(scene, rpc, RECALL, { query: "Quirky Heron" });
    assert.ok(found.hits?.some(({ excerpt }) => excerpt.includes("rel/heron-7")), JSON.stringify(found));
    assert.match((await rpc.command("/context storage"))[0]?.text ?? "", /in memory only/);
    assert.ok(!existsSync(join(scene.home.agentFolder, "ds4-context")));
    assertQuietBut(rpc, /in memory only/);
  });

  for (const [meaning, config] of [
    ["historyTools.enabled false", { historyTools: { enabled: false } }],
    ["enabled false", { enabled: false }],
  ] as const) {
    test(`offers no tools with ${meaning}`, async (t) => {
      const scene = await Scene.open(t, pi);
      scene.home.configure("ds4-context.json", config);
      const rpc = await scene.start({ extensions: [extensionPackage()] });
      await rpc.prompt("Hello. [[say:Hello.]]");
      await rpc.prompt("Hello again. [[say:Hello.]]");
      assert.doesNotMatch(toolsText(scene), /context_history/);
      assertQuiet(rpc);
    });
  }

  test("of two processes on one project is kept in one database", async (t) => {
    const scene = await Scene.open(t, pi);
    const extensions = [extensionPackage()];
    const both = await Promise.all([scene.start({ extensions }), scene.start({ extensions })]);
    const words = ["Amber Falcon", "Cobalt Otter"];
    await Promise.all(both.map((rpc) => rpc.selectModel(MOCK_SMALL)));
    await Promise.all(both.map((rpc, place) => rpc.prompt(`We chose ${words[place]} as its name. [[say:Noted.]]`)));
    // Turns of the two get the same prompts, and the mock provider answers a prompt once: each has turns of its own.
    await Promise.all(both.map((rpc, place) => talk(rpc, 1 + 10 * place, 4 + 10 * place)));
    for (const [place, rpc] of both.entries()) {
      const found = await call(scene, rpc, RECALL, { query: `which name did we choose, ${words[place]}?` });
      assert.ok(found.hits?.some(({ role, excerpt }) => role === "user" && excerpt.startsWith(`We chose ${words[place]}`)), JSON.stringify(found));
      assert.ok(!JSON.stringify(found.hits).includes(words[1 - place] ?? "?"), "the other session is not searched");
    }
    const logs = scene.home.sessionLogs();
    assert.equal(logs.length, 2);
    const hashes = logs.map(hashOf);
    await Promise.all(both.map((rpc) => rpc.command("/context rebuild-index")));
    for (const rpc of both) {
      assert.match((await rpc.command("/context health"))[0]?.text ?? "", /of 2 sessions[^]*whole: every page was checked/);
      assertQuietBut(rpc, /made anew|whole: every page/);
    }
    assert.deepEqual(logs.map(hashOf), hashes, "the logs are as they were");
  });
});

/** As `assertQuiet`, but for answers that the test asked for. */
function assertQuietBut(rpc: PiRpc, asked: RegExp): void {
  assert.deepEqual(rpc.extensionErrors, []);
  assert.deepEqual(rpc.notifications.filter(({ text }) => !asked.test(text)), []);
  assert.equal(rpc.stderr, "");
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
