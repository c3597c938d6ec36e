//! The line that stands for the left-out beginning of a turn.
//!
//! Invariant: a pure function of what is left out, so that the line stays the same in every request while the cut stays,
//! and the provider's prefix cache with it. It names no clock and no request.

use super::{Candidate, Group};
use crate::model::Estimator;
use crate::model::estimator::supplement_tokens;

/// Tokens kept free for a notice: the longest one, with entry IDs as Pi makes them.
pub const NOTICE_RESERVE_TOKENS: u64 = 80;

/// A line of the planner's own, sent as a user message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The position that it stands before.
    pub before: usize,
    /// The line.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
    /// The entries that it speaks of: the first and the last one left out. Empty where the log holds neither.
    pub source_ids: Vec<String>,
}

/// The notice for the groups of a turn that are left out between its user message and the message at `before`.
pub(super) fn turn_notice(
    candidates: &[Candidate<'_>],
    left_out: &[&Group],
    before: usize,
    estimator: Estimator,
) -> Option<Notice> {
    let (first, last) = (left_out.first()?, left_out.last()?);
    let messages: usize = left_out.iter().map(|group| group.members.len()).sum();
    let tokens: u64 = left_out.iter().map(|group| group.tokens).sum();
    let entry = |position: usize| {
        candidates
            .get(position)
            .and_then(|candidate| candidate.entry_id)
    };
    let (from, to) = (entry(first.start()), entry(last.end()));
    let place = match (from, to) {
        (Some(from), Some(to)) => format!("; the session log holds them as entries {from} to {to}"),
        _ => String::new(),
    };
    let steps = match left_out.len() {
        1 => "1 earlier step of this turn is".to_owned(),
        count => format!("{count} earlier steps of this turn are"),
    };
    let text = format!(
        "[ds4-context: {steps} left out here to fit the window ({messages} messages, about {tokens} tokens){place}]"
    );
    Some(Notice {
        before,
        tokens: supplement_tokens(estimator, &text),
        text,
        source_ids: [from, to]
            .into_iter()
            .flatten()
            .map(str::to_owned)
            .collect(),
    })
}
