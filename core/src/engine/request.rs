//! What a host asks for and what it gets: the plain data of planning.

use crate::planner::SupplementCategory;

/// Consecutive messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Position of the first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Where consecutive messages of the host's context come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// The messages that the active branch projects to at these positions.
    Projected(Run),
    /// Messages at these positions of [`PlanRequest::inline`].
    Inline(Run),
}

/// A request for a plan.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
    /// The host's context in order; empty: everything that the active branch projects to.
    pub messages: Vec<Span>,
    /// A JSON array of native messages; empty bytes mean none.
    pub inline: Vec<u8>,
    /// The system prompt; none: what the log's own system messages say.
    pub system_prompt: Option<String>,
    /// The tools' definitions as a JSON array; none: what the log says.
    pub tools: Option<Vec<u8>>,
    /// Tokens of input that replace the target and the ceilings; the hard limit stays.
    pub budget: Option<u32>,
    /// Milliseconds since 1970.
    pub now_ms: u64,
}

/// A message that the planner adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplement {
    /// What it is.
    pub kind: SupplementKind,
    /// Its text, sent under the role `user`.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
    /// The entries it speaks of.
    pub source_ids: Vec<String>,
}

/// What a supplement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupplementKind {
    /// A line about what is left out.
    Notice,
    /// A remembered claim.
    Memory,
    /// Evidence from earlier history.
    History,
    /// Lines of the project's source.
    Project,
}

impl From<SupplementCategory> for SupplementKind {
    fn from(category: SupplementCategory) -> Self {
        match category {
            SupplementCategory::Memory => Self::Memory,
            SupplementCategory::Retrieval => Self::History,
            SupplementCategory::Project => Self::Project,
        }
    }
}

impl SupplementKind {
    /// The manifest's kind of item.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Memory => SupplementCategory::Memory.kind(),
            Self::History => SupplementCategory::Retrieval.kind(),
            Self::Project => SupplementCategory::Project.kind(),
        }
    }
}

/// What to send, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanItem {
    /// The host's messages at these positions, untouched.
    Keep(Run),
    /// The host's message at this position with other content.
    Replace {
        /// Its place in the host's context.
        position: u32,
        /// A JSON array of native content blocks.
        content: Vec<u8>,
    },
    /// A message of the planner's own.
    Insert(Supplement),
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What to send, in order.
    pub items: Vec<PlanItem>,
    /// Names the plan's manifest.
    pub manifest_id: String,
    /// SHA-256 over the canonical form of what goes out.
    pub prompt_hash: String,
    /// Tokens of what goes out, the system prompt and the tools included.
    pub estimated_tokens: u32,
    /// The estimator that counted them.
    pub estimator: &'static str,
    /// Why the plan is the host's own context and nothing else.
    pub fallback: Option<&'static str>,
}
