/** The engine's documents as lines for a person. No prompt content: the documents hold none. */
import type { ExplainDocument, ManifestDocument, ManifestItem, StatusDocument } from "../documents.js";

/** Items of a list that are shown one by one. */
const SHOWN_ITEMS = 40;

export interface HostState {
  readonly isOff: boolean;
  readonly isEnabled: boolean;
  /** Why Pi's own context went out instead of a plan, the last time. */
  readonly lastFailure: string | undefined;
  readonly problems: readonly string[];
}

export function statusText(status: StatusDocument, host: HostState): string {
  const { model } = status;
  const leaf = status.leafId ? `, leaf ${status.leafId}` : "";
  const lines = [
    `ds4-context ${status.version}: ${modeText(status, host)}`,
    `session ${status.sessionId}${leaf}: ${status.messages} messages, ${count(status.tokens)} tokens (${status.estimator})`,
  ];
  if (model) {
    lines.push(`model ${model.provider}/${model.id}, window ${count(model.contextWindow)}`);
  }
  const budgets = Object.entries(status.budgets).flatMap(([name, value]) => (typeof value === "number" ? [`${name} ${count(value)}`] : []));
  if (budgets.length > 0) {
    lines.push(`budgets: ${budgets.join(", ")}`);
  }
  lines.push(lastPlanText(status.lastPlan));
  if (host.lastFailure !== undefined) {
    lines.push(`last request went out as Pi's own context: ${host.lastFailure}`);
  }
  return [...lines, ...host.problems].join("\n");
}

function modeText(status: StatusDocument, host: HostState): string {
  if (host.isOff) {
    return "off for this session";
  }
  return host.isEnabled ? status.mode : "disabled by the configuration";
}

function lastPlanText(plan: StatusDocument["lastPlan"]): string {
  if (!plan) {
    return "no plan yet";
  }
  const messages = `${plan.includedMessages} messages in, ${plan.excludedMessages} out`;
  const fallback = plan.fallback ? `, fallback ${plan.fallback}` : "";
  return `last plan ${plan.manifestId}: ${count(plan.estimatedTokens)} tokens, ${messages}${fallback}`;
}

export function manifestText(manifest: ManifestDocument): string {
  const share =
    manifest.contextWindow > 0 ? ` (${Math.round((100 * manifest.estimatedInputTokens) / manifest.contextWindow)} % of the window)` : "";
  return [
    `plan ${manifest.id} for ${manifest.provider ?? "?"}/${manifest.model ?? "?"}, ${manifest.planning.mode}`,
    `${count(manifest.estimatedInputTokens)} tokens${share}`,
    `budget ${count(manifest.activeInputBudget)}, soft ${count(manifest.softInputLimit)}, hard ${count(manifest.hardInputLimit)}`,
    ...manifest.composition.map(
      ({ kind, items, tokens }) => `  ${kind.padEnd(10)} ${String(items).padStart(5)} items ${count(tokens).padStart(10)} tokens`,
    ),
    `${manifest.included.length} items in, ${manifest.persistedInventory?.items ?? manifest.excluded.length} out`,
    ...manifest.warnings.map((warning) => `warning ${warning.code}`),
    `prompt ${manifest.promptHash}`,
  ].join("\n");
}

export function itemsText(title: string, items: readonly ManifestItem[]): string {
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
  const lines = items.map(
    (item) => `  ${item.kind.padEnd(10)} ${count(item.tokens).padStart(8)}  ${item.sourceId}  ${item.role}  ${item.reason}`,
  );
  return [`${title}: ${items.length} items, ${count(tokens)} tokens`, ...shortened(lines)].join("\n");
}

export function explainText(explain: ExplainDocument): string {
  const lines = explain.excluded.map((group) => {
    const place = group.firstEntryId == null ? group.groupId : `${group.firstEntryId}…${group.lastEntryId ?? group.firstEntryId}`;
    return `  ${place}: ${group.messageCount} messages, ${count(group.tokens)} tokens: ${group.reason}; ${group.smallestChange.text}`;
  });
  return [
    `plan ${explain.manifestId}: ${explain.included.length} items in, ${explain.excluded.length} groups out`,
    ...shortened(lines),
  ].join("\n");
}

/** The newest entries stand at the end and say more than the oldest. */
function shortened(lines: readonly string[]): string[] {
  return lines.length <= SHOWN_ITEMS ? [...lines] : [`  … ${lines.length - SHOWN_ITEMS} more before these`, ...lines.slice(-SHOWN_ITEMS)];
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
