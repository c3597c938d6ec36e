//! From a query to ranked entries.
//!
//! The way: the index says which entries hold the rarer words and the exact strings → a first score from that alone chooses
//! [`MAX_CANDIDATES`] → these and their neighbours are read from the log, verified and scored in full ([`super::score`]).
//!
//! Invariants:
//! - Who may be found (branch, scope, not in the prompt already) is asked for every row of the index before anything is
//!   counted or cut off.
//! - An entry is found because its text, or that of an entry beside it, was verified to hold what was asked for.
//! - Work is bounded: [`MAX_POSTINGS`] rows a word, [`MAX_CANDIDATES`] candidates, [`MAX_READ_BYTES`] bytes of text. Words so common
//!   that the bound cuts them off bring no candidates; they are scored in those that others bring.
//! - Scores are rounded before they are compared; equal ones are ordered by position, the newest first.

use rusqlite::Connection;

use super::query::Query;
use super::score::{self, Asked, Scorer};
use super::timeline::Timeline;
use super::words;
use crate::session::SessionLog;
use crate::store::sessions::IndexedSession;
use crate::store::{StoreError, entries};

/// Rows of the index that are read for one form of a word, the newest.
pub const MAX_POSTINGS: usize = 4_096;
/// Rows that are compared with the log for one exact string, the newest.
const MAX_LITERAL_ROWS: usize = 256;
/// Candidates that are scored in full.
pub const MAX_CANDIDATES: usize = 400;
/// Bytes of text that one query reads.
const MAX_READ_BYTES: usize = 3 * 1024 * 1024;
/// A word in a larger share of the entries is common: it brings no candidates while there are others.
const COMMON_SHARE: f64 = 0.3;
/// Stems beside a word's own that begin as it does: how many, how much longer or shorter, and what they count.
const MAX_RELATED_STEMS: usize = 16;
const RELATED_LETTERS: usize = 3;
const SHORTEST_RELATED: usize = 4;
const RELATED_WEIGHT: f64 = 0.3;

/// An entry that a query found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its position in the log.
    pub position: u32,
    /// Millionths.
    pub score: i64,
    /// Why, for people.
    pub reason: Reason,
}

/// Why an entry was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reason {
    /// Exact strings that its text holds.
    pub literals: Vec<String>,
    /// Words that its text holds in some form.
    pub words: Vec<String>,
    /// Whether it lies in a time that the question names.
    pub in_time: bool,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, line: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        if !self.literals.is_empty() {
            parts.push(format!("exact {}", self.literals.join(", ")));
        }
        if !self.words.is_empty() {
            parts.push(format!("words {}", self.words.join(", ")));
        }
        if self.in_time {
            parts.push("in the time asked for".to_owned());
        }
        if parts.is_empty() {
            parts.push("beside an entry that matches".to_owned());
        }
        line.write_str(&parts.join("; "))
    }
}

/// What a search looks at.
pub struct Searched<'a> {
    /// The log that the index was made from.
    pub log: &'a SessionLog,
    /// Word counts of the indexed entries by position; 0 for those that are not searched, which are then nobody's neighbours.
    pub word_counts: &'a [u32],
    /// Whether the entry at that position may be found.
    pub eligible: &'a dyn Fn(u32) -> bool,
    /// Entries that are wanted.
    pub limit: usize,
}

/// The best entries for the query, best first.
pub fn search(
    connection: &Connection,
    session: &IndexedSession,
    query: &Query,
    searched: &Searched<'_>,
) -> Result<Vec<Found>, StoreError> {
    let timeline = Timeline::new(searched.log, searched.word_counts);
    let mut asked = Vec::new();
    for word in &query.words {
        asked.extend(asked_word(connection, session, word, &timeline)?);
    }
    let literals = asked_literals(connection, session, query, searched)?;
    if asked.is_empty() && literals.is_empty() {
        return Ok(Vec::new());
    }
    let scorer = Scorer::new(asked, literals, &query.dates, timeline);
    let candidates = scorer.candidates(searched.eligible, MAX_CANDIDATES);
    let mut found = scorer.score(&candidates, MAX_READ_BYTES);
    found.sort_by(|one, other| (other.score, other.position).cmp(&(one.score, one.position)));
    found.truncate(searched.limit);
    Ok(found)
}

/// One word with the rows that hold a form of it. None where no row does.
fn asked_word(
    connection: &Connection,
    session: &IndexedSession,
    word: &super::query::AskedWord,
    timeline: &Timeline<'_>,
) -> Result<Option<Asked>, StoreError> {
    let mut forms: Vec<(String, String, f64)> = word
        .forms
        .iter()
        .map(|form| (form.word.clone(), form.stem.clone(), form.weight))
        .collect();
    for related in related_stems(connection, &word.stem)? {
        if forms.iter().all(|(_, stem, _)| *stem != related) {
            forms.push((related.clone(), related, RELATED_WEIGHT));
        }
    }
    let mut rows: Vec<(u32, f64)> = Vec::new();
    let mut estimated = 0.0;
    for (word, _, weight) in &forms {
        let before = rows.len();
        let mut oldest = timeline.entries();
        entries::with_word(connection, session, word, |position| {
            // An entry outside of what is searched has no words there, and takes no row from the others.
            if timeline.words(position) > 0 {
                rows.push((position, *weight));
                oldest = position;
            }
            rows.len() - before < MAX_POSTINGS
        })?;
        let count = rows.len() - before;
        // Cut off: as many again in what was not walked.
        estimated += if count < MAX_POSTINGS {
            count as f64
        } else {
            let walked = timeline.entries().saturating_sub(oldest).max(1);
            count as f64 * f64::from(timeline.entries()) / f64::from(walked)
        };
    }
    if rows.is_empty() {
        return Ok(None);
    }
    rows.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
    rows.dedup_by_key(|row| row.0);
    let entries = f64::from(timeline.entries());
    let document_frequency = if estimated >= MAX_POSTINGS as f64 {
        estimated.min(entries)
    } else {
        rows.len() as f64
    };
    let is_common = document_frequency > COMMON_SHARE * entries;
    Ok(Some(Asked {
        word: word.word.clone(),
        stem: word.stem.clone(),
        forms: forms
            .into_iter()
            .map(|(_, stem, weight)| (stem, weight))
            .collect(),
        rarity: word.weight * score::rarity(entries, document_frequency),
        document_frequency,
        is_common,
        rows,
    }))
}

/// Stems of the index that begin as this one does, the most telling ones: those nearest in length, then in byte order.
fn related_stems(connection: &Connection, stem: &str) -> Result<Vec<String>, StoreError> {
    if stem.len() < SHORTEST_RELATED || !stem.is_ascii() {
        return Ok(Vec::new());
    }
    let mut related = entries::words_from(connection, stem, RELATED_LETTERS)?;
    for length in
        (SHORTEST_RELATED.max(stem.len().saturating_sub(RELATED_LETTERS))..stem.len()).rev()
    {
        related.extend(stem.get(..length).map(str::to_owned));
    }
    // A stem that is stemmed once more is another word: the index cannot be asked for it.
    related.retain(|other| other != stem && words::stem(other) == *other);
    related.sort_by_key(|other| (other.len().abs_diff(stem.len()), other.clone()));
    related.truncate(MAX_RELATED_STEMS);
    Ok(related)
}

/// The exact strings with the entries whose text was verified to hold them.
fn asked_literals(
    connection: &Connection,
    session: &IndexedSession,
    query: &Query,
    searched: &Searched<'_>,
) -> Result<Vec<score::AskedLiteral>, StoreError> {
    let mut asked = Vec::new();
    for literal in &query.literals {
        let mut rows = Vec::new();
        let mut looked_at = 0;
        entries::with_trigrams(connection, session, &literal.text, |position| {
            looked_at += 1;
            if (searched.eligible)(position) && score::holds(searched.log, position, literal) {
                rows.push(position);
            }
            looked_at < MAX_LITERAL_ROWS
        })?;
        rows.sort_unstable();
        if !rows.is_empty() {
            asked.push(score::AskedLiteral {
                literal: literal.clone(),
                rows,
            });
        }
    }
    Ok(asked)
}
