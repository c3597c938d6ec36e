/**
 * A session that fits goes out exactly as Pi would have sent it, and its log is what Pi would have written.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { MOCK_CLAUDE, MOCK_LARGE, type MockModel } from "./kit/agent-home.ts";
import { describeForEachPi, extensionPackage, type PiInstallation } from "./kit/installations.ts";
import { Scene } from "./kit/scene.ts";
import { readSessionLog } from "./kit/session-log.ts";

interface Recording {
  /** Request bodies with the temporary folder's name taken out. */
  readonly bodies: unknown[];
  /** Type, and role where it is a message, of each entry of the log. */
  readonly entries: string[];
}

/** The kinds of messages that a session can hold: calls alone and in parallel, a failed one, edits, direct shell commands. */
async function record(t: TestContext, pi: PiInstallation, model: MockModel, extensions: string[]): Promise<Recording> {
  const scene = await Scene.open(t, pi);
  const rpc = await scene.start({ extensions });
  await rpc.selectModel(model);
  await rpc.prompt("Read. [[read:notes.txt]] [[par:bash:seq 1 300||read:missing.txt]] [[say:read it]]");
  await rpc.request({ type: "bash", command: "echo seen by the model" });
  await rpc.request({ type: "bash", command: "echo hidden from the model", excludeFromContext: true });
  await rpc.prompt('Write. [[call:write {"path":"out.txt","content":"one\\ntwo\\n"}]] [[bash:cat out.txt; exit 3]] [[say:wrote it]]');
  await rpc.prompt("Nothing to do, größer 漢字 🙂\u2028.");
  await rpc.prompt("Try again. [[fail:500]] [[say:after the failure]]");
  const logFile = await rpc.sessionFile();
  assert.deepEqual(await rpc.close(), { code: 0, signal: null, killed: false });
  assert.deepEqual(rpc.extensionErrors, []);
  const anonymous = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(scene.home.root, "/home"));
  return {
    bodies: scene.provider.requests.map((request) => anonymous(request.body)),
    entries: readSessionLog(logFile ?? "").map(({ type, message }) => `${type} ${String(message?.["role"] ?? "")}`),
  };
}

describeForEachPi("a short session", (pi) => {
  for (const model of [MOCK_LARGE, MOCK_CLAUDE]) {
    test(`goes out to ${model.provider}/${model.id} as Pi would have sent it`, async (t) => {
      const [plain, planned] = [await record(t, pi, model, []), await record(t, pi, model, [extensionPackage()])];
      assert.equal(plain.bodies.length, 9);
      assert.deepEqual(planned.bodies, plain.bodies);
      assert.deepEqual(planned.entries, plain.entries);
    });
  }
});
