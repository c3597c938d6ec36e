//! Entries that a host hands over: all or none.

use super::*;

fn empty() -> SessionLog {
    SessionLog::new(LogFormat::PiSessionV3)
}

#[test]
fn new_entries_are_taken_in_and_known_ones_are_not_taken_twice() {
    let mut log = empty();
    let (a, b) = (user("a", None, "1"), user("b", Some("a"), "2"));
    assert_eq!(log.append_document(&a), Ok(Appended::New));
    assert_eq!(
        log.append_documents(format!("{a}\n{b}\n\n{b}\n").as_bytes()),
        Ok(1)
    );
    assert_eq!(
        log.append_document(&format!("  {a}\n")),
        Ok(Appended::Known)
    );
    assert_eq!((log.entries().len(), damage_of(&log)), (2, vec![]));
    assert_eq!(
        active(&log),
        ["a"],
        "a known entry becomes the leaf as well"
    );
    assert_eq!(
        log.append_document(&user("c", Some("b"), "3")),
        Ok(Appended::New)
    );
    assert_eq!(active(&log), ["a", "b", "c"]);
}

#[test]
fn a_header_can_be_handed_over_once() {
    let mut log = empty();
    let header = r#"{"type":"session","version":3,"id":"s"}"#;
    assert_eq!(log.append_document(header), Ok(Appended::New));
    assert_eq!(log.append_document(header), Ok(Appended::Known));
    assert_eq!(
        log.append_document(r#"{"type":"session","version":3,"id":"t"}"#),
        Err(AppendError::SecondHeader { line: 1 })
    );
    assert_eq!(log.header().unwrap().session_id.as_deref(), Some("s"));
}

#[test]
fn one_fault_refuses_the_whole_call() {
    let mut log = empty();
    log.append_document(&user("a", None, "1")).unwrap();
    let before = picture(&log);
    let good = user("b", Some("a"), "2");
    let cases = [
        ("nonsense".to_owned(), AppendError::NotJson { line: 2 }),
        (
            format!("{good}{}", user("c", None, "3")),
            AppendError::NotJson { line: 2 },
        ),
        (
            good.get(..30).unwrap().to_owned(),
            AppendError::NotJson { line: 2 },
        ),
        (
            r#"{"type":"message","message":{"role":"user","content":"x"}}"#.to_owned(),
            AppendError::MissingId { line: 2 },
        ),
        (
            r#"{"type":"message","id":"x"}"#.to_owned(),
            AppendError::InvalidRecord { line: 2 },
        ),
        ("5".to_owned(), AppendError::InvalidRecord { line: 2 }),
        (
            user("a", None, "other"),
            AppendError::IdTaken {
                line: 2,
                id: "a".into(),
            },
        ),
        (
            user("b", Some("a"), "other"),
            AppendError::IdTaken {
                line: 2,
                id: "b".into(),
            },
        ),
    ];
    for (line, error) in cases {
        assert_eq!(
            log.append_documents(format!("{good}\n{line}\n").as_bytes()),
            Err(error.clone()),
            "{line}"
        );
        assert_eq!(picture(&log), before);
        assert!(error.to_string().starts_with("line 2"));
    }
    assert_eq!(log.append_documents(b""), Ok(0));
}

#[test]
fn what_javascript_writes_is_taken_in() {
    let mut log = empty();
    let lone = r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"\ud83d"}}"#;
    assert_eq!(log.append_document(lone), Ok(Appended::New));
    assert_eq!(log.append_document(lone), Ok(Appended::Known));
    let deep = format!(
        r#"{{"type":"custom","id":"d","parentId":"a","content":{}{}}}"#,
        "[".repeat(400),
        "]".repeat(400)
    );
    assert_eq!(log.append_document(&deep), Ok(Appended::New));
    assert_eq!(active(&log), ["a", "d"]);
}
