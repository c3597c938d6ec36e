//! The runtime JSONL.

use serde_json::json;

use super::*;

const HEADER: &str = r#"{"type":"ds4-runtime-session-v1","runtimeId":"jsonl-reference","sessionId":"s","projectRoot":"/p"}"#;

fn message(id: &str, role: &str, text: &str) -> String {
    json!({"type": "message", "message": {"id": id, "role": role, "blocks": [{"type": "text", "text": text}], "createdAt": 7, "provider": "p", "model": "m"}}).to_string()
}

fn read_runtime(bytes: &[u8]) -> SessionLog {
    let mut log = SessionLog::new(LogFormat::RuntimeSessionV1);
    log.push(bytes);
    log.end_of_file();
    log
}

#[test]
fn messages_become_a_chain_of_entries() {
    let log = read_runtime(
        format!(
            "{HEADER}\n{}\n{}\n",
            message("s:1", "user", "one"),
            message("s:2", "assistant", "two")
        )
        .as_bytes(),
    );
    let header = log.header().unwrap();
    assert_eq!(
        (
            header.session_id.as_deref(),
            header.runtime_id.as_deref(),
            header.cwd.as_deref()
        ),
        (Some("s"), Some("jsonl-reference"), Some("/p"))
    );
    assert_eq!(
        (active(&log), damage_of(&log)),
        (vec!["s:1".into(), "s:2".into()], vec![])
    );
    let projection = project(&log, &branch(&log, None));
    assert_eq!(projection.message(&log, 1).unwrap().reading().text, "two");
    assert_eq!(projection.model, Some(("p".into(), "m".into())));
    assert_eq!(log.entries()[0].timestamp_ms, Some(7));
}

#[test]
fn messages_of_odd_shapes_are_counted_and_the_chain_goes_on() {
    let odd = r#"{"type":"message","message":{"id":"s:2","role":"robot","blocks":[]}}"#;
    let nameless = r#"{"type":"message","message":{"role":"user","blocks":[]}}"#;
    let text = format!(
        "{HEADER}\n{}\n{odd}\n{nameless}\n{{\"type\":\"other\"}}\n{}\nbroken\n",
        message("s:1", "user", "one"),
        message("s:3", "user", "three")
    );
    let log = read_runtime(text.as_bytes());
    assert_eq!(
        damage_of(&log),
        [
            "malformed-line 1 7",
            "invalid-record 1 3",
            "unknown-entry-type 1 5",
            "entry-without-id 2 4"
        ]
    );
    assert_eq!(active(&log), ["s:1", "s:2", "s:3"]);
    assert_eq!(project(&log, &branch(&log, None)).messages.len(), 2);
}

#[test]
fn more_messages_than_allowed_are_not_read_and_that_is_said() {
    let mut text = format!("{HEADER}\n");
    for number in 0..=MAX_RUNTIME_LOG_MESSAGES {
        text.push_str(&message(&format!("s:{number}"), "user", "x"));
        text.push('\n');
    }
    let log = read_runtime(text.as_bytes());
    assert_eq!(log.entries().len() as u64, MAX_RUNTIME_LOG_MESSAGES);
    assert_eq!(
        log.error(),
        Some(LogError::TooManyMessages { limit: 100_000 })
    );
    assert_eq!(damage_of(&log), ["log-too-large 1 0"]);
    assert_eq!(
        log.bytes(),
        text.len() as u64,
        "what is not read counts as taken"
    );
}

#[test]
fn more_bytes_than_allowed_are_not_read_and_that_is_said() {
    let line = message("s:1", "user", &"x".repeat(1_000_000));
    let mut log = SessionLog::new(LogFormat::RuntimeSessionV1);
    log.push(format!("{HEADER}\n").as_bytes());
    for number in 0..70 {
        log.push(format!("{}\n", line.replacen("s:1", &format!("s:{number}"), 1)).as_bytes());
    }
    assert_eq!(log.entries().len(), 67);
    assert_eq!(
        log.error(),
        Some(LogError::TooManyBytes {
            limit: 64 * 1024 * 1024
        })
    );
    assert_eq!(
        log.append_document(&message("new", "user", "x")),
        Err(AppendError::TooLarge(log.error().unwrap()))
    );
}

#[test]
fn the_first_line_tells_the_format() {
    let cases: [(&str, Option<LogFormat>); 8] = [
        (HEADER, Some(LogFormat::RuntimeSessionV1)),
        (
            "{\"type\":\"session\",\"id\":\"s\"}\n{\"type\":\"x\"}",
            Some(LogFormat::PiSessionV3),
        ),
        (
            "\u{feff}\r\n{ \"version\":3, \"type\":\"session\"",
            Some(LogFormat::PiSessionV3),
        ),
        (
            "{\"type\":\"message\",\"id\":\"a\"}",
            Some(LogFormat::PiSessionV3),
        ),
        ("{\"type\":\"package\",\"name\":\"x\"}", None),
        ("{\"name\":\"x\"}\n{\"type\":\"session\"}", None),
        ("# a text", None),
        ("", None),
    ];
    for (text, format) in cases {
        assert_eq!(detect_format(text.as_bytes()), format, "{text}");
    }
}
