//! Formats of logs (behaviour 3.1, 3.6, 3.7), and sessions without one.

use serde_json::{Value, json};

use super::{LOG, MadeCase, pi_session};
use crate::cases::{SessionStep, Step};
use crate::pi_log::{PiLog, assistant, filler};

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        version_one_log(),
        runtime_log(),
        appended_entries(),
        log_that_changes(),
    ]
}

fn version_one_log() -> MadeCase {
    let message = |message: Value| json!({"type": "message", "timestamp": "2025-06-01T00:00:00.000Z", "message": message});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let lines = [
        json!({"type": "session", "id": "old", "timestamp": "2025-06-01T00:00:00.000Z", "cwd": "/work/project", "provider": "test", "modelId": "old-model", "thinkingLevel": "off"}),
        message(json!({"role": "user", "content": text("The first question")})),
        message(assistant(
            &json!([{"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}]),
            "toolUse",
        )),
        message(
            json!({"role": "toolResult", "toolCallId": "c1", "toolName": "bash", "isError": false, "content": text("one\ntwo")}),
        ),
        message(assistant(&text("Two files"), "stop")),
        message(json!({"role": "hookMessage", "customType": "hook", "content": "from a hook"})),
        json!({"type": "compaction", "timestamp": "2025-06-01T00:00:09.000Z", "summary": "Looked at the folder.", "firstKeptEntryIndex": 4, "tokensBefore": 900}),
        message(json!({"role": "user", "content": text("And now?")})),
    ];
    let log: String = lines.iter().map(|line| format!("{line}\n")).collect();
    MadeCase::of_bytes(
        "version-one-log",
        "A log of version 1 has no IDs: entries are named by their lines.",
        log.into_bytes(),
    )
    .plan()
    .manifest()
    .inspect()
    .step(Step::SelectLeaf {
        entry_id: Some("v1-4".to_owned()),
    })
    .plan()
}

fn runtime_log() -> MadeCase {
    let message = |id: &str, role: &str, blocks: Value| json!({"type": "message", "message": {"id": format!("run:{id}"), "sourceEntryId": id, "role": role, "blocks": blocks, "createdAt": 1_767_225_600_000_u64, "provenance": {"source": "runtime-session", "sessionId": "run", "entryId": id, "runtimeId": "test"}, "flags": {}}});
    let lines = [
        json!({"type": "ds4-runtime-session-v1", "runtimeId": "test", "sessionId": "run", "projectRoot": "/work/project"}),
        message(
            "m1",
            "system",
            json!([{"type": "text", "text": "Be brief."}]),
        ),
        message(
            "m2",
            "user",
            json!([{"type": "text", "text": "Read it"}, {"type": "fileReference", "path": "a.txt"}]),
        ),
        message(
            "m3",
            "assistant",
            json!([{"type": "thinking", "thinking": "so"}, {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.txt"}}]),
        ),
        message(
            "m4",
            "tool",
            json!([{"type": "toolResult", "toolCallId": "c1", "toolName": "read", "content": "the text", "isError": false}]),
        ),
        message(
            "m5",
            "assistant",
            json!([{"type": "text", "text": "Read it."}, {"type": "opaqueProvider", "data": {"kept": true}}]),
        ),
        message("m6", "narrator", json!([])),
        message("m7", "tool", json!([{"type": "text", "text": "no result"}])),
        json!({"type": "message", "message": {"role": "user", "blocks": []}}),
        json!({"type": "checkpoint"}),
        message("m8", "user", json!([{"type": "text", "text": "Thanks"}])),
    ];
    let log: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut case = MadeCase::of_bytes(
        "runtime-log",
        "Portable messages of another agent, some of them against the shape.",
        log.into_bytes(),
    );
    case.document.session.format = "runtime-session-v1".to_owned();
    case.plan().manifest().inspect()
}

fn lines_of(log: &PiLog) -> Vec<String> {
    log.text().lines().map(str::to_owned).collect()
}

fn appended_entries() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300);
    let first = lines_of(&log);
    let mut more = PiLog::continued(log.leaf(), log.entries());
    more.turn("t2", 300);
    let append = |lines: Vec<String>| Step::Append { lines };
    let contradicting = first[1].replace("Question t1", "Another question");
    MadeCase::in_memory(
        "appended-entries",
        "A session without a log: lines known already are ignored, contradicting ones refused.",
        pi_session(),
    )
    .step(append(first.clone()))
    .step(append(first))
    .step(append(lines_of(&more)))
    .step(append(vec![contradicting]))
    .step(append(vec!["no JSON".to_owned()]))
    .plan()
    .inspect()
}

fn log_that_changes() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 600).turn("t2", 600).turn("t3", 600);
    let mut shorter = PiLog::new();
    shorter.turn("t1", 600);
    let mut other = PiLog::new();
    other
        .turn("o1", 900)
        .turn("o2", 900)
        .turn("o3", 900)
        .turn("o4", 900);
    let replace = |file: &str| Step::ReplaceLog {
        file: file.to_owned(),
    };
    let mut case = MadeCase::new(
        "log-that-changes",
        "failures 43: the log is cut, replaced by a longer one, and ends within a line.",
        &log,
    );
    case.files.push(("shorter.jsonl", shorter.text().into()));
    case.files.push(("other.jsonl", other.text().into()));
    let torn = &filler("torn", 40);
    case.files.push(("torn.jsonl", format!("{{\"type\":\"message\",\"id\":\"torn\",\"message\":{{\"role\":\"user\",\"content\":\"{torn}").into()));
    case.files.push(("rest.jsonl", b"\"}}\n".to_vec()));
    case.plan()
        .step(replace("shorter.jsonl"))
        .step(Step::Sync)
        .step(Step::Render { plan: Some(0) })
        .plan()
        .step(replace("other.jsonl"))
        .step(Step::Sync)
        .plan()
        .step(Step::GrowLog {
            file: "torn.jsonl".to_owned(),
        })
        .step(Step::Sync)
        .inspect()
        .step(Step::GrowLog {
            file: "rest.jsonl".to_owned(),
        })
        .step(Step::Sync)
        .inspect()
        .step(replace(LOG))
        .step(Step::Sync)
        .plan()
}

/// A session whose log is not there.
pub(super) fn missing_log() -> SessionStep {
    SessionStep {
        log_is_missing: true,
        ..pi_session()
    }
}
