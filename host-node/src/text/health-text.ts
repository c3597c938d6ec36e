/** How the index is, in lines for a person. */
import type { HealthDocument } from "../documents.js";
import { byteSize, counted, dateAndTime, figure, row } from "./layout.js";
import { rebuildText } from "./words.js";

/** Where the index is kept and how large it is. `folder` is the data folder, where the host has one. */
export function storageRows(health: HealthDocument, folder: string | undefined): string[] {
  if (health.database.kind === "absent") {
    return row("Kept", placeText(health, folder));
  }
  return [
    ...row("Kept", placeText(health, folder)),
    ...row("Size", `${byteSize(health.bytes)}, ${byteSize(health.freeBytes)} of it free for reuse`),
    ...row(
      "Holds",
      `${byteSize(health.textBytes)} of text in ${counted(health.entries, "entry", "entries")} of ${counted(health.sessions, "session", "sessions")}`,
    ),
  ];
}

/** How far the session is indexed. */
export function indexRows(health: HealthDocument): string[] {
  const { session } = health;
  if (session == null) {
    return row("Index", `none yet, of ${counted(health.logEntries, "entry", "entries")}`);
  }
  const state = health.upToDate ? "up to date" : `${figure(health.logEntries - session.entries)} behind`;
  const written = `last written ${dateAndTime(session.indexedAt)} UTC`;
  return [
    ...row("Index", `${figure(session.entries)} of ${counted(health.logEntries, "entry", "entries")}, ${state}; ${written}`),
    ...(session.rebuilds > 0
      ? row("Made anew", `${counted(session.rebuilds, "time", "times")}, last because ${rebuildText(session.lastReason)}`)
      : []),
  ];
}

/** What a deep check found. */
export function verdictRow(health: HealthDocument): string[] {
  if (health.database.kind === "absent") {
    return [];
  }
  const problems = health.problems ?? [];
  return row("Database", problems.length > 0 ? `damaged: ${problems.join("; ")}` : "whole: every page was checked");
}

function placeText(health: HealthDocument, folder: string | undefined): string {
  const { kind, name, reason } = health.database;
  if (kind === "stored") {
    return `${name ?? "a file"} in ${folder ?? "the data folder"}`;
  }
  if (kind === "absent") {
    return `nothing yet: there is no index in ${folder ?? "the data folder"}`;
  }
  switch (reason) {
    case "privacy":
      return "in memory only: privacy is on";
    case "not-writable":
      return "in memory only: the data folder may not be written";
    case "newer-schema":
      return "in memory only: a newer version of this program wrote the one on disk";
    default:
      return "in memory only: there is no data folder";
  }
}
