/** Immutable objects in the data folder. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { PORT_CALL_BYTES } from "../dist/limits.js";
import { StoragePort } from "../dist/ports/storage.js";
import { tagged } from "./block-files.js";
import { temporaryFolder } from "./temporary-folder.js";

const HOUR = 3600;

function scene(context: TestContext) {
  const folder = join(temporaryFolder(context), "data");
  const port = new StoragePort();
  port.grant({}, folder);
  const store = port.imports();
  const put = (text: string) => {
    const sha256 = hashOf(text);
    const writer = store.ObjectWriter.start();
    writer.write(Buffer.from(text));
    writer.finish(sha256);
    writer[Symbol.dispose]();
    return sha256;
  };
  const get = (sha256: string, offset = 0n, length = 100) => Buffer.from(store.getObject(sha256, offset, length)).toString();
  const pathOf = (sha256: string) => join(folder, "objects", sha256.slice(0, 2), sha256);
  return { folder, incoming: join(folder, "objects", "incoming"), store, put, get, pathOf };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

test("an object is written in parts, found by its hash and read by position", (context) => {
  const { store, get, pathOf, incoming } = scene(context);
  const writer = store.ObjectWriter.start();
  writer.write(Buffer.from("01234"));
  writer.write(new Uint8Array());
  writer.write(Buffer.from("56789"));
  const sha256 = hashOf("0123456789");
  assert.throws(() => get(sha256), tagged("not-found"), "not before it is finished");
  writer.finish(sha256);
  assert.equal(get(sha256), "0123456789");
  assert.equal(get(sha256, 3n, 4), "3456");
  assert.equal(get(sha256, 8n, 4), "89");
  assert.equal(get(sha256, 10n, 4), "");
  assert.equal(get(sha256, 0xffff_ffff_ffff_ffffn, 4), "");
  assert.equal(readFileSync(pathOf(sha256), "utf8"), "0123456789");
  assert.deepEqual(readdirSync(incoming), []);
  assert.equal((statSync(pathOf(sha256)).mode & 0o777).toString(8), "600");
});

test("the empty object is one too", (context) => {
  const { store, get, put } = scene(context);
  const sha256 = put("");
  assert.equal(get(sha256), "");
  assert.deepEqual(store.listObjects(undefined, 10), [{ sha256, size: 0n }]);
});

test("finishing twice, and writing an object twice, is fine", (context) => {
  const { store, put, get } = scene(context);
  const sha256 = put("same");
  assert.equal(put("same"), sha256);
  assert.equal(get(sha256), "same");
  const writer = store.ObjectWriter.start();
  writer.write(Buffer.from("same"));
  writer.finish(sha256);
  writer.finish(sha256);
  assert.throws(() => writer.finish(hashOf("other")), tagged("corrupt"));
  assert.throws(() => writer.write(Buffer.from("more")), tagged("other"));
  writer[Symbol.dispose]();
  assert.equal(get(sha256), "same");
});

test("another hash is corrupt, and the bytes are gone", (context) => {
  const { store, incoming } = scene(context);
  for (const name of [hashOf("other"), hashOf("bytes").toUpperCase(), "", "../../x"]) {
    const writer = store.ObjectWriter.start();
    writer.write(Buffer.from("bytes"));
    assert.throws(() => writer.finish(name), tagged("corrupt"), name);
    assert.deepEqual(readdirSync(incoming), []);
    assert.throws(() => writer.finish(hashOf("bytes")), tagged("other"));
  }
  assert.deepEqual(store.listObjects(undefined, 10), []);
});

test("an object that is given up leaves nothing, one that a dead process left goes after a day", (context) => {
  const { store, incoming } = scene(context);
  const writer = store.ObjectWriter.start();
  writer.write(Buffer.from("bytes"));
  assert.equal(readdirSync(incoming).length, 1);
  writer[Symbol.dispose]();
  writer[Symbol.dispose]();
  assert.deepEqual(readdirSync(incoming), []);
  const left = (name: string, hours: number) => {
    const path = join(incoming, name);
    writeFileSync(path, "half");
    utimesSync(path, Date.now() / 1000, Date.now() / 1000 - hours * HOUR);
  };
  left("a".repeat(32), 23);
  left("b".repeat(32), 25);
  left("no-object", 25);
  store.ObjectWriter.start()[Symbol.dispose]();
  assert.deepEqual(readdirSync(incoming).sort(), ["a".repeat(32), "no-object"]);
});

test("objects are listed in byte order, in parts, and nothing else is", (context) => {
  const { folder, store, put, pathOf } = scene(context);
  assert.deepEqual(store.listObjects(undefined, 10), []);
  assert.ok(!existsSync(folder), "listing makes nothing");
  const texts = Array.from({ length: 40 }, (_, place) => "x".repeat(place));
  const expected = texts
    .map((text) => ({ sha256: put(text), size: BigInt(text.length) }))
    .sort((left, right) => (left.sha256 < right.sha256 ? -1 : 1));
  const known = expected[0]?.sha256 ?? "";
  const beside = join(folder, "objects", known.slice(0, 2));
  writeFileSync(join(beside, known.slice(0, 63)), "too short");
  writeFileSync(join(beside, `${known.slice(0, 2)}${"A".repeat(62)}`), "upper case");
  const elsewhere = known.startsWith("00") ? "01" : "00";
  writeFileSync(join(beside, elsewhere + "0".repeat(62)), "in another's folder");
  mkdirSync(join(beside, `${known.slice(0, 2)}${"0".repeat(62)}`));
  symlinkSync(pathOf(known), join(beside, `${known.slice(0, 2)}${"1".repeat(62)}`));
  assert.deepEqual(store.listObjects(undefined, 1000), expected);
  const inParts = [];
  for (let after: string | undefined; ;) {
    const part = store.listObjects(after, 7);
    if (part.length === 0) {
      break;
    }
    inParts.push(...part);
    after = part.at(-1)?.sha256;
  }
  assert.deepEqual(inParts, expected);
  assert.deepEqual(store.listObjects(undefined, 0), []);
  assert.deepEqual(store.listObjects("", 1000), expected);
  assert.deepEqual(store.listObjects("zz", 1000), []);
  assert.deepEqual(
    store.listObjects(expected[4]?.sha256.slice(0, 10), 1000),
    expected.slice(4),
    "any text can be the place to go on from",
  );
});

test("a removed object is not there, and can come back", (context) => {
  const { store, put, get } = scene(context);
  const sha256 = put("text");
  store.removeObject(sha256);
  assert.throws(() => get(sha256), tagged("not-found"));
  assert.throws(() => store.removeObject(sha256), tagged("not-found"));
  assert.equal(get(put("text")), "text");
});

test("names that are no hash, links, and more than a call carries are refused", (context) => {
  const { folder, store, put, get, pathOf } = scene(context);
  const sha256 = put("text");
  for (const name of ["", "..", `../${sha256}`, sha256.toUpperCase(), sha256.slice(1), "incoming"]) {
    assert.throws(() => get(name), tagged("access-denied"), name);
    assert.throws(() => store.removeObject(name), tagged("access-denied"), name);
  }
  const linked = `${sha256.slice(0, 2)}${"f".repeat(62)}`;
  writeFileSync(join(folder, "secret"), "secret");
  symlinkSync(join(folder, "secret"), pathOf(linked));
  assert.throws(() => get(linked), tagged("access-denied"));
  const elsewhere = sha256.startsWith("00") ? "01" : "00";
  symlinkSync(join(folder, "objects", sha256.slice(0, 2)), join(folder, "objects", elsewhere));
  assert.throws(() => get(elsewhere + "0".repeat(62)), tagged("access-denied"));
  assert.equal(get(sha256, 0n, PORT_CALL_BYTES), "text");
  assert.throws(() => get(sha256, 0n, PORT_CALL_BYTES + 1), tagged("other"));
  const writer = store.ObjectWriter.start();
  writer.write(Buffer.alloc(PORT_CALL_BYTES));
  assert.throws(() => writer.write(Buffer.alloc(PORT_CALL_BYTES + 1)), tagged("other"));
  writer[Symbol.dispose]();
});
