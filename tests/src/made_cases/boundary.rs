//! The calls themselves: what a host hands over, what it gets wrong, and what it may ask for later.

use serde_json::json;

use super::formats::missing_log;
use super::{MadeCase, pi_session, select_model};
use crate::cases::{PlanStep, RunStep, SpanStep, Step, UsageStep};
use crate::pi_log::PiLog;

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        inline_messages_and_spans(),
        refused_calls(),
        missing_log_file(),
        no_log_and_sync(),
        held_plans(),
    ]
}

const fn projected(first: u32, count: u32) -> SpanStep {
    SpanStep::Projected(RunStep { first, count })
}

const fn inline(first: u32, count: u32) -> SpanStep {
    SpanStep::Inline(RunStep { first, count })
}

fn two_turns() -> PiLog {
    let mut log = PiLog::new();
    log.turn("t1", 300).turn("t2", 300);
    log
}

fn inline_messages_and_spans() -> MadeCase {
    let changed = json!({"role": "user", "content": "Changed by another extension", "timestamp": 1_767_225_600_000_u64});
    let added = json!({"role": "custom", "customType": "other", "content": [{"type": "text", "text": "Added by it"}]});
    let odd = json!("no object");
    let request = |messages: Vec<SpanStep>, budget: Option<u32>| PlanStep {
        messages,
        inline: vec![changed.clone(), added.clone(), odd.clone()],
        budget,
        ..PlanStep::default()
    };
    MadeCase::new(
        "inline-messages-and-spans",
        "failures 53: another extension changed, added and removed messages before us.",
        &two_turns(),
    )
    .plan_with(request(
        vec![projected(0, 4), inline(0, 2), projected(5, 3)],
        None,
    ))
    .manifest()
    .plan_with(request(vec![inline(0, 3)], None))
    .plan_with(request(vec![projected(4, 4), projected(0, 4)], Some(300)))
    .manifest()
}

fn refused_calls() -> MadeCase {
    let plan = |messages: Vec<SpanStep>| {
        Step::Plan(PlanStep {
            messages,
            ..PlanStep::default()
        })
    };
    MadeCase::new(
        "refused-calls",
        "Every call that breaks the contract is refused by its case, and changes nothing.",
        &two_turns(),
    )
    .step(Step::Render { plan: None })
    .step(Step::Manifest { plan: None })
    .step(Step::Explain { plan: None })
    .step(plan(vec![projected(0, 9)]))
    .step(plan(vec![projected(8, 1)]))
    .step(plan(vec![inline(0, 1)]))
    .step(plan(vec![projected(u32::MAX, u32::MAX)]))
    .step(plan(vec![projected(u32::MAX, 5)]))
    .step(select_model(0))
    .step(Step::SelectLeaf {
        entry_id: Some(String::new()),
    })
    .step(Step::Append {
        lines: vec!["{}".to_owned()],
    })
    .step(Step::RecordUsage {
        plan: 0,
        usage: UsageStep {
            input: 1,
            output: 1,
            cache_read: 0,
            cache_write: 0,
        },
    })
    .step(Step::Manifest { plan: Some(7) })
    .step(Step::Status)
    .plan()
}

fn missing_log_file() -> MadeCase {
    MadeCase::in_memory(
        "missing-log",
        "A log that is not there is refused, and the session stays usable.",
        missing_log(),
    )
    .step(Step::Sync)
    .step(Step::ProjectedMessages)
    .plan()
}

fn no_log_and_sync() -> MadeCase {
    MadeCase::in_memory(
        "no-log-and-sync",
        "A session in memory has nothing to read.",
        pi_session(),
    )
    .step(Step::Sync)
    .step(Step::Append { lines: Vec::new() })
    .step(Step::Status)
}

fn held_plans() -> MadeCase {
    let usage = UsageStep {
        input: 300,
        output: 20,
        cache_read: 600,
        cache_write: 100,
    };
    let mut case = MadeCase::new(
        "held-plans",
        "The newest plans' manifests are held, with the usage reported for them; only the newest is rendered.",
        &two_turns(),
    );
    for _ in 0..9 {
        case = case.step(Step::Plan(PlanStep::default()));
    }
    case.step(Step::RecordUsage { plan: 8, usage })
        .step(Step::RecordUsage { plan: 0, usage })
        .manifest()
        .step(Step::Manifest { plan: Some(0) })
        .step(Step::Manifest { plan: Some(1) })
        .step(Step::Render { plan: Some(7) })
        .step(Step::Render { plan: Some(8) })
}
