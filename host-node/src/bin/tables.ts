/** Documents as tables for a person. Plainer than those of the Rust command line; the figures are the same. */
import type { ExplainDocument, InspectDocument, ManifestDocument, PlanDocument } from "../documents.js";
import { figure, printable } from "../text/layout.js";

const BAR_WIDTH = 50;

export function planTable(plan: PlanDocument, manifest: ManifestDocument): string {
  const lines = [
    `model    ${manifest.provider ?? "?"}/${manifest.model ?? "?"}, window ${figure(manifest.contextWindow)}`,
    `window   ${bar(plan.estimatedTokens, manifest.contextWindow)} ${figure(plan.estimatedTokens)} tokens (${plan.estimator})`,
    `budget   ${figure(manifest.activeInputBudget)}, soft limit ${figure(manifest.softInputLimit)}, hard limit ${figure(manifest.hardInputLimit)}`,
    "",
    "in       items     tokens",
    ...manifest.composition.map(
      ({ kind, items, tokens }) => `${kind.padEnd(10)}${figure(items).padStart(4)} ${figure(tokens).padStart(10)}`,
    ),
    "",
    `out      messages  tokens  reason`,
    ...plan.excluded.map((range) => {
      const place = range.firstEntryId == null ? "" : `  ${range.firstEntryId} to ${range.lastEntryId ?? range.firstEntryId}`;
      return `${range.kind.padEnd(10)}${figure(range.messageCount).padStart(7)} ${figure(range.tokens).padStart(9)}  ${range.reason}${place}`;
    }),
    "",
    `messages ${figure(plan.messages.length)} planned; prompt ${plan.promptHash}`,
    ...manifest.warnings.map((warning) => `warning  ${warning.code}`),
  ];
  return lines.map(printable).join("\n");
}

export function inspectTable(inspect: InspectDocument): string {
  const { session, entries, projection } = inspect;
  const lines = [
    `session  ${session.id}, ${session.format} version ${session.version}, ${figure(session.bytes)} bytes, ${figure(session.lines)} lines`,
    `model    ${inspect.model ? `${inspect.model.provider}/${inspect.model.id}` : "none named"}`,
    `entries  ${figure(entries.total)}: ${counts(entries.byType)}`,
    `roles    ${counts(entries.messagesByRole)}`,
    `active   leaf ${inspect.activeLeafId ?? "none"}: ${figure(projection.messages)} messages`,
    `tokens   ${figure(projection.tokens)} (${inspect.estimator})`,
    `turns    ${figure(inspect.turns.length)}`,
    "",
    `branches ${figure(inspect.branchCount)}`,
    ...inspect.branches.map(branchLine),
    ...inspect.labels.map((label) => `label    ${label.entryId} ${label.label}`),
    "",
    inspect.damage.length === 0 ? "damage   none" : "damage",
    ...inspect.damage.map(
      (damage) =>
        `  ${damage.code} ×${damage.count}${damage.firstLine == null ? "" : `, first in line ${damage.firstLine}`}: ${damage.text}`,
    ),
  ];
  return lines.map(printable).join("\n");
}

function branchLine(branch: InspectDocument["branches"][number]): string {
  const mark = branch.active ? "*" : " ";
  const fork = branch.forkEntryId == null ? "" : `, from ${branch.forkEntryId}`;
  const contents = `${figure(branch.messages)} messages, ${figure(branch.turns)} turns, ${figure(branch.tokens)} tokens`;
  return `  ${mark} ${branch.leafId}: ${contents}${fork}`;
}

export function explainTable(explain: ExplainDocument): string {
  const lines = explain.excluded.map((group) => {
    const place = group.firstEntryId == null ? group.groupId : `${group.firstEntryId} to ${group.lastEntryId ?? group.firstEntryId}`;
    return printable(
      `${figure(group.messageCount).padStart(6)} ${figure(group.tokens).padStart(9)}  ${group.reason}  ${place}: ${group.smallestChange.text}`,
    );
  });
  return [`plan ${explain.manifestId}`, "messages  tokens  reason", ...lines].join("\n");
}

function bar(part: number, whole: number): string {
  const filled = whole > 0 ? Math.min(BAR_WIDTH, Math.round((BAR_WIDTH * part) / whole)) : 0;
  return `[${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}]`;
}

function counts(byName: Readonly<Record<string, number>>): string {
  return Object.entries(byName)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(", ");
}
