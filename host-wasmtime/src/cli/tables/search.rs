//! What a search found: one block a hit, with the part of the entry that answers.

use ds4_context_host::{HistoryAnswer, HistoryHit, HistoryRelation, SearchStatus};

use super::WIDTH;
use super::layout::{Ink, Style, counted, cut, left, right, width, wrapped};
use super::words::{SEARCHABLE, date_and_time, is_beside};
use crate::cli::search::millionths;

/// Lines of an excerpt that are shown.
const EXCERPT_LINES: usize = 6;
/// Columns before an excerpt.
const INDENT: usize = 4;
/// Columns of a score.
const SCORE: usize = 9;
/// Marks a hit that holds nothing of the question itself.
const BESIDE: &str = "beside a match";

/// The whole answer.
pub(crate) fn found(answer: &HistoryAnswer, style: Style) -> String {
    let mut lines = Vec::new();
    match answer.status {
        SearchStatus::Disabled => lines.push(
            "The configuration switches the search off (retrieval.exact and retrieval.fts)."
                .to_owned(),
        ),
        SearchStatus::NoQuery => {
            lines.push(format!("Nothing to search for in that: {SEARCHABLE}."))
        }
        SearchStatus::Complete if answer.hits.is_empty() => {
            lines.push("Nothing was found.".to_owned());
        }
        SearchStatus::Complete => {
            for (rank, hit) in (1..).zip(&answer.hits) {
                if rank > 1 {
                    lines.push(String::new());
                }
                lines.extend(block(rank, hit, style));
            }
        }
    }
    if answer.sessions.left_out > 0 {
        lines.push(String::new());
        let left_out = counted(u64::from(answer.sessions.left_out), "session", "sessions");
        lines.push(style.paint(
            Ink::Warning,
            &format!("Left out: {left_out} whose log is missing, damaged, or beyond the bounds."),
        ));
    }
    if answer.indexed_entries < answer.log_entries {
        lines.push(String::new());
        lines.push(style.paint(
            Ink::Warning,
            &format!(
                "{} of {} are indexed; the rest was not searched.",
                answer.indexed_entries,
                counted(u64::from(answer.log_entries), "entry", "entries")
            ),
        ));
    }
    lines.join("\n")
}

fn block(rank: usize, hit: &HistoryHit, style: Style) -> Vec<String> {
    let head = format!(
        "{}  {} {} {}",
        right(&rank.to_string(), 2),
        left(&hit.entry_id, 16),
        left(&hit.role, 12),
        left(
            &hit.timestamp_ms.map_or_else(String::new, date_and_time),
            16
        ),
    );
    let score = format!("{:.3}", millionths(hit.score));
    let (ink, mark) = if is_beside(&hit.reason) {
        (Ink::Faint, BESIDE)
    } else {
        (Ink::Heading, "")
    };
    let mut lines = vec![format!(
        "{}{mark}{}",
        style.paint(ink, &left(&head, WIDTH - SCORE - width(mark))),
        right(&score, SCORE)
    )];
    let indent = " ".repeat(INDENT);
    lines.push(style.paint(
        Ink::Faint,
        &format!("{indent}{}", cut(&hit.reason, WIDTH - INDENT)),
    ));
    if let Some(place) = elsewhere(hit) {
        lines.push(style.paint(
            Ink::Faint,
            &format!("{indent}{}", cut(&place, WIDTH - INDENT)),
        ));
    }
    let text = wrapped(&hit.excerpt, WIDTH - INDENT);
    let more = text.len() > EXCERPT_LINES;
    for (number, line) in text.into_iter().take(EXCERPT_LINES).enumerate() {
        if more && number + 1 == EXCERPT_LINES {
            lines.push(format!(
                "{indent}{}",
                cut(&format!("{line} …"), WIDTH - INDENT)
            ));
        } else {
            lines.push(format!("{indent}{line}"));
        }
    }
    lines
}

/// Where an entry stands that is not on the active branch.
fn elsewhere(hit: &HistoryHit) -> Option<String> {
    let session = &hit.session_id;
    match hit.relation {
        HistoryRelation::Ancestor => None,
        HistoryRelation::OtherBranch => Some(format!("on another branch, session {session}")),
        HistoryRelation::LineageAncestor => Some(format!("before the fork, session {session}")),
        HistoryRelation::OtherSession => Some(format!("session {session}")),
    }
}
