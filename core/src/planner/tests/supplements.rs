//! The second pass: supplements within their categories' and the plan's limits, in their order and at their place.

use super::fixture::*;
use crate::config::SupplementalPlacement;
use crate::model::Estimator;
use crate::model::estimator::supplement_tokens;
use crate::planner::{Decision, SupplementCandidate, SupplementCategory, SupplementOut};

fn supplement(
    category: SupplementCategory,
    id: &str,
    score: f64,
    words: usize,
) -> SupplementCandidate {
    let text = "some ".repeat(words);
    SupplementCandidate {
        category,
        id: id.to_owned(),
        tokens: supplement_tokens(Estimator::CharsV1, &text),
        text,
        score,
        end: 0,
        source_ids: vec![format!("source-{id}")],
        reason: "test".to_owned(),
    }
}

fn evidence(id: &str, score: f64, words: usize) -> SupplementCandidate {
    supplement(SupplementCategory::Retrieval, id, score, words)
}

fn placed(decision: &Decision) -> Vec<(&str, usize)> {
    let placed = decision.supplements.iter();
    placed
        .map(|placed| (placed.supplement.id.as_str(), placed.before))
        .collect()
}

fn short_session() -> Planner {
    Planner::new(vec![user("one"), say("two"), user("three"), say("four")])
}

#[test]
fn they_stand_before_the_newest_user_message_by_category_score_and_id() {
    let mut planner = short_session();
    planner.supplements = vec![
        supplement(SupplementCategory::Project, "p", 9.0, 5),
        evidence("low", 1.0, 5),
        evidence("b", 2.0, 5),
        evidence("a", 2.0, 5),
        supplement(SupplementCategory::Memory, "m", 0.0, 5),
    ];
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert_eq!(
        placed(&decision),
        [("m", 2), ("a", 2), ("b", 2), ("low", 2), ("p", 2)]
    );
}

#[test]
fn the_placement_moves_them_to_the_prefix() {
    let mut planner = short_session();
    planner.supplements = vec![
        evidence("r", 1.0, 5),
        supplement(SupplementCategory::Memory, "m", 1.0, 5),
    ];
    planner.placement = SupplementalPlacement::StablePrefix;
    assert_eq!(placed(&planner.plan()), [("m", 0), ("r", 0)]);
    planner.placement = SupplementalPlacement::Hybrid;
    assert_eq!(placed(&planner.plan()), [("m", 0), ("r", 2)]);
}

#[test]
fn one_that_does_not_fit_is_skipped_and_the_next_still_looked_at() {
    let mut planner = short_session();
    planner.supplements = vec![evidence("huge", 9.0, 8_000), evidence("small", 1.0, 10)];
    let decision = planner.plan();
    assert_eq!(placed(&decision), [("small", 2)]);
    assert_eq!(
        decision.skipped_supplements[0].why,
        SupplementOut::CategoryLimit
    );
    planner.target = 100;
    planner.hard = 100;
    planner.supplements = vec![evidence("large", 9.0, 200), evidence("small", 1.0, 10)];
    let decision = planner.plan();
    assert_eq!(placed(&decision), [("small", 2)]);
    assert_eq!(
        decision.skipped_supplements[0].why,
        SupplementOut::InputBudget
    );
}

#[test]
fn without_a_source_or_a_user_message_there_is_none() {
    let mut planner = short_session();
    planner.supplements = vec![SupplementCandidate {
        source_ids: Vec::new(),
        ..evidence("r", 1.0, 5)
    }];
    assert_eq!(
        planner.plan().skipped_supplements[0].why,
        SupplementOut::NoSource
    );
    let mut planner = Planner::new(vec![say("nobody asked")]);
    planner.supplements = vec![evidence("r", 1.0, 5)];
    let decision = planner.plan();
    assert!(decision.supplements.is_empty());
    assert_eq!(
        decision.skipped_supplements[0].why,
        SupplementOut::NoUserMessage
    );
}

#[test]
fn evidence_does_not_move_the_cut_and_finds_the_room_that_is_left_for_it() {
    let mut messages = vec![user("begin")];
    for n in 0..100 {
        let id = n.to_string();
        messages.extend([call(&[&id]), result(&id, 500)]);
    }
    let mut planner = Planner::new(messages);
    planner.target = 10_000;
    planner.tail = 10_000;
    planner.explicit = true;
    planner.band = Some(0.3);
    planner.supplement_reserve = 1_000;
    let without = planner.plan();
    planner.supplements = vec![evidence("r", 1.0, 700)];
    let with = planner.plan();
    assert_eq!(placed(&with).len(), 1);
    assert_eq!(with.cut, without.cut);
    assert_eq!(with.fates, without.fates);
    assert_eq!(with.notice, without.notice);
    assert!(with.message_tokens <= 10_000);
}
