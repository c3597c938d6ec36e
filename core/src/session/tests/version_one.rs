//! Logs whose entries have no IDs.

use super::*;

const HEADER: &str = r#"{"type":"session","id":"s","timestamp":"2025-12-09T00:53:29.825Z","cwd":"/p","provider":"anthropic","modelId":"claude","thinkingLevel":"off","branchedFrom":"/old.jsonl"}"#;

fn message(text: &str) -> String {
    format!(
        r#"{{"type":"message","timestamp":"2025-12-08T22:41:05.306Z","message":{{"role":"user","content":"{text}"}}}}"#
    )
}

#[test]
fn entries_are_named_by_their_lines_and_follow_each_other() {
    let text = format!(
        "{HEADER}\n{}\n\nbroken\n{}\n{}{}\n",
        message("one"),
        message("two"),
        message("three"),
        message("four")
    );
    let log = read(text.as_bytes());
    assert_eq!(active(&log), ["v1-2", "v1-5", "v1-6", "v1-6.2"]);
    assert_eq!(
        damage_of(&log),
        ["malformed-line 1 4", "several-documents-on-a-line 1 6"]
    );
    assert_eq!(log.entries()[0].timestamp_ms, Some(1_765_233_665_306));
    let header = log.header().unwrap();
    assert_eq!(header.version, 1);
    assert_eq!(header.model, Some(("anthropic".into(), "claude".into())));
    assert_eq!(header.thinking_level.as_deref(), Some("off"));
    assert_eq!(header.parent_session.as_deref(), Some("/old.jsonl"));
}

#[test]
fn a_compaction_names_its_first_kept_entry_by_position() {
    let compaction = |index: &str| {
        format!(
            r#"{{"type":"compaction","timestamp":"t","summary":"S","firstKeptEntryIndex":{index},"tokensBefore":7}}"#
        )
    };
    // The header is position 0. Lines that no agent reads have no position.
    for (index, kept) in [
        ("2", Some("v1-4")),
        ("1", Some("v1-2")),
        ("0", None),
        ("4", None),
        ("99", None),
        ("-1", None),
    ] {
        let text = format!(
            "{HEADER}\n{}\nbroken\n{}\n{}\n{}\n",
            message("one"),
            message("two"),
            compaction(index),
            message("three")
        );
        let log = read(text.as_bytes());
        let EntryKind::Compaction(compaction) = &log.entries()[2].kind else {
            panic!("no compaction")
        };
        assert_eq!(compaction.first_kept_entry_id.as_deref(), kept, "{index}");
        assert_eq!(compaction.tokens_before, 7);
        let messages = project(&log, &branch(&log, None)).messages.len();
        assert_eq!(
            messages,
            2 + kept.map_or(0, |kept| if kept == "v1-2" { 2 } else { 1 })
        );
    }
}

#[test]
fn what_an_agent_reads_and_we_do_not_has_its_place_in_the_chain() {
    let deep = format!(
        r#"{{"type":"custom","content":{}{}}}"#,
        "[".repeat(300),
        "]".repeat(300)
    );
    let log =
        read(format!("{HEADER}\n{}\n{deep}\n{}\n", message("one"), message("two")).as_bytes());
    assert_eq!(active(&log), ["v1-2", "v1-3", "v1-4"]);
}

#[test]
fn older_versions_call_custom_messages_hook_messages() {
    let hook = r#"{"type":"message","id":"a","parentId":null,"message":{"role":"hookMessage","customType":"h","content":"x"}}"#;
    let role = |version: u32| {
        let log = read(
            format!("{{\"type\":\"session\",\"version\":{version},\"id\":\"s\"}}\n{hook}\n")
                .as_bytes(),
        );
        log.entries()[0].message().unwrap().role.name().to_owned()
    };
    assert_eq!((role(2), role(3)), ("custom".into(), "hookMessage".into()));
}

#[test]
fn a_log_whose_entries_have_ids_keeps_them_whatever_its_header_says() {
    let log = read(
        format!(
            "{HEADER}\n{}\n{}\n",
            user("a", None, "1"),
            user("b", Some("a"), "2")
        )
        .as_bytes(),
    );
    assert_eq!(active(&log), ["a", "b"]);
}

#[test]
fn a_log_without_a_header_and_without_ids_is_named_by_lines() {
    let log = read(format!("{}\n{}\n", message("one"), message("two")).as_bytes());
    assert_eq!(
        (active(&log), damage_of(&log)),
        (vec!["v1-1".into(), "v1-2".into()], vec![])
    );
}
