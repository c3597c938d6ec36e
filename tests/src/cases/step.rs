//! What a case asks for, in the contract's words. The names are those of the Node package's API where the two differ.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a session is opened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SessionStep {
    /// Names the session in manifests.
    pub id: String,
    /// `pi-session-v3` or `runtime-session-v1`.
    pub format: String,
    /// The log's file in the case's folder; none for a session in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// Logs of other sessions, files in the case's folder that lie beside the log under the same names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_logs: Vec<String>,
    /// Whether the session is opened with a log that is not there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub log_is_missing: bool,
    /// The configuration; the defaults where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    /// Bytes of seed; 32 where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed_bytes: Option<usize>,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "call",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Step {
    /// Reads the log to its end.
    Sync,
    /// Not a call: adds the bytes of a file in the case's folder to the log.
    GrowLog {
        /// The file.
        file: String,
    },
    /// Not a call: puts a file of the case's folder in the log's place.
    ReplaceLog {
        /// The file.
        file: String,
    },
    /// Not a call: takes another session's log away.
    RemoveLog {
        /// The file.
        file: String,
    },
    /// Takes lines into a session without a log.
    Append {
        /// The lines, without their ends.
        lines: Vec<String>,
    },
    /// Moves to another leaf; none follows the log.
    SelectLeaf {
        /// The leaf.
        #[serde(default)]
        entry_id: Option<String>,
    },
    /// The model that plans are for.
    SelectModel {
        /// The model.
        model: ModelStep,
    },
    /// How many messages the active branch projects to.
    ProjectedMessages,
    /// Makes a plan.
    Plan(PlanStep),
    /// What the provider reported for a plan of this case.
    RecordUsage {
        /// The plan's number in this case, from 0.
        plan: usize,
        /// What it reported.
        usage: UsageStep,
    },
    /// The planned request.
    Render {
        /// The plan's number in this case; none is the newest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<usize>,
    },
    /// A plan's manifest.
    Manifest {
        /// The plan's number in this case; none is the newest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<usize>,
    },
    /// Reasons and smallest changes.
    Explain {
        /// The plan's number in this case; none is the newest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<usize>,
    },
    /// Tree, branches, turns, tokens, damage.
    Inspect,
    /// A few figures.
    Status,
    /// Indexes what was read, to the end.
    Index,
    /// Reads and indexes what a scope covers, to the end.
    IndexScope {
        /// The scope, as the contract names it.
        scope: String,
    },
    /// Lets the next `index` make the session's part of the index anew.
    RebuildIndex,
    /// Searches the history.
    Search(SearchStep),
    /// Lines of the entry that a hit of the newest search opens.
    ReadHistory {
        /// The hit's number in that search, from 0.
        hit: usize,
        /// The first line, from 1.
        first_line: u32,
        /// How many lines.
        count: u32,
    },
    /// How the derived state is, every page of it checked.
    Health,
    /// Merges configurations; of the session's independent.
    MergeConfig {
        /// The layers, the last of which wins.
        layers: Vec<LayerStep>,
    },
    /// Finds keys, tokens and passwords; of the session independent.
    FindSecrets {
        /// What is looked through.
        texts: Vec<String>,
    },
}

impl Step {
    /// The call's name in outcomes.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::GrowLog { .. } => "growLog",
            Self::ReplaceLog { .. } => "replaceLog",
            Self::RemoveLog { .. } => "removeLog",
            Self::Append { .. } => "append",
            Self::SelectLeaf { .. } => "selectLeaf",
            Self::SelectModel { .. } => "selectModel",
            Self::ProjectedMessages => "projectedMessages",
            Self::Plan(_) => "plan",
            Self::RecordUsage { .. } => "recordUsage",
            Self::Render { .. } => "render",
            Self::Manifest { .. } => "manifest",
            Self::Explain { .. } => "explain",
            Self::Inspect => "inspect",
            Self::Status => "status",
            Self::Index => "index",
            Self::IndexScope { .. } => "indexScope",
            Self::RebuildIndex => "rebuildIndex",
            Self::Search(_) => "search",
            Self::ReadHistory { .. } => "readHistory",
            Self::Health => "health",
            Self::MergeConfig { .. } => "mergeConfig",
            Self::FindSecrets { .. } => "findSecrets",
        }
    }
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelStep {
    /// Who serves it.
    pub provider: String,
    /// Its name there.
    pub id: String,
    /// Tokens of input and output together.
    pub context_window: u32,
    /// Most tokens of output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u32>,
}

/// A request for a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PlanStep {
    /// The host's context; empty is everything that the branch projects to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<SpanStep>,
    /// Native messages that `inline` spans point at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inline: Vec<Value>,
    /// The system prompt; none is what the log says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// The tools; none is what the log says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Value>>,
    /// Tokens of input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
}

/// A question about what was said before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchStep {
    /// The question.
    pub text: String,
    /// How far to look, as the contract names it.
    pub scope: String,
    /// Hits that are wanted.
    pub limit: u32,
    /// Tokens of all excerpts together; none leaves them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

/// A part of the host's context.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "tag", content = "val")]
pub enum SpanStep {
    /// Positions of the active branch.
    Projected(RunStep),
    /// Positions of the inline messages.
    Inline(RunStep),
}

/// Consecutive messages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunStep {
    /// Position of the first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Tokens that a provider reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UsageStep {
    /// Input, without the cached tokens.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written to it.
    pub cache_write: u64,
}

/// One configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerStep {
    /// Its name in problems.
    pub source: String,
    /// Its text, which need not be JSON.
    pub content: String,
}
