/**
 * A file of questions: JSON lines `{id, query}`, as programs of every kind write them.
 *
 * A mark of the byte order at the start is skipped, and half of a surrogate pair in a string is read as U+FFFD, as the Rust
 * command line does. Any other line that is no question refuses the file, before a log is read.
 */
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { wellFormed } from "../json.js";
import { BadInput } from "./arguments.js";
import { readText } from "./files.js";

/** Bad lines that are named; the rest is counted. */
const NAMED_LINES = 5;

/** One question. */
export interface Question {
  /** Any value; it stands in the answer again. */
  readonly id: unknown;
  readonly query: string;
}

/** The questions of a file, or of standard input where it is `-`. Throws `BadInput`. */
export async function readQuestions(file: string): Promise<Question[]> {
  // Decoding skips a mark of the byte order.
  const content = await readText(file, file === "-" ? buffer(process.stdin) : readFile(file));
  const questions: Question[] = [];
  const badLines: number[] = [];
  for (const [place, line] of content.split(/\r?\n/).entries()) {
    if (line.trim() === "") {
      continue;
    }
    const value = parsed(line);
    if (isQuestion(value)) {
      questions.push(value);
    } else {
      badLines.push(place + 1);
    }
  }
  if (badLines.length > 0) {
    throw new BadInput(`${file}, ${namedLines(badLines)}: not {"id": …, "query": "…"}`);
  }
  return questions;
}

function parsed(line: string): unknown {
  try {
    return wellFormed(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function isQuestion(value: unknown): value is Question {
  return typeof value === "object" && value !== null && "id" in value && "query" in value && typeof value.query === "string";
}

/** `line 3`, `lines 3 and 5`, `lines 3, 5, 6, 7, 8 and 12 more`. */
export function namedLines(lines: readonly number[]): string {
  const named = lines.slice(0, NAMED_LINES).map(String);
  const parts = lines.length > NAMED_LINES ? [...named, `${lines.length - NAMED_LINES} more`] : named;
  return parts.length < 2 ? `line ${parts.join("")}` : `lines ${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}
