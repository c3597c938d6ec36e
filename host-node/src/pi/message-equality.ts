/**
 * Whether two messages would go out as the same. Pi hands every hook a deep copy of its messages, so this compares by
 * content; it stops at the first difference and builds nothing.
 *
 * `details` and `usage` are not compared: they never leave the machine, and for a truncated tool result `details` holds
 * the text once more. A member that is missing equals one that is `undefined`, because only one of the two survives being
 * written to a log.
 */
import type { PiMessage } from "./pi-types.js";

export function sameMessage(left: PiMessage, right: PiMessage): boolean {
  return left === right || (left.role === right.role && left.timestamp === right.timestamp && sameMembers(left, right, isLocal));
}

function isLocal(key: string): boolean {
  return key === "details" || key === "usage";
}

function sameValue(left: unknown, right: unknown): boolean {
  if (left === right) {
    return true;
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return Number.isNaN(left) && Number.isNaN(right);
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, place) => sameValue(item, right[place]))
    );
  }
  return sameMembers(left, right, nothing);
}

function nothing(): boolean {
  return false;
}

function sameMembers(left: object, right: object, isIgnored: (key: string) => boolean): boolean {
  const leftMembers = left as Readonly<Record<string, unknown>>;
  const rightMembers = right as Readonly<Record<string, unknown>>;
  for (const key in leftMembers) {
    if (!isIgnored(key) && !sameValue(leftMembers[key], rightMembers[key])) {
      return false;
    }
  }
  for (const key in rightMembers) {
    if (leftMembers[key] === undefined && rightMembers[key] !== undefined && !isIgnored(key)) {
      return false;
    }
  }
  return true;
}
