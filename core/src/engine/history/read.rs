//! Reading an entry whole, by a reference that a search gave.
//!
//! Invariant: nothing is read that a search in the reference's scope would not find now: the configuration still allows the scope,
//! the entry is still in its log, in the scope, and eligible (behaviour 2.16).

use super::super::Session;
use super::super::error::EngineError;
use super::super::scope::check_allowed;
use super::role_of;
use crate::retrieval::{Grant, Scope, cut, indexed_text, is_eligible};
use crate::session::{Entry, SessionLog};

/// Lines of one read (behaviour 2.16).
pub const MAX_READ_LINES: u32 = 200;
/// Bytes of one read, so that lines without end stay bounded.
const MAX_READ_BYTES: usize = 256 * 1024;

/// Lines of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLines {
    /// The entry's ID.
    pub entry_id: String,
    /// Its session's.
    pub session_id: String,
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
        let grant = self.references.grant(reference, now_ms).cloned();
        let entry = grant.as_ref().and_then(|grant| {
            let entry = self.granted_entry(grant)?;
            Some((grant, entry))
        });
        let Some((grant, entry)) = entry else {
            return Err(EngineError::NotFound(format!(
                "the reference {reference} opens nothing any more; search again"
            )));
        };
        let text = indexed_text(entry).unwrap_or_default();
        Ok(HistoryLines {
            entry_id: entry.id.to_string(),
            session_id: grant.session_id.clone(),
            role: role_of(entry),
            first_line,
            total_lines: text.lines().count() as u32,
            text: some_lines(&text, first_line as usize, lines as usize),
        })
    }

    /// The entry, where a search in the scope in which it was granted would still find it.
    fn granted_entry(&mut self, grant: &Grant) -> Option<&Entry> {
        check_allowed(grant.scope, &self.config.history_tools).ok()?;
        let with_summaries = self.config.history_tools.include_summaries;
        let entry = if grant.session_id == self.session_id {
            let branch = (grant.scope == Scope::CurrentBranch)
                .then(|| self.view().branch_positions(&self.log));
            entry_where(&self.log, &grant.entry_id, |position| {
                branch.is_none_or(|branch| branch.holds(position))
            })?
        } else {
            let (scope, storage) = (grant.scope, &*self.storage);
            let place = self.others.refreshed(scope, &grant.session_id, storage)?;
            let counted = self.others.counted(scope, &self.log);
            let counted = counted.get(place)?;
            let log = &self.others.of(scope).nth(place)?.log;
            entry_where(log, &grant.entry_id, |position| counted.holds(position))?
        };
        is_eligible(entry, with_summaries).then_some(entry)
    }
}

/// The entry of that ID, where its position is in scope.
fn entry_where<'a>(
    log: &'a SessionLog,
    id: &str,
    in_scope: impl FnOnce(u32) -> bool,
) -> Option<&'a Entry> {
    let index = log.entry(id)?;
    in_scope(index.position() as u32).then(|| log.get(index))?
}

/// Up to `count` lines from the line numbered `first` on.
fn some_lines(text: &str, first: usize, count: usize) -> String {
    let mut given = String::new();
    for line in text.lines().skip(first - 1).take(count) {
        if given.len() + line.len() > MAX_READ_BYTES {
            let room = MAX_READ_BYTES.saturating_sub(given.len());
            given.push_str(cut(line, room));
            break;
        }
        given.push_str(line);
        given.push('\n');
    }
    given
}
