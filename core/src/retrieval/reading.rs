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
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    /// By word of the query: what its forms count, and where it stands in its own stem.
    counts: Rc<Vec<(f64, Vec<u32>)>>,
    /// Whether its end asks something.
    pub(super) asks: bool,
}

impl Reading {
    /// How often the word of that number stands in it, other forms at what they count.
    pub(super) fn frequency(&self, word: usize) -> f64 {
        self.counts
            .get(word)
            .map_or(0.0, |(frequency, _)| *frequency)
    }

    /// Whether two words of the query stand close together somewhere.
    pub(super) fn are_close(&self, one: usize, other: usize) -> bool {
        let places = |word: usize| self.counts.get(word).map_or(&[][..], |(_, places)| places);
        let others = places(other);
        places(one).iter().any(|place| {
            let from = others.partition_point(|at| at + CLOSE_WORDS < *place);
            others
                .get(from)
                .is_some_and(|at| at.abs_diff(*place) <= CLOSE_WORDS)
        })
    }
}

/// Reads texts for a query, each once.
pub(super) struct Reader<'a> {
    log: &'a SessionLog,
    words: usize,
    /// What each wanted stem counts for.
    uses: Vec<Vec<Use>>,
    /// By stem: its place in `uses`.
    wanted: FixedHashMap<String, usize>,
    /// First bytes of wanted stems: a word that begins otherwise need not be stemmed, because stemming keeps the first letter.
    first_bytes: [bool; 256],
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
            words: asked.len(),
            uses: Vec::new(),
            wanted: FixedHashMap::default(),
            first_bytes: [false; 256],
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
        let mut counts = vec![(0.0, Vec::new()); self.words];
        let mut folded = String::new();
        for (place, word) in (0..).zip(words::words(text)) {
            if word.text.len() > MAX_WORD_BYTES {
                continue;
            }
            self.count(word.text, place, &mut folded, &mut counts);
            for part in words::parts(word.text) {
                self.count(part, place, &mut folded, &mut counts);
            }
        }
        let reading = Reading {
            counts: Rc::new(counts),
            asks: end_of(text).contains('?'),
        };
        self.known.insert(position, reading.clone());
        reading
    }

    fn want(&mut self, stem: &str, stem_use: Use) {
        if let Some(flag) = stem
            .bytes()
            .next()
            .and_then(|first| self.first_bytes.get_mut(usize::from(first)))
        {
            *flag = true;
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

    fn count(
        &mut self,
        word: &str,
        place: u32,
        folded: &mut String,
        counts: &mut [(f64, Vec<u32>)],
    ) {
        let first = word.bytes().next().unwrap_or(0);
        let may_be_wanted = !first.is_ascii()
            || self
                .first_bytes
                .get(usize::from(first.to_ascii_lowercase()))
                .copied()
                .unwrap_or(false);
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
        for stem_use in uses {
            if let Some((frequency, places)) = counts.get_mut(stem_use.word) {
                *frequency += stem_use.weight;
                if stem_use.is_own_stem {
                    places.push(place);
                }
            }
        }
    }
}

fn end_of(text: &str) -> &str {
    (text.len().saturating_sub(ASKING_BYTES)..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .and_then(|at| text.get(at..))
        .unwrap_or_default()
}
