//! The part of a text that answers a query.
//!
//! Invariants: an excerpt is a piece of the text as it stands, cut between graphemes; it begins a third of its length, and
//! at most [`MAX_LEAD_BYTES`], before the first thing in it that was asked for (behaviour 2.6), and at the start of the text where everything fits.

use unicode_segmentation::UnicodeSegmentation;

use super::query::Query;
use super::words::{self, MAX_WORD_BYTES};

/// Bytes before the first match, at most: enough to see where one is, and little enough that the match is seen at a glance.
const MAX_LEAD_BYTES: usize = 160;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt<'a> {
    /// What it says.
    pub text: &'a str,
    /// Whether the text goes on before it.
    pub is_cut_before: bool,
    /// Whether the text goes on behind it.
    pub is_cut_behind: bool,
}

/// The piece of at most `bytes` bytes that holds the most of what the query asks for, the earliest of equals.
pub fn excerpt<'a>(text: &'a str, query: &Query, bytes: usize) -> Excerpt<'a> {
    if text.len() <= bytes {
        return Excerpt {
            text,
            is_cut_before: false,
            is_cut_behind: false,
        };
    }
    let first = best_match(text, query, bytes).unwrap_or(0);
    let start = first.saturating_sub((bytes / 3).min(MAX_LEAD_BYTES));
    // A window that would reach beyond the end begins earlier instead.
    let start = start.min(text.len().saturating_sub(bytes));
    let start = word_at_or_behind(text, grapheme_at_or_behind(text, start));
    let end = grapheme_at_or_before(text, start.saturating_add(bytes).min(text.len()), start);
    Excerpt {
        text: text.get(start..end).unwrap_or_default(),
        is_cut_before: start > 0,
        is_cut_behind: end < text.len(),
    }
}

/// Where the window begins that holds the most different things asked for.
fn best_match(text: &str, query: &Query, bytes: usize) -> Option<usize> {
    let matches = matches(text, query);
    let mut best: Option<(usize, usize)> = None;
    let mut inside: Vec<usize> = vec![0; query.words.len() + query.literals.len()];
    let mut distinct = 0;
    let mut end = 0;
    for (start, (offset, what)) in matches.iter().enumerate() {
        while let Some((at, added)) = matches.get(end)
            && at - offset <= bytes * 2 / 3
        {
            if let Some(count) = inside.get_mut(*added) {
                distinct += usize::from(*count == 0);
                *count += 1;
            }
            end += 1;
        }
        if best.is_none_or(|(most, _)| distinct > most) {
            best = Some((distinct, start));
        }
        if let Some(count) = inside.get_mut(*what) {
            *count = count.saturating_sub(1);
            distinct -= usize::from(*count == 0);
        }
    }
    let (_, start) = best?;
    matches.get(start).map(|(offset, _)| *offset)
}

/// Where the text holds a word or a string of the query, with the number of it, in order.
fn matches(text: &str, query: &Query) -> Vec<(usize, usize)> {
    let mut matches = Vec::new();
    for word in words::words(text).filter(|word| word.text.len() <= MAX_WORD_BYTES) {
        let pieces = words::parts(word.text).into_iter().chain([word.text]);
        for stem in pieces.map(|piece| words::stem(&words::fold(piece))) {
            let asked = query
                .words
                .iter()
                .position(|asked| asked.forms.iter().any(|form| form.stem == stem));
            matches.extend(asked.map(|number| (word.start, number)));
        }
    }
    for (number, literal) in query.literals.iter().enumerate() {
        let found = text.match_indices(&literal.text).take(64);
        matches.extend(found.map(|(at, _)| (at, query.words.len() + number)));
    }
    matches.sort_unstable();
    matches
}

/// Bytes around a place in which the end of a grapheme is looked for: no grapheme of a text that people read is longer.
const GRAPHEME_BYTES: usize = 128;

fn character_at_or_before(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Bytes in which an excerpt may begin later so as not to begin within a word.
const WORD_BYTES: usize = 40;

/// The next beginning of a word, where there is one near; else the place itself.
fn word_at_or_behind(text: &str, at: usize) -> usize {
    let is_within = text
        .get(..at)
        .and_then(|before| before.chars().next_back())
        .is_some_and(|before| !before.is_whitespace());
    if !is_within {
        return at;
    }
    text.get(at..)
        .unwrap_or_default()
        .char_indices()
        .take_while(|(offset, _)| *offset < WORD_BYTES)
        .find(|(_, character)| character.is_whitespace())
        .map_or(at, |(offset, space)| at + offset + space.len_utf8())
}

/// The first boundary of graphemes at the place or behind it.
fn grapheme_at_or_behind(text: &str, at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    let from = character_at_or_before(text, at.saturating_sub(GRAPHEME_BYTES));
    let near = text.get(from..).unwrap_or_default();
    near.grapheme_indices(true)
        .map(|(offset, _)| from + offset)
        .find(|boundary| *boundary >= at)
        .unwrap_or(text.len())
}

/// The last boundary of graphemes at the place or before it, but not before `least`.
fn grapheme_at_or_before(text: &str, at: usize, least: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    let from = character_at_or_before(text, at.saturating_sub(GRAPHEME_BYTES)).max(least);
    let near = text.get(from..).unwrap_or_default();
    near.grapheme_indices(true)
        .map(|(offset, _)| from + offset)
        .take_while(|boundary| *boundary <= at)
        .last()
        .unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_whole() {
        let piece = excerpt("all of it", &Query::of("it"), 100);
        assert_eq!(
            (piece.text, piece.is_cut_before, piece.is_cut_behind),
            ("all of it", false, false)
        );
    }

    #[test]
    fn the_window_holds_the_most_of_what_was_asked() {
        let text = format!(
            "budget {} the retry budget of parseLine {}",
            "x ".repeat(500),
            "y ".repeat(500)
        );
        let piece = excerpt(&text, &Query::of("retry budget parseLine"), 90);
        assert!(piece.text.contains("retry budget of parseLine"));
        assert!(piece.is_cut_before && piece.is_cut_behind && piece.text.len() <= 90);
    }

    #[test]
    fn cuts_are_between_graphemes() {
        let family = "👨\u{200d}👩\u{200d}👧";
        let text = family.repeat(50);
        for bytes in 1..200 {
            let piece = excerpt(&text, &Query::of("x"), bytes);
            assert_eq!(piece.text.len() % family.len(), 0, "{bytes}");
        }
    }
}
