//! The engine's documents as far as the tables show them.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::failure::Failure;

/// Reads a document of the engine's.
pub(crate) fn read<T: DeserializeOwned>(document: &str) -> Result<T, Failure> {
    serde_json::from_str(document)
        .map_err(|error| Failure::Failed(format!("the engine's answer cannot be read: {error}")))
}

/// `ds4-context-plan-v1`, without the messages' texts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Planned {
    pub(crate) messages: Vec<PlannedMessage>,
    pub(crate) estimated_tokens: u64,
    pub(crate) estimator: String,
    pub(crate) prompt_hash: String,
    pub(crate) excluded: Vec<Exclusion>,
}

/// A message of a plan, without its text.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlannedMessage {
    /// The entry that it is; none for what the planner adds.
    pub(crate) entry_id: Option<String>,
}

/// Messages that are not in a plan.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Exclusion {
    pub(crate) first_entry_id: Option<String>,
    pub(crate) last_entry_id: Option<String>,
    pub(crate) message_count: u64,
    pub(crate) tokens: u64,
    pub(crate) reason: String,
    pub(crate) smallest_change: Option<SmallestChange>,
}

/// What would have included an exclusion.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SmallestChange {
    pub(crate) setting: String,
    /// The setting's value.
    pub(crate) value: Option<u64>,
    /// With a window: the budget to ask for in it.
    pub(crate) budget: Option<u64>,
    /// Whether the budget is the smallest; else it is enough for sure. None where no budget is named.
    pub(crate) exact: Option<bool>,
    pub(crate) text: String,
}

/// The manifest's figures.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) id: String,
    pub(crate) session_id: String,
    pub(crate) branch_leaf_id: Option<String>,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) context_window: u64,
    pub(crate) hard_input_limit: u64,
    pub(crate) active_input_budget: u64,
    pub(crate) estimated_input_tokens: u64,
    pub(crate) composition: Vec<Composition>,
    pub(crate) included: Vec<Item>,
    pub(crate) planning: Planning,
    pub(crate) retrieval: Retrieval,
    pub(crate) warnings: Vec<Warning>,
}

/// What the search for evidence came to.
#[derive(Debug, Deserialize)]
pub(crate) struct Retrieval {
    pub(crate) status: String,
    /// Why it failed.
    pub(crate) reason: Option<String>,
}

/// Items of one kind.
#[derive(Debug, Deserialize)]
pub(crate) struct Composition {
    pub(crate) kind: String,
    pub(crate) items: u64,
    pub(crate) tokens: u64,
}

/// One item that is in.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Item {
    pub(crate) kind: String,
    pub(crate) source_id: String,
    pub(crate) tokens: u64,
    pub(crate) reason: String,
}

/// How the plan came about.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Planning {
    pub(crate) mode: String,
    pub(crate) original_message_tokens: u64,
    pub(crate) original_message_count: u64,
    pub(crate) recent_tail_token_limit: u64,
    pub(crate) fallback_reason: Option<String>,
}

/// Something that the person should know.
#[derive(Debug, Deserialize)]
pub(crate) struct Warning {
    pub(crate) code: String,
    pub(crate) details: Vec<serde::de::IgnoredAny>,
}

/// Reasons and smallest changes.
#[derive(Debug, Deserialize)]
pub(crate) struct Explanation {
    pub(crate) included: Vec<Item>,
    pub(crate) excluded: Vec<Exclusion>,
}

/// A session in a few figures.
#[derive(Debug, Deserialize)]
pub(crate) struct Status {
    pub(crate) model: StatusModel,
}

/// The model that plans are for.
#[derive(Debug, Deserialize)]
pub(crate) struct StatusModel {
    pub(crate) provider: String,
    pub(crate) id: String,
}

/// `ds4-context-inspect-v1`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Inspection {
    pub(crate) session: InspectedSession,
    pub(crate) model: Option<StatusModel>,
    pub(crate) estimator: String,
    pub(crate) entries: Entries,
    pub(crate) projection: Projection,
    pub(crate) branches: Vec<Branch>,
    pub(crate) branch_count: u64,
    pub(crate) turns: Vec<Turn>,
    pub(crate) labels: Vec<Label>,
    pub(crate) damage: Vec<Damage>,
}

/// The log itself.
#[derive(Debug, Deserialize)]
pub(crate) struct InspectedSession {
    pub(crate) id: String,
    pub(crate) format: String,
    pub(crate) version: Option<u64>,
    pub(crate) cwd: Option<String>,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
}

/// What the log holds.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entries {
    pub(crate) total: u64,
    pub(crate) by_type: serde_json::Map<String, serde_json::Value>,
    pub(crate) messages_by_role: serde_json::Map<String, serde_json::Value>,
}

/// What the active branch sends without a plan.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Projection {
    pub(crate) messages: u64,
    pub(crate) tokens: u64,
    pub(crate) compaction_entry_id: Option<String>,
}

/// From a leaf to the root.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Branch {
    pub(crate) leaf_id: Option<String>,
    pub(crate) active: bool,
    pub(crate) fork_entry_id: Option<String>,
    pub(crate) entries: u64,
    pub(crate) messages: u64,
    pub(crate) turns: u64,
    pub(crate) tokens: u64,
}

/// A user message and what followed it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Turn {
    pub(crate) entry_id: Option<String>,
    pub(crate) messages: u64,
    pub(crate) exchanges: u64,
    pub(crate) tool_calls: u64,
    pub(crate) tokens: u64,
    pub(crate) timestamp_ms: Option<u64>,
}

/// A label that the person set.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Label {
    pub(crate) entry_id: String,
    pub(crate) label: String,
}

/// What is wrong with the log.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Damage {
    pub(crate) code: String,
    pub(crate) count: u64,
    pub(crate) first_line: Option<u64>,
    pub(crate) text: String,
}

/// How the derived state is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    pub(crate) session_id: String,
    pub(crate) database: HealthDatabase,
    pub(crate) bytes: u64,
    pub(crate) free_bytes: u64,
    pub(crate) sessions: u64,
    pub(crate) entries: u64,
    pub(crate) text_bytes: u64,
    pub(crate) session: Option<HealthSession>,
    pub(crate) log_entries: u64,
    pub(crate) up_to_date: bool,
    pub(crate) problems: Option<Vec<String>>,
    pub(crate) healthy: bool,
}

/// Where the database lives.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HealthDatabase {
    pub(crate) kind: String,
    pub(crate) name: Option<String>,
    pub(crate) reason: Option<String>,
}

/// The session's part of the index.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HealthSession {
    pub(crate) entries: u64,
    pub(crate) indexed_at: u64,
    pub(crate) rebuilds: u64,
    pub(crate) last_reason: String,
}
