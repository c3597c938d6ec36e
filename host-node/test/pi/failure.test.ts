/**
 * The engine fails in the middle of a run (failures.md 51, 55): the request goes out as Pi made it, the turn goes on, and the user
 * reads one line about it, not one for each request.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { MOCK_SMALL } from "./kit/agent-home.ts";
import { assertValid, fits, REQUESTS_PER_TURN, talk, turnPrompt } from "./kit/conversation.ts";
import { copyDamaged, type Damage } from "./kit/damaged-package.ts";
import { describeForEachPi, extensionPackage, type PiInstallation } from "./kit/installations.ts";
import type { PiRpc } from "./kit/pi-rpc.ts";
import { assertSameRequests, requestBodies } from "./kit/same-requests.ts";
import { Scene } from "./kit/scene.ts";

/** Two requests: a deadline is missed twice, and is told once. */
const PROMPT = "Go on. [[bash:seq 1 50]] [[say:gone on]]";
const DAMAGES: Damage[] = ["component-damaged", "worker-dies", "worker-hangs", "worker-never-starts"];
/** A missed deadline costs two seconds for each of the two requests; a run that waits far longer is no longer usable. */
const LONGEST_RUN_MS = 10_000;
/** An engine that hangs must not hold up the end of Pi: its calls have deadlines far longer than this. */
const LONGEST_END_MS = 2_500;

/** What a person sees: notifications and lines on stderr. Status lines are replaced, not added. */
function linesForThePerson(rpc: PiRpc): string[] {
  const notified = rpc.notifications.map(({ text }) => text);
  return [...notified, ...rpc.stderr.split("\n").filter((line) => line.trim() !== "")];
}

async function bodiesOf(t: TestContext, pi: PiInstallation, damage: Damage | undefined): Promise<Record<string, unknown>[]> {
  const scene = await Scene.open(t, pi);
  const extensions: string[] = [];
  if (damage !== undefined) {
    extensions.push(join(scene.home.root, "damaged"));
    copyDamaged(extensionPackage(), join(scene.home.root, "damaged"), damage);
  }
  const rpc = await scene.start({ extensions });
  const started = performance.now();
  assert.equal(await rpc.prompt(PROMPT), "gone on");
  assert.ok(performance.now() - started < LONGEST_RUN_MS, "the run was not held up");
  const ending = performance.now();
  assert.deepEqual(await rpc.close(), { code: 0, signal: null, killed: false });
  assert.ok(performance.now() - ending < LONGEST_END_MS, "the end of Pi was not held up");
  assert.deepEqual(rpc.extensionErrors, []);
  assert.deepEqual(rpc.dialogs, []);
  const lines = linesForThePerson(rpc);
  assert.ok(lines.length <= 1, `one line at most: ${JSON.stringify(lines)}`);
  if (damage !== undefined) assert.equal(lines.length, 1, "the failure is not kept quiet");
  return requestBodies(scene);
}

describeForEachPi("a failing engine", (pi) => {
  test("leaves Pi's own requests as they are, however it fails", async (t) => {
    const plain = await bodiesOf(t, pi, undefined);
    assert.equal(plain.length, 2);
    for (const damage of DAMAGES) {
      await t.test(damage, async (t) => assertSameRequests(await bodiesOf(t, pi, damage), plain));
    }
  });

  test("is opened again after its worker died, and plans on", async (t) => {
    const scene = await Scene.open(t, pi);
    const damaged = join(scene.home.root, "damaged");
    copyDamaged(extensionPackage(), damaged, "worker-dies-later");
    const rpc = await scene.start({ extensions: [damaged] });
    await rpc.selectModel(MOCK_SMALL);
    await talk(rpc, 1, 7);
    assert.deepEqual(rpc.extensionErrors, []);
    const late = scene.provider.requests.slice(5 * REQUESTS_PER_TURN);
    assert.equal(late.length, 2 * REQUESTS_PER_TURN);
    late.forEach((request, index) => assertValid(request, turnPrompt(6 + Math.floor(index / REQUESTS_PER_TURN))));
    const planned = late.filter((request) => fits(request, MOCK_SMALL));
    assert.ok(planned.length >= late.length / 2, `${planned.length} of ${late.length} late requests were planned`);
  });
});
