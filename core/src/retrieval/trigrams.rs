//! Which runs of three characters the index is asked for to find an exact string.
//!
//! FTS5 walks the list of every run that it is asked for, and runs like `ion` stand in half of all texts: a few rare ones find
//! nearly the same entries in a small part of the time. How rare one is tells a sample of the log.
//!
//! Invariant: the sample decides what a search costs and never what it finds; it depends on when it was taken.

use super::indexed_text::{cut, indexed_text};
use crate::session::SessionLog;

/// Runs that one search asks for at most: more of them find hardly less, and each costs a list to walk.
const MAX_RUNS: usize = 24;
/// Rare runs that a search asks for first: at least, and at most.
const FEW_RUNS: std::ops::RangeInclusive<usize> = 3..=5;
/// Entries beside those that hold the string that the rare runs may bring, by the sample.
const EXPECTED_OTHERS: f64 = 4.0;
/// Texts of a sample, and bytes of each.
const SAMPLED_TEXTS: usize = 256;
const SAMPLED_BYTES: usize = 2 * 1024;
/// Places for counts; runs that share one count as more frequent than they are.
const PLACES: usize = 1 << 15;

/// How frequent runs of three characters are in a log, by some of its texts.
#[derive(Debug)]
pub(super) struct TrigramSample {
    /// By place: the texts that hold a run of that place.
    counts: Vec<u16>,
    texts: usize,
    entries: usize,
}

impl TrigramSample {
    /// The sample of the log's first `entries` entries.
    pub(super) fn of(log: &SessionLog, entries: u32) -> Self {
        let mut sample = Self {
            counts: vec![0; PLACES],
            texts: 0,
            entries: entries as usize,
        };
        // By place: the last text that was counted there.
        let mut counted_in = vec![0; PLACES];
        let step = sample.entries.div_ceil(SAMPLED_TEXTS).max(1);
        for entry in log.entries().iter().take(sample.entries).step_by(step) {
            if let Some(text) = indexed_text(entry) {
                sample.texts += 1;
                sample.count(cut(&text, SAMPLED_BYTES), &mut counted_in);
            }
        }
        sample
    }

    /// Whether the log has grown so far that another sample would say more.
    pub(super) fn is_outgrown(&self, entries: u32) -> bool {
        entries as usize > 2 * self.entries
    }

    /// A few of a string's runs that hardly another text holds together; all of them where there are few.
    pub(super) fn rarest(&self, runs: &[String]) -> Vec<String> {
        let mut ranked: Vec<(f64, usize)> = runs
            .iter()
            .enumerate()
            .map(|(at, run)| (self.share(run), at))
            .collect();
        ranked.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut chosen: Vec<usize> = Vec::new();
        let mut others = self.entries as f64;
        // Runs that overlap stand in the same words, so that the second says little: first those that do not.
        for may_overlap in [false, true] {
            for (share, at) in &ranked {
                let is_enough = chosen.len() >= *FEW_RUNS.start() && others < EXPECTED_OTHERS;
                if is_enough || chosen.len() >= *FEW_RUNS.end() {
                    break;
                }
                let overlaps = chosen.iter().any(|other| other.abs_diff(*at) < 3);
                if overlaps == may_overlap && !chosen.contains(at) {
                    chosen.push(*at);
                    others *= share;
                }
            }
        }
        chosen
            .into_iter()
            .filter_map(|at| runs.get(at).cloned())
            .collect()
    }

    /// The share of texts that hold the run; never 0, because a sample does not see everything.
    fn share(&self, run: &str) -> f64 {
        let mut characters = run.chars().map(folded);
        let place = match (characters.next(), characters.next(), characters.next()) {
            (Some(first), Some(second), Some(third)) => place(first, second, third),
            _ => 0,
        };
        let count = self.counts.get(place).copied().unwrap_or(0);
        (f64::from(count) + 0.5) / (self.texts as f64 + 1.0)
    }

    fn count(&mut self, text: &str, counted_in: &mut [usize]) {
        let (mut first, mut second) = ('\0', '\0');
        for third in text.chars().map(folded) {
            let place = place(first, second, third);
            (first, second) = (second, third);
            if let (Some(count), Some(last)) =
                (self.counts.get_mut(place), counted_in.get_mut(place))
                && *last != self.texts
            {
                *last = self.texts;
                *count += 1;
            }
        }
    }
}

/// Runs of three characters that a text must hold, in the order of the text, spread over its length. None of a text that is shorter.
pub(super) fn runs(text: &str) -> Vec<String> {
    let characters: Vec<char> = text
        .chars()
        .filter(|character| *character != '\0')
        .collect();
    let all = characters.len().saturating_sub(2);
    let step = all.div_ceil(MAX_RUNS).max(1);
    let mut runs: Vec<String> = Vec::new();
    for run in characters.windows(3).step_by(step) {
        let run: String = run.iter().collect();
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    runs
}

/// The index knows one case only.
fn folded(character: char) -> char {
    character.to_lowercase().next().unwrap_or(character)
}

fn place(first: char, second: char, third: char) -> usize {
    let mixed = u64::from(first)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(u64::from(second))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(u64::from(third))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // The upper bits are mixed best.
    (mixed >> 49) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::LogFormat;

    fn log(texts: impl Iterator<Item = String>) -> SessionLog {
        let mut log = SessionLog::new(LogFormat::PiSessionV3);
        log.push(b"{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/w\"}\n");
        for (number, text) in texts.enumerate() {
            let message = serde_json::json!({"role": "user", "content": text, "timestamp": number});
            let entry = serde_json::json!({"type": "message", "id": number.to_string(), "parentId": null, "timestamp": "2026-01-01T00:00:00.000Z", "message": message});
            log.push(format!("{entry}\n").as_bytes());
        }
        log
    }

    #[test]
    fn the_runs_of_a_text() {
        assert_eq!(runs("abcd"), ["abc", "bcd"]);
        assert_eq!(runs("ab"), Vec::<String>::new());
        assert_eq!(runs("aaaa"), ["aaa"]);
        assert!(runs(&"abcdefghijklmnop".repeat(50)).len() <= MAX_RUNS);
    }

    #[test]
    fn a_rare_run_comes_first_and_frequent_ones_stay_out() {
        let log = log((0..600).map(|number| {
            let end = if number % 10 == 7 { "zqx" } else { "" };
            format!("completion of the request {end}")
        }));
        let sample = TrigramSample::of(&log, 600);
        let chosen = sample.rarest(&runs("request zqx"));
        assert!(
            chosen[0].contains("zq") || chosen[0].contains("qx") || chosen[0].contains(" z"),
            "{chosen:?}"
        );
        assert!(chosen.len() < runs("request zqx").len(), "{chosen:?}");
        assert!(!sample.is_outgrown(1_200) && sample.is_outgrown(1_201));
    }

    #[test]
    fn a_short_string_keeps_all_its_runs() {
        let sample = TrigramSample::of(&log(std::iter::empty()), 0);
        assert_eq!(sample.rarest(&runs("abcd")).len(), 2);
        assert_eq!(sample.rarest(&[]), Vec::<String>::new());
    }
}
