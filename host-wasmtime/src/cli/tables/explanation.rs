//! Why each part is in or out, and what would change it.

use super::layout::{Ink, Style, counted, cut, figure, wrapped};
use super::plan;
use super::runs::{self, Row};
use super::words::{excluded_text, included_text, setting_text};
use crate::cli::documents::{Exclusion, Explanation, Manifest, SmallestChange};

/// Steps with a row of their own for each setting, the newest first; the rest is counted.
const MAX_ROWS: usize = 10;

/// The whole table.
pub(crate) fn explanation(explanation: &Explanation, manifest: &Manifest, style: Style) -> String {
    let mut lines = plan::head(manifest, style);
    lines.push(String::new());
    lines.extend(runs::table(
        "In",
        &runs::of_items(&explanation.included),
        included_text,
        style,
    ));
    lines.push(String::new());
    lines.push(style.paint(
        Ink::Heading,
        "Left out, and the smallest change that would include it",
    ));
    if explanation.excluded.is_empty() {
        lines.push("  nothing".to_owned());
    }
    for change in changes(&explanation.excluded) {
        lines.extend(change.lines(style));
    }
    lines.join("\n")
}

/// Exclusions that one setting would include.
struct Change<'a> {
    setting: &'a str,
    /// The newest first.
    exclusions: Vec<(&'a Exclusion, &'a SmallestChange)>,
}

/// By setting; what nothing would include comes last.
fn changes(exclusions: &[Exclusion]) -> Vec<Change<'_>> {
    let mut changes: Vec<Change<'_>> = Vec::new();
    for exclusion in exclusions.iter().rev() {
        let Some(smallest) = &exclusion.smallest_change else {
            continue;
        };
        match changes
            .iter_mut()
            .find(|change| change.setting == smallest.setting)
        {
            Some(change) => change.exclusions.push((exclusion, smallest)),
            None => changes.push(Change {
                setting: &smallest.setting,
                exclusions: vec![(exclusion, smallest)],
            }),
        }
    }
    changes.sort_by_key(Change::is_hopeless);
    changes
}

impl Change<'_> {
    fn is_hopeless(&self) -> bool {
        self.setting == "none"
    }

    fn lines(&self, style: Style) -> Vec<String> {
        let mut lines = vec![format!(
            "  {}:",
            cut(setting_text(self.setting), super::WIDTH - 3)
        )];
        if self.is_hopeless() {
            let all: Vec<Exclusion> = self
                .exclusions
                .iter()
                .rev()
                .map(|(exclusion, _)| (*exclusion).clone())
                .collect();
            lines.extend(
                runs::of_exclusions(&all)
                    .iter()
                    .map(|row| row.line(excluded_text(&row.reason))),
            );
            return lines;
        }
        let steps = self.steps();
        for step in steps.iter().take(MAX_ROWS) {
            lines.push(step.row.line(&step.value));
        }
        lines.extend(
            rest(steps.get(MAX_ROWS..).unwrap_or_default())
                .into_iter()
                .map(|line| style.paint(Ink::Faint, &line)),
        );
        lines
    }

    /// Neighbours that one value would include are one step.
    fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for (exclusion, smallest) in &self.exclusions {
            let (row, value) = (runs::of_exclusion(exclusion), value(smallest));
            match steps.last_mut() {
                Some(step) if step.value == value => step.row.extend_backwards(row),
                _ => steps.push(Step { row, value }),
            }
        }
        steps
    }
}

/// What one value of a setting would include.
struct Step {
    row: Row,
    value: String,
}

/// The steps without a row, with what would include all of them.
fn rest(hidden: &[Step]) -> Vec<String> {
    let Some(last) = hidden.last() else {
        return Vec::new();
    };
    let messages = hidden.iter().map(|step| step.row.messages).sum();
    let tokens: u64 = hidden.iter().map(|step| step.row.tokens).sum();
    let text = format!(
        "and {} older with {} and {} tokens; all of it {}; --json lists them",
        figure(hidden.len() as u64),
        counted(messages, "message", "messages"),
        figure(tokens),
        last.value
    );
    wrapped(&text, super::WIDTH - 4)
        .into_iter()
        .map(|line| format!("    {line}"))
        .collect()
}

/// The value of a setting, and for a window the budget to ask for in it. A budget is a bound where a band may make do with
/// less.
fn value(smallest: &SmallestChange) -> String {
    let most = if smallest.exact == Some(false) {
        "at most "
    } else {
        "at "
    };
    match (smallest.value, smallest.budget) {
        (None, _) => smallest.text.clone(),
        (Some(window), Some(budget)) => format!("at {} / {}", figure(window), figure(budget)),
        (Some(value), None) => format!("{most}{}", figure(value)),
    }
}
