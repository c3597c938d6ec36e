//! Searching and reading a session's history: what the tools and commands ask for.
//!
//! Invariants: only what the scope allows is found and counted; a reference is given for what was found, in the scope in which it
//! was found, and both are checked again every time it is used. A text that comes back is quoted data and never more than asked
//! for.

mod read;
mod search;

pub use read::{HistoryLines, MAX_READ_LINES};

use crate::retrieval::{Relation, Scope};

/// Hits of one search.
pub const MAX_HITS: u32 = 1_000;
/// Bytes of one hit's excerpt (behaviour 2.16).
pub const EXCERPT_BYTES: usize = 1_800;

/// A question about what was said before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryQuery {
    /// The question.
    pub text: String,
    /// How far to look.
    pub scope: Scope,
    /// Hits that are wanted, 1 to [`MAX_HITS`].
    pub limit: u32,
    /// Tokens of all excerpts together; none leaves the excerpts out.
    pub max_tokens: Option<u32>,
    /// Milliseconds since 1970.
    pub now_ms: u64,
}

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchStatus {
    /// The configuration switches it off.
    Disabled,
    /// The question asks for nothing that could be found.
    NoQuery,
    /// Everything indexed was searched.
    Complete,
}

impl SearchStatus {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::NoQuery => "no-query",
            Self::Complete => "complete",
        }
    }
}

/// An entry that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its ID.
    pub entry_id: String,
    /// Its session's.
    pub session_id: String,
    /// Where it stands.
    pub relation: Relation,
    /// Its role.
    pub role: String,
    /// Milliseconds since 1970.
    pub timestamp_ms: Option<u64>,
    /// Millionths.
    pub score: i64,
    /// Why it was found.
    pub reason: String,
    /// The part of it that answers.
    pub excerpt: String,
    /// Opens the whole entry with [`Session::read_history`](super::Session::read_history).
    pub reference: String,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryAnswer {
    /// What the search came to.
    pub status: SearchStatus,
    /// The best first.
    pub hits: Vec<Hit>,
    /// Entries that are indexed, of how many the logs have that were read.
    pub indexed_entries: u32,
    /// Entries of the logs that were read.
    pub log_entries: u32,
    /// The sessions of the scope.
    pub sessions: SessionCounts,
}

/// Sessions that a scope covers, the one at hand among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionCounts {
    /// Read and indexed to the end, as far as is known.
    pub up_to_date: u32,
    /// Not yet: [`Session::index_scope`](super::Session::index_scope) brings them up to date.
    pub pending: u32,
    /// Left out: their log is missing, damaged or too large, or there are too many.
    pub left_out: u32,
}

/// The role of its message; its type where it has none.
fn role_of(entry: &crate::session::Entry) -> String {
    entry
        .message()
        .map_or(entry.type_name(), |message| message.role.name())
        .to_owned()
}
