/** Block files within one process: transactions, limits, names, links. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BLOCK_FILE_BYTES, HELD_LOCKS, PORT_CALL_BYTES } from "../dist/limits.js";
import { BlockFile } from "../dist/storage/block-file.js";
import { DataFolder } from "../dist/storage/data-folder.js";
import { HeldLocks } from "../dist/storage/held-locks.js";
import { commitAll, contentOf, openBlockFile, tagged } from "./block-files.js";
import { temporaryFolder } from "./temporary-folder.js";

const NANOSECONDS_OF_2020 = 1_577_836_800_000_000_000n;

test("a new file is empty, and what was committed is there for the next transaction", (context) => {
  const folder = temporaryFolder(context);
  const file = openBlockFile(folder);
  assert.deepEqual(readdirSync(folder), [], "opening makes nothing");
  assert.equal(file.lock(), 0n);
  assert.equal(file.size(), 0n);
  assert.equal(file.read(0n, 100).length, 0);
  assert.equal(commitAll(file, "first"), 1n);
  assert.equal(Buffer.from(file.read(0n, 100)).toString(), "first", "within the transaction too");
  file.unlock();
  assert.deepEqual(contentOf(openBlockFile(folder)), { counter: 1n, content: "first" });
  assert.deepEqual(readdirSync(folder).sort(), ["pages", "pages.state"]);
  assert.equal(readFileSync(join(folder, "pages"), "latin1"), "first", "at rest the file is its pages and nothing else");
});

test("reads give what is there, at the end and behind it", (context) => {
  const file = openBlockFile(temporaryFolder(context));
  file.lock();
  commitAll(file, "0123456789");
  const read = (offset: bigint, length: number) => Buffer.from(file.read(offset, length)).toString();
  assert.equal(read(3n, 4), "3456");
  assert.equal(read(8n, 4), "89");
  assert.equal(read(10n, 4), "");
  assert.equal(read(11n, 4), "");
  assert.equal(read(0n, 0), "");
  assert.equal(read(0xffff_ffff_ffff_ffffn, 4), "");
  assert.equal(file.size(), 10n);
  file.unlock();
});

test("a commit writes its extents, cuts and extends", (context) => {
  const folder = temporaryFolder(context);
  const file = openBlockFile(folder);
  file.lock();
  commitAll(file, "aaaaaaaaaa");
  const data = Buffer.from("BBCCD");
  file.commit(
    [
      { offset: 2n, length: 2 },
      { offset: 8n, length: 2 },
      { offset: 3n, length: 1 },
    ],
    data,
    12n,
    true,
  );
  assert.equal(Buffer.from(file.read(0n, 100)).toString("latin1"), "aaBDaaaaCC\0\0");
  file.commit([], new Uint8Array(), 3n, true);
  file.unlock();
  assert.deepEqual(contentOf(file), { counter: 3n, content: "aaB" });
  file.lock();
  file.commit([{ offset: 5n, length: 4 }], Buffer.from("long"), 7n, true);
  file.unlock();
  assert.equal(contentOf(file).content, "aaB\0\0lo", "what is written behind the new size is cut");
});

test("a commit in parts counts once, and not at all without its last part", (context) => {
  const folder = temporaryFolder(context);
  const file = openBlockFile(folder);
  file.lock();
  commitAll(file, "old");
  assert.equal(file.commit([{ offset: 0n, length: 3 }], Buffer.from("abc"), 0n, false), 1n);
  assert.equal(file.commit([{ offset: 6n, length: 3 }], Buffer.from("ghi"), 0n, false), 1n);
  assert.ok(existsSync(join(folder, "pages.commit")));
  assert.equal(Buffer.from(file.read(0n, 10)).toString(), "old");
  assert.equal(file.commit([{ offset: 3n, length: 3 }], Buffer.from("def"), 9n, true), 2n);
  file.unlock();
  assert.deepEqual(contentOf(file), { counter: 2n, content: "abcdefghi" });
  file.lock();
  file.commit([{ offset: 0n, length: 3 }], Buffer.from("xyz"), 0n, false);
  file.unlock();
  assert.deepEqual(contentOf(file), { counter: 2n, content: "abcdefghi" });
  assert.deepEqual(readdirSync(folder).sort(), ["pages", "pages.state"]);
});

test("a large commit in parts is applied piece by piece", (context) => {
  const file = openBlockFile(temporaryFolder(context));
  const parts = [1, 2, 3].map((value) => Buffer.alloc(PORT_CALL_BYTES, value));
  file.lock();
  for (const [place, part] of parts.entries()) {
    const final = place === parts.length - 1;
    file.commit([{ offset: BigInt(place * PORT_CALL_BYTES), length: part.length }], part, BigInt(3 * PORT_CALL_BYTES), final);
  }
  for (const [place, part] of parts.entries()) {
    assert.ok(part.equals(file.read(BigInt(place * PORT_CALL_BYTES), PORT_CALL_BYTES)));
  }
  file.unlock();
});

test("what breaks the contract fails, takes the parts before it with it and changes nothing", (context) => {
  const folder = temporaryFolder(context);
  const file = openBlockFile(folder);
  const broken: Parameters<BlockFile["commit"]>[] = [
    [[{ offset: 0n, length: 3 }], Buffer.from("ab"), 3n, true],
    [[], Buffer.from("ab"), 3n, true],
    [[{ offset: 0n, length: PORT_CALL_BYTES + 1 }], Buffer.alloc(PORT_CALL_BYTES + 1), 3n, true],
    [[{ offset: BigInt(BLOCK_FILE_BYTES), length: 1 }], Buffer.from("a"), 1n, true],
    [[{ offset: 0xffff_ffff_ffff_ffffn, length: 1 }], Buffer.from("a"), 1n, false],
    [[], new Uint8Array(), BigInt(BLOCK_FILE_BYTES) + 1n, true],
  ];
  file.lock();
  commitAll(file, "old");
  file.unlock();
  for (const [place, call] of broken.entries()) {
    assert.equal(file.lock(), 1n);
    file.commit([{ offset: 0n, length: 3 }], Buffer.from("new"), 0n, false);
    assert.throws(() => file.commit(...call), tagged("other"), `call ${place}`);
    assert.ok(!existsSync(join(folder, "pages.commit")), `call ${place}`);
    assert.equal(Buffer.from(file.read(0n, 3)).toString(), "old");
    file.unlock();
  }
  file.lock();
  assert.throws(() => file.read(0n, PORT_CALL_BYTES + 1), tagged("other"));
  assert.equal(file.read(0n, PORT_CALL_BYTES).length, 3);
  file.unlock();
  assert.equal(file.lock(), 1n);
  assert.throws(() => file.commit([], Buffer.from("ab"), 3n, true), tagged("other"));
  assert.equal(file.commit([{ offset: 1n, length: 1 }], Buffer.from("_"), 3n, true), 2n, "a commit can begin anew");
  file.unlock();
  assert.deepEqual(contentOf(file), { counter: 2n, content: "o_d" });
});

test("a transaction is needed for everything, and one excludes every other", (context) => {
  const folder = temporaryFolder(context);
  const [file, other] = [openBlockFile(folder), openBlockFile(folder)];
  assert.throws(() => file.size(), tagged("other"));
  assert.throws(() => file.read(0n, 1), tagged("other"));
  assert.throws(() => commitAll(file, "x"), tagged("other"));
  file.unlock();
  file.lock();
  assert.throws(() => file.lock(), tagged("busy"));
  assert.throws(() => other.lock(), tagged("busy"));
  assert.throws(() => other.remove(), tagged("busy"));
  other.unlock();
  assert.throws(() => other.lock(), tagged("busy"), "an unlock without a lock frees nothing");
  commitAll(file, "x");
  file[Symbol.dispose]();
  file[Symbol.dispose]();
  assert.equal(other.lock(), 1n, "what is released is unlocked");
  other.unlock();
  assert.equal(file.lock(), 1n);
  file.unlock();
});

test("a worker holds a bounded number of locks, and gets free what it gives back", (context) => {
  const folder = new DataFolder(temporaryFolder(context));
  const locks = new HeldLocks();
  const files = Array.from({ length: HELD_LOCKS + 1 }, (_, place) => new BlockFile(folder, `f${place}`, locks));
  files.slice(1).forEach((file) => file.lock());
  assert.throws(() => files[0]?.lock(), tagged("other"));
  files[3]?.unlock();
  assert.equal(files[0]?.lock(), 0n);
  assert.equal(locks.entered().length, HELD_LOCKS);
  files.forEach((file) => file.unlock());
  assert.deepEqual(locks.entered(), []);
});

test("a counter that is lost becomes one that nobody has seen", (context) => {
  const folder = temporaryFolder(context);
  const file = openBlockFile(folder);
  file.lock();
  commitAll(file, "pages");
  file.unlock();
  const state = join(folder, "pages.state");
  const damages = ["", "DS4STATE", "DS4STATX\x01\0\0\0\0\0\0\0", "DS4STATE\x01\0\0\0\0\0\0\0more"];
  for (const damage of [undefined, ...damages]) {
    damage === undefined ? rmSync(state) : writeFileSync(state, damage, "latin1");
    const counter = file.lock();
    file.unlock();
    assert.ok(counter > NANOSECONDS_OF_2020, `${damage}: ${counter}`);
    assert.equal(file.lock(), counter, "it is kept");
    assert.equal(commitAll(file, "pages"), counter + 1n);
    file.unlock();
    assert.equal(statSync(state).size, 16);
  }
  writeFileSync(join(folder, "pages"), "");
  rmSync(state);
  assert.equal(file.lock(), 0n);
  file.unlock();
});

test("a removed file is empty, its counter goes on, and a handle that is still open sees it", (context) => {
  const folder = temporaryFolder(context);
  const [file, other] = [openBlockFile(folder, "a/b"), openBlockFile(folder, "a/b")];
  assert.throws(() => openBlockFile(folder, "no/where").remove(), tagged("not-found"));
  assert.ok(!existsSync(join(folder, "no")));
  file.lock();
  commitAll(file, "first");
  file.unlock();
  other.remove();
  assert.throws(() => other.remove(), tagged("not-found"));
  assert.deepEqual(readdirSync(join(folder, "a")), ["b.state"]);
  const { counter, content } = contentOf(file);
  assert.ok(counter > 1n);
  assert.equal(content, "");
  other.lock();
  const committed = commitAll(other, "second");
  assert.ok(committed > counter);
  other.unlock();
  assert.deepEqual(contentOf(file), { counter: committed, content: "second" });
});

test("a file that somebody deleted has a counter that nobody has seen, and so has what is made in its place", (context) => {
  const folder = temporaryFolder(context);
  const file = openBlockFile(folder);
  const seen = new Set<bigint>();
  const isNew = (counter: bigint) => assert.ok(!seen.has(counter) && seen.add(counter), String(counter));
  for (let round = 0; round < 3; round++) {
    file.lock();
    isNew(commitAll(file, `content ${round}`));
    file.unlock();
    rmSync(join(folder, "pages"));
    const { counter, content } = contentOf(file);
    isNew(counter);
    assert.equal(content, "");
  }
});

test("the data folder is made when it is needed, for its user only", { skip: process.platform === "win32" }, (context) => {
  const folder = join(temporaryFolder(context), "not", "there");
  const file = openBlockFile(folder, "project/index");
  assert.ok(!existsSync(folder));
  file.lock();
  commitAll(file, "pages");
  file.commit([], new Uint8Array(), 1n, false);
  const mode = (...parts: string[]) => (statSync(join(folder, ...parts)).mode & 0o7777).toString(8);
  for (const parts of [["."], ["project"], ["..", "..", "not"]]) {
    assert.equal(mode(...parts), "700");
  }
  for (const name of ["index", "index.lock", "index.state", "index.commit"]) {
    assert.equal(mode("project", name), "600", name);
  }
  file.unlock();
});

test("a folder that vanished is made again", (context) => {
  const folder = join(temporaryFolder(context), "data");
  const file = openBlockFile(folder, "p/index");
  file.lock();
  commitAll(file, "pages");
  rmSync(folder, { recursive: true });
  file.unlock();
  assert.deepEqual(contentOf(file), { counter: 0n, content: "" });
});

test("names against the rule are denied", (context) => {
  const folder = temporaryFolder(context);
  const longest = `${"a".repeat(100)}/${"b".repeat(154)}`;
  for (const name of ["a", "index.sqlite", "p-1/sub_2/index.db", "lock", "a.lock/b", longest]) {
    const file = openBlockFile(folder, name);
    file.lock();
    file.unlock();
  }
  const refused = [
    "",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "a/../b",
    "./a",
    ".hidden",
    "a/.hidden/b",
    "a b",
    "a\\b",
    "a\0",
    "ä",
    "c:a",
    "a\n",
    "a.lock",
    "p/a.takeover",
    "a.commit",
    "a.state",
    "a.LOCK",
    "objects",
    "objects/incoming/x",
    "Objects/x",
    "ds4-context.json",
    `${longest}c`,
  ];
  for (const name of refused) {
    assert.throws(() => openBlockFile(folder, name), tagged("access-denied"), name);
  }
});

test("no link below the data folder is followed, and nothing but files is opened", { skip: process.platform === "win32" }, (context) => {
  const outside = temporaryFolder(context);
  const folder = join(outside, "data");
  mkdirSync(join(folder, "real"), { recursive: true });
  mkdirSync(join(outside, "target"));
  writeFileSync(join(outside, "secret"), "secret");
  symlinkSync(join(outside, "target"), join(folder, "up"));
  symlinkSync("real", join(folder, "inner"));
  writeFileSync(join(folder, "file"), "");
  for (const name of ["up/index", "inner/index", "file/index"]) {
    assert.throws(() => openBlockFile(folder, name), tagged("access-denied"), name);
  }
  for (const [place, ending] of ["", ".lock", ".commit", ".state"].entries()) {
    const name = `l${place}`;
    symlinkSync(join(outside, "secret"), join(folder, name + ending));
    assert.throws(() => openBlockFile(folder, name).lock(), tagged("access-denied"), ending);
    mkdirSync(join(folder, `d${place}${ending}`));
    assert.throws(() => openBlockFile(folder, `d${place}`).lock(), tagged("access-denied"), ending);
  }
  assert.equal(readFileSync(join(outside, "secret"), "utf8"), "secret");
  assert.deepEqual(readdirSync(join(outside, "target")), []);

  const link = join(outside, "link");
  symlinkSync(folder, link);
  assert.deepEqual(contentOf(openBlockFile(link, "index")), { counter: 0n, content: "" }, "the data folder itself may be a link");
});
