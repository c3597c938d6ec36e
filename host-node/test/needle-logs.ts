/** Logs in which every entry holds a word of its own, so that each can be searched for, and what a search of them found. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Session } from "../dist/index.js";
import { PiLog } from "./pi-logs.js";

/** The word that only the entry at `place` holds. */
export function needle(place: number): string {
  return `needle${place}q`;
}

/** A log of `entries` user messages of about `characters` characters. */
export function needleLog(file: string, entries: number, characters = 4_000): PiLog {
  const log = new PiLog(file);
  for (let place = 0; place < entries; place++) {
    addNeedle(log, characters);
  }
  return log;
}

export function addNeedle(log: PiLog, characters = 4_000): void {
  const place = log.entries.length;
  log.user(`${needle(place)} ${`filler ${place % 97} of thread_${place % 13} in src/part${place % 31}.rs `.repeat(Math.ceil(characters / 40))}`);
}

/** Asserts that everything is indexed and that the entries at these places are found by their words. */
export async function assertFound(session: Session, places: readonly number[]): Promise<void> {
  for (const place of places) {
    const answer = await session.searchHistory({ text: needle(place), limit: 1 });
    assert.equal(answer.status, "complete");
    assert.equal(answer.indexedEntries, answer.logEntries);
    assert.deepEqual(
      answer.hits.map(({ entryId }) => entryId),
      [`e${place}`],
    );
  }
}

export function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
