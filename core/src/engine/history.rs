//! Searching and reading a session's history: what the tools and commands ask for.
//!
//! Invariants: only what the scope allows is found and counted, and a reference is given for what was found; that its entry is
//! still in the log is checked every time it is used, its scope is not. A text that comes back is quoted data and never more
//! than asked for.

use std::rc::Rc;

use super::Session;
use super::error::EngineError;
use super::view::BranchPositions;
use crate::fixed_hash::FixedHashSet;
use crate::retrieval::{
    Found, Query, Searched, SessionIndex, collapsed, excerpt, indexed_text, is_eligible, search,
};
use crate::session::SessionLog;

/// Hits of one search.
pub const MAX_HITS: u32 = 1_000;
/// Bytes of one hit's excerpt (behaviour 2.16).
pub const EXCERPT_BYTES: usize = 1_800;
/// Lines of one read (behaviour 2.16).
pub const MAX_READ_LINES: u32 = 200;
/// Bytes of one read, so that lines without end stay bounded.
const MAX_READ_BYTES: usize = 256 * 1024;

/// How far a search looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The active branch.
    CurrentBranch,
    /// Every branch of the session.
    CurrentSession,
    /// The session and those it was forked from.
    Lineage,
    /// Every session of the project.
    Project,
}

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
    /// Opens the whole entry with [`Session::read_history`].
    pub reference: String,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryAnswer {
    /// What the search came to.
    pub status: SearchStatus,
    /// The best first.
    pub hits: Vec<Hit>,
    /// Entries that are indexed, of how many the log has.
    pub indexed_entries: u32,
    /// Entries of the log.
    pub log_entries: u32,
}

/// Lines of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLines {
    /// The entry's ID.
    pub entry_id: String,
    /// Its role.
    pub role: String,
    /// Number of the first line that is given, from 1.
    pub first_line: u32,
    /// Lines of the whole entry.
    pub total_lines: u32,
    /// The lines.
    pub text: String,
}

impl Session {
    /// The entries that answer a question best.
    pub fn search_history(&mut self, query: &HistoryQuery) -> Result<HistoryAnswer, EngineError> {
        if query.limit == 0 || query.limit > MAX_HITS {
            return Err(EngineError::InvalidInput(format!(
                "a search gives 1 to {MAX_HITS} hits, and {} were asked for",
                query.limit
            )));
        }
        check_scope(query.scope)?;
        let parsed = Query::of(&query.text);
        let status = match (
            self.config.retrieval.exact || self.config.retrieval.fts,
            parsed.is_empty(),
        ) {
            (false, _) => SearchStatus::Disabled,
            (true, true) => SearchStatus::NoQuery,
            (true, false) => SearchStatus::Complete,
        };
        let hits = if status == SearchStatus::Complete {
            self.found_hits(&parsed, query)?
        } else {
            Vec::new()
        };
        // After the search, which may have found that the rows are gone.
        let progress = self.session_index.progress(&self.log);
        Ok(HistoryAnswer {
            status,
            hits,
            indexed_entries: progress.done as u32,
            log_entries: progress.total as u32,
        })
    }

    fn found_hits(
        &mut self,
        parsed: &Query,
        query: &HistoryQuery,
    ) -> Result<Vec<Hit>, EngineError> {
        let allowed = self.allowed_entries(query.scope);
        let with_summaries = self.config.history_tools.include_summaries;
        let log = &self.log;
        let eligible = |position: u32| {
            log.entries()
                .get(position as usize)
                .is_some_and(|entry| is_eligible(entry, with_summaries))
        };
        let in_scope = |position: u32| {
            allowed
                .as_ref()
                .is_none_or(|allowed| allowed.holds(position))
        };
        let wanted = Findable {
            in_scope: &in_scope,
            eligible: &eligible,
            limit: query.limit as usize,
        };
        let found = find(&mut self.session_index, log, parsed, &wanted, query.now_ms)?;
        Ok(self.hits(found.unwrap_or_default(), parsed, query))
    }

    /// Lines of the entry that a reference opens, from `first_line` (counted from 1) on.
    pub fn read_history(
        &mut self,
        reference: &str,
        first_line: u32,
        lines: u32,
        now_ms: u64,
    ) -> Result<HistoryLines, EngineError> {
        if first_line == 0 || lines == 0 || lines > MAX_READ_LINES {
            return Err(EngineError::InvalidInput(format!(
                "lines are counted from 1, and one read gives 1 to {MAX_READ_LINES} of them"
            )));
        }
        let gone = || {
            EngineError::NotFound(format!(
                "the reference {reference} opens nothing any more; search again"
            ))
        };
        let entry_id = self
            .references
            .entry_id(reference, now_ms)
            .ok_or_else(gone)?;
        let entry = self
            .log
            .entry(entry_id)
            .and_then(|index| self.log.get(index))
            .ok_or_else(gone)?;
        let text = indexed_text(entry).unwrap_or_default();
        let total_lines = text.lines().count() as u32;
        let mut given = String::new();
        let wanted = text.lines().skip(first_line as usize - 1);
        for line in wanted.take(lines as usize) {
            if given.len() + line.len() > MAX_READ_BYTES {
                let room = MAX_READ_BYTES.saturating_sub(given.len());
                given.push_str(crate::retrieval::cut(line, room));
                break;
            }
            given.push_str(line);
            given.push('\n');
        }
        Ok(HistoryLines {
            entry_id: entry.id.to_string(),
            role: role_of(entry),
            first_line,
            total_lines,
            text: given,
        })
    }

    /// The positions that the scope allows; none where it allows all.
    fn allowed_entries(&mut self, scope: Scope) -> Option<Rc<BranchPositions>> {
        (scope == Scope::CurrentBranch).then(|| self.view().branch_positions(&self.log))
    }

    fn hits(&mut self, found: Vec<Found>, parsed: &Query, query: &HistoryQuery) -> Vec<Hit> {
        // Four bytes a token are never fewer characters than the estimators count.
        let mut room = query.max_tokens.map_or(0, |tokens| tokens as usize * 4);
        let mut hits = Vec::new();
        let mut seen = FixedHashSet::default();
        for found in found {
            let Some(entry) = self.log.entries().get(found.position as usize) else {
                continue;
            };
            let text = indexed_text(entry).unwrap_or_default();
            // Nobody reads the same text twice; a search without excerpts counts entries.
            if query.max_tokens.is_some() && !seen.insert(collapsed(&text)) {
                continue;
            }
            let piece = excerpt(&text, parsed, EXCERPT_BYTES.min(room)).text;
            room -= piece.len();
            hits.push(Hit {
                entry_id: entry.id.to_string(),
                role: role_of(entry),
                timestamp_ms: entry.timestamp_ms,
                score: found.score,
                reason: found.reason.to_string(),
                excerpt: piece.to_owned(),
                reference: self.references.give(&entry.id, query.now_ms),
            });
        }
        hits
    }
}

fn check_scope(scope: Scope) -> Result<(), EngineError> {
    match scope {
        Scope::CurrentBranch | Scope::CurrentSession => Ok(()),
        Scope::Lineage | Scope::Project => Err(EngineError::Unsupported(
            "this version searches the current branch and the current session only".to_owned(),
        )),
    }
}

/// Which entries a search may find.
pub(super) struct Findable<'a> {
    /// Whether the entry at that position is searched at all.
    pub in_scope: &'a dyn Fn(u32) -> bool,
    /// Whether the entry at that position, which is in scope, may be found.
    pub eligible: &'a dyn Fn(u32) -> bool,
    /// How many are wanted.
    pub limit: usize,
}

/// The best entries for a query. None where nothing is indexed yet, or the index was lost: it is made anew by the next slices.
pub(super) fn find(
    index: &mut SessionIndex,
    log: &SessionLog,
    query: &Query,
    wanted: &Findable<'_>,
    now_ms: u64,
) -> Result<Option<Vec<Found>>, EngineError> {
    let found = index.search(log, now_ms, |connection, session, timeline| {
        search(
            connection,
            session,
            query,
            &Searched {
                log,
                timeline,
                in_scope: wanted.in_scope,
                eligible: wanted.eligible,
                limit: wanted.limit,
            },
        )
    })?;
    Ok(found)
}

fn role_of(entry: &crate::session::Entry) -> String {
    entry
        .message()
        .map_or(entry.type_name(), |message| message.role.name())
        .to_owned()
}
