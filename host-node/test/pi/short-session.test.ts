/**
 * A session that fits goes out exactly as Pi would have sent it, and its log is what Pi would have written. The history tools are
 * off here, since a tool is part of every request.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { MOCK_CLAUDE, MOCK_LARGE, type MockModel } from "./kit/agent-home.ts";
import { assertQuiet, talk } from "./kit/conversation.ts";
import { describeForEachPi, extensionPackage, testExtension, type PiInstallation } from "./kit/installations.ts";
import type { PiRpc, RpcRecord } from "./kit/pi-rpc.ts";
import { assertSameRequests, requestBodies } from "./kit/same-requests.ts";
import { Scene } from "./kit/scene.ts";
import { readSessionLog } from "./kit/session-log.ts";

interface Recording {
  readonly bodies: Record<string, unknown>[];
  /** Type, and role where it is a message, of each entry of the log. */
  readonly entries: string[];
}

type Conversation = (rpc: PiRpc) => Promise<void>;

/** The kinds of messages that a session can hold: calls alone and in parallel, failed ones, direct shell commands. */
const everyKindOfMessage: Conversation = async (rpc) => {
  await rpc.prompt("Read. [[read:notes.txt]] [[par:bash:seq 1 300||read:missing.txt]] [[say:read it]]");
  await rpc.request({ type: "bash", command: "echo seen by the model" });
  await rpc.request({ type: "bash", command: "echo hidden from the model", excludeFromContext: true });
  await rpc.prompt('Write. [[call:write {"path":"out.txt","content":"one\\ntwo\\n"}]] [[bash:cat out.txt; exit 3]] [[say:wrote it]]');
  await rpc.prompt("Nothing to do, größer 漢字 🙂\u2028.");
  await rpc.prompt("Try again. [[fail:500]] [[say:after the failure]]");
};

/** The entries that change what a branch projects to: compaction, branch summary, custom message, context edit, label. */
const everyKindOfProjection: Conversation = async (rpc) => {
  await talk(rpc, 1, 2);
  await rpc.command("/note a note that only the model sees");
  await rpc.prompt("Elide. [[bash:echo ELIDE-ME; seq 1 200]] [[bash:echo next]] [[say:elided]]");
  await rpc.request({ type: "compact", customInstructions: "short" });
  await rpc.prompt("After the compaction. [[bash:echo here]] [[say:compacted]]");
  await rpc.prompt("On a branch to leave. [[say:left]]");
  await rpc.command("/rewind-with-summary compacted");
  await rpc.prompt("After the branch summary. [[say:summarised]]");
  await talk(rpc, 3, 3);
  await rpc.request({ type: "compact" });
  await rpc.prompt("After the second compaction.");
};

/** Runs that the user ends: in the middle of a command, and in the middle of an answer. */
const everyKindOfAbort: Conversation = async (rpc) => {
  await rpc.prompt("Before. [[bash:echo one]] [[say:before]]");
  await rpc.abortAt("Abort the command. [[bash:echo two]] [[bash:echo begun; sleep 60]] [[say:never said]]", hasPrinted("begun"));
  await rpc.prompt("After the command. [[say:after the command]]");
  await rpc.abortAt("Abort the answer. [[stall:half an answer]]", ({ type }) => type === "message_update");
  await rpc.prompt("After the answer. [[bash:echo three]] [[say:after the answer]]");
};

function hasPrinted(text: string): (record: RpcRecord) => boolean {
  return (record) => record.type === "tool_execution_update" && JSON.stringify(record["partialResult"]).includes(text);
}

async function record(
  t: TestContext,
  pi: PiInstallation,
  model: MockModel,
  conversation: Conversation,
  extensions: string[],
): Promise<Recording> {
  const scene = await Scene.open(t, pi);
  scene.home.configure("ds4-context.json", { historyTools: { enabled: false } });
  const rpc = await scene.start({ extensions: [testExtension("session-commands"), ...extensions] });
  await rpc.selectModel(model);
  await conversation(rpc);
  assertQuiet(rpc);
  // Equal requests prove something only where they were planned.
  if (extensions.length > 0) assert.match((await rpc.command("/context manifest"))[0]?.text ?? "", /^Plan +m_/);
  const logFile = await rpc.sessionFile();
  assert.deepEqual(await rpc.close(), { code: 0, signal: null, killed: false });
  return {
    bodies: requestBodies(scene),
    entries: readSessionLog(logFile ?? "").map(({ type, message }) => `${type} ${String(message?.["role"] ?? "")}`),
  };
}

/** That both recordings are equal, and that the conversation made as many requests as it should. */
async function assertSame(t: TestContext, pi: PiInstallation, model: MockModel, conversation: Conversation, requests: number): Promise<void> {
  const plain = await record(t, pi, model, conversation, []);
  const planned = await record(t, pi, model, conversation, [extensionPackage()]);
  assert.equal(plain.bodies.length, requests);
  assertSameRequests(planned.bodies, plain.bodies);
  assert.deepEqual(planned.entries, plain.entries);
}

describeForEachPi("a short session", (pi) => {
  for (const model of [MOCK_LARGE, MOCK_CLAUDE]) {
    test(`goes out to ${model.provider}/${model.id} as Pi would have sent it`, async (t) => {
      await assertSame(t, pi, model, everyKindOfMessage, 9);
    });
  }

  test("with aborted runs goes out as Pi would have sent it", async (t) => {
    await assertSame(t, pi, MOCK_LARGE, everyKindOfAbort, 8);
  });

  test("with compactions, a branch summary, a note and an edit goes out as Pi would have sent it", async (t) => {
    await assertSame(t, pi, MOCK_LARGE, everyKindOfProjection, 25);
  });
});
