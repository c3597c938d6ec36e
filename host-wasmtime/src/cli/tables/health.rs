//! How the index is, and what a run of indexing came to.

use super::layout::{Ink, Style, counted, figure, left};
use super::words::date_and_time;
use crate::cli::documents::{Health, HealthDatabase};

const NAME: usize = 10;

/// After `index`.
pub(crate) fn indexed(health: &Health, seconds: f64, style: Style) -> String {
    let mut lines = rows(health, style);
    lines.push(row("Took", &format!("{seconds:.2} s"), style));
    lines.join("\n")
}

/// After `health`.
pub(crate) fn health(health: &Health, style: Style) -> String {
    let mut lines = rows(health, style);
    if health.database.kind == "absent" {
        lines.push(row("To do", "`ds4-context index` makes the index", style));
        return lines.join("\n");
    }
    let verdict = match &health.problems {
        Some(problems) if !problems.is_empty() => {
            style.paint(Ink::Warning, &format!("damaged: {}", problems.join("; ")))
        }
        _ => style.paint(Ink::Good, "whole: every page was checked"),
    };
    lines.push(row("Database", &verdict, style));
    lines.join("\n")
}

fn rows(health: &Health, style: Style) -> Vec<String> {
    let mut lines = vec![
        row("Session", &health.session_id, style),
        row("Kept", &place(&health.database), style),
    ];
    if health.database.kind != "absent" {
        lines.push(row(
            "Size",
            &format!(
                "{}, {} of them free; {} of text in {} of {}",
                counted(health.bytes, "byte", "bytes"),
                figure(health.free_bytes),
                counted(health.text_bytes, "byte", "bytes"),
                counted(health.entries, "entry", "entries"),
                counted(health.sessions, "session", "sessions"),
            ),
            style,
        ));
    }
    if let Some(session) = &health.session {
        let state = if health.up_to_date {
            "up to date".to_owned()
        } else {
            format!("{} behind", figure(health.log_entries - session.entries))
        };
        lines.push(row(
            "Index",
            &format!(
                "{} of {}, {state}; last written {}",
                figure(session.entries),
                counted(health.log_entries, "entry", "entries"),
                date_and_time(session.indexed_at),
            ),
            style,
        ));
        if session.rebuilds > 0 {
            lines.push(row(
                "Made anew",
                &format!(
                    "{}, last because of {}",
                    counted(session.rebuilds, "time", "times"),
                    session.last_reason
                ),
                style,
            ));
        }
    }
    lines
}

fn place(database: &HealthDatabase) -> String {
    let why = match (database.kind.as_str(), database.reason.as_deref()) {
        ("stored", _) => {
            return format!(
                "{} in the data folder",
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

fn row(title: &str, text: &str, style: Style) -> String {
    format!("{}{text}", style.paint(Ink::Heading, &left(title, NAME)))
}
