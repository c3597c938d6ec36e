//! A plan: the window as a bar, tokens by kind, what is in and what is out.

use super::layout::{Ink, Style, counted, cut, figure, left, right};
use super::runs;
use super::words::{excluded_text, included_text, kind_text, no_evidence_text, warning_text};
use crate::cli::documents::{Manifest, Planned};

/// Cells of the window's bar.
const BAR_CELLS: u64 = 70;
/// Characters of a hash that are shown; `--json` has all.
const HASH_CHARACTERS: usize = 16;

/// The whole table.
pub(crate) fn plan(planned: &Planned, manifest: &Manifest, style: Style) -> String {
    let mut lines = head(manifest, style);
    lines.push(String::new());
    lines.extend(window(planned, manifest, style));
    lines.push(String::new());
    lines.extend(kinds(manifest, style));
    lines.push(String::new());
    let (inside, outside) = if is_fallback(manifest) {
        ("Must be in", "Could be left out")
    } else {
        ("In", "Left out")
    };
    lines.extend(runs::table(
        inside,
        &runs::of_items(&manifest.included),
        included_words,
        style,
    ));
    lines.push(String::new());
    lines.extend(runs::table(
        outside,
        &runs::of_exclusions(&planned.excluded),
        excluded_text,
        style,
    ));
    lines.push(String::new());
    lines.extend(foot(planned, manifest, style));
    lines.join("\n")
}

fn included_words(reason: &str) -> &str {
    if reason == "tool" {
        "the tools' definitions"
    } else {
        included_text(reason)
    }
}

/// Whether the plan is the agent's own context and nothing else.
fn is_fallback(manifest: &Manifest) -> bool {
    manifest.planning.fallback_reason.is_some()
}

/// Which session, leaf and model.
pub(super) fn head(manifest: &Manifest, style: Style) -> Vec<String> {
    let leaf = manifest.branch_leaf_id.as_deref().unwrap_or("none");
    let name = |title: &str| style.paint(Ink::Heading, &left(title, 9));
    let mut lines = vec![
        format!(
            "{}{}, at entry {}",
            name("Session"),
            cut(&manifest.session_id, 40),
            cut(leaf, 20)
        ),
        format!(
            "{}{}, window of {} tokens",
            name("Model"),
            cut(&format!("{}/{}", manifest.provider, manifest.model), 40),
            figure(manifest.context_window)
        ),
    ];
    if manifest.planning.mode == "observer" {
        lines.push(format!(
            "{}observer: the plan is recorded and the agent's own context is sent",
            name("Mode")
        ));
    }
    lines
}

fn window(planned: &Planned, manifest: &Manifest, style: Style) -> Vec<String> {
    let used = planned.estimated_tokens;
    let percent = (used * 100)
        .checked_div(manifest.context_window)
        .unwrap_or(0);
    let counted_by = &planned.estimator;
    let what = if is_fallback(manifest) {
        "without a plan"
    } else {
        "planned"
    };
    let heading = format!(
        "{}{} tokens {what}, {percent} % of it, counted by {counted_by}",
        left("Window", 9),
        figure(used)
    );
    let ink = if used > manifest.active_input_budget {
        Ink::Warning
    } else {
        Ink::Good
    };
    vec![
        style.paint(Ink::Heading, &heading),
        format!(
            "  {}",
            bar(manifest, used)
                .map_or_else(String::new, |(full, rest)| style.paint(ink, &full) + &rest)
        ),
        format!(
            "  █ {what}   ░ free up to the budget of {}   │ hard limit {}",
            figure(manifest.active_input_budget),
            figure(manifest.hard_input_limit)
        ),
    ]
}

/// Planned cells, and the rest: free ones, those over the budget, the hard limit, and what the answer needs.
fn bar(manifest: &Manifest, used: u64) -> Option<(String, String)> {
    let cell = |tokens: u64| {
        (tokens.min(manifest.context_window) * BAR_CELLS).checked_div(manifest.context_window)
    };
    let planned = cell(used)?.max(u64::from(used > 0));
    let (budget, hard) = (
        cell(manifest.active_input_budget)?,
        cell(manifest.hard_input_limit)?.min(BAR_CELLS - 1),
    );
    let rest = (planned..BAR_CELLS).map(|at| match at {
        at if at == hard => '│',
        at if at < budget => '░',
        _ => '·',
    });
    Some(("█".repeat(usize::try_from(planned).ok()?), rest.collect()))
}

fn kinds(manifest: &Manifest, style: Style) -> Vec<String> {
    let row = |kind: &str, items: &str, tokens: &str| {
        format!("{}{}{}", left(kind, 33), right(items, 9), right(tokens, 11))
    };
    let mut lines = vec![style.paint(Ink::Heading, &row("Tokens by kind", "items", "tokens"))];
    for part in &manifest.composition {
        let share = part
            .tokens
            .saturating_mul(100)
            .checked_div(manifest.estimated_input_tokens)
            .unwrap_or(0);
        let row = row(
            &format!("  {}", kind_text(&part.kind)),
            &figure(part.items),
            &figure(part.tokens),
        );
        lines.push(format!("{row}  {} %", right(&share.to_string(), 3)));
    }
    lines
}

/// The tail's limit, where messages are left out although much of the budget is free.
fn binding_tail_limit(planned: &Planned, manifest: &Manifest) -> Option<u64> {
    const MUCH: u64 = 10;
    let budget = manifest.active_input_budget;
    let tail = manifest.planning.recent_tail_token_limit;
    let much_is_free = planned.estimated_tokens + budget / MUCH < budget;
    let binds = !is_fallback(manifest) && !planned.excluded.is_empty() && tail < budget;
    (binds && much_is_free).then_some(tail)
}

/// How many of the log's own messages go out: what the planner adds is none of them.
fn entries_of(planned: &Planned) -> u64 {
    let own = planned.messages.iter();
    own.filter(|message| message.entry_id.is_some()).count() as u64
}

fn foot(planned: &Planned, manifest: &Manifest, style: Style) -> Vec<String> {
    let original = &manifest.planning;
    let all = counted(original.original_message_count, "message", "messages");
    let tokens = figure(original.original_message_tokens);
    let mut lines = vec![if is_fallback(manifest) {
        format!("There is no plan: an agent sends its own {all} with {tokens} tokens.")
    } else {
        format!(
            "{} of {all} go out; the whole branch has {tokens} tokens.",
            figure(entries_of(planned))
        )
    }];
    for warning in &manifest.warnings {
        let text = format!(
            "Note: {}.",
            warning_text(&warning.code, warning.details.len())
        );
        lines.push(style.paint(Ink::Warning, &cut(&text, super::WIDTH)));
    }
    if let Some(why) = no_evidence_text(&manifest.retrieval.status) {
        let text = format!("No evidence: {why}.");
        lines.push(cut(&text, super::WIDTH));
    }
    if let Some(tail) = binding_tail_limit(planned, manifest) {
        let tail = figure(tail);
        lines.push(format!(
            "The window limits the recent tail to {tail} tokens; --budget N lifts that."
        ));
    }
    if !planned.excluded.is_empty() {
        lines.push(style.paint(
            Ink::Faint,
            "--explain says what would include the rest; --json prints the messages.",
        ));
    }
    let hash: String = planned.prompt_hash.chars().take(HASH_CHARACTERS).collect();
    lines.push(style.paint(
        Ink::Faint,
        &cut(
            &format!("prompt {hash}…  manifest {}", manifest.id),
            super::WIDTH,
        ),
    ));
    lines
}
