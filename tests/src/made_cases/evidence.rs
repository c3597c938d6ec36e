//! Evidence in plans (behaviour 2.2 and 2.6): what the window no longer holds comes back, framed as quoted data.

use serde_json::{Value, json};

use super::{MadeCase, without_band};
use crate::cases::{PlanStep, Step};
use crate::pi_log::{PiLog, assistant, filler};

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        from_before_the_window(),
        already_in_the_prompt(),
        stays_for_a_turn(),
        placed(
            "evidence-at-the-stable-prefix",
            "stable-prefix",
            "All supplements right after the leading messages.",
        ),
        placed(
            "evidence-in-hybrid-placement",
            "hybrid",
            "Evidence stays before the newest user message; only what is stable goes to the prefix.",
        ),
        with_band_and_recall_tools(),
    ]
}

const WINDOW: u32 = 24_000;
const BUDGET: u32 = 6_000;

/// Something said at the beginning, much that has nothing to do with it, and then that question.
fn long_ago(question: &str) -> PiLog {
    let mut log = PiLog::new();
    log.user(
        "t1u",
        "Note this: the staging database of Marta listens on port 6543.",
    )
    .say(
        "t1a",
        "Noted: Marta's staging database, port 6543, user `svc_reader`.",
    );
    for turn in 2..=6 {
        log.turn(&format!("t{turn}"), 6_000);
    }
    log.user("t7u", question);
    log
}

fn from_before_the_window() -> MadeCase {
    MadeCase::new(
        "evidence-from-before-the-window",
        "A question about something that was left out brings its words back, with score and reason in the manifest.",
        &long_ago("Which port does the staging database listen on?"),
    )
    .config(without_band())
    .window(WINDOW)
    .budget(BUDGET)
    .manifest()
    .step(Step::Index)
    .budget(BUDGET)
    .manifest()
    .explain()
    .step(Step::Status)
}

fn already_in_the_prompt() -> MadeCase {
    let mut log = long_ago("Where is svc_reader?");
    log.say("t7a", "The user svc_reader stands in `staging.toml`.")
        .user(
            "t8u",
            "Is svc_reader the only user of the staging database?",
        );
    MadeCase::new(
        "evidence-already-in-the-prompt",
        "failures 35: what the plan holds word for word is not brought back beside itself.",
        &log,
    )
    .config(without_band())
    .window(WINDOW)
    .step(Step::Index)
    .budget(BUDGET)
    .manifest()
    .budget(16_000)
    .manifest()
}

fn stays_for_a_turn() -> MadeCase {
    let log = long_ago("Which port does the staging database listen on?");
    let mut first = PiLog::continued(log.leaf(), log.entries());
    first.exchange("x1", 400);
    let mut second = PiLog::continued(first.leaf(), first.entries());
    second.exchange("x2", 400);
    let mut answer = PiLog::continued(second.leaf(), second.entries());
    answer.say("t7a", "6543.").user(
        "t8u",
        "And what is Question t3, where does part_40 of t4 live?",
    );
    let plan = |case: MadeCase| case.step(Step::Index).budget(BUDGET);
    let case = MadeCase::new(
        "evidence-stays-for-a-turn",
        "The same evidence at the same place in every request of a turn; another one with the next user message.",
        &log,
    )
    .config(without_band())
    .window(WINDOW);
    let case = plan(case).grow("first.jsonl", &first);
    let case = plan(case).grow("second.jsonl", &second);
    let case = plan(case).manifest().grow("answer.jsonl", &answer);
    plan(case).manifest()
}

fn placed(name: &'static str, placement: &str, about: &str) -> MadeCase {
    let mut log = long_ago("Which port does the staging database listen on?");
    log.exchange("x1", 400);
    let mut config = without_band();
    config["context"]["supplementalPlacement"] = placement.into();
    MadeCase::new(name, about, &log)
        .config(config)
        .window(WINDOW)
        .step(Step::Index)
        .budget(BUDGET)
        .manifest()
}

fn with_band_and_recall_tools() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "Read the settings")
        .call("t1c", &["settings"])
        .result(
            "t1r",
            "settings",
            &format!("ERROR: port 6543 refused\n{}", filler("settings", 3_000)),
        )
        .say("t1a", "The port 6543 was refused.");
    for turn in 2..=5 {
        log.turn(&format!("t{turn}"), 5_000);
    }
    // The same file again: the first result says nothing that the second does not.
    let again = json!([{"type": "toolCall", "id": "again", "name": "read", "arguments": {"path": "src/settings.rs"}}]);
    log.user("t6u", "Read the settings again")
        .message("t6c", &assistant(&again, "toolUse"))
        .result("t6r", "again", &filler("settings", 3_000))
        .user("t7u", "Which port was refused?");
    let tools = [
        tool("read", "Reads a file."),
        tool("context_history_recall", "Finds earlier messages."),
        tool("context_history_read", "Reads an earlier message."),
    ];
    let request = PlanStep {
        budget: Some(3_600),
        tools: Some(tools.to_vec()),
        ..PlanStep::default()
    };
    MadeCase::new(
        "evidence-with-band-and-recall-tools",
        "Band, a result that a later one made stale, evidence, and a notice that names the tools the request offers.",
        &log,
    )
    .window(WINDOW)
    .step(Step::Index)
    .plan_with(request)
    .manifest()
}

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "parameters": {"type": "object", "properties": {}}})
}
