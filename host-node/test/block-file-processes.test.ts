/** Several processes on one block file, some of which are killed. Everything here is real: files, processes, signals. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { generationOf, readAll } from "./block-file-content.js";
import { nodeWorker, rustWorker, WorkerProcess, type Step, type WorkerProgram } from "./block-file-worker-process.js";
import { foreignLock, lockUnlessBusy, openBlockFile } from "./block-files.js";
import { temporaryFolder } from "./temporary-folder.js";

/** Longer than the ten seconds for which a process that died in the middle of a takeover keeps others off. */
const PATIENCE_MS = 20_000;

/** Takes the file, whatever a dead process left, and checks it. Returns its generation, which its counter equals. */
async function checked(folder: string): Promise<number> {
  const file = openBlockFile(folder);
  const givesUpAt = Date.now() + PATIENCE_MS;
  let counter = lockUnlessBusy(file);
  while (counter === undefined) {
    assert.ok(Date.now() < givesUpAt, "the file stays busy");
    await wait(20);
    counter = lockUnlessBusy(file);
  }
  const generation = generationOf(readAll(file));
  file.unlock();
  assert.equal(Number(counter), generation);
  return generation;
}

async function requireGoodEnds(workers: readonly WorkerProcess[]): Promise<void> {
  for (const { code, said } of await Promise.all(workers.map(({ ended }) => ended))) {
    assert.deepEqual({ code, said }, { code: 0, said: "" });
  }
}

/** Nobody made a commit that another one made as well, and the counter went along. */
function requireOwnCommits(workers: readonly WorkerProcess[]): Step[] {
  const steps = workers.flatMap((worker) => worker.steps);
  const commits = steps.filter(({ what }) => what === "committed");
  assert.equal(new Set(commits.map(({ generation }) => generation)).size, commits.length);
  assert.deepEqual(
    steps.filter(({ generation, counter }) => generation !== counter),
    [],
  );
  return commits;
}

function requireNothingLeft(folder: string): void {
  assert.deepEqual(readdirSync(folder).sort(), ["pages", "pages.state"]);
}

test("processes that commit at the same time lose no commit and see no mixture", async (context) => {
  const folder = temporaryFolder(context);
  const writers = [1, 2, 3].map(() => new WorkerProcess(nodeWorker, "commit", folder, 60));
  const reader = new WorkerProcess(nodeWorker, "read", folder, 60);
  await requireGoodEnds([...writers, reader]);
  assert.equal(requireOwnCommits([...writers, reader]).length, 180);
  assert.equal(await checked(folder), 180);
  requireNothingLeft(folder);
});

test("of processes that find a stale lock one at a time takes it over", async (context) => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  for (let fight = 0; fight < 3; fight++) {
    const folder = temporaryFolder(context);
    writeFileSync(join(folder, "pages.lock"), foreignLock({ pid }));
    const workers = [1, 2, 3, 4].map(() => new WorkerProcess(nodeWorker, "commit", folder, 5));
    await requireGoodEnds(workers);
    assert.equal(requireOwnCommits(workers).length, 20);
    assert.equal(await checked(folder), 20);
    requireNothingLeft(folder);
  }
});

test("a process that is killed at any moment loses no commit that it announced", async (context) => {
  // Most of the time goes into starting processes; more rounds on request.
  const [lanes, rounds] = [4, Number(process.env["DS4_KILL_ROUNDS"] ?? 60) / 4];
  const lane = async () => {
    const folder = temporaryFolder(context);
    let before = 0;
    for (let round = 0; round < rounds; round++) {
      const worker = new WorkerProcess(nodeWorker, "commit", folder, 0);
      await worker.speaks();
      await wait(Math.random() * 30);
      assert.equal(await worker.kill(), "");
      const announced = worker.steps.at(-1)?.generation ?? before;
      const found = await checked(folder);
      assert.ok(found === announced || found === announced + 1, `announced ${announced}, found ${found}`);
      assert.deepEqual(
        worker.steps.map(({ generation }) => generation),
        worker.steps.map((_, place) => before + place + 1),
      );
      before = found;
    }
    requireNothingLeft(folder);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
});

/** Processes that commit without end, of which one after the other is killed and replaced. */
async function killOneAfterTheOther(folder: string, programs: readonly WorkerProgram[], kills: number): Promise<void> {
  const gone: WorkerProcess[] = [];
  const start = (place: number, seed: number) =>
    new WorkerProcess(programs[place % programs.length] ?? nodeWorker, "commit", folder, 0, seed);
  const living = Array.from({ length: 4 }, (_, place) => start(place, place));
  for (let kill = 0; kill < kills; kill++) {
    const place = kill % living.length;
    const victim = living[place];
    assert.ok(victim !== undefined);
    await victim.speaks();
    await wait(Math.random() * 50);
    assert.equal(await victim.kill(), "");
    gone.push(victim);
    living[place] = start(place, living.length + kill);
  }
  for (const worker of living) {
    assert.equal(await worker.kill(), "");
  }
  const commits = requireOwnCommits([...gone, ...living]);
  const found = await checked(folder);
  const last = Math.max(...commits.map(({ generation }) => generation));
  assert.ok(found >= last, `announced ${last}, found ${found}`);
}

test("while processes are killed the others go on", async (context) => {
  await killOneAfterTheOther(temporaryFolder(context), [nodeWorker], 30);
});

const withRust = {
  skip: rustWorker === undefined && "target/release/block-file-worker is not built: the two hosts were NOT tested together",
};

test("processes of the Rust host and of this one share a file", withRust, async (context) => {
  const folder = temporaryFolder(context);
  const rust = rustWorker ?? nodeWorker;
  const writers = [rust, nodeWorker, rust, nodeWorker].map((program, seed) => new WorkerProcess(program, "commit", folder, 100, seed));
  const readers = [rust, nodeWorker].map((program) => new WorkerProcess(program, "read", folder, 50));
  await requireGoodEnds([...writers, ...readers]);
  assert.equal(requireOwnCommits([...writers, ...readers]).length, 400);
  assert.equal(await checked(folder), 400);
  requireNothingLeft(folder);
});

test("while processes of both hosts are killed the others go on", withRust, async (context) => {
  await killOneAfterTheOther(temporaryFolder(context), [rustWorker ?? nodeWorker, nodeWorker], 12);
});

test("each host takes over from the other one and finishes its commits", withRust, async (context) => {
  const folder = temporaryFolder(context);
  const rust = rustWorker ?? nodeWorker;
  for (let round = 0; round < 12; round++) {
    const worker = new WorkerProcess(round % 2 === 0 ? rust : nodeWorker, "commit", folder, 0, round);
    await worker.speaks();
    await wait(Math.random() * 30);
    assert.equal(await worker.kill(), "");
    const announced = worker.steps.at(-1)?.generation ?? 0;
    const finisher = new WorkerProcess(round % 2 === 0 ? nodeWorker : rust, "read", folder, 1);
    await requireGoodEnds([finisher]);
    const found = finisher.steps.at(-1)?.generation ?? 0;
    assert.ok(found === announced || found === announced + 1, `announced ${announced}, found ${found}`);
    assert.equal(finisher.steps.at(-1)?.counter, found);
  }
});

const withStrace = { skip: spawnSync("strace", ["-V"]).status !== 0 && "strace is not there: the syncs were NOT counted" };

test("a commit syncs three times, the first of a file four times", withStrace, (context) => {
  const folder = temporaryFolder(context);
  const syncs = (rounds: number) => {
    const words = ["-f", "-qq", "-e", "trace=fsync,fdatasync", ...nodeWorker, "commit", folder, "pages", String(rounds)];
    const { status, stderr } = spawnSync("strace", words, { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stderr.split("\n").filter((line) => /f(data)?sync(\(\d+\)| resumed>\))\s+= 0/.test(line)).length;
  };
  assert.equal(syncs(1), 4);
  assert.equal(syncs(1), 3);
  assert.equal(syncs(5), 15);
});
