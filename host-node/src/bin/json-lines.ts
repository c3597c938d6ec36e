/**
 * A file of JSON lines, each of one form, as programs of every kind write them.
 *
 * A mark of the byte order at the start is skipped, and half of a surrogate pair in a string is read as U+FFFD, as the Rust
 * command line does. Any other line of another form refuses the file, before work begins.
 */
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { wellFormed } from "../json.js";
import { BadInput } from "./arguments.js";
import { readText } from "./files.js";

/** Bad lines that are named; the rest is counted. */
const NAMED_LINES = 5;

/** The form of a line: how to tell it, and how to write it down for a person. */
export interface LineForm<Line> {
  readonly shown: string;
  is(value: unknown): value is Line;
}

/** An `id`, which is any value and stands in the answer again, and a string of that name. */
export function withId<Name extends string>(name: Name): LineForm<{ readonly id: unknown } & { readonly [key in Name]: string }> {
  return {
    shown: `{"id": …, "${name}": "…"}`,
    is: (value): value is { readonly id: unknown } & { readonly [key in Name]: string } =>
      typeof value === "object" && value !== null && "id" in value && typeof (value as Readonly<Record<string, unknown>>)[name] === "string",
  };
}

/** The lines of a file, or of standard input where it is `-`, empty ones left out. Throws `BadInput` for lines of another form. */
export async function readJsonLines<Line>(file: string, form: LineForm<Line>): Promise<Line[]> {
  // Decoding skips a mark of the byte order.
  const content = await readText(file, file === "-" ? buffer(process.stdin) : readFile(file));
  const lines: Line[] = [];
  const badLines: number[] = [];
  for (const [place, line] of content.split(/\r?\n/).entries()) {
    if (line.trim() === "") {
      continue;
    }
    const value = parsed(line);
    if (form.is(value)) {
      lines.push(value);
    } else {
      badLines.push(place + 1);
    }
  }
  if (badLines.length > 0) {
    throw new BadInput(`${file}, ${namedLines(badLines)}: not ${form.shown}`);
  }
  return lines;
}

function parsed(line: string): unknown {
  try {
    return wellFormed(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** `line 3`, `lines 3 and 5`, `lines 3, 5, 6, 7, 8 and 12 more`. */
export function namedLines(lines: readonly number[]): string {
  const named = lines.slice(0, NAMED_LINES).map(String);
  const parts = lines.length > NAMED_LINES ? [...named, `${lines.length - NAMED_LINES} more`] : named;
  return parts.length < 2 ? `line ${parts.join("")}` : `lines ${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}
