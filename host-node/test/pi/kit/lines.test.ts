/** Lines end at LF only, wherever the chunks are cut. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LineSplitter } from "./lines.ts";

test("U+2028 and CR stay inside a line, and a character may be cut between chunks", () => {
  const bytes = Buffer.from("one\u2028two\rthree\nfour €\nfi");
  for (let size = 1; size <= bytes.length; size++) {
    const splitter = new LineSplitter();
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += size) lines.push(...splitter.push(bytes.subarray(at, at + size)));
    assert.deepEqual(lines, ["one\u2028two\rthree", "four €"], `chunks of ${size}`);
    assert.equal(splitter.rest, "fi");
  }
});
