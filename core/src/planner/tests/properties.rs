//! The planner's invariants over any session: limits, whole exchanges, the current request, order, determinism.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;

use super::fixture::*;
use crate::message::tools::{Binding, Relations};
use crate::message::{Message, Role, Sendable, from_native};
use crate::model::Estimator;
use crate::model::estimator::supplement_tokens;
use crate::planner::{Fate, SupplementCandidate, SupplementCategory};

#[derive(Debug, Clone)]
enum Step {
    User(usize),
    Say(usize),
    Call(Vec<u8>),
    Result(u8, usize),
    Summary(usize),
    Custom,
    Aborted(u8),
    Empty,
    Hidden,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..400_usize).prop_map(Step::User),
        3 => (0..400_usize).prop_map(Step::Say),
        4 => prop::collection::vec(0..6_u8, 1..4).prop_map(Step::Call),
        6 => (0..6_u8, 0..1_500_usize).prop_map(|(id, size)| Step::Result(id, size)),
        1 => (0..500_usize).prop_map(Step::Summary),
        1 => Just(Step::Custom),
        1 => (0..6_u8).prop_map(Step::Aborted),
        1 => Just(Step::Empty),
        1 => Just(Step::Hidden),
    ]
}

fn message(step: &Step) -> Message {
    let ids = |ids: &[u8]| ids.iter().map(u8::to_string).collect::<Vec<_>>();
    match step {
        Step::User(size) => user(&"ask ".repeat(size + 1)),
        Step::Say(size) => say(&"tell ".repeat(size + 1)),
        Step::Call(calls) => call(&ids(calls).iter().map(String::as_str).collect::<Vec<_>>()),
        Step::Result(id, size) => result(&id.to_string(), *size),
        Step::Summary(size) => summary(size + 1),
        Step::Custom => custom("note"),
        Step::Aborted(id) => from_native(&json!({"role": "assistant", "stopReason": "aborted",
            "content": [{"type": "toolCall", "id": id.to_string(), "name": "x", "arguments": {}}]})),
        Step::Empty => from_native(&json!({"role": "assistant", "content": []})),
        Step::Hidden => from_native(
            &json!({"role": "bashExecution", "command": "ls", "output": "x", "excludeFromContext": true}),
        ),
    }
}

fn evidence_of(words: usize) -> SupplementCandidate {
    let text = "word ".repeat(words);
    SupplementCandidate {
        category: SupplementCategory::Retrieval,
        id: words.to_string(),
        tokens: supplement_tokens(Estimator::CharsV1, &text),
        text,
        score: 1.0,
        end: 0,
        source_ids: vec!["e".to_owned()],
        reason: "test".to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..ProptestConfig::default() })]
    #[test]
    fn a_plan_obeys_its_invariants(
        steps in prop::collection::vec(step(), 0..60),
        fixed in 0..3_000_u64,
        target in 100..30_000_u64,
        above in 0..5_000_u64,
        tail in 0..20_000_u64,
        explicit in any::<bool>(),
        cut in prop::option::of((0..60_usize, 0..60_usize)),
        band in prop::option::of(0.0..0.9_f64),
        pins in prop::collection::vec(0..60_usize, 0..3),
        rescue in any::<bool>(),
        superseded in any::<bool>(),
        reserve in 0..3_000_u64,
        evidence in prop::collection::vec(0..600_usize, 0..4),
    ) {
        let mut planner = Planner::new(steps.iter().map(message).collect());
        planner.fixed = fixed;
        planner.target = target;
        planner.hard = target + above;
        planner.tail = tail;
        planner.explicit = explicit;
        planner.cut = cut.map(|(one, other)| crate::planner::Cut { tail: one.max(other), band: one.min(other) });
        planner.band = band;
        planner.pinned = pins;
        planner.rescue = rescue;
        planner.condense_superseded = superseded;
        planner.supplement_reserve = reserve;
        let without_evidence = planner.plan();
        planner.supplements = evidence.iter().map(|words| evidence_of(*words)).collect();
        let decision = planner.plan();
        prop_assert_eq!(decision.fates.len(), planner.messages.len());
        let again = planner.plan();
        prop_assert_eq!(&decision.fates, &again.fates);
        prop_assert_eq!(&decision.fates, &without_evidence.fates, "evidence moves nothing");
        if decision.fallback.is_some() {
            return Ok(());
        }
        let tokens: u64 = planner.messages.iter().zip(&decision.fates).map(|(message, fate)| match fate {
            Fate::Keep(_) => u64::from(message.tokens(crate::model::Estimator::CharsV1)),
            Fate::Replace(_, replacement) => u64::from(replacement.tokens),
            Fate::Out(_) => 0,
        }).sum::<u64>() + decision.notice.as_ref().map_or(0, |notice| u64::from(notice.tokens))
            + decision.supplements.iter().map(|placed| u64::from(placed.supplement.tokens)).sum::<u64>();
        prop_assert_eq!(tokens, decision.message_tokens, "the sum that the decision states is the sum of what it sends");
        prop_assert!(fixed + tokens <= planner.hard);
        prop_assert!(!explicit || fixed + tokens <= target);

        let relations = Relations::bind(&planner.messages);
        let positions = sent(&decision);
        for &position in &positions {
            let message = &planner.messages[position];
            prop_assert_eq!(message.sendable, Sendable::Yes);
            if message.role == Role::ToolResult {
                let Some(Binding::Answers(call)) = relations.binding(position) else { panic!("an orphan is sent") };
                prop_assert!(positions.contains(&call.message), "a result without its call");
            }
            if let Fate::Keep(_) = decision.fates[position] {
                for answer in relations.answers(position) {
                    prop_assert!(answer.is_some_and(|result| positions.contains(&result)), "a call without its result");
                }
            }
        }
        let newest = planner.messages.iter().rposition(|message| message.role == Role::User);
        if let Some(newest) = newest {
            prop_assert_eq!(&decision.fates[newest], &Fate::Keep(crate::planner::WhyIn::Current));
        }
        for (position, fate) in decision.fates.iter().enumerate() {
            if let Fate::Replace(_, replacement) = fate {
                prop_assert!(!matches!(planner.messages[position].role, Role::User | Role::Custom), "the user's text is never cut");
                prop_assert!(replacement.tokens <= planner.messages[position].tokens(crate::model::Estimator::CharsV1));
            }
        }

        // The same messages once more, with what is kept of the plan: nothing changes, but a cut edge is for first plans.
        let cut_edge = decision.fates.iter().any(|fate| matches!(fate,
            Fate::Replace(why, form) if *why != crate::planner::WhyIn::Current
                && form.what == crate::planner::ReplacementKind::ShortenedResult));
        if decision.cut.is_some() && !cut_edge {
            planner.keep(&decision);
            let next = planner.plan();
            if !next.cut_moved {
                // A group that the tail's own limit would have closed out is called rescued where that is looked at.
                let why = |fate: &Fate| fate.why_in().map(|why| match why {
                    crate::planner::WhyIn::Rescued => crate::planner::WhyIn::Recent,
                    other => other,
                });
                prop_assert_eq!(&next.fates.iter().map(why).collect::<Vec<_>>(), &decision.fates.iter().map(why).collect::<Vec<_>>());
                prop_assert_eq!(&next.notice, &decision.notice);
            }
        }
    }
}
