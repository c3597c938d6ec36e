//! The indexed entries of a log as they follow one another: what scoring asks of every entry, kept between queries.
//!
//! Invariants: it only grows, entry by entry, and is made anew with the index; entries without text (a change of model, a
//! label taken away) have no place among neighbours, nor have those outside of what is searched.

use std::cell::OnceCell;

use super::score::length_damping;
use super::trigrams::TrigramSample;
use crate::session::SessionLog;

/// Silence that parts two bursts of work, in milliseconds.
const BURST_GAP_MS: u64 = 4 * 3_600_000;

/// What is known of each indexed entry by its position.
#[derive(Debug, Default)]
pub struct Timeline {
    words: Vec<u32>,
    damping: Vec<f64>,
    bursts: Vec<u32>,
    /// Words of each burst of work.
    burst_words: Vec<f64>,
    newest_ms: Option<u64>,
    /// Taken when the first exact string is looked for.
    trigrams: OnceCell<TrigramSample>,
}

impl Timeline {
    /// How many entries there are.
    pub fn entries(&self) -> u32 {
        self.words.len() as u32
    }

    /// Adds the entries that follow, by their word counts.
    pub fn extend(&mut self, log: &SessionLog, word_counts: &[u32]) {
        for count in word_counts {
            let entry = log.entries().get(self.words.len());
            let time = entry.and_then(|entry| entry.timestamp_ms);
            let is_new_burst = match (self.newest_ms, time) {
                (Some(newest), Some(time)) => time > newest.saturating_add(BURST_GAP_MS),
                _ => false,
            };
            self.newest_ms = time.or(self.newest_ms);
            if is_new_burst || self.burst_words.is_empty() {
                self.burst_words.push(0.0);
            }
            if let Some(words) = self.burst_words.last_mut() {
                *words += f64::from(*count);
            }
            self.words.push(*count);
            self.damping.push(length_damping(*count));
            self.bursts.push(self.burst_words.len() as u32 - 1);
        }
        let entries = self.entries();
        if self
            .trigrams
            .get()
            .is_some_and(|sample| sample.is_outgrown(entries))
        {
            self.trigrams = OnceCell::new();
        }
    }

    /// How frequent runs of three characters are in the log that the timeline was made from.
    pub(super) fn trigrams(&self, log: &SessionLog) -> &TrigramSample {
        self.trigrams
            .get_or_init(|| TrigramSample::of(log, self.entries()))
    }

    /// BM25's denominator for the text there, without the frequency.
    pub(super) fn damping(&self, position: u32) -> f64 {
        self.damping
            .get(position as usize)
            .copied()
            .unwrap_or_default()
    }

    /// The nearest entry in scope with text before the position.
    pub(super) fn before(&self, position: u32, in_scope: &dyn Fn(u32) -> bool) -> Option<u32> {
        (0..position)
            .rev()
            .find(|other| self.has_text(*other) && in_scope(*other))
    }

    /// The nearest entry in scope with text behind the position.
    pub(super) fn behind(&self, position: u32, in_scope: &dyn Fn(u32) -> bool) -> Option<u32> {
        (position + 1..self.entries()).find(|other| self.has_text(*other) && in_scope(*other))
    }

    /// The burst of work that the entry lies in.
    pub(super) fn burst(&self, position: u32) -> usize {
        self.bursts.get(position as usize).copied().unwrap_or(0) as usize
    }

    /// Words of each burst of work.
    pub(super) fn burst_words(&self) -> &[f64] {
        &self.burst_words
    }

    fn has_text(&self, position: u32) -> bool {
        self.words
            .get(position as usize)
            .is_some_and(|words| *words > 0)
    }
}
