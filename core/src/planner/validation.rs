//! The last look at a decision: what must hold of every plan, checked on the plan itself and not on how it was made.

use super::{Candidate, Decision, Fallback, Fate, PlannerInput, ReplacementKind, selection};
use crate::message::tools::{Binding, Relations};

/// The first rule that the decision breaks.
pub(super) fn check(input: &PlannerInput<'_>, decision: &Decision) -> Option<Fallback> {
    if !exchanges_are_whole(input.candidates, decision) {
        return Some(Fallback::AtomicError);
    }
    let newest_user = input
        .candidates
        .iter()
        .enumerate()
        .rev()
        .find(|(position, candidate)| {
            selection::is_user(candidate)
                && decision
                    .group_of
                    .get(*position)
                    .copied()
                    .flatten()
                    .is_some()
        });
    if newest_user.is_some_and(|(position, _)| !is_in(decision, position)) {
        return Some(Fallback::CurrentUserNotSelected);
    }
    let tokens = planned_tokens(input.candidates, decision);
    let over_budget = input.budgets.explicit.is_some() && tokens > decision.message_target;
    if tokens > decision.message_hard || over_budget {
        return Some(Fallback::SelectionOverHardLimit);
    }
    None
}

/// Tokens of what would be sent, counted anew from the fates.
fn planned_tokens(candidates: &[Candidate<'_>], decision: &Decision) -> u64 {
    let messages: u64 = candidates
        .iter()
        .zip(&decision.fates)
        .map(|(candidate, fate)| match fate {
            Fate::Keep(_) => u64::from(candidate.tokens),
            Fate::Replace(_, replacement) => u64::from(replacement.tokens),
            Fate::Out(_) => 0,
        })
        .sum();
    let supplements: u64 = decision
        .supplements
        .iter()
        .map(|placed| u64::from(placed.supplement.tokens))
        .sum();
    messages
        + supplements
        + decision
            .notice
            .as_ref()
            .map_or(0, |notice| u64::from(notice.tokens))
}

fn is_in(decision: &Decision, position: usize) -> bool {
    decision
        .fates
        .get(position)
        .is_some_and(|fate| fate.why_in().is_some())
}

/// Every selected call has its selected result, and every selected result its selected call.
fn exchanges_are_whole(candidates: &[Candidate<'_>], decision: &Decision) -> bool {
    let relations = Relations::bind(candidates.iter().map(|candidate| candidate.message));
    (0..candidates.len()).filter(|&position| is_in(decision, position)).all(|position| {
        let result_has_call = match relations.binding(position) {
            None => true,
            Some(Binding::Answers(call)) => is_in(decision, call.message),
            Some(Binding::Surplus(_) | Binding::Orphan) => false,
        };
        let without_unanswered = matches!(
            decision.fates.get(position),
            Some(Fate::Replace(_, replacement)) if replacement.what == ReplacementKind::UnansweredCallsRemoved
        );
        let calls_have_results = relations.answers(position).iter().all(|answer| match answer {
            Some(result) => is_in(decision, *result),
            None => without_unanswered,
        });
        result_has_call && calls_have_results
    })
}
