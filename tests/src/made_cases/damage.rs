//! Logs as crashes, editors and other programs leave them (failures 42).

use serde_json::json;

use super::MadeCase;
use crate::pi_log::PiLog;

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        damaged_lines(),
        damaged_bytes(),
        damaged_tree(),
        no_log_at_all(),
    ]
}

fn damaged_lines() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 200)
        .line("{\"type\":\"message\",\"id\":\"half\",\"parentId\":\"t1a\",\"mess");
    log.line("")
        .line("   ")
        .line("plain text")
        .line("[1,2,3]")
        .line("42");
    log.line(r#"{"type":"message","id":"x1","parentId":"t1a","message":{"role":"user","content":"first of two"}}{"type":"message","id":"x2","parentId":"x1","message":{"role":"assistant","content":[{"type":"text","text":"second of two"}]}}"#);
    log.line(r#"{"type":"message","id":"x3","parentId":"x2","message":{"role":"user","content":"good"}} trailing rubbish"#);
    let deep = format!("{}1{}", "[".repeat(3_000), "]".repeat(3_000));
    log.line(&format!(r#"{{"type":"message","id":"deep","parentId":"x3","message":{{"role":"user","content":{deep}}}}}"#));
    log.at("x3")
        .line(r#"{"type":"session","version":3,"id":"second","cwd":"/elsewhere"}"#);
    log.user("t2u", "Next").line(r#"{"type":"message","id":"torn","parentId":"t2u","message":{"role":"user","content":"never end"#);
    let text = log.text().trim_end_matches('\n').as_bytes().to_vec();
    MadeCase::of_bytes("damaged-lines", "failures 42: torn lines, two documents on a line, no JSON, deep nesting, a second header, a torn end.", text)
        .inspect()
        .plan()
        .manifest()
}

fn damaged_bytes() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 200);
    log.line(r#"{"type":"message","id":"x1","parentId":"t1a","message":{"role":"user","content":"half a pair: \ud83d and \udc00, whole: \ud83d\ude00"}}"#);
    log.line(r#"{"type":"message","id":"x2","parentId":"x1","message":{"role":"assistant","content":[{"type":"text","text":"escaped NUL: \u0000, text: \\ud83d"}]}}"#);
    let mut bytes = b"\xef\xbb\xbf".to_vec();
    bytes.extend(log.text().replace('\n', "\r\n").into_bytes());
    bytes.extend(b"{\"type\":\"message\",\"id\":\"x3\",\"parentId\":\"x2\",\"message\":{\"role\":\"user\",\"content\":\"latin \xe9 and N\0UL\"}}\r\n");
    bytes.extend(b"\0\0\0\0\0\0\0\0\r\n");
    bytes.extend(b"{\"type\":\"message\",\"id\":\"x4\",\"parentId\":\"x3\",\"message\":{\"role\":\"user\",\"content\":\"Next\"}}\r\n");
    MadeCase::of_bytes("damaged-bytes", "failures 42: a byte order mark, CRLF, NUL bytes, bytes that are no UTF-8, lone surrogates.", bytes)
        .inspect()
        .plan()
        .manifest()
}

fn damaged_tree() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 200);
    log.entry(
        "future",
        "hologram",
        &json!({"message": {"role": "user", "content": "unknown type"}}),
    );
    log.line(
        r#"{"type":"message","parentId":"future","message":{"role":"user","content":"no id"}}"#,
    );
    log.line(r#"{"type":"message","id":"odd","parentId":"future","message":"no object"}"#);
    log.line(r#"{"id":"typeless","parentId":"future"}"#);
    log.line(r#"{"type":"compaction","id":"bare","parentId":"t1a"}"#);
    log.line(r#"{"type":"message","id":"loop1","parentId":"loop2","message":{"role":"user","content":"a circle"}}"#);
    log.line(r#"{"type":"message","id":"loop2","parentId":"loop1","message":{"role":"user","content":"a circle"}}"#);
    log.line(r#"{"type":"message","id":"lost","parentId":"never-written","message":{"role":"user","content":"lost parent"}}"#);
    log.at("odd").user("t2u", "Said twice").line(r#"{"type":"message","id":"t2u","parentId":"odd","message":{"role":"user","content":"Said otherwise"}}"#);
    log.at("t2u")
        .say("t2a", "So")
        .label("l1", "nowhere", Some("ds4:pin"));
    MadeCase::new(
        "damaged-tree",
        "Unknown types, entries without IDs or parents, circles, and one ID with two contents.",
        &log,
    )
    .inspect()
    .plan()
    .manifest()
    .step(crate::cases::Step::SelectLeaf {
        entry_id: Some("loop1".to_owned()),
    })
    .plan()
    .step(crate::cases::Step::SelectLeaf {
        entry_id: Some("lost".to_owned()),
    })
    .plan()
}

fn no_log_at_all() -> MadeCase {
    MadeCase::of_bytes(
        "empty-log",
        "A file of no bytes is a session without messages.",
        Vec::new(),
    )
    .inspect()
    .plan()
}
