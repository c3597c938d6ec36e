//! Texts as a query sees them: which of its words stand where.
//!
//! Invariants: a text is verified word by word, on the stems by which the index found it; each text is read once a query.

use std::rc::Rc;

use super::indexed_text::{cut, indexed_text};
use super::score::Asked;
use super::words::{self, MAX_WORD_BYTES};
use crate::fixed_hash::FixedHashMap;
use crate::session::SessionLog;

/// Bytes of one text that are read.
const MAX_TEXT_BYTES: usize = 32 * 1024;
/// The end of a text in which a question mark says that it asks something, in bytes.
const ASKING_BYTES: usize = 300;
/// Words apart that still stand close together.
const CLOSE_WORDS: u32 = 4;

/// A text as a query sees it.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    found: Rc<[Occurrence]>,
    /// Whether its end asks something.
    pub(super) asks: bool,
}

/// A form of a word of the query, in a text.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    word: usize,
    /// Words before it in the text.
    place: u32,
    weight: f64,
    is_own_stem: bool,
}

impl Reading {
    /// How often the word of that number stands in it, other forms at what they count.
    pub(super) fn frequency(&self, word: usize) -> f64 {
        let occurrences = self.found.iter();
        occurrences
            .filter(|occurrence| occurrence.word == word)
            .map(|occurrence| occurrence.weight)
            .sum()
    }

    /// Whether two words of the query stand close together somewhere.
    pub(super) fn are_close(&self, one: usize, other: usize) -> bool {
        let places = |word: usize| {
            let own = self.found.iter();
            own.filter(move |occurrence| occurrence.word == word && occurrence.is_own_stem)
                .map(|occurrence| occurrence.place)
        };
        // Both ascend: the nearest neighbour of each is found in one walk.
        let mut others = places(other).peekable();
        places(one).any(|place| {
            while others.next_if(|at| at + CLOSE_WORDS < place).is_some() {}
            others
                .peek()
                .is_some_and(|at| at.abs_diff(place) <= CLOSE_WORDS)
        })
    }
}

/// Reads texts for a query, each once.
pub(super) struct Reader<'a> {
    log: &'a SessionLog,
    /// What each wanted stem counts for.
    uses: Vec<Vec<Use>>,
    /// By stem: its place in `uses`.
    wanted: FixedHashMap<String, usize>,
    /// First two bytes of wanted stems: a word that begins otherwise need not be stemmed, because stemming keeps the first
    /// letters (of a stem of two, the first only).
    beginnings: Vec<bool>,
    /// By folded word: the place of its stem in `uses`, where it is wanted.
    stems: FixedHashMap<String, Option<usize>>,
    known: FixedHashMap<u32, Reading>,
    bytes: usize,
}

/// A stem as a form of a word of the query.
struct Use {
    word: usize,
    weight: f64,
    is_own_stem: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(asked: &[Asked], log: &'a SessionLog) -> Self {
        let mut reader = Self {
            log,
            uses: Vec::new(),
            wanted: FixedHashMap::default(),
            beginnings: vec![false; 1 << 16],
            stems: FixedHashMap::default(),
            known: FixedHashMap::default(),
            bytes: 0,
        };
        for (number, word) in asked.iter().enumerate() {
            for (stem, weight) in &word.forms {
                reader.want(
                    stem,
                    Use {
                        word: number,
                        weight: *weight,
                        is_own_stem: *stem == word.stem,
                    },
                );
            }
        }
        reader
    }

    /// Bytes of text read so far.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The text of the entry at that position, as the query sees it.
    pub(super) fn read(&mut self, position: u32) -> Reading {
        if let Some(known) = self.known.get(&position) {
            return known.clone();
        }
        let entry = self.log.entries().get(position as usize);
        let text = entry.and_then(indexed_text);
        let text = cut(text.as_deref().unwrap_or_default(), MAX_TEXT_BYTES);
        self.bytes += text.len();
        let mut found = Vec::new();
        let mut folded = String::new();
        for (place, word) in (0..).zip(words::words(text)) {
            if word.text.len() > MAX_WORD_BYTES {
                continue;
            }
            self.count(word.text, place, &mut folded, &mut found);
            for part in words::parts(word.text) {
                self.count(part, place, &mut folded, &mut found);
            }
        }
        let reading = Reading {
            found: found.into(),
            asks: end_of(text).contains('?'),
        };
        self.known.insert(position, reading.clone());
        reading
    }

    fn want(&mut self, stem: &str, stem_use: Use) {
        match stem.as_bytes() {
            [] => {}
            [first] | [first, _] => {
                let first = usize::from(*first) << 8;
                if let Some(flags) = self.beginnings.get_mut(first..first + 256) {
                    flags.fill(true);
                }
            }
            [first, second, ..] => {
                if let Some(flag) = self.beginnings.get_mut(beginning(*first, *second)) {
                    *flag = true;
                }
            }
        }
        let place = *self
            .wanted
            .entry(stem.to_owned())
            .or_insert(self.uses.len());
        if place == self.uses.len() {
            self.uses.push(Vec::new());
        }
        if let Some(uses) = self.uses.get_mut(place) {
            uses.push(stem_use);
        }
    }

    fn count(&mut self, word: &str, place: u32, folded: &mut String, found: &mut Vec<Occurrence>) {
        let may_be_wanted = match word.as_bytes() {
            [first, second, ..] if first.is_ascii() && second.is_ascii() => self
                .beginnings
                .get(beginning(
                    first.to_ascii_lowercase(),
                    second.to_ascii_lowercase(),
                ))
                .copied()
                .unwrap_or(false),
            // A letter with an accent is folded before anything is known of it.
            _ => true,
        };
        if !may_be_wanted {
            return;
        }
        folded.clear();
        if word.is_ascii() {
            folded.push_str(word);
            folded.make_ascii_lowercase();
        } else {
            folded.push_str(&words::fold(word));
        }
        let known = self.stems.get(folded.as_str()).copied();
        let wanted = known.unwrap_or_else(|| {
            let wanted = self.wanted.get(&words::stem(folded)).copied();
            self.stems.insert(folded.clone(), wanted);
            wanted
        });
        let Some(uses) = wanted.and_then(|wanted| self.uses.get(wanted)) else {
            return;
        };
        found.extend(uses.iter().map(|stem_use| Occurrence {
            word: stem_use.word,
            place,
            weight: stem_use.weight,
            is_own_stem: stem_use.is_own_stem,
        }));
    }
}

/// The place of two bytes among all pairs.
fn beginning(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

fn end_of(text: &str) -> &str {
    (text.len().saturating_sub(ASKING_BYTES)..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .and_then(|at| text.get(at..))
        .unwrap_or_default()
}
