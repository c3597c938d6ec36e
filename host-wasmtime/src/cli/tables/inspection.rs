//! A session log: tree, turns and damage.

use super::layout::{Ink, Style, counted, cut, figure, filled, left, printable, right, wrapped};
use super::words::date_and_time;
use crate::cli::documents::{Branch, Inspection, Turn};

/// Turns that have a row of their own, the newest; the older ones share one.
const MAX_TURNS: usize = 16;
/// Labels that are shown.
const MAX_LABELS: usize = 16;

/// The whole table.
pub(crate) fn inspection(inspection: &Inspection, style: Style) -> String {
    let mut lines = head(inspection, style);
    for part in [
        tree(inspection, style),
        turns(inspection, style),
        labels(inspection, style),
        damage(inspection, style),
    ] {
        if !part.is_empty() {
            lines.push(String::new());
            lines.extend(part);
        }
    }
    lines.join("\n")
}

fn head(inspection: &Inspection, style: Style) -> Vec<String> {
    const NAME: usize = 9;
    let mut lines = Vec::new();
    let mut add = |title: &str, text: &str| {
        // A count stays with its name.
        let text = printable(text);
        for (index, line) in filled(
            text.split_inclusive(", ").map(str::trim_end),
            super::WIDTH - NAME,
        )
        .into_iter()
        .enumerate()
        {
            let title = if index == 0 { title } else { "" };
            lines.push(format!(
                "{}{line}",
                style.paint(Ink::Heading, &left(title, NAME))
            ));
        }
    };
    let session = &inspection.session;
    let version = session
        .version
        .map_or(String::new(), |version| format!(" version {version}"));
    add("Session", &cut(&session.id, 70));
    add(
        "Log",
        &format!(
            "{}{version}, {} in {}",
            session.format,
            counted(session.bytes, "byte", "bytes"),
            counted(session.lines, "line", "lines")
        ),
    );
    if let Some(folder) = &session.cwd {
        add("Folder", &cut(folder, 70));
    }
    if let Some(model) = &inspection.model {
        add(
            "Model",
            &cut(&format!("{}/{}", model.provider, model.id), 70),
        );
    }
    add(
        "Entries",
        &format!(
            "{}: {}",
            figure(inspection.entries.total),
            counts(&inspection.entries.by_type)
        ),
    );
    if !inspection.entries.messages_by_role.is_empty() {
        add("Messages", &counts(&inspection.entries.messages_by_role));
    }
    let compaction = match &inspection.projection.compaction_entry_id {
        Some(entry) => format!(", after the compaction {entry}"),
        None => String::new(),
    };
    add(
        "Active",
        &format!(
            "{} with {} tokens{compaction}, counted by {}",
            counted(inspection.projection.messages, "message", "messages"),
            figure(inspection.projection.tokens),
            inspection.estimator
        ),
    );
    lines
}

fn counts(by_name: &serde_json::Map<String, serde_json::Value>) -> String {
    let part = |(name, count): (&String, &serde_json::Value)| {
        format!("{} {name}", figure(count.as_u64().unwrap_or(0)))
    };
    by_name.iter().map(part).collect::<Vec<_>>().join(", ")
}

const BRANCH: usize = 38;
const FIGURES: usize = 10;

fn tree(inspection: &Inspection, style: Style) -> Vec<String> {
    let heading = format!(
        "{}{}{}{}{}",
        left(
            &format!(
                "Tree, {}",
                counted(inspection.branch_count, "branch", "branches")
            ),
            BRANCH
        ),
        right("entries", FIGURES),
        right("messages", FIGURES),
        right("turns", FIGURES),
        right("tokens", super::WIDTH - BRANCH - 3 * FIGURES)
    );
    let mut lines = vec![style.paint(Ink::Heading, &heading)];
    // Branches under the fork that is nearest to their leaf, forks in the order of their newest branch.
    let mut forks: Vec<(Option<&str>, Vec<&Branch>)> = Vec::new();
    for branch in &inspection.branches {
        let fork = branch.fork_entry_id.as_deref();
        match forks.iter_mut().find(|(known, _)| *known == fork) {
            Some((_, branches)) => branches.push(branch),
            None => forks.push((fork, vec![branch])),
        }
    }
    let hidden = inspection
        .branch_count
        .saturating_sub(inspection.branches.len() as u64);
    let last_fork = forks.len().saturating_sub(1);
    for (index, (fork, branches)) in forks.iter().enumerate() {
        let ends = index == last_fork && hidden == 0;
        match fork {
            None => {
                let last = branches.len().saturating_sub(1);
                let rows = branches.iter().enumerate();
                lines.extend(rows.map(|(at, branch)| {
                    leaf(
                        if ends && at == last {
                            "└─ "
                        } else {
                            "├─ "
                        },
                        branch,
                        style,
                    )
                }));
            }
            Some(fork) => {
                lines.push(format!(
                    "{}fork at {}",
                    if ends { "└─ " } else { "├─ " },
                    cut(fork, 40)
                ));
                let stem = if ends { "   " } else { "│  " };
                let last = branches.len().saturating_sub(1);
                for (at, branch) in branches.iter().enumerate() {
                    lines.push(leaf(
                        &format!("{stem}{}", if at == last { "└─ " } else { "├─ " }),
                        branch,
                        style,
                    ));
                }
            }
        }
    }
    if hidden > 0 {
        lines.push(format!(
            "└─ and {}",
            counted(hidden, "older branch", "older branches")
        ));
    }
    lines
}

fn leaf(stem: &str, branch: &Branch, style: Style) -> String {
    let name = branch.leaf_id.as_deref().unwrap_or("none");
    let mark = if branch.active { "  ← active" } else { "" };
    let row = format!(
        "{}{}{}{}{}",
        left(&format!("{stem}{name}{mark}"), BRANCH),
        right(&figure(branch.entries), FIGURES),
        right(&figure(branch.messages), FIGURES),
        right(&figure(branch.turns), FIGURES),
        right(&figure(branch.tokens), super::WIDTH - BRANCH - 3 * FIGURES)
    );
    if branch.active {
        style.paint(Ink::Good, &row)
    } else {
        row
    }
}

const TURN: usize = 22;
const WHEN: usize = 18;

fn turns(inspection: &Inspection, style: Style) -> Vec<String> {
    let turns = &inspection.turns;
    if turns.is_empty() {
        return Vec::new();
    }
    let title = format!("Turns, {}", figure(turns.len() as u64));
    let heading = turn_row(
        &title,
        "began (UTC)",
        ["messages", "replies", "calls", "tokens"],
    );
    let mut lines = vec![style.paint(Ink::Heading, &heading)];
    let older = turns.len().saturating_sub(MAX_TURNS);
    if older > 0 {
        let old = turns.get(..older).unwrap_or_default();
        let sum = |of: fn(&Turn) -> u64| figure(old.iter().map(of).sum());
        let row = turn_row(
            &format!("  {}", counted(older as u64, "older turn", "older turns")),
            "",
            [
                &sum(|turn| turn.messages),
                &sum(|turn| turn.exchanges),
                &sum(|turn| turn.tool_calls),
                &sum(|turn| turn.tokens),
            ],
        );
        lines.push(style.paint(Ink::Faint, &row));
    }
    for turn in turns.iter().skip(older) {
        lines.push(turn_row(
            &format!(
                "  {}",
                turn.entry_id.as_deref().unwrap_or("before the first")
            ),
            &turn.timestamp_ms.map_or(String::new(), date_and_time),
            [
                &figure(turn.messages),
                &figure(turn.exchanges),
                &figure(turn.tool_calls),
                &figure(turn.tokens),
            ],
        ));
    }
    lines
}

fn turn_row(turn: &str, when: &str, figures: [&str; 4]) -> String {
    let figures: String = figures
        .iter()
        .map(|figure| right(figure, FIGURES))
        .collect();
    format!("{}{}{figures}", left(turn, TURN), left(when, WHEN))
}

fn labels(inspection: &Inspection, style: Style) -> Vec<String> {
    if inspection.labels.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![style.paint(Ink::Heading, "Labels")];
    for label in inspection.labels.iter().take(MAX_LABELS) {
        lines.push(format!(
            "  {}{}",
            left(&label.entry_id, TURN),
            cut(&label.label, super::WIDTH - TURN - 2)
        ));
    }
    let hidden = inspection.labels.len().saturating_sub(MAX_LABELS) as u64;
    if hidden > 0 {
        lines.push(format!("  and {} more; --json lists them", figure(hidden)));
    }
    lines
}

fn damage(inspection: &Inspection, style: Style) -> Vec<String> {
    if inspection.damage.is_empty() {
        return vec![format!("{}none", style.paint(Ink::Heading, "Damage   "))];
    }
    let mut lines = vec![style.paint(
        Ink::Heading,
        &format!(
            "{}{}{}  what",
            left("Damage", 29),
            right("count", 7),
            right("line", 8)
        ),
    )];
    for damage in &inspection.damage {
        let line = damage.first_line.map_or(String::new(), figure);
        let texts = wrapped(&damage.text, super::WIDTH - 46);
        for (index, text) in texts.iter().enumerate() {
            lines.push(if index == 0 {
                format!(
                    "  {}{}{}  {text}",
                    left(&damage.code, 27),
                    right(&figure(damage.count), 7),
                    right(&line, 8)
                )
            } else {
                format!("{}{text}", " ".repeat(46))
            });
        }
    }
    lines
}
