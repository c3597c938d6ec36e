//! What a plan was and why: the record that a plan leaves, as JSON for people and programs (behaviour 2.3).
//!
//! Invariants: metadata only, never a text of a message; a record is kept cheap while planning and turned into JSON only
//! when somebody asks, because a plan is made before every request and a manifest is seldom read. No clock is read:
//! `createdAt` is the caller's time, and durations are the host's business.

mod document;
mod exclusions;
mod explain;
mod inventory;
mod items;

use crate::config::ContextMode;
use crate::message::Role;
use crate::model::{Budgets, Ceilings, Estimator, ModelProfile, evidence_reserve};
use crate::planner::Decision;
use crate::retrieval::EvidenceStatus;

/// Version of the rules that class and redact texts; there are none in this version.
pub const POLICY_VERSION: &str = "none";

/// One message of the host's context, as the record keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedMessage {
    /// The entry that it came from; none for a message that the log does not hold.
    pub entry_id: Option<Box<str>>,
    /// Who it is from.
    pub role: Role,
    /// Its tokens, untouched.
    pub tokens: u32,
}

/// What a provider reported for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Uncached input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input tokens read from the cache.
    pub cache_read: u64,
    /// Input tokens written to the cache.
    pub cache_write: u64,
}

/// How much of the previous plan's beginning a plan shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharedPrefix {
    /// Messages.
    pub messages: usize,
    /// Their tokens.
    pub tokens: u64,
}

/// A plan's record.
#[derive(Debug, Clone)]
pub struct PlanRecord {
    /// `m_` and 32 hex digits.
    pub id: String,
    /// The session.
    pub session_id: String,
    /// The leaf of the branch; none for an empty one.
    pub leaf_id: Option<Box<str>>,
    /// The model.
    pub profile: ModelProfile,
    /// The limits.
    pub budgets: Budgets,
    /// The categories' limits.
    pub ceilings: Ceilings,
    /// Whether the plan was applied or only recorded.
    pub mode: ContextMode,
    /// The condensed band's share; none where it is off.
    pub band_share: Option<f64>,
    /// Tokens left to supplements where not everything fits.
    pub supplement_reserve: u64,
    /// Whether evidence was looked for, so that plans within other budgets leave room to it as well.
    pub retrieves: bool,
    /// What the search for evidence came to.
    pub evidence_status: EvidenceStatus,
    /// The estimator of all tokens here.
    pub estimator: Estimator,
    /// Tokens of the system prompt.
    pub system_tokens: u64,
    /// Name and tokens of each tool.
    pub tools: Vec<(String, u64)>,
    /// The host's context.
    pub messages: Vec<RecordedMessage>,
    /// What was decided.
    pub decision: Decision,
    /// SHA-256 of the planned request.
    pub prompt_hash: String,
    /// What it shares with the plan before.
    pub shared_prefix: SharedPrefix,
    /// Milliseconds since 1970, as the caller said.
    pub created_at_ms: u64,
    /// What the provider reported, once it has.
    pub usage: Option<Usage>,
}

impl PlanRecord {
    /// Tokens left to supplements in a plan within that explicit budget.
    pub fn supplement_reserve_within(&self, budget: u64) -> u64 {
        if self.retrieves {
            evidence_reserve(budget)
        } else {
            0
        }
    }

    /// Tokens of the system prompt and the tools.
    pub fn fixed_tokens(&self) -> u64 {
        self.system_tokens + self.tools.iter().map(|(_, tokens)| tokens).sum::<u64>()
    }

    /// Tokens of everything that goes out: the planned messages, or all of the host's where the plan is a fallback.
    pub fn estimated_tokens(&self) -> u64 {
        self.fixed_tokens() + self.sent_message_tokens()
    }

    /// Tokens of the messages that go out.
    pub fn sent_message_tokens(&self) -> u64 {
        if self.applies() {
            self.decision.message_tokens
        } else {
            self.original_message_tokens()
        }
    }

    /// Tokens of the host's context.
    pub fn original_message_tokens(&self) -> u64 {
        self.messages
            .iter()
            .map(|message| u64::from(message.tokens))
            .sum()
    }

    /// Whether the plan itself goes out, and not the host's own context.
    pub fn applies(&self) -> bool {
        self.decision.fallback.is_none() && self.mode == ContextMode::Managed
    }

    /// The manifest.
    pub fn manifest(&self) -> serde_json::Value {
        document::manifest(self)
    }

    /// For every item its reason, for every exclusion the smallest change that would have included it. `condensed` gives
    /// the tokens of a message's condensed form, where the message is still held; without it the whole counts.
    pub fn explanation(&self, condensed: &dyn Fn(usize) -> Option<u32>) -> serde_json::Value {
        explain::explanation(self, condensed)
    }

    /// What is left out, in runs: one row a group, and one a message that could not be sent.
    pub fn exclusions(&self) -> Vec<serde_json::Value> {
        exclusions::exclusions(self)
            .iter()
            .map(exclusions::Exclusion::row)
            .collect()
    }

    /// The name of a message in manifests.
    fn source_id(&self, position: usize) -> String {
        match self
            .messages
            .get(position)
            .and_then(|message| message.entry_id.as_deref())
        {
            Some(id) => id.to_owned(),
            None => format!("inline:{position}"),
        }
    }
}
