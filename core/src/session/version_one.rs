//! Logs of version 1, and logs without a header, whose entries have no IDs and no parents.
//!
//! Invariants, which are those of Pi's own migration: every entry follows the one before it, and `firstKeptEntryIndex`
//! counts the log's documents, the header included. IDs are ours, because Pi draws them at random: `v1-<line>`, and
//! `v1-<line>.<n>` for the n-th document of a line. A log whose first entry has an ID is not such a log, whatever its
//! header says: its own tree is worth more than a chain.

use std::sync::Arc;

use super::entry::Header;

/// Where the entries of a log get their IDs from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdSource {
    /// No entry was seen yet.
    Undecided,
    /// Entries name themselves and their parents.
    Entries,
    /// Entries are named by their lines and follow each other.
    Lines,
}

/// Where this log's IDs come from, judged by its header and its first entry.
pub(super) fn id_source(header: Option<&Header>, first_entry_has_id: bool) -> IdSource {
    let is_version_one = header.is_none_or(|header| header.version < 2);
    if is_version_one && !first_entry_has_id {
        IdSource::Lines
    } else {
        IdSource::Entries
    }
}

/// The documents seen so far, by which a position becomes an entry.
#[derive(Debug, Default)]
pub(super) struct Positions(Vec<Option<Arc<str>>>);

impl Positions {
    /// Counts a document: an entry by its ID, or the header.
    pub fn push(&mut self, id: Option<Arc<str>>) {
        self.0.push(id);
    }

    /// The entry at that position; none where there is the header or nothing yet.
    pub fn entry_id(&self, position: u64) -> Option<Arc<str>> {
        self.0.get(usize::try_from(position).ok()?)?.clone()
    }
}

/// The ID of the n-th document (from 1) on a line.
pub(super) fn line_id(line: u64, document: u32) -> String {
    if document <= 1 {
        format!("v1-{line}")
    } else {
        format!("v1-{line}.{document}")
    }
}
