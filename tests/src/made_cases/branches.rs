//! Trees: branches, compactions, edits, labels, summaries (pi.md, section b; behaviour 3.5).

use serde_json::json;

use super::{MadeCase, select_model};
use crate::cases::{PlanStep, Step};
use crate::pi_log::{PiLog, filler};

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        branches_and_leaf_selection(),
        branch_summary(),
        compaction_with_kept_suffix(),
        older_compaction_inside_the_kept_part(),
        context_edits(),
        pins(),
        pins_over_the_cap(),
        custom_and_bash_messages(),
        model_of_the_log(),
        system_messages_of_the_log(),
    ]
}

fn leaf(id: Option<&str>) -> Step {
    Step::SelectLeaf {
        entry_id: id.map(str::to_owned),
    }
}

fn branches_and_leaf_selection() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300)
        .turn("t2", 300)
        .at("t1a")
        .turn("t3", 300)
        .at("t1u")
        .say("t4a", "Another answer");
    MadeCase::new(
        "branches-and-leaf-selection",
        "Three branches; the last entry is the leaf until one is chosen.",
        &log,
    )
    .inspect()
    .plan()
    .step(leaf(Some("t2a")))
    .plan()
    .manifest()
    .step(leaf(Some("t1c")))
    .plan()
    .step(leaf(Some("nowhere")))
    .step(leaf(None))
    .step(Step::ProjectedMessages)
}

fn branch_summary() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300).turn("t2", 300).at("t1a");
    log.entry(
        "s1",
        "branch_summary",
        &json!({"fromId": "t2a", "summary": "The other way led nowhere."}),
    )
    .user("t3u", "So this way");
    MadeCase::new(
        "branch-summary",
        "A branch's summary is a group of its own.",
        &log,
    )
    .plan()
    .manifest()
}

fn compaction_with_kept_suffix() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 2_000)
        .turn("t2", 300)
        .compaction("s1", &filler("summary", 900), "t2u")
        .turn("t3", 300);
    MadeCase::new(
        "compaction-with-kept-suffix",
        "The newest compaction stands for what is before it, and keeps a suffix.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
    .budget(700)
    .manifest()
}

fn older_compaction_inside_the_kept_part() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300)
        .turn("t2", 300)
        .compaction("s1", "The first summary.", "t2u")
        .turn("t3", 300);
    log.compaction("s2", "The second summary.", "t2u")
        .user("t4u", "Next");
    MadeCase::new(
        "older-compaction-inside-the-kept-part",
        "failures 11: an older summary lies inside the newest one's suffix.",
        &log,
    )
    .plan()
    .manifest()
}

fn context_edits() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 2_000).turn("t2", 2_000).turn("t3", 300);
    let edit = |log: &mut PiLog, id: &str, target: &str, replacement: serde_json::Value| {
        log.entry(
            id,
            "context_edit",
            &json!({"targetId": target, "replacement": replacement}),
        );
    };
    edit(&mut log, "e1", "t1r", json!({"content": "[elided]"}));
    edit(
        &mut log,
        "e2",
        "t2r",
        json!({"content": [{"type": "text", "text": "[short]"}]}),
    );
    edit(&mut log, "e3", "t2a", json!(null));
    edit(&mut log, "e4", "t3a", json!({"content": "never seen"}));
    edit(
        &mut log,
        "e5",
        "t3a",
        json!({"content": "the last edit counts"}),
    );
    edit(&mut log, "e6", "nowhere", json!(null));
    edit(&mut log, "e7", "t1u", json!({"no": "content"}));
    log.user("t4u", "Next");
    MadeCase::new(
        "context-edits",
        "Edits replace a message's content or drop it; the last one counts.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
}

fn pinned_log() -> PiLog {
    let mut log = PiLog::new();
    log.turn("t1", 1_200);
    for turn in 2..=8 {
        log.turn(&format!("t{turn}"), 3_000);
    }
    log.label("l1", "t1r", Some("ds4:pin decisions"))
        .label("l2", "t3u", Some("ds4:pin"));
    log.label("l3", "t4u", Some("ds4:pin"))
        .label("l4", "t4u", None)
        .label("l5", "t5u", Some("bookmark"));
    log
}

fn pins() -> MadeCase {
    MadeCase::new(
        "pins",
        "A label that starts with ds4:pin keeps its whole group; one taken away does not.",
        &pinned_log(),
    )
    .window(9_000)
    .plan()
    .manifest()
    .inspect()
}

fn pins_over_the_cap() -> MadeCase {
    MadeCase::new(
        "pins-over-the-cap",
        "More pinned than allowed: the host's own context goes out, with the reason.",
        &pinned_log(),
    )
    .config(json!({"context": {"maxPinnedTokens": 100}}))
    .window(9_000)
    .step(Step::Plan(PlanStep::default()))
    .manifest()
    .step(Step::Status)
}

fn custom_and_bash_messages() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "Hello").entry(
        "c1",
        "custom",
        &json!({"customType": "state", "data": {"never": "sent"}}),
    );
    log.entry(
        "c2",
        "custom_message",
        &json!({"customType": "note", "content": "a note of an extension", "display": false}),
    );
    log.message("b1", &json!({"role": "bashExecution", "command": "ls", "output": "one\ntwo", "exitCode": 0, "cancelled": false, "truncated": false}));
    log.message("b2", &json!({"role": "bashExecution", "command": "false", "output": "", "exitCode": 1, "cancelled": false, "truncated": true, "fullOutputPath": "/tmp/x"}));
    log.message("b3", &json!({"role": "bashExecution", "command": "secret", "output": "kept out", "exitCode": 0, "excludeFromContext": true}));
    log.entry("i1", "session_info", &json!({"name": "A name"}))
        .entry(
            "h1",
            "thinking_level_change",
            &json!({"thinkingLevel": "high"}),
        );
    log.say("t1a", "Hi").user("t2u", "Next");
    MadeCase::new(
        "custom-and-bash-messages",
        "Extension messages and the person's own commands; one was kept out of the context.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
}

fn model_of_the_log() -> MadeCase {
    let mut log = PiLog::new();
    log.entry(
        "m1",
        "model_change",
        &json!({"provider": "test", "modelId": "first"}),
    )
    .turn("t1", 300);
    log.entry(
        "m2",
        "model_change",
        &json!({"provider": "other", "modelId": "second"}),
    )
    .user("t2u", "Next");
    MadeCase::new(
        "model-of-the-log",
        "Without a chosen model the branch's last one counts, at a window of 200,000.",
        &log,
    )
    .step(Step::Status)
    .plan()
    .manifest()
    .step(select_model(64_000))
    .step(Step::Status)
}

fn system_messages_of_the_log() -> MadeCase {
    let tool =
        json!({"name": "read", "description": "Reads a file.", "parameters": {"type": "object"}});
    let mut log = PiLog::new();
    log.message(
        "y1",
        &json!({"role": "system", "content": "You are careful.", "toolsAdded": [tool]}),
    )
    .turn("t1", 300);
    MadeCase::new("system-messages-of-the-log", "System messages are fixed overhead and never planned; a request's own prompt wins.", &log)
        .plan()
        .manifest()
        .plan_with(PlanStep {
            system_prompt: Some("You are quick.".to_owned()),
            tools: Some(vec![json!({"name": "bash", "description": "Runs a command.", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}})]),
            ..PlanStep::default()
        })
        .manifest()
}
