//! The condensed band: what stands between the verbatim tail and what is left out.

use super::fixture::*;
use crate::planner::{Fate, WhyIn};

fn long_session(steps: usize) -> Planner {
    let mut messages = vec![user("begin")];
    for n in 0..steps {
        let id = n.to_string();
        messages.extend([call(&[&id]), result(&id, 1_000)]);
    }
    let mut planner = Planner::new(messages);
    planner.target = 20_000;
    planner.tail = 20_000;
    planner.explicit = true;
    planner.band = Some(0.4);
    planner
}

fn kinds(planner: &Planner) -> (usize, usize, usize) {
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    let count = |wanted: fn(Option<WhyIn>) -> bool| {
        decision
            .fates
            .iter()
            .filter(|fate| wanted(fate.why_in()))
            .count()
    };
    (
        count(|why| matches!(why, Some(WhyIn::Recent | WhyIn::Current))),
        count(|why| why == Some(WhyIn::Condensed)),
        count(|why| why.is_none()),
    )
}

#[test]
fn what_fits_stays_whole_and_there_is_no_band() {
    assert_eq!(kinds(&long_session(15)), (31, 0, 0));
}

#[test]
fn the_tail_is_as_long_as_the_rest_fits_condensed() {
    let planner = long_session(30);
    let (whole, condensed, out) = kinds(&planner);
    assert_eq!(out, 0, "the whole session is in, in one form or the other");
    assert!(whole > 20 && condensed > 20, "{whole} {condensed}");
}

#[test]
fn a_session_too_long_even_in_stubs_shares_the_budget() {
    let planner = long_session(300);
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert!(decision.message_tokens <= 20_000);
    assert!(
        decision.tail_tokens > 10_500 && decision.tail_tokens <= 12_000,
        "{}",
        decision.tail_tokens
    );
    assert!(decision.band_tokens > 7_000, "{}", decision.band_tokens);
    let notice = decision.notice.unwrap();
    assert_eq!(
        decision.cut.unwrap().band,
        notice.before,
        "the notice stands before the band, not inside"
    );
    assert_eq!(decision.fates[0], Fate::Keep(WhyIn::Current));
}

#[test]
fn step_by_step_the_plan_keeps_its_prefix_until_a_beginning_moves() {
    let mut kept: Option<crate::planner::Decision> = None;
    let mut moves = 0;
    let mut previous: Vec<(usize, bool)> = Vec::new();
    for steps in 1..70 {
        let mut planner = long_session(steps);
        if let Some(kept) = &kept {
            planner.keep(kept);
        }
        let decision = planner.plan();
        assert_eq!(decision.fallback, None);
        let now: Vec<(usize, bool)> = decision
            .fates
            .iter()
            .enumerate()
            .filter(|(_, fate)| fate.why_in().is_some())
            .map(|(position, fate)| (position, matches!(fate, Fate::Replace(..))))
            .collect();
        if decision.cut_moved {
            moves += 1;
        } else {
            assert_eq!(now[..previous.len()], previous[..], "step {steps}");
        }
        kept = Some(decision);
        previous = now;
    }
    assert!((5..=30).contains(&moves), "{moves}");
}

#[test]
fn without_an_explicit_budget_the_band_has_its_share_beside_the_tail() {
    let mut planner = long_session(300);
    planner.explicit = false;
    planner.tail = 5_000;
    let decision = planner.plan();
    assert!(decision.tail_tokens <= 5_000);
    assert!(
        decision.band_tokens <= 8_000 && decision.band_tokens > 7_000,
        "{}",
        decision.band_tokens
    );
}
