/** Several processes on one block file, some of which are killed. Everything here is real: files, processes, signals. */
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { foreignLock, lockUnlessBusy, openBlockFile } from "./block-files.js";
import { problemOf } from "./self-describing-content.js";
import { temporaryFolder } from "./temporary-folder.js";

const worker = fileURLToPath(new URL("./block-file-worker.js", import.meta.url));
const ENDLESS = 1_000_000_000;

interface Report {
  readonly commits: number;
  readonly busy: number;
  readonly lastCounter: number;
}

/** A worker, the counters that it announced so far, and its end. */
function startWorker(folder: string, rounds: number, seed: number) {
  const child = spawn(process.execPath, [worker, folder, "pages", String(rounds), String(seed)], {
    env: { ...process.env, DS4_ANNOUNCE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const counters: number[] = [];
  let report: Report | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("{")) {
      report = JSON.parse(line) as Report;
    } else {
      counters.push(Number(line));
    }
  });
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()));
  const ended = once(child, "close").then(() => ({ report, code: child.exitCode, said }));
  return { child, counters, ended };
}

async function untilItCommits({ child, counters }: { child: ChildProcess; counters: readonly number[] }): Promise<void> {
  while (counters.length === 0 && child.exitCode === null) {
    await wait(2);
  }
}

/**
 * Takes the file, whatever a dead process left, and checks it. Returns the commit counter. Who died in the middle of a
 * takeover keeps others off for ten seconds.
 */
async function checked(folder: string): Promise<number> {
  const file = openBlockFile(folder);
  const givesUpAt = Date.now() + 20_000;
  let counter = lockUnlessBusy(file);
  while (counter === undefined && Date.now() < givesUpAt) {
    await wait(50);
    counter = lockUnlessBusy(file);
  }
  assert.ok(counter !== undefined, "the file stays busy");
  const problem = problemOf(file.read(0n, Number(file.size())), counter);
  file.unlock();
  assert.equal(problem, undefined, `after commit ${counter}`);
  return Number(counter);
}

function requireNothingLeft(folder: string): void {
  assert.deepEqual(readdirSync(folder).sort(), ["pages", "pages.state"]);
}

test("processes that commit at the same time lose no commit and see no mixture", async (context) => {
  const folder = temporaryFolder(context);
  const workers = [1, 2, 3].map((seed) => startWorker(folder, 100, seed));
  const ends = await Promise.all(workers.map(({ ended }) => ended));
  for (const { code, said } of ends) {
    assert.deepEqual({ code, said }, { code: 0, said: "" });
  }
  const counters = workers.flatMap((one) => one.counters).sort((left, right) => left - right);
  assert.deepEqual(
    counters,
    Array.from({ length: 300 }, (_, place) => place + 1),
    "each commit has a counter of its own",
  );
  assert.equal(Math.max(...ends.map(({ report }) => report?.lastCounter ?? 0)), 300);
  assert.equal(await checked(folder), 300);
  requireNothingLeft(folder);
});

test("of processes that find a stale lock one at a time takes it over", async (context) => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  for (let fight = 0; fight < 5; fight++) {
    const folder = temporaryFolder(context);
    writeFileSync(join(folder, "pages.lock"), foreignLock({ pid }));
    const workers = [1, 2, 3, 4].map((seed) => startWorker(folder, 10, seed));
    for (const { code, said } of await Promise.all(workers.map(({ ended }) => ended))) {
      assert.deepEqual({ code, said }, { code: 0, said: "" });
    }
    const counters = workers.flatMap((one) => one.counters);
    assert.equal(new Set(counters).size, 40);
    assert.equal(await checked(folder), 40);
    requireNothingLeft(folder);
  }
});

test("a process that is killed at any moment loses no commit that it announced", async (context) => {
  const lanes = 4;
  const rounds = 50;
  const lane = async () => {
    const folder = temporaryFolder(context);
    for (let round = 0; round < rounds; round++) {
      const before = round === 0 ? 0 : await checked(folder);
      const one = startWorker(folder, ENDLESS, round);
      await untilItCommits(one);
      await wait(Math.random() * 30);
      one.child.kill("SIGKILL");
      const { said } = await one.ended;
      assert.equal(said, "");
      const announced = one.counters.at(-1) ?? before;
      const found = await checked(folder);
      assert.ok(found === announced || found === announced + 1, `announced ${announced}, found ${found}`);
      assert.deepEqual(
        one.counters,
        Array.from(one.counters, (_, place) => before + place + 1),
      );
    }
    requireNothingLeft(folder);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
});

test("while processes are killed the others go on", async (context) => {
  const folder = temporaryFolder(context);
  const counters: number[] = [];
  const workers = [1, 2, 3].map((seed) => startWorker(folder, ENDLESS, seed));
  for (let kill = 0; kill < 30; kill++) {
    const victim = kill % workers.length;
    const one = workers[victim];
    assert.ok(one !== undefined);
    await untilItCommits(one);
    await wait(Math.random() * 50);
    one.child.kill("SIGKILL");
    const { said } = await one.ended;
    assert.equal(said, "");
    counters.push(...one.counters);
    workers[victim] = startWorker(folder, ENDLESS, 10 + kill);
  }
  for (const { child, ended, counters: last } of workers) {
    child.kill("SIGKILL");
    const { said } = await ended;
    assert.equal(said, "");
    counters.push(...last);
  }
  assert.equal(new Set(counters).size, counters.length, "no two processes made the same commit");
  assert.ok(await checked(folder) >= Math.max(...counters));
});

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

test("a commit syncs three times, the first of a file four times", { skip: !hasStrace && "strace is not there: the syncs were not counted" }, (context) => {
  const folder = temporaryFolder(context);
  const syncs = (rounds: number) => {
    const words = ["-f", "-qq", "-e", "trace=fsync,fdatasync", process.execPath, worker, folder, "pages", String(rounds), "1"];
    const { status, stderr } = spawnSync("strace", words, { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stderr.split("\n").filter((line) => /f(data)?sync\(\d+\)\s+= 0/.test(line)).length;
  };
  assert.equal(syncs(1), 4);
  assert.equal(syncs(1), 3);
  assert.equal(syncs(5), 15);
});
