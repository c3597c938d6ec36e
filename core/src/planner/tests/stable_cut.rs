//! The cut stays while it can and moves far when it must (failures.md 20–21).

use super::fixture::*;
use crate::planner::Cut;

fn turns(count: usize) -> Vec<crate::message::Message> {
    (0..count)
        .flat_map(|n| [user(&format!("turn {n}")), say(&"z".repeat(4_000))])
        .collect()
}

#[test]
fn over_many_turns_the_cut_moves_seldom_and_each_plan_extends_the_one_before() {
    let mut cut = None;
    let mut moves = 0;
    let mut previous: Vec<usize> = Vec::new();
    for count in 1..200 {
        let mut planner = Planner::new(turns(count));
        planner.tail = 20_000;
        planner.cut = cut;
        let decision = planner.plan();
        assert_eq!(decision.fallback, None);
        let now = sent(&decision);
        if decision.cut_moved {
            moves += 1;
        } else {
            assert_eq!(
                now[..previous.len()],
                previous[..],
                "a plan with the same cut starts like the one before"
            );
        }
        cut = decision.cut;
        previous = now;
    }
    // A turn has about 1,020 tokens: a quarter of 20,000 tokens is free again after every fifth turn.
    assert!((30..=40).contains(&moves), "{moves}");
}

#[test]
fn a_moved_cut_leaves_a_quarter_of_the_tail_free() {
    let mut planner = Planner::new(turns(40));
    planner.tail = 20_000;
    planner.cut = Some(Cut { tail: 10, band: 10 });
    let decision = planner.plan();
    assert!(decision.cut_moved);
    assert!(
        decision.tail_tokens <= 15_000 && decision.tail_tokens > 13_000,
        "{}",
        decision.tail_tokens
    );
}

#[test]
fn what_fits_but_lies_before_the_cut_stays_out_for_the_cut() {
    let mut planner = Planner::new(turns(10));
    planner.cut = Some(Cut { tail: 10, band: 10 });
    let decision = planner.plan();
    assert!(!decision.cut_moved);
    assert_eq!(why_out(&decision, 9), "before-stable-cut");
}

#[test]
fn a_cut_inside_one_long_turn_keeps_the_notice_the_same() {
    let long_turn = |steps: usize| {
        let mut messages = vec![user("go")];
        for n in 0..steps {
            let id = n.to_string();
            messages.extend([call(&[&id]), result(&id, 1_000)]);
        }
        messages
    };
    let mut planner = Planner::new(long_turn(30));
    planner.tail = 20_000;
    let first = planner.plan();
    planner.messages = long_turn(31);
    planner.ids.extend(["x".to_owned(), "y".to_owned()]);
    planner.cut = first.cut;
    let moved = planner.plan();
    planner.messages = long_turn(32);
    planner.ids.extend(["v".to_owned(), "w".to_owned()]);
    planner.cut = moved.cut;
    let stayed = planner.plan();
    assert!(!stayed.cut_moved);
    assert_eq!(moved.notice, stayed.notice);
}
