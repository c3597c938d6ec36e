//! From a query to ranked entries.
//!
//! The way: the index says which entries hold the exact strings and the rarer words ([`ask_words`]) → a first score from that alone chooses
//! candidates → these and their neighbours are read from the log, verified and scored in full ([`rank`]). A query of exact strings
//! only that are all found ends with them.
//!
//! Invariants:
//! - Who may be found (branch, scope, not in the prompt already) is asked for every row of the index before anything is
//!   counted or cut off.
//! - An entry is found because its text, or that of an entry beside it, was verified to hold what was asked for.
//! - Work is bounded: [`MAX_WORD_ROWS`] rows a word, [`MAX_CANDIDATES`](super::rank::MAX_CANDIDATES) candidates. Words so common
//!   that the bound cuts them off bring no candidates; they are scored in those that others bring.
//! - Scores are rounded before they are compared; equal ones are ordered by position, the newest first.

use rusqlite::Connection;

use super::literals::ask_literals;
use super::query::Query;
use super::rank::rank;
use super::score::AskedLiteral;
use super::timeline::Timeline;
use super::words;
use crate::fixed_hash::FixedHashMap;
use crate::session::SessionLog;
use crate::store::StoreError;
use crate::store::entries::{self, LastWord};
use crate::store::sessions::IndexedSession;

/// Rows of the index that are read for the forms of a word, the newest of each form.
pub const MAX_WORD_ROWS: usize = 2_048;
/// Rows from which on a word needs no related stems.
const ENOUGH_ROWS: usize = 512;
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
    /// How telling what it holds of the question is, in the units of [`super::score::rarity`], each thing once. Millionths.
    pub telling: i64,
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
#[derive(Clone, Copy)]
pub struct Searched<'a> {
    /// The log that the index was made from.
    pub log: &'a SessionLog,
    /// The indexed entries as they follow one another.
    pub timeline: &'a Timeline,
    /// Whether the entry at that position is searched at all: one that is not is nobody's neighbour either.
    pub in_scope: &'a dyn Fn(u32) -> bool,
    /// Whether the entry at that position, which is in scope, may be found.
    pub eligible: &'a dyn Fn(u32) -> bool,
}

/// The best entries of one session for the query, best first, at most `limit`.
pub fn search(
    connection: &Connection,
    session: &IndexedSession,
    query: &Query,
    searched: &Searched<'_>,
    limit: usize,
) -> Result<Vec<Found>, StoreError> {
    let literals = ask_literals(connection, session, query, searched)?;
    let words = if are_enough(query, &[&literals]) {
        Vec::new()
    } else {
        ask_words(
            connection,
            session,
            query,
            searched,
            &mut RelatedStems::default(),
        )?
    };
    let asked = AskedIndex { literals, words };
    let found = rank(vec![(asked, *searched)], query, limit);
    Ok(found.into_iter().map(|(_, found)| found).collect())
}

/// What the index of one session says of a query.
pub struct AskedIndex {
    /// One for each exact string of the query.
    pub literals: Vec<AskedLiteral>,
    /// One for each word of the query; none where they were not asked for.
    pub words: Vec<WordRows>,
}

/// A word with the entries of one session that hold a form of it.
pub struct WordRows {
    pub(super) word: String,
    pub(super) stem: String,
    /// What the word counts.
    pub(super) weight: f64,
    /// Stems that count as it, and how much.
    pub(super) forms: Vec<(String, f64)>,
    /// How many entries hold it, those that were not read guessed.
    pub(super) document_frequency: f64,
    /// Positions that hold a form, ascending, with the largest weight of a form there.
    pub(super) rows: Vec<(u32, f64)>,
}

/// Asks the index of one session which entries hold the words of a query. `related` are known from other sessions of the same query.
pub fn ask_words(
    connection: &Connection,
    session: &IndexedSession,
    query: &Query,
    searched: &Searched<'_>,
    related: &mut RelatedStems,
) -> Result<Vec<WordRows>, StoreError> {
    let words = query.words.iter();
    words
        .map(|word| word_rows(connection, session, word, searched, related))
        .collect()
}

/// Whether the entries that hold the exact strings of a query are all that it wants, by what each session that is searched says of
/// them: who asks for strings as they are, and nothing else, wants the entries that hold them. Their words help where none does.
pub fn are_enough(query: &Query, sessions: &[&[AskedLiteral]]) -> bool {
    query.asks_for_strings_only()
        && (0..query.literals.len()).all(|number| {
            let of_each = sessions.iter().filter_map(|literals| literals.get(number));
            of_each.into_iter().any(|literal| !literal.rows.is_empty())
        })
}

/// One word with the rows that hold a form of it.
fn word_rows(
    connection: &Connection,
    session: &IndexedSession,
    word: &super::query::AskedWord,
    searched: &Searched<'_>,
    related: &mut RelatedStems,
) -> Result<WordRows, StoreError> {
    let mut forms: Vec<(String, f64)> = Vec::new();
    let timeline = searched.timeline;
    let mut rows = Rows::new(timeline.entries(), searched.in_scope);
    for form in &word.forms {
        rows.read(connection, session, &form.word, form.weight)?;
        forms.push((form.stem.clone(), form.weight));
    }
    // A word that many entries hold needs no relatives, and has the most.
    if rows.found.len() < ENOUGH_ROWS {
        for related in related.of(connection, &word.stem)? {
            if forms.iter().all(|(stem, _)| stem != related) {
                rows.read(connection, session, related, RELATED_WEIGHT)?;
                forms.push((related.clone(), RELATED_WEIGHT));
            }
        }
    }
    let Rows {
        found: mut rows,
        estimated,
        ..
    } = rows;
    rows.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
    rows.dedup_by_key(|row| row.0);
    let entries = f64::from(timeline.entries());
    let document_frequency = if estimated >= MAX_WORD_ROWS as f64 {
        estimated.min(entries)
    } else {
        rows.len() as f64
    };
    Ok(WordRows {
        word: word.word.clone(),
        stem: word.stem.clone(),
        weight: word.weight,
        forms,
        document_frequency,
        rows,
    })
}

/// The rows of the index for the forms of a word.
struct Rows<'a> {
    entries: u32,
    in_scope: &'a dyn Fn(u32) -> bool,
    found: Vec<(u32, f64)>,
    /// How many there are, those that were not read guessed from those that were.
    estimated: f64,
}

impl<'a> Rows<'a> {
    fn new(entries: u32, in_scope: &'a dyn Fn(u32) -> bool) -> Self {
        Self {
            entries,
            in_scope,
            found: Vec::new(),
            estimated: 0.0,
        }
    }

    /// Reads the rows of one form, the newest first, until there are [`MAX_WORD_ROWS`].
    fn read(
        &mut self,
        connection: &Connection,
        session: &IndexedSession,
        word: &str,
        weight: f64,
    ) -> Result<(), StoreError> {
        let before = self.found.len();
        if before >= MAX_WORD_ROWS {
            return Ok(());
        }
        let mut oldest = self.entries;
        entries::with_words(connection, session, &[word], LastWord::Whole, |position| {
            // An entry outside of what is searched takes no row from the others.
            if (self.in_scope)(position) {
                self.found.push((position, weight));
                oldest = position;
            }
            self.found.len() < MAX_WORD_ROWS
        })?;
        let count = (self.found.len() - before) as f64;
        self.estimated += if self.found.len() < MAX_WORD_ROWS {
            count
        } else {
            // Cut off: as many again in what was not read.
            let walked = self.entries.saturating_sub(oldest).max(1);
            count * f64::from(self.entries) / f64::from(walked)
        };
        Ok(())
    }
}

/// Related stems by stem. They are those of the whole database, so that the sessions of a query share them.
#[derive(Default)]
pub struct RelatedStems(FixedHashMap<String, Vec<String>>);

impl RelatedStems {
    fn of(&mut self, connection: &Connection, stem: &str) -> Result<&[String], StoreError> {
        if !self.0.contains_key(stem) {
            let related = related_stems(connection, stem)?;
            self.0.insert(stem.to_owned(), related);
        }
        Ok(self.0.get(stem).map_or(&[], Vec::as_slice))
    }
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
