/** What stands on disk after a crash at any moment of a commit, and what the next transaction makes of it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { commitAll, contentOf, leaveRecord, openBlockFile, tagged } from "./block-files.js";
import { temporaryFolder } from "./temporary-folder.js";

const OLD = "old content, which is longer";
const NEW = "new content";

/** A file with the old content at counter 1. */
function scene(context: TestContext) {
  const folder = temporaryFolder(context);
  const file = openBlockFile(folder);
  file.lock();
  commitAll(file, OLD);
  file.unlock();
  return { folder, file, pages: join(folder, "pages"), record: join(folder, "pages.commit"), state: join(folder, "pages.state") };
}

function requireClean(folder: string): void {
  assert.deepEqual(readdirSync(folder).sort(), ["pages", "pages.state"]);
}

test("the record is laid out as the page says", (context) => {
  const { file, record } = scene(context);
  file.lock();
  file.commit(
    [
      { offset: 1n, length: 2 },
      { offset: 0x1_0000_0000n, length: 1 },
    ],
    Buffer.from("abc"),
    0n,
    false,
  );
  file.commit([], new Uint8Array(), 0n, false);
  const written = readFileSync(record);
  file.unlock();
  const expected = [
    "DS4BLOCK",
    "\x01\0\0\0",
    "\x01\x02\0\0\0",
    "\x01\0\0\0\0\0\0\0\x02\0\0\0",
    "\0\0\0\0\x01\0\0\0\x01\0\0\0",
    "abc",
    "\x01\0\0\0\0",
  ].join("");
  assert.equal(written.toString("latin1"), expected);

  leaveRecord(record, "x", 7n);
  const whole = readFileSync(record);
  const body = "DS4BLOCK\x01\0\0\0\x01\x01\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0x\0\x07\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0";
  assert.equal(whole.subarray(0, -32).toString("latin1"), body);
  assert.ok(whole.subarray(-32).equals(createHash("sha256").update(body, "latin1").digest()));
});

test("a record that was cut at any byte never was", (context) => {
  const { folder, file, record } = scene(context);
  leaveRecord(record, NEW, 2n);
  const whole = readFileSync(record);
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(record, whole.subarray(0, length));
    assert.deepEqual(contentOf(file), { counter: 1n, content: OLD }, `cut at ${length}`);
    requireClean(folder);
  }
  writeFileSync(record, Buffer.concat([whole, Buffer.from([0])]));
  assert.deepEqual(contentOf(file), { counter: 1n, content: OLD }, "a byte too many");
  writeFileSync(record, whole);
  assert.deepEqual(contentOf(file), { counter: 2n, content: NEW });
  requireClean(folder);
});

test("a record with any byte changed never was", (context) => {
  const { file, record } = scene(context);
  leaveRecord(record, NEW, 2n);
  const whole = readFileSync(record);
  for (let place = 0; place < whole.length; place++) {
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(place) ^ 0x40, place);
    writeFileSync(record, changed);
    if (place >= "DS4BLOCK".length && place < "DS4BLOCK".length + 4) {
      assert.throws(() => file.lock(), tagged("other"), `byte ${place} belongs to the format`);
      continue;
    }
    assert.deepEqual(contentOf(file), { counter: 1n, content: OLD }, `byte ${place}`);
  }
});

test("a record whose hash is right and whose parts are not never was", (context) => {
  const { file, record } = scene(context);
  const header = "DS4BLOCK\x01\0\0\0";
  const trailer = "\0\x02\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0";
  const bodies = [
    header,
    `${header}\x02\0\0\0\0${trailer}`,
    `${header}\x01\xff\xff\xff\xff${trailer}`,
    `${header}\x01\x01\0\0\0\0\0\0\0\0\0\0\0\xff\0\0\0x${trailer}`,
    `${header}\x01\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\0\0x${trailer}`,
    `${header}\x01\0\0\0\0`,
    `${header}\0\x02\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff`,
    `${header}\x01${trailer.slice(1)}`,
    `${header}${trailer}${trailer}`,
  ];
  for (const [place, body] of bodies.entries()) {
    const bytes = Buffer.from(body, "latin1");
    writeFileSync(record, Buffer.concat([bytes, createHash("sha256").update(bytes).digest()]));
    assert.deepEqual(contentOf(file), { counter: 1n, content: OLD }, `record ${place}`);
    assert.ok(!existsSync(record));
  }
});

test("a record of another format stays for the version that wrote it", (context) => {
  const { file, pages, record } = scene(context);
  const body = Buffer.from("DS4BLOCK\x02\0\0\0 and whatever that format holds", "latin1");
  writeFileSync(record, Buffer.concat([body, createHash("sha256").update(body).digest()]));
  const before = readFileSync(record);
  assert.throws(() => file.lock(), tagged("other"));
  assert.throws(() => file.lock(), tagged("other"), "the lock was given back");
  assert.ok(readFileSync(record).equals(before));
  assert.equal(readFileSync(pages, "latin1"), OLD);
});

// Every state between two steps of `docs/block-files.md`, "Commit", and some within a step.
const states: Record<string, (scene: { pages: string; record: string; state: string }) => void> = {
  "after step 1": () => {},
  "in step 3, before the file is made": ({ pages, state }) => {
    rmSync(pages);
    rmSync(state);
  },
  "in step 3, with a part of the extents": ({ pages }) => writeFileSync(pages, NEW.slice(0, 5) + OLD.slice(5)),
  "in step 3, with all extents and the old size": ({ pages }) => writeFileSync(pages, NEW + OLD.slice(NEW.length)),
  "in step 3, with nothing of it durable": ({ pages }) => truncateSync(pages),
  "after step 3": ({ pages }) => writeFileSync(pages, NEW),
  "in step 4": ({ pages, state }) => {
    writeFileSync(pages, NEW);
    writeFileSync(state, "DS4S");
  },
  "after step 4": ({ pages, state }) => {
    writeFileSync(pages, NEW);
    writeFileSync(state, "DS4STATE\x02\0\0\0\0\0\0\0", "latin1");
  },
};

for (const [name, arrange] of Object.entries(states)) {
  test(`a process that died ${name} made its commit`, (context) => {
    const { folder, file, ...paths } = scene(context);
    leaveRecord(paths.record, NEW, 2n);
    const record = readFileSync(paths.record);
    arrange(paths);
    assert.deepEqual(contentOf(file), { counter: 2n, content: NEW });
    requireClean(folder);
    writeFileSync(paths.record, record);
    assert.deepEqual(contentOf(file), { counter: 2n, content: NEW }, "applied once more");
    file.lock();
    assert.equal(commitAll(file, "next"), 3n);
    file.unlock();
  });
}

test("a record that cannot be applied closes the file and stays", (context) => {
  const { file, pages, record } = scene(context);
  leaveRecord(record, NEW, 2n);
  rmSync(pages);
  mkdirSync(pages);
  assert.throws(() => file.lock(), tagged("access-denied"));
  assert.throws(() => file.lock(), tagged("access-denied"), "the lock was given back");
  assert.throws(() => file.remove(), tagged("access-denied"));
  rmSync(pages, { recursive: true });
  assert.deepEqual(contentOf(file), { counter: 2n, content: NEW });
});

/** Runs a script in a process that can write no file beyond some bytes: what a full disk is to it, by another name. */
function underSizeLimit(folder: string, script: string): string {
  const modules = new URL("./block-files.js", import.meta.url).href;
  const program = `
    import { openBlockFile, commitAll, contentOf } from ${JSON.stringify(modules)};
    const file = openBlockFile(${JSON.stringify(folder)});
    const attempt = (work) => { try { return String(work()); } catch (error) { return error.payload.tag; } };
    const said = [];
    ${script}
    console.log(said.join(" "));
  `;
  const words = ["-c", 'ulimit -f 64 && exec "$0" --input-type=module -e "$1"', process.execPath, program];
  const { status, stdout, stderr } = spawnSync("sh", words, { encoding: "utf8", cwd: fileURLToPath(new URL(".", import.meta.url)) });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

const needsShell = { skip: process.platform === "win32" };

test("a record that cannot be written leaves the file as it was", needsShell, (context) => {
  const { folder, file } = scene(context);
  const said = underSizeLimit(
    folder,
    `said.push(attempt(() => file.lock()));
     said.push(attempt(() => commitAll(file, Buffer.alloc(1024 * 1024))));
     said.push(attempt(() => Buffer.from(file.read(0n, 100)).toString("latin1").slice(0, 3)));
     said.push(attempt(() => commitAll(file, "less")));
     file.unlock();
     said.push(attempt(() => contentOf(file).counter));`,
  );
  assert.equal(said, "1 full old 2 2");
  assert.deepEqual(contentOf(file), { counter: 2n, content: "less" });
  requireClean(folder);
});

test("a commit that is durable and cannot be applied is finished by whoever can", needsShell, (context) => {
  const { folder, file, record } = scene(context);
  const said = underSizeLimit(
    folder,
    `const extents = [{ offset: 0n, length: 3 }, { offset: 1000000n, length: 3 }];
     said.push(attempt(() => file.lock()));
     said.push(attempt(() => file.commit(extents, Buffer.from("newend"), 1000003n, true)));
     said.push(attempt(() => file.read(0n, 3)));
     said.push(attempt(() => file.size()));
     said.push(attempt(() => commitAll(file, "again")));
     file.unlock();
     said.push(attempt(() => file.lock()));`,
  );
  assert.equal(said, "1 full full full full full");
  assert.ok(existsSync(record));
  const { counter, content } = contentOf(file);
  assert.equal(counter, 2n);
  assert.equal(content.length, 1_000_003);
  assert.ok(content.startsWith(`new${OLD.slice(3)}`) && content.endsWith("end"));
  requireClean(folder);
});
