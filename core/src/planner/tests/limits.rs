//! Limits, mandatory groups, cut results, summaries and fallbacks (failures.md 1–3, 12, 18).

use super::fixture::*;
use crate::planner::{Fallback, Fate, ReplacementKind, WhyIn};

#[test]
fn an_oversized_newest_exchange_is_cut_largest_result_first() {
    let messages = vec![
        user("do"),
        call(&["1", "2", "3", "4"]),
        result("1", 100),
        result("2", 40_000),
        result("3", 50_000),
        result("4", 60_000),
    ];
    let mut planner = Planner::new(messages);
    planner.tail = 12_000;
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert_eq!(sent(&decision), [0, 1, 2, 3, 4, 5]);
    assert!(
        decision.message_tokens <= 70_000,
        "{}",
        decision.message_tokens
    );
    assert_eq!(decision.fates[2], Fate::Keep(WhyIn::Current));
    let Fate::Replace(_, replacement) = &decision.fates[5] else {
        panic!()
    };
    assert_eq!(replacement.what, ReplacementKind::ShortenedResult);
    let blocks = content(replacement);
    let text = blocks[0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("x y\n") && text.ends_with("x y\n"),
        "{}",
        &text[text.len() - 40..]
    );
    assert!(
        text.contains("entry e5 of the session log"),
        "a cut result says where the whole is"
    );
}

#[test]
fn one_result_larger_than_everything_still_goes_out_cut() {
    let decision = Planner::new(vec![user("do"), call(&["1"]), result("1", 500_000)]).plan();
    assert_eq!(decision.fallback, None);
    assert!(
        decision.message_tokens <= 70_000 && decision.message_tokens > 60_000,
        "{}",
        decision.message_tokens
    );
}

#[test]
fn text_of_the_user_is_never_cut() {
    let mut planner = Planner::new(vec![user(&"word ".repeat(100_000))]);
    assert_eq!(planner.plan().fallback, Some(Fallback::MandatoryOverLimit));
    planner.messages = vec![user(&"word ".repeat(64_000))]; // 80,000 tokens: over the target, under the hard limit
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert_eq!(decision.fates[0], Fate::Keep(WhyIn::Current));
    planner.explicit = true;
    assert_eq!(planner.plan().fallback, Some(Fallback::MandatoryOverLimit));
}

#[test]
fn forty_results_of_one_turn_keep_the_newest_and_the_user_message_with_a_counted_notice() {
    let mut messages = vec![user("go on")];
    for n in 0..40 {
        let id = n.to_string();
        messages.extend([call(&[&id]), result(&id, 20_000)]);
    }
    let mut planner = Planner::new(messages);
    planner.tail = 60_400; // three exchanges, and too little left to cut a fourth to
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    let positions = sent(&decision);
    assert_eq!(positions[0], 0);
    assert_eq!(positions[1..], (75..81).collect::<Vec<_>>());
    let notice = decision.notice.clone().unwrap();
    assert_eq!(notice.before, 75);
    assert!(
        notice.text.contains("74 earlier messages (about "),
        "{}",
        notice.text
    );
    assert!(notice.text.contains("entries e1 to e74"), "{}", notice.text);
    assert_eq!(why_out(&decision, 74), "recent-tail-and-input-budget");
    assert_eq!(why_out(&decision, 2), "recent-tail-closed");
}

#[test]
fn an_older_turn_that_is_kept_in_part_keeps_its_user_message() {
    let mut planner = Planner::new(vec![
        user("first"),
        say(&"long ".repeat(4_000)),
        call(&["2"]),
        result("2", 300),
        say("ok"),
        user("second"),
        say("yes"),
    ]);
    planner.tail = 1_000;
    let decision = planner.plan();
    assert_eq!(sent(&decision), [0, 2, 3, 4, 5, 6]);
    assert_eq!(decision.fates[0], Fate::Keep(WhyIn::TurnHead));
    assert_eq!(decision.notice.unwrap().before, 2);
}

#[test]
fn the_immediate_predecessor_is_rescued_from_the_tail_limit_only() {
    let mut planner = Planner::new(vec![
        user("first"),
        say(&"long ".repeat(4_000)),
        user("second"),
    ]);
    planner.tail = 1_000;
    let decision = planner.plan();
    assert!(decision.rescued);
    assert_eq!(decision.fates[1], Fate::Keep(WhyIn::Rescued));
    planner.rescue = false;
    assert_eq!(why_out(&planner.plan(), 1), "recent-tail-limit");
    planner.rescue = true;
    planner.tail = 0;
    assert_eq!(sent(&planner.plan()), [2]);
    planner.tail = 1_000;
    planner.target = 4_000;
    assert_eq!(why_out(&planner.plan(), 1), "recent-tail-and-input-budget");
}

#[test]
fn pins_are_always_in_and_too_many_are_a_fallback() {
    let mut messages = vec![user("keep this"), call(&["1"]), result("1", 400), user("b")];
    for n in 0..10 {
        messages.extend([say(&"z".repeat(4_000)), user(&format!("turn {n}"))]);
    }
    let mut planner = Planner::new(messages);
    planner.tail = 2_000;
    planner.pinned = vec![2];
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert_eq!(decision.fates[1], Fate::Keep(WhyIn::Pin));
    assert_eq!(decision.fates[2], Fate::Keep(WhyIn::Pin));
    planner.messages[2] = result("1", 17_000);
    assert_eq!(planner.plan().fallback, Some(Fallback::PinsOverCap));
}

#[test]
fn the_newest_summary_is_kept_before_the_tail_takes_all_room() {
    let mut messages = vec![summary(2_000), summary(1_000)];
    for n in 0..40 {
        messages.extend([user(&format!("turn {n}")), say(&"z".repeat(4_000))]);
    }
    let mut planner = Planner::new(messages);
    planner.target = 8_000;
    planner.tail = 8_000;
    planner.explicit = true;
    let decision = planner.plan();
    assert_eq!(decision.fallback, None);
    assert_eq!(decision.fates[1], Fate::Keep(WhyIn::Summary));
    assert_eq!(why_out(&decision, 0), "summary-policy-or-budget");
    assert!(decision.message_tokens <= 8_000);
}

#[test]
fn fixed_overhead_above_the_hard_limit_is_a_fallback() {
    let mut planner = Planner::new(vec![user("a")]);
    planner.fixed = 90_001;
    assert_eq!(planner.plan().fallback, Some(Fallback::FixedOverHardLimit));
    planner.fixed = 69_995;
    assert_eq!(
        planner.plan().fallback,
        None,
        "the current request may use what lies between target and hard limit"
    );
}

#[test]
fn one_oversized_turn_closes_the_tail_and_says_so() {
    let mut messages = vec![
        user("old"),
        say("answer"),
        user("big"),
        say(&"long ".repeat(24_000)),
        user("new"),
        say("ok"),
    ];
    messages.push(user("now"));
    let mut planner = Planner::new(messages);
    planner.tail = 5_000;
    let decision = planner.plan();
    assert_eq!(why_out(&decision, 3), "recent-tail-limit");
    assert_eq!(why_out(&decision, 1), "recent-tail-closed");
    assert_eq!(sent(&decision), [4, 5, 6]);
}

#[test]
fn the_exchange_at_the_edge_of_a_first_plan_is_cut_to_the_room_that_is_left() {
    let mut planner = Planner::new(vec![
        user("old"),
        call(&["1"]),
        result("1", 30_000),
        user("new"),
        say("ok"),
        user("now"),
    ]);
    planner.tail = 5_000;
    let decision = planner.plan();
    assert_eq!(sent(&decision), [0, 1, 2, 3, 4, 5]);
    assert!(
        matches!(&decision.fates[2], Fate::Replace(WhyIn::Recent, replacement) if replacement.what == ReplacementKind::ShortenedResult)
    );
    assert!(
        decision.message_tokens <= 5_000 + 40,
        "{}",
        decision.message_tokens
    );
    planner.cut = decision.cut;
    assert_eq!(
        sent(&planner.plan()),
        [3, 4, 5],
        "a cut edge would change with every request"
    );
}
