//! How the index is, and what a run of indexing came to.

use std::path::Path;

use super::layout::{Ink, Style, byte_size, counted, figure, left, wrapped};
use super::words::{date_and_time, rebuild_text};
use crate::cli::documents::{Health, HealthDatabase};

/// Columns of the titles.
const NAME: usize = 11;

/// After `index`. The folder is the data folder, where there is one.
pub(crate) fn indexed(
    health: &Health,
    folder: Option<&Path>,
    seconds: f64,
    style: Style,
) -> String {
    let mut lines = rows(health, folder, style);
    lines.extend(row("Took", &format!("{seconds:.2} s"), style));
    lines.join("\n")
}

/// After `health`.
pub(crate) fn health(health: &Health, folder: Option<&Path>, style: Style) -> String {
    let mut lines = rows(health, folder, style);
    if health.database.kind == "absent" {
        lines.extend(row("To do", "`ds4-context index` makes the index", style));
        return lines.join("\n");
    }
    let (ink, verdict) = match &health.problems {
        Some(problems) if !problems.is_empty() => {
            (Ink::Warning, format!("damaged: {}", problems.join("; ")))
        }
        _ => (Ink::Good, "whole: every page was checked".to_owned()),
    };
    lines.extend(inked_row("Database", &verdict, ink, style));
    lines.join("\n")
}

fn rows(health: &Health, folder: Option<&Path>, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |title: &str, text: &str| lines.extend(row(title, text, style));
    add("Session", &health.session_id);
    add("Kept", &place(&health.database, folder));
    if health.database.kind == "absent" {
        return lines;
    }
    add(
        "Size",
        &format!(
            "{}, {} of it free for reuse",
            byte_size(health.bytes),
            byte_size(health.free_bytes)
        ),
    );
    add(
        "Holds",
        &format!(
            "{} of text in {} of {}",
            byte_size(health.text_bytes),
            counted(health.entries, "entry", "entries"),
            counted(health.sessions, "session", "sessions"),
        ),
    );
    let log_entries = counted(health.log_entries, "entry", "entries");
    let Some(session) = &health.session else {
        add("Index", &format!("none yet, of {log_entries}"));
        return lines;
    };
    let state = if health.up_to_date {
        "up to date".to_owned()
    } else {
        format!(
            "{} behind",
            figure(health.log_entries.saturating_sub(session.entries))
        )
    };
    add(
        "Index",
        &format!(
            "{} of {log_entries}, {state}; last written {} UTC",
            figure(session.entries),
            date_and_time(session.indexed_at),
        ),
    );
    if session.rebuilds > 0 {
        add(
            "Made anew",
            &format!(
                "{}, last because {}",
                counted(session.rebuilds, "time", "times"),
                rebuild_text(&session.last_reason)
            ),
        );
    }
    lines
}

fn place(database: &HealthDatabase, folder: Option<&Path>) -> String {
    let why = match (database.kind.as_str(), database.reason.as_deref()) {
        ("stored", _) => {
            let folder = folder.map_or("the data folder".to_owned(), |folder| {
                folder.display().to_string()
            });
            return format!(
                "{} in {folder}",
                database.name.as_deref().unwrap_or("a file")
            );
        }
        ("absent", _) => return "nothing yet: there is no index".to_owned(),
        (_, Some("privacy")) => "privacy is on",
        (_, Some("not-writable")) => "the data folder may not be written",
        (_, Some("newer-schema")) => "a newer version of this program wrote the one on disk",
        _ => "there is no data folder",
    };
    format!("in memory only: {why}")
}

fn row(title: &str, text: &str, style: Style) -> Vec<String> {
    inked_row(title, text, Ink::Plain, style)
}

/// `Title      text …`, with the text wrapped in a column of its own.
fn inked_row(title: &str, text: &str, ink: Ink, style: Style) -> Vec<String> {
    let rows = wrapped(text, super::WIDTH - NAME);
    let titles = std::iter::once(title).chain(std::iter::repeat(""));
    let row = |(title, text): (&str, String)| {
        format!(
            "{}{}",
            style.paint(Ink::Heading, &left(title, NAME)),
            style.paint(ink, &text)
        )
    };
    titles.zip(rows).map(row).collect()
}
