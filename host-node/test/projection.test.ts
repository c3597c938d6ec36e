import assert from "node:assert/strict";
import { test } from "node:test";
import type { PiEntry, PiMessage } from "../dist/pi/pi-types.js";
import { projectBranch, projectedMessages } from "../dist/pi/projection.js";

const timestamp = "2026-12-01T04:21:29.500Z";

function message(id: string, role = "user", content: string | unknown[] | null = [{ type: "text", text: id }]): PiEntry {
  return { type: "message", id, timestamp, message: { role, content, timestamp: 1 } };
}

function edit(targetId: string, replacement: unknown): PiEntry {
  return { type: "context_edit", id: `edit-${targetId}`, timestamp, targetId, replacement };
}

function compaction(id: string, firstKeptEntryId: string | null): PiEntry {
  return { type: "compaction", id, timestamp, summary: `summary ${id}`, firstKeptEntryId, tokensBefore: 9 };
}

function texts(branch: readonly PiEntry[]): unknown[] {
  return projectBranch(branch).map(
    (projected) =>
      projected["summary"] ??
      (Array.isArray(projected.content) ? (projected.content[0] as { text?: string } | undefined)?.text : projected.content),
  );
}

test("messages, custom messages and branch summaries project; everything else does not", () => {
  const branch: PiEntry[] = [
    { type: "model_change", id: "a", provider: "p", modelId: "m" },
    message("u"),
    { type: "custom", id: "b", customType: "state", data: 1 },
    { type: "custom_message", id: "c", timestamp, customType: "note", content: "hidden", display: false, details: { a: 1 } },
    { type: "branch_summary", id: "d", timestamp, fromId: "x", summary: "went there" },
    { type: "branch_summary", id: "e", timestamp, fromId: "x", summary: "" },
    { type: "label", id: "f", targetId: "u", label: "ds4:pin" },
  ];
  assert.deepEqual(projectBranch(branch), [
    { role: "user", content: [{ type: "text", text: "u" }], timestamp: 1 },
    { role: "custom", customType: "note", content: "hidden", display: false, details: { a: 1 }, timestamp: Date.parse(timestamp) },
    { role: "branchSummary", summary: "went there", fromId: "x", timestamp: Date.parse(timestamp) },
  ]);
});

test("the newest compaction stands first, with what it kept and what came after", () => {
  assert.deepEqual(texts([message("1"), message("2"), compaction("c", "2"), message("3")]), ["summary c", "2", "3"]);
});

test("nothing earlier is kept where the first kept entry is missing", () => {
  for (const kept of ["bogus", "c", null]) {
    assert.deepEqual(texts([message("1"), compaction("c", kept), message("3")]), ["summary c", "3"]);
  }
});

test("an older compaction inside the kept range contributes nothing", () => {
  assert.deepEqual(texts([message("1"), compaction("old", "1"), message("2"), compaction("new", "1"), message("3")]), [
    "summary new",
    "1",
    "2",
    "3",
  ]);
});

test("the last edit of an entry counts, and only content changes", () => {
  const branch = [
    message("1"),
    message("2", "toolResult"),
    message("3"),
    edit("2", { content: "old" }),
    edit("2", { content: "short" }),
    edit("3", null),
  ];
  assert.deepEqual(texts(branch), ["1", "short"]);
  assert.deepEqual(projectBranch(branch)[1], { role: "toolResult", content: [{ type: "text", text: "short" }], timestamp: 1 });
  assert.deepEqual(texts([message("1"), edit("1", { content: "plain" })]), ["plain"]);
});

test("an edit that was compacted away counts no more", () => {
  assert.deepEqual(texts([message("1"), edit("1", null), message("2"), compaction("c", "1"), message("3")]), ["summary c", "2", "3"]);
  assert.deepEqual(texts([message("1"), message("2"), edit("1", null), message("3"), compaction("c", "3")]), ["summary c", "3"]);
});

test("a message without content has empty content", () => {
  assert.deepEqual(projectBranch([message("1", "assistant", null)])[0]?.content, []);
});

test("Pi's own projection is taken where Pi has one, without system messages", () => {
  const own: PiMessage[] = [
    { role: "system", content: "prompt" },
    { role: "user", content: "hi" },
  ];
  const manager = {
    getSessionFile: () => undefined,
    getSessionId: () => "s",
    getLeafId: () => "x",
    getBranch: (): PiEntry[] => [message("1"), message("2", "system")],
    getEntries: (): PiEntry[] => [],
  };
  assert.deepEqual(projectedMessages({ ...manager, buildSessionProjection: () => ({ entries: [{ messages: own }] }) }), [own[1]]);
  assert.equal(projectedMessages(manager).length, 1);
});
