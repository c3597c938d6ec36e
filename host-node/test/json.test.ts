import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonBytes, parsedJson } from "../dist/json.js";

const roundTrip = (value: unknown) => parsedJson<unknown>(jsonBytes(value));

test("values come back as they were", () => {
  for (const value of [{}, [], "", "é😀", "a\0b", { text: "\\ud800 written out" }, [1, null, true]]) {
    assert.deepEqual(roundTrip(value), value);
  }
});

test("half of a surrogate pair becomes the replacement character, wherever it stands", () => {
  assert.equal(roundTrip("a\ud83d"), "a\ufffd");
  assert.deepEqual(roundTrip([{ text: "\\\udc00", "key\ud800": { deep: ["\ud800"] } }]), [
    { text: "\\\ufffd", "key\ufffd": { deep: ["\ufffd"] } },
  ]);
  assert.equal(roundTrip("😀"), "😀");
});
