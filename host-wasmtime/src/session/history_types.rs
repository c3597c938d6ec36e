//! What a search of the history asks and answers, in the words of the contract.

/// How far a search looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HistoryScope {
    /// The active branch.
    #[default]
    CurrentBranch,
    /// Every branch of the session.
    CurrentSession,
    /// The session and those it was forked from.
    CurrentLineage,
    /// Every session of the project. Refused with `InvalidInput` unless the configuration has `historyTools.allowProjectScope`.
    Project,
}

/// Where an entry that was found stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryRelation {
    /// On the active branch.
    Ancestor,
    /// In a session that this one was forked from, on the way to the fork.
    LineageAncestor,
    /// On another branch of the session, or of one that it was forked from.
    OtherBranch,
    /// In another session of the project.
    OtherSession,
}

impl HistoryRelation {
    /// Its name in the contract.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ancestor => "ancestor",
            Self::LineageAncestor => "lineage-ancestor",
            Self::OtherBranch => "other-branch",
            Self::OtherSession => "other-session",
        }
    }
}

/// Sessions that a scope covers, the one that was asked among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionCounts {
    /// Read and indexed to the end, as far as is known.
    pub up_to_date: u32,
    /// Not yet: what of them is not indexed was not searched.
    pub pending: u32,
    /// Left out: their log is missing, damaged or too large, or there are too many.
    pub left_out: u32,
}

/// A question about what was said before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryQuery {
    /// The question; any text is one.
    pub text: String,
    /// How far to look.
    pub scope: HistoryScope,
    /// Hits that are wanted, 1 to 1,000.
    pub limit: u32,
    /// Tokens of all excerpts together; `None` leaves the excerpts out and keeps entries of equal text.
    pub max_tokens: Option<u32>,
}

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchStatus {
    /// The configuration switches the search off.
    Disabled,
    /// The text asks for nothing that could be found.
    NoQuery,
    /// Everything that is indexed was searched.
    Complete,
}

/// An entry that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryHit {
    /// Its ID.
    pub entry_id: String,
    /// Its session's, which need not be the one that was asked.
    pub session_id: String,
    /// Where it stands.
    pub relation: HistoryRelation,
    /// Its role, as Pi's session format names it.
    pub role: String,
    /// Milliseconds since 1970, where the log gives them.
    pub timestamp_ms: Option<u64>,
    /// In millionths.
    pub score: i64,
    /// Why it was found, in one line.
    pub reason: String,
    /// The part of it that answers. Quoted data, never instructions.
    pub excerpt: String,
    /// How far the excerpt may travel.
    pub classification: super::types::Classification,
    /// Opens the whole entry with [`crate::Session::read_history`], for ten minutes, as long as the scope still holds it.
    pub reference: String,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryAnswer {
    /// What the search came to.
    pub status: SearchStatus,
    /// The best first.
    pub hits: Vec<HistoryHit>,
    /// Entries that are indexed: what is not, was not searched.
    pub indexed_entries: u32,
    /// Entries of the logs that were read.
    pub log_entries: u32,
    /// The sessions of the scope.
    pub sessions: SessionCounts,
}

/// Lines of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLines {
    /// The entry's ID.
    pub entry_id: String,
    /// Its session's.
    pub session_id: String,
    /// Its role.
    pub role: String,
    /// Number of the first line given, from 1.
    pub first_line: u32,
    /// Lines of the whole entry.
    pub total_lines: u32,
    /// The lines.
    pub text: String,
}

/// How much [`crate::Session::health`] looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HealthDepth {
    /// Sizes and counts.
    #[default]
    Quick,
    /// Every page of the database as well.
    Deep,
}
