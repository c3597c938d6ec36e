//! Dates that a question mentions: "in May 2025", "il 3 marzo", "2025-11-02".
//!
//! Invariants: a month's name that is also an ordinary word ("may", "set") counts only beside a day or a year; days are
//! taken in UTC with a day's room on both sides, because a log does not say where its person was.

use std::ops::Range;

use crate::session::days_since_1970;

const DAY_MS: i64 = 86_400_000;

/// English and Italian names and short forms, folded, by month.
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "gennaio", "gen"],
    &["february", "feb", "febbraio"],
    &["march", "mar", "marzo"],
    &["april", "apr", "aprile"],
    &["may", "maggio", "mag"],
    &["june", "jun", "giugno", "giu"],
    &["july", "jul", "luglio", "lug"],
    &["august", "aug", "agosto", "ago"],
    &["september", "sep", "sept", "settembre", "set"],
    &["october", "oct", "ottobre", "ott"],
    &["november", "nov", "novembre"],
    &["december", "dec", "dicembre", "dic"],
];

/// Names that are ordinary words, or short forms that stand in file names and code.
const AMBIGUOUS: [&str; 22] = [
    "may", "mar", "set", "ago", "gen", "mag", "march", "sep", "dec", "jan", "feb", "apr", "jun",
    "jul", "aug", "oct", "nov", "ott", "dic", "giu", "lug", "sept",
];

/// A date with what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MentionedDate {
    year: Option<i64>,
    /// 1 to 12.
    month: i64,
    day: Option<i64>,
}

/// The dates that folded words of a question mention, in order.
pub fn mentioned(words: &[String]) -> Vec<MentionedDate> {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let here = word(Some(at));
        if let (Some(year), Some(month), Some(day)) = (
            year_of(here),
            number(word(Some(at + 1)), 1..13).filter(|_| word(Some(at + 1)).len() == 2),
            day_of(word(Some(at + 2))),
        ) {
            found.push(MentionedDate {
                year: Some(year),
                month,
                day: Some(day),
            });
            at += 3;
            continue;
        }
        if let Some(month) = month_of(here) {
            let before = word(at.checked_sub(1));
            let day_before = day_of(before).or_else(|| {
                matches!(before, "of" | "di")
                    .then(|| day_of(word(at.checked_sub(2))))
                    .flatten()
            });
            let day_after = day_of(word(Some(at + 1))).filter(|_| day_before.is_none());
            let behind = at + 1 + usize::from(day_after.is_some());
            let year = year_of(word(Some(behind)));
            let day = day_before.or(day_after);
            let is_said_as_month = matches!(here, "may" | "march")
                && matches!(before, "in" | "since" | "by" | "until" | "of");
            if day.is_some() || year.is_some() || !AMBIGUOUS.contains(&here) || is_said_as_month {
                found.push(MentionedDate { year, month, day });
            }
        }
        at += 1;
    }
    found
}

impl MentionedDate {
    /// The times it can mean in a session between two times, in milliseconds since 1970. A day has a day's room on both sides.
    pub fn spans(self, first_ms: u64, last_ms: u64) -> Vec<Range<i64>> {
        let year_at =
            |ms: u64| year_of_day(i64::try_from(ms).unwrap_or(i64::MAX).div_euclid(DAY_MS));
        let years = match self.year {
            Some(year) => year..=year,
            None => year_at(first_ms)..=year_at(last_ms),
        };
        years
            .filter_map(|year| {
                let (start, end) = match self.day {
                    Some(day) => {
                        let start = days_before(year, self.month) + day - 1;
                        (start < days_after(year, self.month)).then_some((start - 1, start + 2))?
                    }
                    None => (days_before(year, self.month), days_after(year, self.month)),
                };
                Some(start * DAY_MS..end * DAY_MS)
            })
            .collect()
    }
}

fn month_of(word: &str) -> Option<i64> {
    let month = MONTHS.iter().position(|names| names.contains(&word))?;
    i64::try_from(month + 1).ok()
}

fn number(word: &str, range: Range<i64>) -> Option<i64> {
    let is_short = word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    is_short
        .then(|| word.parse().ok())
        .flatten()
        .filter(|number| range.contains(number))
}

fn day_of(word: &str) -> Option<i64> {
    let bare = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .unwrap_or(word);
    number(bare, 1..32).filter(|_| bare.len() <= 2)
}

fn year_of(word: &str) -> Option<i64> {
    number(word, 1900..2100).filter(|_| word.len() == 4)
}

/// Days from 1970 to the first of a month.
fn days_before(year: i64, month: i64) -> i64 {
    days_since_1970(year, month, 1)
}

fn days_after(year: i64, month: i64) -> i64 {
    if month == 12 {
        days_before(year + 1, 1)
    } else {
        days_before(year, month + 1)
    }
}

fn year_of_day(day: i64) -> i64 {
    let guess = 1970 + day.div_euclid(366);
    (guess..guess + 200)
        .find(|year| days_before(year + 1, 1) > day)
        .unwrap_or(guess)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<MentionedDate> {
        let words: Vec<String> = super::super::words::words(text)
            .map(|word| super::super::words::fold(word.text))
            .collect();
        mentioned(&words)
    }

    fn date(year: Option<i64>, month: i64, day: Option<i64>) -> MentionedDate {
        MentionedDate { year, month, day }
    }

    #[test]
    fn dates_are_found_in_both_languages() {
        assert_eq!(of("on May 3rd, 2025"), [date(Some(2025), 5, Some(3))]);
        assert_eq!(of("il 3 marzo"), [date(None, 3, Some(3))]);
        assert_eq!(of("since 2025-11-02"), [date(Some(2025), 11, Some(2))]);
        assert_eq!(of("during October"), [date(None, 10, None)]);
        assert_eq!(of("back in may"), [date(None, 5, None)]);
    }

    #[test]
    fn ordinary_words_are_no_months() {
        assert_eq!(of("you may set the jan value"), []);
        assert_eq!(of("port 8080, version 20.04"), []);
    }

    #[test]
    fn a_month_spans_its_days_in_every_year_of_the_session() {
        // 2024-01-15 to 2025-06-01.
        let spans = date(None, 2, None).spans(1_705_276_800_000, 1_748_736_000_000);
        let days: Vec<i64> = spans
            .iter()
            .map(|span| (span.end - span.start) / DAY_MS)
            .collect();
        assert_eq!(days, [29, 28]);
        assert_eq!(spans[0].start, 1_706_745_600_000);
        assert_eq!(date(Some(2025), 2, Some(30)).spans(0, 1), []);
    }
}
