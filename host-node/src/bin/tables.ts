/** Documents as tables for a person, at most 80 columns wide. Plainer than those of the Rust command line; the figures are the same. */
import type { ExplainDocument, InspectDocument, ManifestDocument, PlanDocument } from "../documents.js";
import { COLUMNS, counted, cut, cutInTheMiddle, figure, row, wrapped } from "../text/layout.js";
import { excludedText, kindText, noEvidenceText, warningText } from "../text/words.js";

const BAR_CELLS = 60;
/** Columns of a kind of item, of a reason, and of an entry's ID. */
const KIND_COLUMNS = 22;
const REASON_COLUMNS = 25;
const ID_COLUMNS = 20;
/** Characters of a hash that are shown; `--json` has all. */
const HASH_CHARACTERS = 16;

export function planTable(plan: PlanDocument, manifest: ManifestDocument): string {
  const noEvidence = noEvidenceText(manifest["retrieval"]);
  return [
    ...row("Model", `${manifest.provider ?? "?"}/${manifest.model ?? "?"}, window of ${figure(manifest.contextWindow)} tokens`),
    ...row("Window", `${figure(plan.estimatedTokens)} tokens, counted by ${plan.estimator}`),
    ...row("", bar(plan.estimatedTokens, manifest.contextWindow)),
    ...row(
      "Budget",
      `${figure(manifest.activeInputBudget)} tokens, soft limit ${figure(manifest.softInputLimit)}, hard limit ${figure(manifest.hardInputLimit)}`,
    ),
    "",
    `${"In".padEnd(KIND_COLUMNS)}${"items".padStart(8)}${"tokens".padStart(12)}`,
    ...manifest.composition.map(
      ({ kind, items, tokens }) =>
        `  ${cut(kindText(kind), KIND_COLUMNS - 2).padEnd(KIND_COLUMNS - 2)}${figure(items).padStart(8)}${figure(tokens).padStart(12)}`,
    ),
    "",
    excludedHeading,
    ...plan.excluded.map(excludedLine),
    "",
    ...row("Messages", `${figure(plan.messages.length)} planned; prompt ${plan.promptHash.slice(0, HASH_CHARACTERS)}…`),
    ...(noEvidence === undefined ? [] : row("Evidence", `none: ${noEvidence}`)),
    ...manifest.warnings.flatMap(({ code, details }) => row("Warning", warningText(code, details.length))),
  ].join("\n");
}

const excludedHeading = `${"Out".padStart(3)}${"messages".padStart(9)}${"tokens".padStart(11)}  ${"why".padEnd(REASON_COLUMNS)} entries`;

interface Excluded {
  readonly firstEntryId?: string | null;
  readonly lastEntryId?: string | null;
  readonly messageCount: number;
  readonly tokens: number;
  readonly reason: string;
}

function excludedLine(excluded: Excluded): string {
  const figures = `${figure(excluded.messageCount).padStart(12)}${figure(excluded.tokens).padStart(11)}`;
  return `${figures}  ${cut(excludedText(excluded.reason), REASON_COLUMNS).padEnd(REASON_COLUMNS)} ${span(excluded)}`.trimEnd();
}

/** `first to last`, each cut so that both are seen. */
function span({ firstEntryId, lastEntryId }: Excluded): string {
  const columns = COLUMNS - excludedHeading.length + "entries".length;
  const share = Math.floor((columns - " to ".length) / 2);
  if (firstEntryId == null) {
    return "";
  }
  const last = lastEntryId ?? firstEntryId;
  return last === firstEntryId ? cutInTheMiddle(last, columns) : `${cutInTheMiddle(firstEntryId, share)} to ${cutInTheMiddle(last, share)}`;
}

export function inspectTable(inspect: InspectDocument): string {
  const { session, entries, projection } = inspect;
  return [
    ...row("Session", session.id),
    ...row(
      "Log",
      `${session.format} version ${session.version}, ${counted(session.bytes, "byte", "bytes")} in ${counted(session.lines, "line", "lines")}`,
    ),
    ...row("Model", inspect.model ? `${inspect.model.provider}/${inspect.model.id}` : "none named"),
    ...row("Entries", `${figure(entries.total)}: ${counts(entries.byType)}`),
    ...row("Roles", counts(entries.messagesByRole)),
    ...row("Active", `leaf ${inspect.activeLeafId ?? "none"}: ${counted(projection.messages, "message", "messages")}`),
    ...row("Tokens", `${figure(projection.tokens)}, counted by ${inspect.estimator}`),
    ...row("Turns", figure(inspect.turns.length)),
    "",
    branchRow(`Branches: ${figure(inspect.branchCount)}`, "messages", "turns", "tokens", "from"),
    ...inspect.branches.map((branch) =>
      branchRow(
        `  ${branch.active ? "* " : "  "}${cutInTheMiddle(branch.leafId, ID_COLUMNS)}`,
        figure(branch.messages),
        figure(branch.turns),
        figure(branch.tokens),
        branch.forkEntryId ?? "",
      ),
    ),
    ...(inspect.labels.length === 0 ? [] : ["", "Labels"]),
    ...inspect.labels.map(({ entryId, label }) =>
      cut(`  ${cutInTheMiddle(entryId, ID_COLUMNS).padEnd(ID_COLUMNS)} ${label}`, COLUMNS),
    ),
    "",
    ...(inspect.damage.length === 0 ? row("Damage", "none") : ["Damage"]),
    ...inspect.damage.flatMap(({ code, count, firstLine, text }) => [
      cut(`  ${code} ×${figure(count)}${firstLine == null ? "" : `, first in line ${figure(firstLine)}`}`, COLUMNS),
      ...indented(text),
    ]),
  ].join("\n");
}

function branchRow(leaf: string, messages: string, turns: string, tokens: string, fork: string): string {
  const figures = `${messages.padStart(10)}${turns.padStart(9)}${tokens.padStart(13)}`;
  return `${leaf.padEnd(ID_COLUMNS + 4)}${figures}  ${cutInTheMiddle(fork, ID_COLUMNS)}`.trimEnd();
}

/** For each exclusion a row, and below it the smallest change that would have included it. */
export function explainTable(explain: ExplainDocument): string {
  const groups = explain.excluded.flatMap((group) => [excludedLine(group), ...indented(group.smallestChange.text)]);
  return [...row("Plan", explain.manifestId), excludedHeading, ...groups].join("\n");
}

function indented(text: string): string[] {
  return wrapped(text, COLUMNS - 4).map((line) => `    ${line}`);
}

function bar(part: number, whole: number): string {
  const filled = whole > 0 ? Math.min(BAR_CELLS, Math.round((BAR_CELLS * part) / whole)) : 0;
  return `[${"#".repeat(filled)}${".".repeat(BAR_CELLS - filled)}]`;
}

function counts(byName: Readonly<Record<string, number>>): string {
  return Object.entries(byName)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(", ");
}
