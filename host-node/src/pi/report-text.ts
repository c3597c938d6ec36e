/**
 * The engine's documents as lines for a person: in words, no wider than 80 columns. No prompt content: the documents hold
 * none.
 */
import type { ExplainDocument, HealthDocument, ManifestDocument, ManifestItem, StatusDocument } from "../documents.js";
import { indexRows, storageRows, verdictRow } from "../text/health-text.js";
import { COLUMNS, counted, cut, figure, row, wrapped } from "../text/layout.js";
import { excludedText, fallbackText, includedText, kindText, noEvidenceText, warningText } from "../text/words.js";

/** Items of a list that are shown one by one. */
const SHOWN_ITEMS = 40;
/** Columns of a kind of item, and of an entry's ID: eight digits in most sessions, a UUID in the longest. */
const KIND_COLUMNS = 20;
const ID_COLUMNS = 18;

export interface HostState {
  readonly isOff: boolean;
  readonly isEnabled: boolean;
  /** Why Pi's own context went out instead of a plan, the last time. */
  readonly lastFailure: string | undefined;
  readonly problems: readonly string[];
}

export function statusText(status: StatusDocument, host: HostState): string {
  const { model, leafId, budgets } = status;
  const budget = (name: string) => (typeof budgets[name] === "number" ? figure(budgets[name]) : "?");
  return [
    `ds4-context ${status.version}: ${modeText(status, host)}`,
    ...row("Session", `${status.sessionId}${leafId ? `, at entry ${leafId}` : ""}`),
    ...row("Holds", `${counted(status.messages, "message", "messages")}, ${figure(status.tokens)} tokens`),
    ...(model ? row("Model", `${model.provider}/${model.id}, window ${figure(model.contextWindow)} tokens`) : []),
    ...row(
      "Input",
      `aims at ${budget("targetInputTokens")} tokens, never over ${budget("hardInputLimit")}; the answer has ${budget("outputReserve")}`,
    ),
    ...row("Last plan", lastPlanText(status.lastPlan)),
    ...(host.lastFailure === undefined ? [] : row("Not planned", `the last request went out as Pi's own context: ${fallbackText(host.lastFailure)}`)),
    ...host.problems.flatMap((problem) => row("Problem", problem)),
  ].join("\n");
}

function modeText(status: StatusDocument, host: HostState): string {
  if (host.isOff) {
    return "off for this session";
  }
  if (!host.isEnabled) {
    return "disabled by the configuration";
  }
  return status.mode === "observer" ? "observer: plans are made and not sent" : "managed: every request is planned";
}

function lastPlanText(plan: StatusDocument["lastPlan"]): string {
  if (!plan) {
    return "no plan yet";
  }
  const messages = `${counted(plan.includedMessages, "message", "messages")} in, ${figure(plan.excludedMessages)} out`;
  const fallback = plan.fallback ? `; not used: ${fallbackText(plan.fallback)}` : "";
  return `${figure(plan.estimatedTokens)} tokens, ${messages}${fallback}`;
}

export function manifestText(manifest: ManifestDocument): string {
  const { contextWindow, estimatedInputTokens, planning } = manifest;
  const share = contextWindow > 0 ? `, ${Math.round((100 * estimatedInputTokens) / contextWindow)} % of the window` : "";
  const out = manifest.persistedInventory?.items ?? manifest.excluded.length;
  return [
    ...row("Plan", `${manifest.id}, ${planning.mode}`),
    ...row("Model", `${manifest.provider ?? "?"}/${manifest.model ?? "?"}, window ${figure(contextWindow)} tokens`),
    ...row("Size", `${figure(estimatedInputTokens)} tokens${share}`),
    ...row("Budget", `${figure(manifest.activeInputBudget)} tokens; hard limit ${figure(manifest.hardInputLimit)}`),
    "",
    ...manifest.composition.map(
      ({ kind, items, tokens }) =>
        `${cut(kindText(kind), KIND_COLUMNS).padEnd(KIND_COLUMNS)} ${counted(items, "item", "items").padStart(11)} ${figure(tokens).padStart(10)} tokens`,
    ),
    "",
    ...row("In", counted(manifest.included.length, "item", "items")),
    ...row("Out", counted(out, "item", "items")),
    ...manifest.warnings.flatMap(({ code, details }) => row("Warning", warningText(code, details.length))),
  ].join("\n");
}

export function includedItemsText(items: readonly ManifestItem[]): string {
  return itemsText("In", items, includedText);
}

export function excludedItemsText(items: readonly ManifestItem[]): string {
  return itemsText("Out", items, excludedText);
}

function itemsText(title: string, items: readonly ManifestItem[], reasonText: (reason: string) => string): string {
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
  const lines = items.map((item) => {
    const kind = cut(kindText(item.kind), KIND_COLUMNS).padEnd(KIND_COLUMNS);
    return cut(`${figure(item.tokens).padStart(8)} ${kind} ${cut(item.sourceId, ID_COLUMNS).padEnd(ID_COLUMNS)} ${reasonText(item.reason)}`, COLUMNS);
  });
  return [`${title}: ${counted(items.length, "item", "items")}, ${figure(tokens)} tokens`, ...shortened(lines)].join("\n");
}

/** The newest plan's evidence: what was found in the history and sent along. */
export function retrievedText(manifest: ManifestDocument): string {
  const items = manifest.included.filter(({ kind }) => kind === "retrieval");
  if (items.length === 0) {
    const why = searchText(manifest["retrieval"]);
    return wrapped(`The newest plan brought nothing back from the history${why === undefined ? "" : `: ${why}`}.`, COLUMNS).join("\n");
  }
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
  const lines = items.flatMap((item) => [
    cut(`  entry ${item.sourceId}, ${counted(item.tokens, "token", "tokens")}`, COLUMNS),
    ...wrapped(includedText(item.reason), COLUMNS - 4).map((line) => `    ${line}`),
  ]);
  return [`Found in the history: ${counted(items.length, "item", "items")}, ${figure(tokens)} tokens`, ...lines].join("\n");
}

/** Why a search brought nothing; none where it only found nothing, or does not say. */
function searchText(retrieval: unknown): string | undefined {
  const { status } = (retrieval ?? {}) as { readonly status?: unknown };
  return status === "disabled" ? "the configuration switches the search off, or nothing is indexed yet" : noEvidenceText(retrieval);
}

export function explainText(explain: ExplainDocument): string {
  const lines = explain.excluded.flatMap((group) => {
    const last = group.lastEntryId ?? group.firstEntryId;
    const place = group.firstEntryId == null ? "earlier messages" : `${group.firstEntryId}${last === group.firstEntryId ? "" : ` to ${last}`}`;
    const head = `  ${place}: ${counted(group.messageCount, "message", "messages")}, ${figure(group.tokens)} tokens, ${excludedText(group.reason)}`;
    return [cut(head, COLUMNS), ...wrapped(group.smallestChange.text, COLUMNS - 4).map((line) => `    ${line}`)];
  });
  return [
    `In: ${counted(explain.included.length, "item", "items")}; out: ${counted(explain.excluded.length, "group", "groups")} of messages`,
    ...shortened(lines),
  ].join("\n");
}

/** Where the index is kept and how large it is. `failure`: why the background could not bring it up to date. */
export function storageText(health: HealthDocument, folder: string | undefined, failure: string | undefined): string {
  return [
    ...storageRows(health, folder),
    ...indexRows(health),
    ...(failure === undefined ? [] : row("Problem", failure)),
    "",
    ...wrapped("All of it is made from the session logs and can be deleted; it is made again.", COLUMNS),
  ].join("\n");
}

/** What a deep check found. */
export function healthText(health: HealthDocument, folder: string | undefined): string {
  const advice = health.healthy ? [] : row("To do", "/context rebuild-index makes this session's index anew from its log");
  return [...storageRows(health, folder), ...indexRows(health), ...verdictRow(health), ...advice].join("\n");
}

/** What making the index anew came to. */
export function rebuiltText(health: HealthDocument, seconds: number): string {
  const { session } = health;
  return [
    `The index was made anew in ${seconds.toFixed(1)} s`,
    ...indexRows(health),
    ...row("Text", `${figure(session?.textBytes ?? 0)} bytes of this session can be searched`),
  ].join("\n");
}

/** The newest entries stand at the end and say more than the oldest. */
function shortened(lines: readonly string[]): string[] {
  return lines.length <= SHOWN_ITEMS ? [...lines] : [`  … ${figure(lines.length - SHOWN_ITEMS)} more before these`, ...lines.slice(-SHOWN_ITEMS)];
}
