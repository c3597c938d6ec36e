//! Telling lines: which lines of condensed messages are kept.
//!
//! What an agent needs again is what it has to write down exactly: names of functions, files, tests, errors, values. So a
//! line is worth the names in it that nothing kept holds yet, measured against its tokens. A name counts more that the
//! agent itself wrote, because it will write it again; that many messages hold; and in a line that also holds a name of
//! the recent messages or of the agent's own, or that reports something wrong. A name that none of this speaks for, and
//! that one message alone holds, counts nothing: most of what a tool shows is never looked at again.
//!
//! Invariants:
//! - A pure function of the candidates' texts and the limits, so that the same history gives the same lines.
//! - A name that stands in a message that goes out word for word is worth nothing: it is there already.
//! - The work is bounded by [`MAX_SCANNED_BYTES`] of text, newest first.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher};

use super::names::names_of;
use crate::model::Estimator;
use crate::model::estimator::{text_tokens, utf16_length};

/// Bytes of text that are searched for lines at most.
pub(super) const MAX_SCANNED_BYTES: usize = 2 * 1024 * 1024;
/// Characters of a line that are kept at most.
const MAX_LINE_CHARS: usize = 200;
/// How much more a name counts that the agent wrote.
const WRITTEN: f64 = 6.0;
/// How much more the names of a line count that belongs to what is going on, or that reports something wrong.
const RELATED: f64 = 2.5;
/// Messages with a name that count at most.
const MAX_MESSAGES: u32 = 8;
/// Words of lines that report something wrong, in lower case.
const ERROR_WORDS: [&str; 10] = [
    "error",
    "fail",
    "panic",
    "fatal",
    "exception",
    "cannot",
    "undefined",
    "not found",
    "denied",
    "traceback",
];

type FixedState = BuildHasherDefault<DefaultHasher>;

/// A text whose lines may be kept.
#[derive(Debug)]
pub(super) struct Passage<'a> {
    /// The text.
    pub text: &'a str,
    /// Tokens that its first kept line brings beside itself, at most.
    pub heading_tokens: u32,
    /// Whether it may take room that no telling line needs, up to being whole.
    pub may_be_whole: bool,
    /// How its lines are written.
    pub writing: Writing,
}

/// How kept lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// As they are.
    Plain,
    /// As a part of a JSON string, in which quotes and line ends take more characters.
    JsonString,
    /// Each behind a bar, in the outline.
    Barred,
}

/// What is known when lines are chosen.
#[derive(Debug, Default)]
pub(super) struct Known<'a> {
    names: HashMap<&'a str, Name, FixedState>,
}

/// What is known of a name.
#[derive(Debug, Default, Clone, Copy)]
struct Name {
    messages: u32,
    last_message: Option<usize>,
    written: bool,
    recent: bool,
    kept: bool,
}

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mention {
    /// The position of its message; texts of one message are taken in one after the other.
    pub message: usize,
    /// The agent wrote it.
    pub written: bool,
    /// It goes out word for word.
    pub kept: bool,
    /// It belongs to the messages that the agent is at work with.
    pub recent: bool,
}

impl<'a> Known<'a> {
    /// Takes a text in.
    pub(super) fn learn(&mut self, text: &'a str, mention: Mention) {
        for line in text.lines() {
            names_of(line, |name| {
                let known = self.names.entry(name).or_default();
                if known.last_message != Some(mention.message) {
                    known.last_message = Some(mention.message);
                    known.messages += 1;
                }
                known.written |= mention.written;
                known.recent |= mention.recent;
                known.kept |= mention.kept;
            });
        }
    }
}

/// What lines may fill.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineRoom {
    /// Tokens of all.
    pub tokens: u64,
    /// Characters of those of one passage.
    pub passage_chars: usize,
}

struct Line<'a> {
    passage: usize,
    text: &'a str,
    /// Its names, as positions in the table.
    names: Vec<u32>,
    /// In quarters of a token, as `chars-v1` counts.
    quarters: u64,
    wrong: bool,
}

/// A line in the queue: the best first, then the newest message, then the text's order.
struct Queued {
    value: f64,
    passage: usize,
    line: usize,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Queued {}
impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value
            .total_cmp(&other.value)
            .then(self.passage.cmp(&other.passage))
            .then(Reverse(self.line).cmp(&Reverse(other.line)))
    }
}

/// The lines of each passage that are kept, in the text's order. `passages` stand in the order of their messages.
pub(super) fn telling_lines<'a>(
    passages: &[Passage<'a>],
    known: &Known<'a>,
    room: LineRoom,
    estimator: Estimator,
) -> Vec<Vec<&'a str>> {
    let mut table = Table::default();
    let lines = lines_of(passages, known, &mut table, estimator);
    let mut queue: BinaryHeap<Queued> = lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| {
            let value = table.value(line);
            (value > 0.0).then_some(Queued {
                value,
                passage: line.passage,
                line: index,
            })
        })
        .collect();
    let mut left = room.tokens * 4;
    let mut chars = vec![0_usize; passages.len()];
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new(); passages.len()];
    while let Some(best) = queue.pop() {
        let Some(line) = lines.get(best.line) else {
            continue;
        };
        // Lines chosen since may hold its names already.
        let value = table.value(line);
        if value <= 0.0 {
            continue;
        }
        if value < best.value && queue.peek().is_some_and(|next| value < next.value) {
            queue.push(Queued { value, ..best });
            continue;
        }
        let (Some(chosen), Some(chars), Some(passage)) = (
            chosen.get_mut(line.passage),
            chars.get_mut(line.passage),
            passages.get(line.passage),
        ) else {
            continue;
        };
        let heading = if chosen.is_empty() {
            u64::from(passage.heading_tokens) * 4
        } else {
            0
        };
        let size = utf16_length(line.text) + 1;
        if line.quarters + heading > left || *chars + size > room.passage_chars {
            continue;
        }
        left -= line.quarters + heading;
        *chars += size;
        chosen.push(best.line);
        table.keep(line);
    }
    fill_up(passages, &lines, &mut chosen, left);
    let texts = chosen.into_iter().map(|mut chosen| {
        chosen.sort_unstable();
        let texts = chosen.into_iter().filter_map(|index| lines.get(index));
        texts.map(|line| line.text).collect()
    });
    texts.collect()
}

/// What room is left when no line tells anything more goes to the other lines of the newest passages that may be whole,
/// in the text's order.
fn fill_up(passages: &[Passage<'_>], lines: &[Line<'_>], chosen: &mut [Vec<usize>], mut left: u64) {
    let mut last: Option<usize> = None;
    let mut taken: HashSet<usize, FixedState> = HashSet::default();
    for (index, line) in lines.iter().enumerate().rev() {
        if last != Some(line.passage) {
            last = Some(line.passage);
            let first = lines.get(..=index).unwrap_or_default();
            let first = first.partition_point(|other| other.passage < line.passage);
            if passages
                .get(line.passage)
                .is_none_or(|passage| !passage.may_be_whole)
            {
                continue;
            }
            let Some(chosen) = chosen.get_mut(line.passage) else {
                continue;
            };
            taken.clear();
            taken.extend(chosen.iter().copied());
            for (place, line) in lines.iter().enumerate().take(index + 1).skip(first) {
                if line.quarters > left {
                    return;
                }
                if taken.insert(place) {
                    left -= line.quarters;
                    chosen.push(place);
                }
            }
        }
    }
}

/// The names of all lines, numbered.
#[derive(Default)]
struct Table<'a> {
    numbers: HashMap<&'a str, u32, FixedState>,
    names: Vec<Name>,
}

impl<'a> Table<'a> {
    fn number(&mut self, name: &'a str, known: &Known<'a>) -> u32 {
        let names = &mut self.names;
        *self.numbers.entry(name).or_insert_with(|| {
            names.push(known.names.get(name).copied().unwrap_or_default());
            u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn of<'b>(&'b self, line: &'b Line<'_>) -> impl Iterator<Item = &'b Name> {
        line.names
            .iter()
            .filter_map(|number| self.names.get(usize::try_from(*number).ok()?))
    }

    /// What the line is worth a token: its names that nothing kept holds yet.
    fn value(&self, line: &Line<'_>) -> f64 {
        let active = self
            .of(line)
            .filter(|name| name.written || name.recent)
            .count();
        let mut value = 0.0;
        for name in self.of(line).filter(|name| !name.kept) {
            let own = usize::from(name.written || name.recent);
            let related = line.wrong || active > own;
            if !name.written && !related && name.messages <= 1 {
                continue;
            }
            value += f64::from(name.messages.clamp(1, MAX_MESSAGES))
                * if name.written { WRITTEN } else { 1.0 }
                * if related { RELATED } else { 1.0 };
        }
        #[allow(clippy::cast_precision_loss)] // a line has few characters
        let tokens = line.quarters as f64 / 4.0 + 1.0;
        value / tokens
    }

    fn keep(&mut self, line: &Line<'_>) {
        for number in &line.names {
            if let Some(name) = usize::try_from(*number)
                .ok()
                .and_then(|number| self.names.get_mut(number))
            {
                name.kept = true;
            }
        }
    }
}

fn lines_of<'a>(
    passages: &[Passage<'a>],
    known: &Known<'a>,
    table: &mut Table<'a>,
    estimator: Estimator,
) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for (index, passage) in passages.iter().enumerate() {
        for text in passage.text.lines() {
            let text = beginning_of(text.trim());
            let mut names = Vec::new();
            names_of(text, |name| names.push(table.number(name, known)));
            let wrong = reports_something_wrong(text);
            if names.is_empty() && wrong {
                names.push(table.number(text, known));
            }
            if text.is_empty() {
                continue;
            }
            names.sort_unstable();
            names.dedup();
            lines.push(Line {
                passage: index,
                text,
                names,
                quarters: quarters(text, passage.writing, estimator),
                wrong,
            });
        }
    }
    lines
}

/// What a line, its end and what stands before it cost, in quarters of a token.
fn quarters(text: &str, writing: Writing, estimator: Estimator) -> u64 {
    let more = |text: &str| match estimator {
        Estimator::CharsV1 => utf16_length(text) as u64,
        // One more for the line's end.
        Estimator::O200kBaseV1 => (u64::from(text_tokens(estimator, text)) + 1) * 4,
    };
    match (writing, estimator) {
        (Writing::Plain, _) => more(text) + 1,
        (Writing::JsonString, _) => more(&serde_json::Value::from(text).to_string()),
        (Writing::Barred, Estimator::CharsV1) => more(text) + 3,
        (Writing::Barred, Estimator::O200kBaseV1) => more(text) + 4,
    }
}

fn reports_something_wrong(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    ERROR_WORDS.iter().any(|word| lower.contains(word))
}

fn beginning_of(line: &str) -> &str {
    line.char_indices()
        .nth(MAX_LINE_CHARS)
        .and_then(|(end, _)| line.get(..end))
        .unwrap_or(line)
}
