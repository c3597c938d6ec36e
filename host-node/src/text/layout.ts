/** Lines and figures for a terminal: nothing wider than 80 columns, and nothing in them that moves the cursor. */

/** Columns of the narrowest terminal that is written for. */
export const COLUMNS = 80;

/** A text of a log as one line that cannot move the cursor or turn the line around. */
export function printable(text: string): string {
  return text.replace(/[\n\r\t]/g, " ").replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cc}/gu, "\ufffd");
}

/** `1,234,567`. */
export function figure(value: number): string {
  return value.toLocaleString("en-US");
}

/** `1 message`, `2 messages`. */
export function counted(value: number, one: string, many: string): string {
  return `${figure(value)} ${value === 1 ? one : many}`;
}

/** `123 bytes`, `12.3 KB`, `1.2 MB`. */
export function byteSize(bytes: number): string {
  const units = ["KB", "MB", "GB"];
  if (bytes < 1000) {
    return counted(bytes, "byte", "bytes");
  }
  let value = bytes / 1000;
  let place = 0;
  while (value >= 999.95 && place < units.length - 1) {
    value /= 1000;
    place += 1;
  }
  return `${value.toFixed(1)} ${units[place]}`;
}

/** Milliseconds since 1970 as `2026-01-31 23:59`, in UTC. */
export function dateAndTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 16).replace("T", " ");
}

/** Words on lines of at most so many columns. A word that is longer, such as a path, goes on in the next line. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of printable(text).split(/\s+/u).filter(Boolean).flatMap((whole) => pieces(whole, columns))) {
    if (line !== "" && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}

/** A word in pieces of at most so many columns. */
function pieces(word: string, columns: number): string[] {
  const found = [""];
  let taken = 0;
  for (const character of word) {
    const columnsOfIt = characterWidth(character);
    if (taken + columnsOfIt > columns) {
      found.push("");
      taken = 0;
    }
    found[found.length - 1] += character;
    taken += columnsOfIt;
  }
  return found;
}

/** Columns of the titles of rows. */
const TITLE_COLUMNS = 11;

/** `Title      text …`, wrapped, with the text in a column of its own. */
export function row(title: string, text: string): string[] {
  const lines = wrapped(text, COLUMNS - TITLE_COLUMNS);
  return (lines.length === 0 ? [""] : lines).map((line, place) => `${(place === 0 ? title : "").padEnd(TITLE_COLUMNS)}${line}`.trimEnd());
}

/** A text of at most so many columns, the missing part shown by an ellipsis. */
export function cut(text: string, columns: number): string {
  const line = printable(text);
  if (width(line) <= columns) {
    return line;
  }
  let kept = "";
  let taken = 0;
  for (const character of line) {
    taken += characterWidth(character);
    if (taken >= columns) {
      break;
    }
    kept += character;
  }
  return `${kept}…`;
}

/** A text of at most so many columns, the missing part shown by an ellipsis in its middle: of paths and IDs both ends tell. */
export function cutInTheMiddle(text: string, columns: number): string {
  const characters = [...printable(text)];
  if (width(characters.join("")) <= columns) {
    return characters.join("");
  }
  const half = Math.floor((columns - 1) / 2);
  return `${beginning(characters, columns - 1 - half)}…${[...beginning(characters.reverse(), half)].reverse().join("")}`;
}

/** The first characters that fit so many columns. */
function beginning(characters: readonly string[], columns: number): string {
  let kept = "";
  for (const character of characters) {
    if (width(kept) + characterWidth(character) > columns) {
      break;
    }
    kept += character;
  }
  return kept;
}

/** Columns that a text takes. */
export function width(text: string): number {
  let columns = 0;
  for (const character of text) {
    columns += characterWidth(character);
  }
  return columns;
}

const zeroWidth = /^[\p{Mn}\p{Me}\u200b-\u200d\ufe00-\ufe0f]$/u;
/** The scripts and pictures that terminals show wide. */
const wide = /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

function characterWidth(character: string): number {
  if (zeroWidth.test(character)) {
    return 0;
  }
  return wide.test(character) ? 2 : 1;
}
