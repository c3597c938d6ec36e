/** `ds4-context-engine`: plans what a coding agent's context window holds. */
export type {
  Classification,
  Config,
  ConfigLayer,
  ConfigProblem,
  HistoryAnswer,
  HistoryHit,
  HistoryLines,
  HistoryQuery,
  HistoryRelation,
  HistoryScope,
  HistoryToolsConfig,
  LogFormat,
  MergedConfig,
  Model,
  Plan,
  PlanItem,
  Progress,
  Redaction,
  Replacement,
  Run,
  SessionCounts,
  Span,
  Supplement,
  SupplementKind,
  TokenCost,
  ToolDefinition,
  Usage,
} from "./contract.js";
export type {
  DocumentName,
  DocumentTypes,
  ExcludedRange,
  ExplainDocument,
  ExplainedExclusion,
  HealthDocument,
  InspectDocument,
  ManifestDocument,
  ManifestItem,
  PlanDocument,
  PlannedMessage,
  StatusDocument,
} from "./documents.js";
export type { CallOptions } from "./call-options.js";
export { ContextEngine, type EngineOptions } from "./engine.js";
export { EngineError, type ComponentErrorCode, type EngineErrorCode } from "./errors.js";
export { Session, type IndexOptions, type PlanRequest, type SessionOptions } from "./session.js";
