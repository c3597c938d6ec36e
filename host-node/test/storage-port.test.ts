import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, linkSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PORT_CALL_BYTES } from "../dist/limits.js";
import { StoragePort } from "../dist/ports/storage.js";
import { temporaryFolder } from "./temporary-folder.js";

function scene(context: Parameters<Parameters<typeof test>[0] & Function>[0]) {
  const folder = temporaryFolder(context);
  const sessions = join(folder, "sessions");
  mkdirSync(sessions);
  writeFileSync(join(sessions, "log.jsonl"), "0123456789");
  writeFileSync(join(folder, "secret.txt"), "secret");
  const port = new StoragePort();
  context.after(() => port.close());
  port.grant({ sessions });
  const read = (path: string, offset = 0n, length = 100) => new TextDecoder().decode(port.readFile("sessions", path, offset, length));
  return { folder, sessions, port, read };
}

function tagged(tag: string) {
  return (error: unknown) => {
    assert.equal((error as { payload?: { tag?: string } }).payload?.tag, tag);
    return true;
  };
}

test("a file is read by position", (context) => {
  const { read } = scene(context);
  assert.equal(read("log.jsonl"), "0123456789");
  assert.equal(read("log.jsonl", 3n, 4), "3456");
  assert.equal(read("log.jsonl", 8n, 4), "89");
  assert.equal(read("log.jsonl", 10n, 4), "");
  assert.equal(read("log.jsonl", 11n, 4), "");
  assert.equal(read("log.jsonl", 0n, 0), "");
  assert.equal(read("log.jsonl", 0xffff_ffff_ffff_ffffn, 4), "");
});

test("nothing outside the place is readable", (context) => {
  const { folder, sessions, read } = scene(context);
  mkdirSync(join(sessions, "inner"));
  symlinkSync(join(folder, "secret.txt"), join(sessions, "link"));
  symlinkSync(folder, join(sessions, "up"));
  symlinkSync(join("..", "sessions", "log.jsonl"), join(sessions, "inside"));
  for (const path of [
    "../secret.txt",
    "inner/../../secret.txt",
    "inner/../log.jsonl",
    join(folder, "secret.txt"),
    "link",
    "up/secret.txt",
    "./log.jsonl",
    "inner//x",
    "",
    ".",
    "..",
    "a\0b",
  ]) {
    assert.throws(() => read(path), tagged("access-denied"), path);
  }
  assert.equal(read("inside"), "0123456789", "a link that stays inside");
});

test("a sibling whose name begins like the place's is outside", (context) => {
  const { folder, sessions, read } = scene(context);
  mkdirSync(`${sessions}-other`);
  writeFileSync(join(`${sessions}-other`, "x"), "secret");
  symlinkSync(join(folder, "sessions-other", "x"), join(sessions, "x"));
  assert.throws(() => read("x"), tagged("access-denied"));
});

test("a place that was not granted is closed", (context) => {
  const { sessions, port } = scene(context);
  assert.throws(() => port.readFile("project", "log.jsonl", 0n, 1), tagged("access-denied"));
  port.grant({ project: sessions });
  assert.throws(() => port.readFile("sessions", "log.jsonl", 0n, 1), tagged("access-denied"));
  assert.equal(port.readFile("project", "log.jsonl", 0n, 1).length, 1);
});

test("what is not there, and what is no file, is said so", (context) => {
  const { sessions, port, read } = scene(context);
  mkdirSync(join(sessions, "folder"));
  assert.throws(() => read("gone"), tagged("not-found"));
  assert.throws(() => read("log.jsonl/x"), tagged("not-found"));
  assert.throws(() => read("folder"), tagged("access-denied"));
  port.grant({ sessions: join(sessions, "gone") });
  assert.throws(() => read("log.jsonl"), tagged("not-found"));
});

test("a pipe is not waited for", { skip: process.platform === "win32" }, (context) => {
  const { sessions, read } = scene(context);
  execFileSync("mkfifo", [join(sessions, "pipe")]);
  assert.throws(() => read("pipe"), tagged("access-denied"));
});

test("a file that may not be read is denied", { skip: process.getuid?.() === 0 && "root reads everything" }, (context) => {
  const { sessions, read } = scene(context);
  chmodSync(join(sessions, "log.jsonl"), 0o000);
  assert.throws(() => read("log.jsonl"), tagged("access-denied"));
});

test("a log is followed while it grows, is cut, and is replaced", (context) => {
  const { sessions, read } = scene(context);
  const log = join(sessions, "log.jsonl");
  assert.equal(read("log.jsonl"), "0123456789");
  appendFileSync(log, "ab");
  assert.equal(read("log.jsonl", 8n), "89ab");
  truncateSync(log, 4);
  assert.equal(read("log.jsonl", 2n), "23");
  assert.equal(read("log.jsonl", 8n), "");
  writeFileSync(join(sessions, "new"), "another");
  renameSync(join(sessions, "new"), log);
  assert.equal(read("log.jsonl"), "another");
  linkSync(log, join(sessions, "kept"));
  renameSync(log, join(sessions, "old"));
  assert.throws(() => read("log.jsonl"), tagged("not-found"));
  assert.equal(read("kept"), "another");
});

test("more files than are kept open are read", (context) => {
  const { sessions, read } = scene(context);
  for (let round = 0; round < 2; round++) {
    for (let place = 0; place < 20; place++) {
      writeFileSync(join(sessions, `f${place}`), `text ${place} ${round}`);
      assert.equal(read(`f${place}`), `text ${place} ${round}`);
    }
  }
});

test("a call carries at most 8 MiB", (context) => {
  const { sessions, port } = scene(context);
  writeFileSync(join(sessions, "large"), Buffer.alloc(PORT_CALL_BYTES + 1, 1));
  assert.equal(port.readFile("sessions", "large", 0n, PORT_CALL_BYTES).length, PORT_CALL_BYTES);
  assert.throws(() => port.readFile("sessions", "large", 0n, PORT_CALL_BYTES + 1), tagged("other"));
});

test("files are listed in byte order of their paths, in parts, without links", (context) => {
  const { folder, sessions, port } = scene(context);
  const names = ["a.b", "a/b", "a/c/d", "a0", "b", "é", "z", "log.jsonl"];
  mkdirSync(join(sessions, "a", "c"), { recursive: true });
  for (const name of names) {
    writeFileSync(join(sessions, name), "12345");
  }
  symlinkSync(folder, join(sessions, "circle"));
  const list = (after: string | undefined, limit: number) =>
    new TextDecoder()
      .decode(port.listFiles("sessions", after, limit))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { path: string; size: number; modifiedMs: number });
  const expected = [...names].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  const all = list(undefined, 1000);
  assert.deepEqual(
    all.map(({ path }) => path),
    expected,
  );
  assert.ok(all.every(({ size, modifiedMs }) => size <= 10 && Number.isInteger(modifiedMs)));
  const inParts: string[] = [];
  for (let after: string | undefined; ;) {
    const part = list(after, 3).map(({ path }) => path);
    if (part.length === 0) {
      break;
    }
    inParts.push(...part);
    after = part.at(-1);
  }
  assert.deepEqual(inParts, expected);
  assert.deepEqual(list("a/b/zz", 1)[0]?.path, "a/c/d");
});

test("without a data folder derived state is refused", (context) => {
  const { port } = scene(context);
  const imports = port.imports();
  const refused = [
    () => imports.openBlockFile("index"),
    () => imports.removeBlockFile("index"),
    () => imports.getObject("0".repeat(64), 0n, 1),
    () => imports.listObjects(undefined, 1),
    () => imports.removeObject("0".repeat(64)),
    () => imports.ObjectWriter.start(),
  ];
  for (const call of refused) {
    assert.throws(call, tagged("access-denied"));
  }
});

test("with a data folder derived state is kept in it, until another session is at work", (context) => {
  const { folder, sessions, port } = scene(context);
  const imports = port.imports();
  port.grant({ sessions }, join(folder, "data"));
  const file = imports.openBlockFile("index");
  assert.ok(file instanceof imports.BlockFile);
  assert.equal(file.lock(), 0n);
  assert.equal(file.commit([{ offset: 0n, length: 5 }], new TextEncoder().encode("pages"), 5n, true), 1n);
  file[Symbol.dispose]();
  const object = imports.ObjectWriter.start();
  assert.ok(object instanceof imports.ObjectWriter);
  object[Symbol.dispose]();
  assert.deepEqual(imports.listObjects(undefined, 10), []);
  port.grant({ sessions });
  assert.throws(() => imports.openBlockFile("index"), tagged("access-denied"));
  port.grant({}, join(folder, "another"));
  assert.throws(() => imports.removeBlockFile("index"), tagged("not-found"));
  assert.ok(!existsSync(join(folder, "another")), "nothing is made for the sake of removing");
});
