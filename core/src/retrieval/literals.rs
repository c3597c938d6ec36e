//! Entries that hold an exact string.
//!
//! A string is looked for as the words that it is made of, its last one also as the beginning of a longer word; one that stands
//! nowhere like that, and is no phrase, is looked for inside of words.
//!
//! Invariants: an entry counts only once its text was compared with the string; work is bounded by [`MAX_ROWS`], [`MAX_OTHERS`],
//! [`MAX_OTHERS_INSIDE_WORDS`] and [`INSIDE_WORDS`], which leave out the oldest entries and nothing else.

use rusqlite::Connection;

use super::indexed_text::indexed_text;
use super::query::{Literal, Query};
use super::score::AskedLiteral;
use super::search::Searched;
use super::{trigrams, words};
use crate::session::SessionLog;
use crate::store::StoreError;
use crate::store::entries::{self, LastWord};
use crate::store::sessions::IndexedSession;

/// Entries that hold one exact string, the newest.
const MAX_ROWS: usize = 256;
/// Entries that hold a string's words and not the string.
const MAX_OTHERS: usize = 512;
/// Entries that hold a string's rarest runs of three characters and not the string.
const MAX_OTHERS_INSIDE_WORDS: usize = 128;
/// Entries in which a string is looked for inside of words, the newest.
const INSIDE_WORDS: u32 = 65_536;
/// Words of a string that the index is asked for, the longest.
const MAX_WORDS: usize = 8;
/// Characters of a word that is looked for as the beginning of others: of a shorter one there are too many.
const SHORTEST_BEGINNING: usize = 5;

/// Asks the index of one session which entries hold the exact strings of a query; of each, those that were verified to hold it.
pub fn ask_literals(
    connection: &Connection,
    session: &IndexedSession,
    query: &Query,
    searched: &Searched<'_>,
) -> Result<Vec<AskedLiteral>, StoreError> {
    let mut asked = Vec::new();
    for literal in &query.literals {
        let mut rows = Vec::new();
        for way in ways(literal) {
            rows = rows_of(connection, session, literal, &way, searched)?;
            if !rows.is_empty() {
                break;
            }
        }
        rows.sort_unstable();
        asked.push(AskedLiteral {
            literal: literal.clone(),
            rows,
        });
    }
    Ok(asked)
}

/// A way to ask the index for entries that may hold a string.
enum Way {
    Words(Vec<String>, LastWord),
    InsideWords(Vec<String>),
}

/// From the one that costs least on: each is of use only where those before found nothing. A phrase is made of whole words.
fn ways(literal: &Literal) -> Vec<Way> {
    let text = &literal.text;
    let words = words_of(text);
    let mut ways = Vec::new();
    if let Some(last) = words.last() {
        let may_go_on = text.ends_with(|last: char| last.is_alphanumeric())
            && last.chars().count() >= SHORTEST_BEGINNING;
        let asked = longest(&words);
        ways.push(Way::Words(asked.clone(), LastWord::Whole));
        if may_go_on && asked.last() == Some(last) {
            ways.push(Way::Words(asked, LastWord::Beginning));
        }
    }
    if !literal.any_case {
        ways.push(Way::InsideWords(trigrams::runs(text)));
    }
    ways
}

/// The words of a string as the index holds them, in order, each once, the last one at the end.
fn words_of(text: &str) -> Vec<String> {
    let mut folded: Vec<String> = Vec::new();
    for word in words::words(text).filter(|word| word.text.len() <= words::MAX_WORD_BYTES) {
        let word = words::fold(word.text);
        folded.retain(|other| *other != word);
        folded.push(word);
    }
    folded
}

/// The longest of them, which are the rarest by and large, in the order in which they stand.
fn longest(words: &[String]) -> Vec<String> {
    let mut places: Vec<usize> = (0..words.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(words.get(*place).map_or(0, String::len)));
    places.truncate(MAX_WORDS);
    places.sort_unstable();
    places
        .into_iter()
        .filter_map(|place| words.get(place).cloned())
        .collect()
}

/// The newest entries that hold the string, among those that the index brings that way.
fn rows_of(
    connection: &Connection,
    session: &IndexedSession,
    literal: &Literal,
    way: &Way,
    searched: &Searched<'_>,
) -> Result<Vec<u32>, StoreError> {
    let mut rows = Vec::new();
    let mut others = 0;
    let most_others = match way {
        Way::Words(..) => MAX_OTHERS,
        Way::InsideWords(_) => MAX_OTHERS_INSIDE_WORDS,
    };
    let compare = |position: u32| {
        if (searched.in_scope)(position) && (searched.eligible)(position) {
            if holds(searched.log, position, literal) {
                rows.push(position);
            } else {
                others += 1;
            }
        }
        rows.len() < MAX_ROWS && others < most_others
    };
    match way {
        Way::Words(words, last) => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            entries::with_words(connection, session, &words, *last, compare)?;
        }
        Way::InsideWords(runs) => {
            let rarest = searched.timeline.trigrams(searched.log).rarest(runs);
            let oldest = searched.timeline.entries().saturating_sub(INSIDE_WORDS);
            entries::with_trigrams(connection, session, &rarest, oldest, compare)?;
        }
    }
    Ok(rows)
}

/// Whether the entry's text holds the string.
fn holds(log: &SessionLog, position: u32, literal: &Literal) -> bool {
    let Some(text) = log.entries().get(position as usize).and_then(indexed_text) else {
        return false;
    };
    if literal.any_case {
        text.to_lowercase().contains(&literal.text.to_lowercase())
    } else {
        text.contains(&literal.text)
    }
}
