//! Hundreds of messages as a few rows: neighbours with the same reason are one row.

use super::layout::{self, Ink, Style, figure, left, right};
use super::words::is_budget;
use crate::cli::documents::{Exclusion, Item};

/// Rows of one list; the rest is counted.
const MAX_ROWS: usize = 24;

/// Neighbours that share a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The first and last entry; where they are the same, one is shown.
    pub(super) first: String,
    pub(super) last: String,
    pub(super) messages: u64,
    pub(super) tokens: u64,
    pub(super) reason: String,
    /// Whether other entries stand between them: what cannot be sent is spread over the log.
    pub(super) scattered: bool,
}

/// What is in, in the order in which it is sent.
pub(super) fn of_items(items: &[Item]) -> Vec<Row> {
    joined(items.iter().map(|item| Row {
        first: item.source_id.clone(),
        last: item.source_id.clone(),
        messages: 1,
        tokens: item.tokens,
        reason: if item.kind == "tool" {
            "tool".to_owned()
        } else {
            item.reason.clone()
        },
        // Evidence comes from anywhere, the best first.
        scattered: item.kind == "retrieval",
    }))
}

/// What is out: first what more room would include, in the order of the log, then what could not be sent at all.
pub(super) fn of_exclusions(exclusions: &[Exclusion]) -> Vec<Row> {
    let (mut unsendable, sendable): (Vec<Row>, Vec<Row>) = exclusions
        .iter()
        .map(of_exclusion)
        .partition(|row| row.scattered);
    // Stable: one row for each reason, its entries in the order of the log.
    unsendable.sort_by(|first, second| first.reason.cmp(&second.reason));
    joined(sendable.into_iter().chain(unsendable))
}

/// One exclusion.
pub(super) fn of_exclusion(exclusion: &Exclusion) -> Row {
    let first = exclusion.first_entry_id.clone().unwrap_or_default();
    Row {
        last: exclusion
            .last_entry_id
            .clone()
            .unwrap_or_else(|| first.clone()),
        first,
        messages: exclusion.message_count,
        tokens: exclusion.tokens,
        reason: exclusion.reason.clone(),
        scattered: !is_budget(&exclusion.reason),
    }
}

fn joined(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut runs: Vec<Row> = Vec::new();
    for row in rows {
        match runs.last_mut() {
            Some(run) if run.reason == row.reason => {
                run.last = row.last;
                run.messages += row.messages;
                run.tokens += row.tokens;
            }
            _ => runs.push(row),
        }
    }
    runs
}

const ENTRIES: usize = 31;
const MESSAGES: usize = 9;
const TOKENS: usize = 11;
const REASON: usize = super::WIDTH - 2 - ENTRIES - MESSAGES - TOKENS - 2;

/// A heading and its rows.
pub(super) fn table(
    title: &str,
    rows: &[Row],
    words: fn(&str) -> &str,
    style: Style,
) -> Vec<String> {
    let heading = format!(
        "{}{}{}  {}",
        left(title, ENTRIES + 2),
        right("messages", MESSAGES),
        right("tokens", TOKENS),
        "why"
    );
    let mut lines = vec![style.paint(Ink::Heading, &heading)];
    // The newest rows say most: they end where the list ends.
    let hidden = rows.len().saturating_sub(MAX_ROWS);
    if hidden > 0 {
        let (messages, tokens) = totals(rows.get(..hidden).unwrap_or_default());
        let text = format!("{} more rows before", figure(hidden as u64));
        lines.push(style.paint(
            Ink::Faint,
            &line(&text, messages, tokens, "--json lists them"),
        ));
    }
    lines.extend(
        rows.iter()
            .skip(hidden)
            .map(|row| row.line(words(&row.reason))),
    );
    if rows.is_empty() {
        lines.push("  nothing".to_owned());
    } else if rows.len() > 1 {
        let (messages, tokens) = totals(rows);
        lines.push(style.paint(
            Ink::Faint,
            line("together", messages, tokens, "").trim_end(),
        ));
    }
    lines
}

fn line(entries: &str, messages: u64, tokens: u64, reason: &str) -> String {
    format!(
        "  {}{}{}  {}",
        left(entries, ENTRIES),
        right(&figure(messages), MESSAGES),
        right(&figure(tokens), TOKENS),
        layout::cut(reason, REASON)
    )
}

impl Row {
    /// The row of a table.
    pub(super) fn line(&self, words: &str) -> String {
        line(&self.span(), self.messages, self.tokens, words)
    }

    /// Takes in the row that stands before it in the log.
    pub(super) fn extend_backwards(&mut self, before: Self) {
        self.first = before.first;
        self.messages += before.messages;
        self.tokens += before.tokens;
    }

    /// `first to last`, each cut so that both are seen.
    fn span(&self) -> String {
        if self.first == self.last {
            return self.first.clone();
        }
        let between = if self.scattered { "…" } else { "to" };
        format!(
            "{} {between} {}",
            layout::cut(&self.first, SHARE),
            layout::cut(&self.last, SHARE)
        )
    }
}

/// Columns of each of two entries in one cell.
const SHARE: usize = (ENTRIES - 4) / 2;

fn totals(rows: &[Row]) -> (u64, u64) {
    (
        rows.iter().map(|row| row.messages).sum(),
        rows.iter().map(|row| row.tokens).sum(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: u64, reason: &str) -> Row {
        Row {
            first: format!("e{id}"),
            last: format!("e{id}"),
            messages: 1,
            tokens: 10,
            reason: reason.to_owned(),
            scattered: false,
        }
    }

    #[test]
    fn neighbours_with_one_reason_are_one_row() {
        let rows = joined((0..500).map(|id| {
            row(
                id,
                if id < 499 {
                    "recent-tail"
                } else {
                    "current-request"
                },
            )
        }));
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (
                rows[0].first.as_str(),
                rows[0].last.as_str(),
                rows[0].messages,
                rows[0].tokens
            ),
            ("e0", "e498", 499, 4990)
        );
    }

    #[test]
    fn what_cannot_be_sent_is_one_row_for_each_reason() {
        let exclusion = |id: u64, reason: &str| Exclusion {
            first_entry_id: Some(format!("e{id}")),
            last_entry_id: None,
            message_count: 1,
            tokens: 10,
            reason: reason.to_owned(),
            smallest_change: None,
        };
        let reason = |id| {
            if id % 5 == 0 {
                "aborted-response"
            } else {
                "recent-tail-closed"
            }
        };
        let exclusions: Vec<Exclusion> = (0..50).map(|id| exclusion(id, reason(id))).collect();
        let rows = of_exclusions(&exclusions);
        let seen: Vec<_> = rows.iter().map(|row| (row.span(), row.messages)).collect();
        assert_eq!(
            seen,
            [("e1 to e49".to_owned(), 40), ("e0 … e45".to_owned(), 10)]
        );
    }

    #[test]
    fn a_long_list_is_cut_at_its_old_end_and_still_adds_up() {
        let rows: Vec<Row> = (0..100)
            .map(|id| row(id, if id % 2 == 0 { "a" } else { "b" }))
            .collect();
        let lines = table("Left out", &rows, |reason| reason, Style::Plain);
        assert_eq!(lines.len(), MAX_ROWS + 3);
        assert!(lines[1].contains("76 more rows before") && lines[1].contains("760"));
        assert!(lines.last().expect("a total").contains("1,000"));
        assert!(
            lines
                .iter()
                .all(|line| layout::width(line) <= super::super::WIDTH),
            "{lines:#?}"
        );
    }
}
