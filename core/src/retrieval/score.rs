//! How well an entry answers a query.
//!
//! BM25 over the words of an entry, smoothed by the entries beside it (an answer seldom repeats the words of its question), with
//! what it covers of the query, with exact strings, dates, and the burst of work that it lies in. The constants were chosen on
//! chats and checked on halves of them; `README.md` says what was measured.
//!
//! Invariants: one logarithm and one power on every target (`libm`); sums are taken in the order of the query and of positions;
//! a score is a whole number of millionths before anybody compares it.

use super::dates::MentionedDate;
use super::query::Literal;
use super::reading::{Reader, Reading};
use super::search::{Found, Reason, Searched, WordRows};
use super::timeline::Timeline;
use crate::session::SessionLog;

/// BM25: how soon a repeated word stops counting.
const SATURATION: f64 = 1.2;
/// BM25: how much a long text is held back.
const LENGTH_SHARE: f64 = 0.75;
/// Words of a text that is neither long nor short. Fixed, so that a session's growth changes no score.
const USUAL_WORDS: f64 = 100.0;
/// Below 1, because a long text of an agent is not as much noise as one that repeats itself.
const LENGTH_POWER: f64 = 0.7;

/// What the text before counts, and what it counts more where it asks something.
const BEFORE: f64 = 0.1;
const BEFORE_ASKING: f64 = 0.3;
/// What the text behind counts.
const BEHIND: f64 = 0.3;
/// What the second text on either side counts.
const SECOND: f64 = 0.15;

/// Rows of the rarest words that bring candidates. The other words are scored in those.
const DRIVING_ROWS: usize = 2_000;

/// What two words of the query count more that stand close together.
const CLOSE: f64 = 1.0;
/// What an exact string counts, in units of its rarity.
const LITERAL: f64 = 1.5;
/// What lying in a time counts, in units of its rarity.
const IN_TIME: f64 = 2.0;
/// What the person's own words count more.
const USER: f64 = 0.2;

/// A word of the query with what the index knows.
#[derive(Debug)]
pub(super) struct Asked {
    pub word: String,
    pub stem: String,
    /// Stems that count as it, and how much.
    pub forms: Vec<(String, f64)>,
    pub rarity: f64,
    pub document_frequency: f64,
    pub is_common: bool,
    /// Positions that hold a form, ascending, with the largest weight of a form there.
    pub rows: Vec<(u32, f64)>,
}

/// An exact string with the positions that hold it, ascending.
#[derive(Debug)]
pub struct AskedLiteral {
    pub(super) literal: Literal,
    pub(super) rows: Vec<u32>,
}

/// Below 1, because the rarest word of a question is often the one that nobody but the asker uses.
const RARITY_POWER: f64 = 0.8;

/// A word in a larger share of the entries is common: it brings no candidates while there are others.
const COMMON_SHARE: f64 = 0.3;

impl WordRows {
    /// The word with what it counts where so many of `entries` hold it.
    pub(super) fn weighed(self, entries: f64, document_frequency: f64) -> Asked {
        Asked {
            word: self.word,
            stem: self.stem,
            forms: self.forms,
            rarity: self.weight * rarity(entries, document_frequency),
            document_frequency,
            is_common: document_frequency > COMMON_SHARE * entries,
            rows: self.rows,
        }
    }
}

/// What an exact string counts that so many of the entries hold.
pub(super) fn literal_value(entries: f64, holding: f64) -> f64 {
    LITERAL * rarity(entries, holding)
}

/// How telling it is to hold what so many of the entries hold.
pub(super) fn rarity(entries: f64, holding: f64) -> f64 {
    let odds = (entries - holding + 0.5).max(0.5) / (holding + 0.5);
    libm::pow(libm::log(1.0 + odds), RARITY_POWER)
}

/// BM25's denominator for a text of that many words, without the frequency.
pub(super) fn length_damping(words: u32) -> f64 {
    let length = f64::from(words) / USUAL_WORDS;
    SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * libm::pow(length, LENGTH_POWER))
}

/// A frequency as BM25 counts it.
fn saturated(frequency: f64, damping: f64) -> f64 {
    frequency * (SATURATION + 1.0) / (frequency + damping)
}

/// What neighbours may bring to a text of that damping.
fn openness(damping: f64) -> f64 {
    (1.0 + SATURATION) / (1.0 + damping)
}

/// A query against a session.
pub(super) struct Scorer<'a> {
    asked: Vec<Asked>,
    literals: Vec<(AskedLiteral, f64)>,
    log: &'a SessionLog,
    timeline: &'a Timeline,
    in_scope: &'a dyn Fn(u32) -> bool,
    /// Entries of all sessions that are searched together.
    entries: f64,
    /// By position: whether a row that was read names it for a word that counts beside others. Texts beside a candidate are read
    /// only where one does.
    may_help: Vec<bool>,
    /// Times that the question names, and what lying in one counts.
    times: Vec<std::ops::Range<i64>>,
    in_time: f64,
    /// Everything that an entry could have.
    total: f64,
    /// What each burst counts.
    burst_scores: Vec<f64>,
}

impl<'a> Scorer<'a> {
    /// `entries` are those of all sessions that are searched together; the exact strings come with what they count.
    pub(super) fn new(
        asked: Vec<Asked>,
        literals: Vec<(AskedLiteral, f64)>,
        dates: &[MentionedDate],
        searched: &Searched<'a>,
        entries: f64,
    ) -> Self {
        let Searched {
            log,
            timeline,
            in_scope,
            ..
        } = *searched;
        let times = named_times(dates, log, timeline);
        let held = if times.is_empty() {
            0
        } else {
            (0..timeline.entries())
                .filter(|position| lies_in(&times, time(log, *position)))
                .count()
        };
        let in_time = if held == 0 {
            0.0
        } else {
            IN_TIME * rarity(f64::from(timeline.entries()), held as f64)
        };
        let total = asked.iter().map(|word| word.rarity).sum::<f64>()
            + literals.iter().map(|(_, value)| value).sum::<f64>()
            + in_time;
        let mut may_help = vec![false; timeline.entries() as usize];
        for word in asked.iter().filter(|word| !word.is_common) {
            for (position, _) in &word.rows {
                if let Some(flag) = may_help.get_mut(*position as usize) {
                    *flag = true;
                }
            }
        }
        let mut scorer = Self {
            asked,
            literals,
            log,
            timeline,
            in_scope,
            entries,
            may_help,
            times,
            in_time,
            total: total.max(f64::MIN_POSITIVE),
            burst_scores: Vec::new(),
        };
        scorer.value_bursts();
        scorer
    }

    /// The most promising positions by the index alone, each behind what it promises in millionths, the best first.
    pub(super) fn candidates(
        &self,
        eligible: &dyn Fn(u32) -> bool,
        most: usize,
    ) -> Vec<(i64, u32)> {
        let mut promise = Promise::new(self.timeline.entries());
        for word in self.driving() {
            for (position, weight) in &word.rows {
                self.promise_around(*position, word.rarity * weight, &mut promise);
            }
        }
        for (literal, value) in &self.literals {
            for position in &literal.rows {
                self.promise_around(*position, *value, &mut promise);
            }
        }
        if self.in_time > 0.0 {
            for position in 0..self.timeline.entries() {
                if (self.in_scope)(position) && lies_in(&self.times, time(self.log, position)) {
                    promise.add(position, self.in_time);
                }
            }
        }
        let mut ranked: Vec<(i64, u32)> = promise
            .touched
            .iter()
            .filter(|position| eligible(**position))
            .map(|position| {
                let value = promise.of(*position) * self.user_factor(*position);
                (millionths(value), *position)
            })
            .collect();
        ranked.sort_unstable_by(|one, other| other.cmp(one));
        ranked.truncate(most);
        ranked
    }

    /// What a row of the index promises for its entry and for those beside it.
    fn promise_around(&self, position: u32, value: f64, promise: &mut Promise) {
        let value = value * saturated(1.0, self.timeline.damping(position));
        promise.add(position, value);
        let before = self.before(position);
        let behind = self.behind(position);
        let around = [
            (before, BEHIND),
            (behind, BEFORE + BEFORE_ASKING),
            (before.and_then(|other| self.before(other)), SECOND),
            (behind.and_then(|other| self.behind(other)), SECOND),
        ];
        for (other, share) in around {
            if let Some(other) = other {
                let open = openness(self.timeline.damping(other));
                promise.add(other, share * value * open);
            }
        }
    }

    /// The words that bring candidates: the rarest, until they have [`DRIVING_ROWS`] rows, or one where all are common.
    fn driving(&self) -> Vec<&Asked> {
        let mut words: Vec<&Asked> = self.asked.iter().filter(|word| !word.is_common).collect();
        if words.is_empty() && self.literals.is_empty() {
            words.extend(&self.asked);
            words.sort_by(|one, other| one.document_frequency.total_cmp(&other.document_frequency));
            words.truncate(1);
            return words;
        }
        words.sort_by(|one, other| {
            let frequency = one.document_frequency.total_cmp(&other.document_frequency);
            frequency.then_with(|| one.stem.cmp(&other.stem))
        });
        let mut rows = 0;
        let enough = words.iter().position(|word| {
            let is_enough = rows > 0 && rows + word.rows.len() > DRIVING_ROWS;
            rows += word.rows.len();
            is_enough
        });
        words.truncate(enough.unwrap_or(words.len()));
        words
    }

    /// Scores of the candidates, which are the best first, until `max_bytes` of text were read.
    pub(super) fn score(&self, candidates: &[u32], max_bytes: usize) -> Vec<Found> {
        let mut reader = Reader::new(&self.asked, self.log);
        let mut found = Vec::new();
        for position in candidates.iter().copied() {
            if reader.bytes() > max_bytes {
                break;
            }
            found.extend(self.found(position, &mut reader));
        }
        found
    }

    fn found(&self, position: u32, reader: &mut Reader<'_>) -> Option<Found> {
        let around = self.around(position, reader);
        let damping = self.timeline.damping(position);
        let open = openness(damping);
        let own = reader.read(position);
        let (mut relevance, mut covered) = (0.0, 0.0);
        let mut reason = Reason::default();
        for (number, word) in self.asked.iter().enumerate() {
            let frequency = own.frequency(number);
            let mut value = 0.0;
            if frequency > 0.0 {
                value += saturated(frequency, damping);
                reason.words.push(word.word.clone());
            }
            if !word.is_common {
                let beside: f64 = around
                    .iter()
                    .map(|(text, share, damping)| {
                        let frequency = text.frequency(number);
                        if frequency > 0.0 {
                            share * saturated(frequency, *damping)
                        } else {
                            0.0
                        }
                    })
                    .sum();
                value += beside * open;
            }
            relevance += word.rarity * value;
            covered += word.rarity * value.min(1.0);
        }
        for (literal, value) in &self.literals {
            if literal.rows.binary_search(&position).is_ok() {
                relevance += value;
                covered += value;
                reason.literals.push(literal.literal.text.clone());
            }
        }
        if self.in_time > 0.0 && lies_in(&self.times, time(self.log, position)) {
            relevance += self.in_time;
            covered += self.in_time;
            reason.in_time = true;
        }
        for (number, pair) in self.asked.windows(2).enumerate() {
            if let [one, other] = pair
                && own.are_close(number, number + 1)
            {
                relevance += CLOSE * one.rarity.min(other.rarity);
            }
        }
        // Neither the text nor one beside it was verified to hold anything: the index alone is no reason.
        if covered <= 0.0 {
            return None;
        }
        let burst = self
            .burst_scores
            .get(self.timeline.burst(position))
            .copied()
            .unwrap_or(0.0);
        let score = (relevance * (covered / self.total) + burst) * self.user_factor(position);
        Some(Found {
            position,
            score: millionths(score),
            telling: millionths(covered),
            reason,
        })
    }

    /// The texts beside a position, with what they count and their damping.
    fn around(&self, position: u32, reader: &mut Reader<'_>) -> Vec<(Reading, f64, f64)> {
        let before = self.before(position);
        let behind = self.behind(position);
        let mut around = Vec::with_capacity(4);
        let mut add = |other: Option<u32>, share: &dyn Fn(&Reading) -> f64| {
            let other = other.filter(|other| self.may_help.get(*other as usize) == Some(&true));
            if let Some(other) = other {
                let text = reader.read(other);
                let share = share(&text);
                around.push((text, share, self.timeline.damping(other)));
            }
        };
        add(before, &|text: &Reading| {
            BEFORE + if text.asks { BEFORE_ASKING } else { 0.0 }
        });
        add(before.and_then(|other| self.before(other)), &|_| SECOND);
        add(behind, &|_| BEHIND);
        add(behind.and_then(|other| self.behind(other)), &|_| SECOND);
        around
    }

    fn before(&self, position: u32) -> Option<u32> {
        self.timeline.before(position, self.in_scope)
    }

    fn behind(&self, position: u32) -> Option<u32> {
        self.timeline.behind(position, self.in_scope)
    }

    fn user_factor(&self, position: u32) -> f64 {
        let entry = self.log.entries().get(position as usize);
        let is_user = entry
            .and_then(crate::session::Entry::message)
            .is_some_and(|message| message.role == crate::message::Role::User);
        if is_user { 1.0 + USER } else { 1.0 }
    }

    /// Bursts of work hold what belongs together: a burst in which several of the words occur lifts its entries.
    fn value_bursts(&mut self) {
        let lengths = self.timeline.burst_words();
        let count = lengths.len() as f64;
        self.burst_scores = vec![0.0; lengths.len()];
        if lengths.len() < 2 {
            return;
        }
        let usual = (lengths.iter().sum::<f64>() / count).max(1.0);
        for word in &self.asked {
            let mut frequencies = vec![0.0; lengths.len()];
            for (position, weight) in &word.rows {
                if let Some(frequency) = frequencies.get_mut(self.timeline.burst(*position)) {
                    *frequency += weight;
                }
            }
            let holding = frequencies
                .iter()
                .filter(|frequency| **frequency > 0.0)
                .count();
            // What the word itself counts, with its rarity among bursts in place of that among entries.
            let own = rarity(self.entries, word.document_frequency).max(f64::MIN_POSITIVE);
            let value = word.rarity / own * rarity(count, holding as f64);
            for ((score, frequency), length) in
                self.burst_scores.iter_mut().zip(&frequencies).zip(lengths)
            {
                let damping = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length / usual);
                if *frequency > 0.0 {
                    *score += value * saturated(*frequency, damping);
                }
            }
        }
    }
}

/// What the index alone promises, by position.
struct Promise {
    values: Vec<f64>,
    touched: Vec<u32>,
}

impl Promise {
    fn new(entries: u32) -> Self {
        Self {
            values: vec![0.0; entries as usize],
            touched: Vec::new(),
        }
    }

    fn add(&mut self, position: u32, value: f64) {
        if let Some(sum) = self.values.get_mut(position as usize) {
            if *sum == 0.0 {
                self.touched.push(position);
            }
            *sum += value;
        }
    }

    fn of(&self, position: u32) -> f64 {
        self.values
            .get(position as usize)
            .copied()
            .unwrap_or_default()
    }
}

fn time(log: &SessionLog, position: u32) -> Option<u64> {
    log.entries().get(position as usize)?.timestamp_ms
}

fn named_times(
    dates: &[MentionedDate],
    log: &SessionLog,
    timeline: &Timeline,
) -> Vec<std::ops::Range<i64>> {
    if dates.is_empty() {
        return Vec::new();
    }
    let times = (0..timeline.entries()).filter_map(|position| time(log, position));
    let (first, last) = times.fold((u64::MAX, 0), |(first, last), time| {
        (first.min(time), last.max(time))
    });
    if first > last {
        return Vec::new();
    }
    dates
        .iter()
        .flat_map(|date| date.spans(first, last))
        .collect()
}

fn lies_in(times: &[std::ops::Range<i64>], time: Option<u64>) -> bool {
    let Some(time) = time.and_then(|time| i64::try_from(time).ok()) else {
        return false;
    };
    times.iter().any(|span| span.contains(&time))
}

/// Fixed precision, so that the last bits decide nothing (behaviour 2.6).
fn millionths(score: f64) -> i64 {
    (score * 1e6).round() as i64
}
