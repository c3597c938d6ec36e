//! The session index (behaviour 2.14): which logs it takes, and why it is made anew.

use serde_json::{Value, json};

use super::search::search;
use super::{LOG, MadeCase, pi_session};
use crate::cases::Step;
use crate::pi_log::PiLog;

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        log_that_is_replaced(),
        made_anew_on_demand(),
        runtime_log(),
        without_a_log(),
        log_without_entries(),
    ]
}

fn log_that_is_replaced() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 900)
        .user("t2u", "The parcel is amber-forty.")
        .turn("t3", 900);
    let mut more = PiLog::continued(log.leaf(), log.entries());
    more.user("t4u", "The parcel is now basalt-fifty.");
    let mut shorter = PiLog::new();
    shorter.turn("t1", 900);
    let mut other = PiLog::new();
    other.user("o1u", "The parcel is cobalt-sixty.");
    let other = other
        .text()
        .replace("\"id\":\"session\"", "\"id\":\"another\"");
    // Of the same length, so that only its bytes tell.
    let rewritten = other.replace("cobalt-sixty", "copper-sixty");
    let mut case = MadeCase::new(
        "index-of-a-log-that-is-replaced",
        "failures 43: grown, cut, replaced and rewritten between two calls; health says why the rows were made anew.",
        &log,
    );
    case.files.push(("shorter.jsonl", shorter.text().into()));
    case.files.push(("other.jsonl", other.into()));
    case.files.push(("rewritten.jsonl", rewritten.into()));
    let indexed = |case: MadeCase| {
        case.step(Step::Index)
            .step(search("parcel"))
            .step(Step::Health)
    };
    let replaced = |case: MadeCase, file: &str| {
        let case = case.step(Step::ReplaceLog {
            file: file.to_owned(),
        });
        indexed(case.step(Step::Sync))
    };
    let case = indexed(case).grow("more.jsonl", &more);
    let case = replaced(indexed(case), "shorter.jsonl");
    let case = replaced(case, "other.jsonl");
    let case = replaced(case, "rewritten.jsonl");
    replaced(case, LOG)
}

fn made_anew_on_demand() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 900)
        .user("t2u", "The parcel is amber-forty.");
    log.label("l1", "t2u", Some("parcel"));
    MadeCase::new(
        "index-made-anew-on-demand",
        "The same rows, for the reason that somebody asked.",
        &log,
    )
    .step(Step::Health)
    .step(Step::Index)
    .step(Step::Index)
    .step(Step::Health)
    .step(Step::RebuildIndex)
    .step(search("parcel"))
    .step(Step::Index)
    .step(search("parcel"))
    .step(Step::Health)
}

fn runtime_log() -> MadeCase {
    let message = |id: &str, role: &str, blocks: Value| json!({"type": "message", "message": {"id": format!("run:{id}"), "sourceEntryId": id, "role": role, "blocks": blocks, "createdAt": 1_767_225_600_000_u64, "provenance": {"source": "runtime-session", "sessionId": "run", "entryId": id, "runtimeId": "test"}, "flags": {}}});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let lines = [
        json!({"type": "ds4-runtime-session-v1", "runtimeId": "test", "sessionId": "run", "projectRoot": "/work/project"}),
        message("m1", "user", text("Run the migration of the ledger")),
        message(
            "m2",
            "assistant",
            json!([{"type": "thinking", "thinking": "A secret thought about zirconium"}, {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "migrate --ledger-only"}}]),
        ),
        message(
            "m3",
            "tool",
            json!([{"type": "toolResult", "toolCallId": "c1", "toolName": "bash", "content": "ledger migrated: 4711 rows", "isError": false}]),
        ),
        message("m4", "assistant", text("Done.")),
    ];
    let log: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut case = MadeCase::of_bytes(
        "index-of-a-runtime-log",
        "Another agent's log: arguments and results of tools are found, thinking is not.",
        log.into_bytes(),
    );
    case.document.session.format = "runtime-session-v1".to_owned();
    case.step(Step::Index)
        .step(search("--ledger-only"))
        .step(search("how many rows did the ledger have"))
        .step(search("zirconium"))
        .step(Step::Health)
}

fn without_a_log() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 900)
        .user("t2u", "The parcel is amber-forty.");
    let lines = |log: &PiLog| log.text().lines().map(str::to_owned).collect();
    let mut more = PiLog::continued(log.leaf(), log.entries());
    more.user("t3u", "The parcel is now basalt-fifty.");
    MadeCase::in_memory(
        "index-without-a-log",
        "A session that lives in memory is searched as any other.",
        pi_session(),
    )
    .step(Step::Index)
    .step(Step::Append { lines: lines(&log) })
    .step(search("parcel"))
    .step(Step::Index)
    .step(search("parcel"))
    .step(Step::Append {
        lines: lines(&more),
    })
    .step(Step::Index)
    .step(search("basalt-fifty"))
    .step(Step::Health)
}

fn log_without_entries() -> MadeCase {
    MadeCase::new(
        "index-of-a-log-without-entries",
        "A header alone, and then nothing but damage.",
        &PiLog::new(),
    )
    .step(Step::Index)
    .step(search("anything"))
    .grow(
        "more.jsonl",
        PiLog::continued("nowhere", 0)
            .line("no JSON")
            .line("{\"type\":\"message\"}"),
    )
    .step(Step::Index)
    .step(search("anything"))
    .step(Step::Health)
}
