//! Grouping and what can be sent at all (failures.md 4–10, 13).

use serde_json::json;

use super::fixture::*;
use crate::message::from_native;
use crate::planner::{Fate, GroupKind};

#[test]
fn everything_goes_out_when_it_fits() {
    let planner = Planner::new(vec![
        user("a"),
        call(&["1", "2"]),
        result("2", 5),
        result("1", 5),
        say("done"),
        user("b"),
    ]);
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert_eq!(sent(&decision), [0, 1, 2, 3, 4, 5]);
    assert_eq!(decision.groups[1].members, [1, 2, 3]);
    assert!(decision.notice.is_none());
}

#[test]
fn an_orphan_a_surplus_and_an_empty_message_are_left_out_with_their_reasons() {
    let planner = Planner::new(vec![
        result("0", 5),
        user("a"),
        call(&["1"]),
        result("1", 5),
        result("1", 5),
        from_native(&json!({"role": "assistant", "content": []})),
        from_native(&json!({"role": "poet", "content": "x"})),
        user("b"),
    ]);
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert_eq!(sent(&decision), [1, 2, 3, 7]);
    assert_eq!(why_out(&decision, 0), "orphan-result");
    assert_eq!(why_out(&decision, 4), "surplus-result");
    assert_eq!(why_out(&decision, 5), "empty-message");
    assert_eq!(why_out(&decision, 6), "unknown-role");
}

#[test]
fn an_aborted_response_goes_with_its_synthetic_results() {
    let aborted = from_native(&json!({"role": "assistant", "stopReason": "aborted",
        "content": [{"type": "text", "text": "I"}, {"type": "toolCall", "id": "1", "name": "bash", "arguments": {}}]}));
    let decision = Planner::new(vec![user("a"), aborted, result("1", 5), user("b")]).plan();
    assert_eq!(sent(&decision), [0, 3]);
    assert_eq!(why_out(&decision, 1), "aborted-response");
    assert_eq!(why_out(&decision, 2), "result-of-aborted-response");
}

#[test]
fn an_unanswered_call_is_taken_out_of_a_message_that_says_more() {
    let message = from_native(&json!({"role": "assistant", "content": [
        {"type": "text", "text": "I look."},
        {"type": "toolCall", "id": "1", "name": "bash", "arguments": {}},
        {"type": "toolCall", "id": "2", "name": "bash", "arguments": {}}]}));
    let decision = Planner::new(vec![
        user("a"),
        message,
        result("2", 5),
        call(&["3"]),
        user("b"),
    ])
    .plan();
    assert_eq!(sent(&decision), [0, 1, 2, 4]);
    let Fate::Replace(_, replacement) = &decision.fates[1] else {
        panic!("{:?}", decision.fates[1])
    };
    assert_eq!(content(replacement).as_array().unwrap().len(), 2);
    assert!(!replacement.content.contains("\"1\""));
    assert_eq!(why_out(&decision, 3), "unanswered-call");
}

#[test]
fn what_stands_between_a_call_and_its_result_belongs_to_the_exchange() {
    let decision = Planner::new(vec![
        user("a"),
        call(&["1"]),
        say("wait"),
        custom("note"),
        result("1", 5),
        say("after"),
        user("b"),
    ])
    .plan();
    assert_eq!(decision.groups[1].members, [1, 2, 3, 4]);
    assert_eq!(decision.groups[2].members, [5]);
}

#[test]
fn interleaved_exchanges_and_users_between_stay_their_own_groups() {
    let decision = Planner::new(vec![
        user("a"),
        call(&["1"]),
        call(&["2"]),
        result("2", 5),
        user("now"),
        result("1", 5),
        user("b"),
    ])
    .plan();
    assert_eq!(decision.groups[1].members, [1, 5]);
    assert_eq!(decision.groups[2].members, [2, 3]);
    assert_eq!(decision.groups[3].kind, GroupKind::User);
    assert_eq!(decision.fallback, None);
}

#[test]
fn the_same_call_id_far_apart_does_not_join_two_turns() {
    let mut messages = vec![user("a"), call(&["1"]), result("1", 500)];
    for _ in 0..20 {
        messages.extend([user("x"), say("y")]);
    }
    messages.extend([call(&["1"]), result("1", 5)]);
    let mut planner = Planner::new(messages);
    planner.tail = 200;
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert_eq!(decision.groups[1].members, [1, 2]);
    assert_eq!(why_out(&decision, 2), "recent-tail-closed");
    assert!(sent(&decision).contains(&44));
}

#[test]
fn without_a_user_message_the_last_exchange_goes_out_and_older_ones_are_tail() {
    let mut planner = Planner::new(vec![
        summary(10),
        call(&["1"]),
        result("1", 50),
        call(&["2"]),
        result("2", 50),
    ]);
    assert_eq!(sent(&planner.plan()), [0, 1, 2, 3, 4]);
    planner.tail = 120;
    planner.rescue = false;
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert_eq!(sent(&decision), [0, 3, 4]);
}

#[test]
fn only_results_after_a_cut_is_a_fallback_and_not_a_request_of_orphans() {
    let decision = Planner::new(vec![result("1", 5), result("2", 5)]).plan();
    assert_eq!(
        decision.fallback.map(crate::planner::Fallback::name),
        Some("no-messages")
    );
}
