//! Why each part is in or out, and what would change it.

use super::layout::{Ink, Style, counted, cut, figure, wrapped};
use super::words::{excluded_text, included_text};
use super::{plan, runs};
use crate::cli::documents::{Exclusion, Explanation, Manifest};

/// Exclusions that are explained, the newest first; the rest is counted.
const MAX_EXPLAINED: usize = 16;

/// The whole table.
pub(crate) fn explanation(explanation: &Explanation, manifest: &Manifest, style: Style) -> String {
    let mut lines = plan::head(manifest, style);
    lines.push(String::new());
    lines.extend(runs::table("In", &runs::of_items(&explanation.included), included_text, style));
    lines.push(String::new());
    lines.extend(excluded(&explanation.excluded, style));
    lines.join("\n")
}

fn excluded(exclusions: &[Exclusion], style: Style) -> Vec<String> {
    let mut lines = vec![style.paint(Ink::Heading, "Left out, the newest first, and what would include it")];
    if exclusions.is_empty() {
        lines.push("  nothing".to_owned());
    }
    for exclusion in exclusions.iter().rev().take(MAX_EXPLAINED) {
        let first = exclusion.first_entry_id.as_deref().unwrap_or_default();
        let last = exclusion.last_entry_id.as_deref().unwrap_or(first);
        lines.push(runs::line(&runs::span(first, last), exclusion.message_count, exclusion.tokens, excluded_text(&exclusion.reason)));
        lines.extend(change(exclusion).into_iter().map(|line| style.paint(Ink::Faint, &line)));
    }
    let hidden: Vec<&Exclusion> = exclusions.iter().rev().skip(MAX_EXPLAINED).collect();
    if !hidden.is_empty() {
        let messages = hidden.iter().map(|exclusion| exclusion.message_count).sum();
        let tokens: u64 = hidden.iter().map(|exclusion| exclusion.tokens).sum();
        let text = format!(
            "  and {} older groups with {} and {} tokens; --json lists them",
            figure(hidden.len() as u64),
            counted(messages, "message", "messages"),
            figure(tokens)
        );
        lines.push(cut(&text, super::WIDTH));
    }
    lines
}

/// `needs …`, on as many lines as it takes.
fn change(exclusion: &Exclusion) -> Vec<String> {
    let Some(change) = &exclusion.smallest_change else { return Vec::new() };
    let text = match change.setting.as_str() {
        "none" => format!("nothing would: {}", change.text),
        setting => format!("{setting}: {}", change.text),
    };
    wrapped(&text, super::WIDTH - 6).into_iter().map(|line| format!("      {line}")).collect()
}
