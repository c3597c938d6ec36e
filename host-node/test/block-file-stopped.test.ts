/**
 * A process that stands still with the lock, however long, and goes on: it never writes over another's commit (`docs/block-files.md`,
 * "The lock"). Real processes of both hosts, stopped by SIGSTOP; the age of a lock is given by hand, because nobody waits an hour.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { generationOf, readAll } from "./block-file-content.js";
import { nodeWorker, rustWorker, WorkerProcess, type WorkerProgram } from "./block-file-worker-process.js";
import { lockUnlessBusy, openBlockFile } from "./block-files.js";
import { temporaryFolder } from "./temporary-folder.js";

/** Stops of one run; `DS4_STOP_ROUNDS` for more. */
const ROUNDS = Number(process.env["DS4_STOP_ROUNDS"] ?? 12);
/** For how long a taker asks while the owner stands still. */
const STANDSTILL_MS = 120;
const AN_HOUR_AGO = () => Date.now() / 1000 - 3600;

const skip = process.platform !== "linux" && "this system does not show when a process began: such a lock is given up after a minute";
const withRust = { skip: skip || (rustWorker === undefined && "target/release/block-file-worker is not built: the two hosts were NOT tested together") };
const rust = rustWorker ?? nodeWorker;

/** Makes all that stands in the folder an hour old. */
function age(folder: string): void {
  for (const name of readdirSync(folder)) {
    utimesSync(join(folder, name), AN_HOUR_AGO(), AN_HOUR_AGO());
  }
}

async function finished(worker: WorkerProcess): Promise<void> {
  const { code, said } = await worker.ended;
  assert.deepEqual({ code, said }, { code: 0, said: "" });
}

async function stopOften(context: TestContext, ownerProgram: WorkerProgram, takerProgram: WorkerProgram): Promise<void> {
  const folder = temporaryFolder(context);
  const owner = new WorkerProcess(ownerProgram, "commit", folder, 0, 1);
  const takers: WorkerProcess[] = [];
  let held = 0;
  await owner.speaks();
  // The moment is left to chance, so that a machine may need more of them before one falls into a commit.
  for (let round = 0; round < ROUNDS || (held === 0 && round < 10 * ROUNDS); round++) {
    await wait(Math.random() * 25);
    owner.stop();
    await wait(5);
    const isHeld = existsSync(join(folder, "pages.lock"));
    age(folder);
    const taker = new WorkerProcess(takerProgram, "commit", folder, 2, 100 + round);
    takers.push(taker);
    if (isHeld) {
      held += 1;
      await wait(STANDSTILL_MS);
      assert.deepEqual(taker.steps, [], "nobody takes the lock of a process that lives");
    } else {
      await finished(taker);
    }
    const before = owner.steps.length;
    owner.goOn();
    await finished(taker);
    while (owner.steps.length === before) {
      await wait(2);
    }
  }
  // Once it is gone, its lock is taken over at once, stopped or not.
  owner.stop();
  age(folder);
  assert.equal(await owner.kill(), "");
  const heir = new WorkerProcess(takerProgram, "commit", folder, 1, 7);
  await finished(heir);
  const steps = [owner, heir, ...takers].flatMap(({ steps }) => steps);
  const generations = steps.map(({ generation }) => generation);
  assert.equal(new Set(generations).size, generations.length, "a commit was written over");
  assert.deepEqual(steps.filter(({ generation, counter }) => generation !== counter), []);
  const file = openBlockFile(folder);
  assert.equal(Number(lockUnlessBusy(file) ?? assert.fail("busy")), generationOf(readAll(file)));
  file.unlock();
  assert.ok(held > 0, "the owner was never stopped with the lock: nothing was tested");
}

test("this host's process stops and one of this host asks", { skip }, (context) => stopOften(context, nodeWorker, nodeWorker));
test("this host's process stops and one of the Rust host asks", withRust, (context) => stopOften(context, nodeWorker, rust));
test("a process of the Rust host stops and one of this host asks", withRust, (context) => stopOften(context, rust, nodeWorker));
test("a process of the Rust host stops and another one of it asks", withRust, (context) => stopOften(context, rust, rust));
