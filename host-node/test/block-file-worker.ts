/**
 * A process that commits and reads one block file in a loop, for tests that kill it or let it fight with others:
 *
 * `node block-file-worker.js FOLDER NAME ROUNDS SEED`
 *
 * Each round takes the lock, checks that what is there is whole, and commits another content. A busy file is tried again,
 * at random within 5 ms. At the end one JSON line: `{"commits":n,"busy":n,"lastCounter":n}`. Exit code 1 and a line on
 * standard error where the content is not whole. With `DS4_ANNOUNCE` set, each commit's counter is a line of its own.
 */
import { randomInt } from "node:crypto";
import { writeSync } from "node:fs";
import { lockUnlessBusy, openBlockFile } from "./block-files.js";
import { content, problemOf } from "./self-describing-content.js";

const [folder = "", name = "", rounds = "", seed = ""] = process.argv.slice(2);
const file = openBlockFile(folder, name);
const waiting = new Int32Array(new SharedArrayBuffer(4));
let commits = 0;
let busy = 0;
let lastCounter = 0n;

while (commits < Number(rounds)) {
  const counter = lockUnlessBusy(file);
  if (counter === undefined) {
    busy += 1;
    Atomics.wait(waiting, 0, 0, randomInt(1, 6));
    continue;
  }
  const bytes = file.read(0n, Number(file.size()));
  const problem = problemOf(bytes, counter);
  if (problem !== undefined) {
    console.error(`after commit ${counter}: ${problem}`);
    process.exit(1);
  }
  const next = content(counter + 1n, BigInt(seed));
  lastCounter = file.commit([{ offset: 0n, length: next.length }], next, BigInt(next.length), true);
  file.unlock();
  commits += 1;
  if (process.env["DS4_ANNOUNCE"] !== undefined) {
    writeSync(1, `${lastCounter}\n`);
  }
}
console.log(JSON.stringify({ commits, busy, lastCounter: Number(lastCounter) }));
