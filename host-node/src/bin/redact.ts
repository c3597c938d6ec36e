/** The command `redact`: texts without the keys, tokens and passwords in them. Its JSON is, to the byte, that of the Rust command line. */
import type { Redaction } from "../contract.js";
import { ContextEngine } from "../engine.js";
import type { RedactArguments } from "./arguments.js";
import { readJsonLines, withId } from "./json-lines.js";
import { print } from "./output.js";
import { patient } from "./sessions.js";

/** Characters of text from which on a batch is closed. One batch crosses into the worker at once. */
const BATCH_CHARACTERS = 1024 * 1024;

export async function redactCommand(words: RedactArguments): Promise<void> {
  const lines = await readJsonLines(words.file, withId("text"));
  await using engine = await ContextEngine.start();
  for (const batch of batches(lines)) {
    const found = await engine.findSecrets(
      batch.map(({ text }) => text),
      patient,
    );
    const answers = batch.map(({ id, text }, place) => {
      const secrets = found[place] ?? [];
      const redactions = secrets.map(({ start, end, rule }) => ({ start, end, rule }));
      return JSON.stringify({ id, text: redacted(text, secrets), redactions });
    });
    print(answers.join("\n"));
  }
}

/** The lines in order, in runs that end where `BATCH_CHARACTERS` are reached. */
function* batches<Line extends { readonly text: string }>(lines: readonly Line[]): Generator<Line[]> {
  let batch: Line[] = [];
  let characters = 0;
  for (const line of lines) {
    batch.push(line);
    characters += line.text.length;
    if (characters >= BATCH_CHARACTERS) {
      yield batch;
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0) {
    yield batch;
  }
}

/** The text with each secret's placeholder in its place. */
function redacted(text: string, secrets: readonly Redaction[]): string {
  if (secrets.length === 0) {
    return text;
  }
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  let keptFrom = 0;
  for (const { start, end, placeholder } of secrets) {
    parts.push(bytes.toString("utf8", keptFrom, start), placeholder);
    keptFrom = end;
  }
  return parts.join("") + bytes.toString("utf8", keptFrom);
}
