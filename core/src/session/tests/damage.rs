//! Failures 42 and its kind: every damage is counted, and what is around it is used.

use super::*;

const A: &str =
    r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"one"}}"#;
const B: &str =
    r#"{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"two"}}"#;
const C: &str =
    r#"{"type":"message","id":"c","parentId":"b","message":{"role":"user","content":"three"}}"#;

#[test]
fn a_sound_log_has_no_damage() {
    let log = log_of(&[A, B, "", "  ", C]);
    assert_eq!(damage_of(&log), [""; 0]);
    assert_eq!(active(&log), ["a", "b", "c"]);
    assert_eq!((log.lines(), log.entries()[2].line), (6, 6));
    assert_eq!(log.header().unwrap().cwd.as_deref(), Some("/p"));
}

#[test]
fn files_without_content_or_without_a_header_are_fine() {
    for bytes in ["", "\n", "\n \n"] {
        let log = read(bytes.as_bytes());
        assert!(
            log.entries().is_empty()
                && log.damage().is_empty()
                && branch(&log, None).entries.is_empty()
        );
    }
    let only_header = log_of(&[]);
    assert!(only_header.header().is_some() && only_header.last_leaf().is_none());
    let no_header = read(format!("{A}\n{B}\n").as_bytes());
    assert_eq!(active(&no_header), ["a", "b"]);
    assert_eq!(damage_of(&no_header), [""; 0]);
}

#[test]
fn a_malformed_line_is_left_out_and_a_readable_place_is_kept() {
    let log = log_of(&[
        A,
        "not json",
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"user","#,
        C,
    ]);
    assert_eq!(damage_of(&log), ["malformed-line 2 3"]);
    // The broken entry keeps the branch together and gives no message.
    assert_eq!(active(&log), ["a", "b", "c"]);
    assert!(matches!(log.entries()[1].kind, EntryKind::Unreadable));
    assert_eq!(project(&log, &branch(&log, None)).messages.len(), 2);
}

#[test]
fn a_malformed_last_line_is_not_the_leaf_because_agents_do_not_see_it() {
    let log = log_of(&[A, r#"{"type":"message","id":"b","parentId":"a","mess"#]);
    assert_eq!(active(&log), ["a"]);
    // Its sound copy takes its place without being called a duplicate.
    let log = log_of(&[A, r#"{"type":"message","id":"b","parentId":"a","mess"#, B]);
    assert_eq!(
        (active(&log), damage_of(&log)),
        (
            vec!["a".into(), "b".into()],
            vec!["malformed-line 1 3".into()]
        )
    );
    // And a broken copy does not take the place of a sound one.
    let log = log_of(&[A, B, r#"{"type":"message","id":"b","parentId":"a","mess"#]);
    assert!(
        log.entry("b")
            .and_then(|b| log.get(b))
            .unwrap()
            .message()
            .is_some()
    );
}

#[test]
fn a_torn_tail_is_reported_while_it_is_torn() {
    let (start, end) = B.split_at(40);
    let mut log = log_of(&[A]);
    log.push(start.as_bytes());
    assert_eq!(damage_of(&log), [""; 0]);
    log.end_of_file();
    assert_eq!(damage_of(&log), ["torn-tail 1 3"]);
    assert_eq!(active(&log), ["a"]);
    log.push(end.as_bytes());
    log.end_of_file();
    assert_eq!(
        (damage_of(&log), active(&log)),
        (vec![], vec!["a".into(), "b".into()])
    );
    // The line feed that comes later belongs to the same line.
    log.push(format!("\n{C}\n").as_bytes());
    assert_eq!(
        (damage_of(&log), log.entries()[2].line, log.lines()),
        (vec![], 4, 4)
    );
}

#[test]
fn a_line_that_was_cut_and_then_written_on_gives_the_entry_behind_the_cut() {
    let cut = r#"{"type":"message","id":"x","parentId":"a","message":{"role":"assistant","content":[{"type":"text","te"#;
    let log = log_of(&[A, &format!("{cut}{B}"), C]);
    assert_eq!(damage_of(&log), ["malformed-line 1 3"]);
    assert_eq!(active(&log), ["a", "b", "c"]);
    assert_eq!(project(&log, &branch(&log, None)).messages.len(), 3);
}

#[test]
fn an_entry_inside_a_broken_one_is_not_an_entry() {
    let inner = r#"{"type":"message","id":"inner","parentId":null,"message":{}}"#;
    let log = log_of(&[
        A,
        &format!(r#"{{"type":"custom","data":{inner},"id":"x","parentId":"a",}}"#),
    ]);
    assert!(log.entry("inner").is_none());
    assert_eq!(damage_of(&log), ["malformed-line 1 3"]);
}

#[test]
fn several_documents_on_a_line_are_all_taken_in() {
    let log = log_of(&[&format!("{A}{B} {C}")]);
    assert_eq!(damage_of(&log), ["several-documents-on-a-line 1 2"]);
    assert_eq!(active(&log), ["a", "b", "c"]);
    let log = log_of(&[&format!("{A}{B}junk")]);
    assert_eq!(
        damage_of(&log),
        ["malformed-line 1 2", "several-documents-on-a-line 1 2"]
    );
    assert_eq!(active(&log), ["a", "b"]);
}

#[test]
fn half_a_surrogate_pair_is_replaced_and_a_pair_is_not() {
    let line = r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x\ud83d y\ude00 \ud83d\ude00 \\ud83d"}}"#;
    let log = log_of(&[line, B]);
    assert_eq!(damage_of(&log), ["lone-surrogate 1 2"]);
    assert_eq!(active(&log), ["a", "b"]);
    assert_eq!(
        log.entries()[0].message().unwrap().reading().text,
        "x\u{fffd} y\u{fffd} 😀 \\ud83d"
    );
}

#[test]
fn what_is_nested_too_deep_keeps_its_place() {
    let deep = format!(
        r#"{{"type":"custom","content":{}1{},"id":"d","parentId":"a"}}"#,
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let child = user("e", Some("d"), "after");
    let log = log_of(&[A, &deep, &child]);
    assert_eq!(damage_of(&log), ["nested-too-deep 1 3"]);
    assert_eq!(active(&log), ["a", "d", "e"]);
    // Agents read it, so it can be the leaf; and what is behind it on the line is read.
    assert_eq!(active(&log_of(&[A, &deep])), ["a", "d"]);
    assert_eq!(
        active(&log_of(&[A, &format!("{deep}{child}")])),
        ["a", "d", "e"]
    );
}

#[test]
fn nul_bytes_marks_line_ends_and_bad_bytes_are_repaired() {
    let text = format!(
        "\u{feff}{{\"type\":\"session\",\"version\":3,\"id\":\"s\"}}\r\n\0\0{A}\r\n\0\0\0\n{B}\0\n"
    );
    let log = read(text.as_bytes());
    assert_eq!(
        damage_of(&log),
        [
            "byte-order-mark 1 1",
            "carriage-return 2 1",
            "nul-bytes 3 2"
        ]
    );
    assert_eq!(
        (active(&log), log.header().is_some()),
        (vec!["a".into(), "b".into()], true)
    );
    let mut bytes = A.replace("one", "o\u{1}e").into_bytes();
    let place = bytes.iter().position(|byte| *byte == 1).unwrap();
    bytes[place] = 0xFF;
    let log = read(&bytes);
    assert_eq!(damage_of(&log), ["invalid-utf8 1 1"]);
    assert_eq!(
        log.entries()[0].message().unwrap().reading().text,
        "o\u{fffd}e"
    );
}

#[test]
fn a_line_that_is_too_long_keeps_its_place_and_is_never_held() {
    let endless = user("b", Some("a"), &"x".repeat(5_000));
    for piece in [1, 7, 500, 100_000] {
        let mut log = SessionLog::with_line_limit(LogFormat::PiSessionV3, 1_000);
        let text = format!("{A}\n{endless}\n{C}\n");
        for bytes in text.as_bytes().chunks(piece) {
            log.push(bytes);
        }
        assert_eq!(damage_of(&log), ["line-too-long 1 2"]);
        assert_eq!(active(&log), ["a", "b", "c"]);
        log.push(endless.as_bytes());
        log.end_of_file();
        assert_eq!(
            damage_of(&log),
            ["line-too-long 2 2"],
            "one that has not ended counts as well"
        );
    }
}

#[test]
fn entries_without_an_id_records_of_odd_shapes_and_second_headers_are_counted() {
    let log = log_of(&[
        A,
        r#"{"type":"message","parentId":"a","message":{"role":"user","content":"x"}}"#,
        r#"{"type":"message","id":"m","parentId":"a","message":"text"}"#,
        r#"{"type":"label","id":"l","parentId":"m"}"#,
        r#"{"type":"context_edit","id":"c","parentId":"l","targetId":"a"}"#,
        r#"{"type":"session","version":3,"id":"other"}"#,
        r#"{"type":"novelty","id":"n","parentId":"c","content":"x"}"#,
        "5",
        "null",
    ]);
    assert_eq!(
        damage_of(&log),
        [
            "invalid-record 5 4",
            "second-header 1 7",
            "unknown-entry-type 1 8",
            "entry-without-id 3 3"
        ]
    );
    assert_eq!(active(&log), ["a", "m", "l", "c", "n"]);
    assert_eq!(log.header().unwrap().session_id.as_deref(), Some("s"));
    assert_eq!(log.entries()[4].type_name(), "novelty");
}

#[test]
fn a_newer_version_is_read_as_version_3() {
    let log =
        read(format!("{{\"type\":\"session\",\"version\":9,\"id\":\"s\"}}\n{A}\n").as_bytes());
    assert_eq!(
        (damage_of(&log), active(&log)),
        (vec!["newer-version 1 1".into()], vec!["a".into()])
    );
}

#[test]
fn of_two_entries_with_one_id_the_later_counts() {
    let log = log_of(&[A, B, C, &user("a", None, "again"), A]);
    assert_eq!(damage_of(&log), ["duplicate-id 2 5"]);
    assert_eq!(log.entry("a").unwrap().position(), 4);
    assert!(!log.is_current(log.entry("b").map(|_| EntryIndex(0)).unwrap()));
    // The same text again is no damage, and as the last line it is the leaf.
    let log = log_of(&[A, B, A]);
    assert_eq!(
        (damage_of(&log), active(&log), log.entries().len()),
        (vec![], vec!["a".into()], 2)
    );
}

#[test]
fn missing_parents_and_cycles_are_found_whenever_they_are_looked_for() {
    let mut log = log_of(&[B]);
    assert_eq!(damage_of(&log), ["missing-parent 1 2"]);
    assert_eq!(branch(&log, None).missing_parent.as_deref(), Some("a"));
    log.push(format!("{A}\n").as_bytes());
    assert_eq!(
        damage_of(&log),
        [""; 0],
        "a parent that comes later is not missing"
    );
    let x = user("x", Some("y"), "x");
    let y = user("y", Some("x"), "y");
    let z = user("z", Some("x"), "z");
    let log = log_of(&[&x, &y, &z, &user("self", Some("self"), "s")]);
    assert_eq!(damage_of(&log), ["parent-cycle 2 2"]);
    let cyclic = branch(&log, log.entry("z"));
    assert_eq!(
        (ids(&log, &cyclic.entries), cyclic.is_cyclic),
        (vec!["y".into(), "x".into(), "z".into()], true)
    );
}

#[test]
fn messages_that_are_never_sent_are_counted() {
    let log = log_of(&[
        r#"{"type":"message","id":"a","parentId":null,"message":{"role":"telemetry","content":"x"}}"#,
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[]}}"#,
        r#"{"type":"message","id":"c","parentId":"b","message":{"role":"assistant","content":[],"stopReason":"aborted"}}"#,
    ]);
    assert_eq!(damage_of(&log), ["unknown-role 1 2", "empty-message 1 3"]);
}

#[test]
fn a_hostile_line_takes_linear_time() {
    // Each of these would be quadratic if the rest of the line were looked at anew for every document or fault in it.
    for unit in [
        A,
        "{",
        "{\"type\":\"message\",\"id\":\"x\",",
        "[",
        "\\ud800",
        "{}x",
        "{}",
        "\u{0}{\"type\":\"message\"}",
    ] {
        let line = unit.repeat(2_000_000 / unit.len());
        let log = read(line.as_bytes());
        assert!(log.entries().len() <= 2);
    }
}

#[test]
fn every_code_has_its_own_name() {
    let names: std::collections::BTreeSet<_> =
        DamageCode::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), DamageCode::ALL.len());
    assert!(DamageCode::ALL.iter().all(|code| !code.text().is_empty()));
    assert!(names.iter().all(|name| {
        name.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'8')
    }));
}
