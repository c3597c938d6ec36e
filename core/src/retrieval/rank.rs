//! Ranks what the indexes of one or more sessions say of a query.
//!
//! Invariants:
//! - Sessions that are searched together are ranked as if they were one: how telling a word is, is told by all their entries, so
//!   that scores of a long and of a short session can be compared. What lies beside an entry, and when, is its own session's.
//! - Work is bounded for all of them together: [`MAX_CANDIDATES`] candidates, [`MAX_READ_BYTES`] bytes of text.
//! - Equal scores are ordered by session as they were given, then by position, the newest first.

use super::query::Query;
use super::score::{Scorer, literal_value};
use super::search::{AskedIndex, Found, Searched};

/// Candidates that are scored in full.
pub const MAX_CANDIDATES: usize = 256;
/// Candidates where exact strings were asked for that are not all there: entries with their words are a makeshift.
const MAX_MAKESHIFT_CANDIDATES: usize = 64;
/// Bytes of text that one query reads.
const MAX_READ_BYTES: usize = 3 * 1024 * 1024;

/// The best entries of the sessions, best first, each behind its session's place among those given.
pub fn rank(
    sessions: Vec<(AskedIndex, Searched<'_>)>,
    query: &Query,
    limit: usize,
) -> Vec<(usize, Found)> {
    // Where the exact strings are all there, nobody asked for words.
    let is_makeshift =
        query.asks_for_strings_only() && sessions.iter().any(|(asked, _)| !asked.words.is_empty());
    let most = if is_makeshift {
        MAX_MAKESHIFT_CANDIDATES
    } else {
        MAX_CANDIDATES
    };
    let scorers = scorers(sessions, query);
    let mut candidates: Vec<(i64, usize, u32)> = Vec::new();
    for (place, (scorer, searched)) in scorers.iter().enumerate() {
        let of_session = scorer.candidates(searched.eligible, most);
        candidates.extend(of_session.into_iter().map(|(value, at)| (value, place, at)));
    }
    let best = |(value, place, at): &(i64, usize, u32)| {
        std::cmp::Reverse((*value, usize::MAX - place, *at))
    };
    candidates.sort_by_key(best);
    candidates.truncate(most);
    let mut found = Vec::new();
    for (place, (scorer, _)) in scorers.iter().enumerate() {
        // The best first: when the bytes that may be read run out, it is the least promising that are left.
        let own = candidates.iter().filter(|candidate| candidate.1 == place);
        let own: Vec<u32> = own.map(|candidate| candidate.2).collect();
        if !own.is_empty() {
            let max_bytes = MAX_READ_BYTES * own.len() / candidates.len();
            found.extend(
                scorer
                    .score(&own, max_bytes)
                    .into_iter()
                    .map(|hit| (place, hit)),
            );
        }
    }
    found.sort_by_key(|(place, found)| {
        std::cmp::Reverse((found.score, usize::MAX - place, found.position))
    });
    found.truncate(limit);
    found
}

/// A scorer for each session, with what words and exact strings count over all of them. None where nothing can be found.
fn scorers<'a>(
    sessions: Vec<(AskedIndex, Searched<'a>)>,
    query: &Query,
) -> Vec<(Scorer<'a>, Searched<'a>)> {
    let entries: f64 = sessions
        .iter()
        .map(|(_, searched)| f64::from(searched.timeline.entries()))
        .sum();
    let words = frequencies(&sessions, query.words.len(), |asked, number| {
        asked
            .words
            .get(number)
            .map_or(0.0, |word| word.document_frequency)
    });
    let literals = frequencies(&sessions, query.literals.len(), |asked, number| {
        asked
            .literals
            .get(number)
            .map_or(0.0, |literal| literal.rows.len() as f64)
    });
    let is_found = words
        .iter()
        .chain(&literals)
        .any(|frequency| *frequency > 0.0);
    if !is_found && query.dates.is_empty() {
        return Vec::new();
    }
    sessions
        .into_iter()
        .map(|(asked, searched)| {
            // What no session holds is not asked of any.
            let words = asked
                .words
                .into_iter()
                .zip(&words)
                .filter(|(_, held)| **held > 0.0);
            let words = words.map(|(word, held)| word.weighed(entries, *held));
            let literals = asked.literals.into_iter().zip(&literals);
            let literals = literals
                .filter(|(_, held)| **held > 0.0)
                .map(|(literal, held)| (literal, literal_value(entries, *held)));
            let scorer = Scorer::new(
                words.collect(),
                literals.collect(),
                &query.dates,
                &searched,
                entries,
            );
            (scorer, searched)
        })
        .collect()
}

/// How many entries of all sessions hold each of `count` words or strings.
fn frequencies(
    sessions: &[(AskedIndex, Searched<'_>)],
    count: usize,
    of: impl Fn(&AskedIndex, usize) -> f64,
) -> Vec<f64> {
    (0..count)
        .map(|number| sessions.iter().map(|(asked, _)| of(asked, number)).sum())
        .collect()
}
