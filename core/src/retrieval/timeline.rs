//! The indexed entries of a log as they follow one another.
//!
//! Entries without text (a change of model, a label taken away) have no place among neighbours, nor have those that are not
//! searched: their word counts are given as 0.

use crate::session::SessionLog;

/// The entries as they follow one another.
pub(super) struct Timeline<'a> {
    log: &'a SessionLog,
    word_counts: &'a [u32],
}

impl<'a> Timeline<'a> {
    pub(super) fn new(log: &'a SessionLog, word_counts: &'a [u32]) -> Self {
        Self { log, word_counts }
    }

    pub(super) fn log(&self) -> &'a SessionLog {
        self.log
    }

    /// How many there are.
    pub(super) fn entries(&self) -> u32 {
        self.word_counts.len() as u32
    }

    /// Words of the text there.
    pub(super) fn words(&self, position: u32) -> u32 {
        self.word_counts
            .get(position as usize)
            .copied()
            .unwrap_or(0)
    }

    /// The nearest entry with text before the position.
    pub(super) fn before(&self, position: u32) -> Option<u32> {
        (0..position).rev().find(|other| self.words(*other) > 0)
    }

    /// The nearest entry with text behind the position.
    pub(super) fn behind(&self, position: u32) -> Option<u32> {
        (position + 1..self.entries()).find(|other| self.words(*other) > 0)
    }

    /// Milliseconds since 1970.
    pub(super) fn time(&self, position: u32) -> Option<u64> {
        self.log.entries().get(position as usize)?.timestamp_ms
    }
}
