/** When the index is brought up to date in the background, and which project it belongs to. The session is a double. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { parse, join } from "node:path";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { EngineError, type EngineErrorCode, type Session } from "../dist/index.js";
import { IndexUpkeep } from "../dist/pi/index-upkeep.js";
import { projectRoot } from "../dist/pi/project-root.js";
import { temporaryFolder } from "./temporary-folder.js";

function upkeepOf(index: () => Promise<unknown>): { upkeep: IndexUpkeep; runs: () => number } {
  let count = 0;
  const session = {
    index: () => {
      count += 1;
      return index();
    },
    rebuildIndex: async () => {},
  };
  return { upkeep: new IndexUpkeep(async () => session as unknown as Session), runs: () => count };
}

test("runs come one after the other, and wishes that come meanwhile are one more run", async () => {
  let underWay = 0;
  const { upkeep, runs } = upkeepOf(async () => {
    underWay += 1;
    assert.equal(underWay, 1);
    await turn();
    await turn();
    underWay -= 1;
  });
  const first = upkeep.begin();
  await turn();
  await Promise.all([first, upkeep.begin(), upkeep.begin()]);
  assert.equal(runs(), 2);
  await upkeep.begin();
  assert.equal(runs(), 3);
});

test("what keeps up another scope indexes that scope", async () => {
  const asked: unknown[] = [];
  const session = { indexScope: async (...words: unknown[]) => void asked.push(words[0]) };
  await new IndexUpkeep(async () => session as unknown as Session, "current-lineage").begin();
  assert.deepEqual(asked, ["current-lineage"]);
});

function failing(code: EngineErrorCode) {
  return upkeepOf(async () => {
    throw new EngineError(code, `it is ${code}`);
  });
}

test("a run that fails says why and is tried again", async () => {
  const { upkeep, runs } = failing("busy");
  for (let round = 0; round < 5; round++) {
    await upkeep.begin();
  }
  assert.equal(runs(), 5);
  assert.equal(upkeep.lastFailure, "it is busy");
});

test("an index that costs the worker three times in a row is left alone, until somebody asks for it", async () => {
  for (const code of ["deadline-missed", "trapped", "worker-lost"] as const) {
    const { upkeep, runs } = failing(code);
    for (let round = 0; round < 6; round++) {
      await upkeep.begin();
    }
    assert.equal(runs(), 3);
    await assert.rejects(upkeep.rebuild(() => {}), { code });
    assert.equal(runs(), 4);
  }
});

test("a session that was closed is no failure", async () => {
  const { upkeep } = failing("closed");
  await upkeep.begin();
  assert.equal(upkeep.lastFailure, undefined);
});

test("a project has a root where it is trusted and neither the home folder nor a file system's root", (context) => {
  const folder = temporaryFolder(context);
  const [project, home, link] = [join(folder, "project"), join(folder, "home"), join(folder, "link")];
  mkdirSync(project);
  mkdirSync(home);
  symlinkSync(project, link);
  assert.equal(projectRoot(project, true, home), project);
  assert.equal(projectRoot(link, true, home), project, "whatever link leads there");
  assert.equal(projectRoot(project, false, home), undefined);
  assert.equal(projectRoot(home, true, home), undefined);
  assert.equal(projectRoot(parse(folder).root, true, home), undefined);
  assert.equal(projectRoot(join(folder, "gone"), true, home), undefined);
});
