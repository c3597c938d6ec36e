//! Limits, estimators and fallbacks (behaviour 2.1 and 2.2).

use serde_json::json;

use super::MadeCase;
use crate::cases::{PlanStep, Step};
use crate::pi_log::{PiLog, assistant, filler};

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        budget_of_the_caller(),
        cjk_emoji_and_images(),
        exact_token_counts(),
        fallback_fixed_over_the_hard_limit(),
        fallback_mandatory_over_the_limit(),
        fallback_no_messages(),
        observer(),
        long_user_text_is_never_cut(),
    ]
}

fn many_turns() -> PiLog {
    let mut log = PiLog::new();
    for turn in 1..=8 {
        log.turn(&format!("t{turn}"), 3_000);
    }
    log
}

fn plan_only(budget: u32) -> Step {
    Step::Plan(PlanStep {
        budget: Some(budget),
        ..PlanStep::default()
    })
}

fn budget_of_the_caller() -> MadeCase {
    MadeCase::new(
        "budget-of-the-caller",
        "An explicit budget replaces target and ceilings and never raises the hard limit.",
        &many_turns(),
    )
    .window(16_000)
    .budget(2_000)
    .manifest()
    .step(plan_only(1_000_000))
    .manifest()
}

fn cjk_emoji_and_images() -> MadeCase {
    let image = "iVBORw0KGgo".repeat(800);
    let mut log = PiLog::new();
    log.user("t1u", &"漢字とかな混じり文。".repeat(40))
        .say("t1a", &"👩‍👩‍👧‍👦 family 🎉 ".repeat(40));
    log.message("t2u", &json!({"role": "user", "content": [{"type": "text", "text": "Look"}, {"type": "image", "data": image, "mimeType": "image/png"}]}));
    log.message("t2c", &assistant(&json!([{"type": "thinking", "thinking": "думаю"}, {"type": "toolCall", "id": "w", "name": "write", "arguments": {"path": "a.rs", "content": "fn main() {}\n".repeat(60)}}]), "toolUse"));
    log.message("t2r", &json!({"role": "toolResult", "toolCallId": "w", "toolName": "write", "isError": false, "content": [{"type": "image", "data": image, "mimeType": "image/png"}]}));
    log.user("t3u", "𝒳 ends in an astral letter 𝒴");
    MadeCase::new(
        "cjk-emoji-and-images",
        "failures 15: scripts, emoji, images in base64 and tool inputs, counted by UTF-16 units.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
    .budget(1_400)
}

fn exact_token_counts() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", &"漢字とかな混じり文。".repeat(40))
        .say("t1a", &"👩‍👩‍👧‍👦 family 🎉 ".repeat(40));
    log.turn("t2", 4_000).turn("t3", 4_000).user("t4u", "Next");
    MadeCase::new(
        "exact-token-counts",
        "Overrides of a profile: the o200k estimator, a window, a margin; the most specific wins.",
        &log,
    )
    .config(json!({"modelAwareness": {"overrides": {
        "*": {"tokenEstimator": "o200k-base-v1", "contextWindow": 64_000},
        "test/*": {"safetyMarginTokens": 500, "contextWindow": 32_000},
        "test/model": {"contextWindow": 8_000, "maxOutputTokens": 1_000, "recentTailTokens": 3_000},
    }}}))
    .window(200_000)
    .plan()
    .manifest()
    .step(Step::Status)
}

fn fallback_fixed_over_the_hard_limit() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300);
    MadeCase::new(
        "fallback-fixed-over-the-hard-limit",
        "The system prompt alone exceeds the hard limit.",
        &log,
    )
    .window(4_000)
    .step(Step::Plan(PlanStep {
        system_prompt: Some(filler("prompt", 16_000)),
        ..PlanStep::default()
    }))
    .manifest()
    .explain()
}

fn fallback_mandatory_over_the_limit() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300)
        .user("t2u", &filler("asked", 30_000))
        .exchange("x1", 20_000);
    MadeCase::new(
        "fallback-mandatory-over-the-limit",
        "The user's own text does not fit, and it is never cut.",
        &log,
    )
    .window(8_000)
    .step(Step::Plan(PlanStep::default()))
    .manifest()
    .step(plan_only(100))
    .step(Step::Status)
}

fn fallback_no_messages() -> MadeCase {
    MadeCase::new(
        "fallback-no-messages",
        "A log without any message, and one whose only message cannot be sent.",
        &PiLog::new(),
    )
    .plan()
    .manifest()
    .grow(
        "more.jsonl",
        PiLog::continued("nowhere", 0).message("a1", &assistant(&json!([]), "stop")),
    )
    .plan()
    .inspect()
}

fn observer() -> MadeCase {
    MadeCase::new(
        "observer",
        "Observer mode plans and records, and keeps every message.",
        &many_turns(),
    )
    .config(json!({"context": {"mode": "observer"}}))
    .window(9_000)
    .step(Step::Plan(PlanStep::default()))
    .manifest()
    .step(Step::Status)
}

fn long_user_text_is_never_cut() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300)
        .user("t2u", &filler("asked", 12_000))
        .exchange("x1", 20_000);
    MadeCase::new(
        "long-user-text-is-never-cut",
        "A long question takes most of the budget; the result after it is cut instead.",
        &log,
    )
    .window(10_000)
    .plan()
    .manifest()
}
