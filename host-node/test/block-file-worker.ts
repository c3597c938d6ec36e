/**
 * A process that uses one block file, for tests that kill it or let it fight with others, those of the Rust host too, whose
 * `block-file-worker` has the same commands and says the same:
 *
 *     block-file-worker commit FOLDER NAME COUNT   COUNT commits, 0 for no end; a line "committed GENERATION COUNTER" for each
 *     block-file-worker read FOLDER NAME COUNT     COUNT reads of it all; a line "read GENERATION COUNTER" for each
 *
 * Both check before anything else that the content is that of exactly one commit. A busy file is asked again for a minute,
 * after a random pause. Exit code 3: a mixture of commits.
 */
import { randomInt } from "node:crypto";
import { writeSync } from "node:fs";
import { commitNext, generationOf, readAll } from "./block-file-content.js";
import { lockUnlessBusy, openBlockFile } from "./block-files.js";

const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 20;

const [command, folder = "", name = "", count = "0"] = process.argv.slice(2);
const file = openBlockFile(folder, name);
const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

for (let round = 0; count === "0" || round < Number(count); round++) {
  let counter = lock();
  const content = readAll(file);
  let generation = whole(content);
  if (command === "commit") {
    counter = commitNext(file, content);
    generation += 1;
  }
  // Before the lock is given back: lines of several processes are then in the order of their commits.
  writeSync(1, `${command === "commit" ? "committed" : "read"} ${generation} ${counter}\n`);
  file.unlock();
  // Without a pause the others would hardly ever find it free.
  Atomics.wait(pause, 0, 0, randomInt(1, 4));
}

function lock(): bigint {
  const givesUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const counter = Date.now() < givesUpAt ? lockUnlessBusy(file) : file.lock();
    if (counter !== undefined) {
      return counter;
    }
    Atomics.wait(pause, 0, 0, randomInt(1, LONGEST_PAUSE_MS));
  }
}

function whole(content: Buffer): number {
  try {
    return generationOf(content);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(3);
  }
}
