/**
 * Which process this is, and whether the one that a lock names is still the one that made it (`docs/block-files.md`, "The lock").
 *
 * A number alone does not tell a process: another host and another container have the same numbers, and a number is given again. So
 * a lock says the host with the PID namespace, and when the process began.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "./file-access.js";

/** What can be known of the process behind a lock. `unknown`: there is one of that number, and nobody can tell whether it is the one. */
export type OwnerState = "gone" | "lives" | "unknown";

/** Where the state and the beginning stand in `/proc/PID/stat`, counted from behind the name in parentheses. */
const STATE_FIELD = 0;
const BEGINNING_FIELD = 19;

let knownHost: string | undefined;
let knownBeginning: { readonly text: string | undefined } | undefined;

/** The host's name, with `#` and the inode number of the PID namespace where the system shows it. */
export function ownHost(): string {
  knownHost ??= hostname() + pidNamespace();
  return knownHost;
}

/** When this process began; none where the system does not show it. */
export function ownBeginning(): string | undefined {
  knownBeginning ??= { text: isProcOurs() ? beginningOf(process.pid) : undefined };
  return knownBeginning.text;
}

/** The state of a process of this host. */
export function ownerState(pid: number, began: string | undefined): OwnerState {
  if (!isThere(pid)) {
    return "gone";
  }
  // Where our own beginning is not shown, what is shown of others cannot be believed.
  const found = ownBeginning() === undefined ? undefined : beginningOf(pid);
  if (found === ENDED) {
    return "gone";
  }
  if (found === undefined || began === undefined) {
    return "unknown";
  }
  return found === began ? "lives" : "gone";
}

/** The beginning of a process that ended and whose parent did not ask for it yet. */
const ENDED = "ended";

/** `BOOT/TICKS`: the boot, and the system's ticks between it and the process's beginning. None where it is not shown. */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[STATE_FIELD] === "Z" || fields[STATE_FIELD] === "X") {
      return ENDED;
    }
    const ticks = fields[BEGINNING_FIELD];
    return ticks === undefined ? undefined : `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}/${ticks}`;
  } catch {
    return undefined;
  }
}

/** Whether `/proc` shows the processes of our own namespace. */
function isProcOurs(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

function pidNamespace(): string {
  try {
    const inode = /\[(\d+)\]$/.exec(readlinkSync("/proc/self/ns/pid"))?.[1];
    return inode === undefined ? "" : `#${inode}`;
  } catch {
    return ""; // not Linux, or `/proc` is not there
  }
}
