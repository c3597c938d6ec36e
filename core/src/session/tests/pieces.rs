//! However the bytes come, the log is the same; and no bytes panic.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

/// Lines of all kinds of soundness.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let fixed = prop::sample::select(vec![
        r#"{"type":"session","version":3,"id":"s"}"#.to_owned(),
        r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"é😀"}}"#.to_owned(),
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"x\ud83d"}}"#.to_owned(),
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[]}}"#.to_owned(),
        r#"{"type":"message","id":"c","parentId":"b","mess"#.to_owned(),
        r#"{"type":"label","id":"l","parentId":"c","targetId":"a","label":"x"}{"type":"custom","id":"k","parentId":"l"}"#.to_owned(),
        r#"{"type":"message","message":{"role":"user","content":"no id"}}"#.to_owned(),
        "{\"a\":1}\r".to_owned(),
        "\0\0".to_owned(),
        "\u{feff}".to_owned(),
        "  ".to_owned(),
        "null".to_owned(),
        format!("{{\"type\":\"custom\",\"id\":\"deep\",\"content\":{}{}}}", "[".repeat(200), "]".repeat(200)),
    ]);
    prop_oneof![
        6 => fixed.prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

/// Lines, most of them ended by a line feed.
fn any_log() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec((any_line(), 0..8_u8), 0..12).prop_map(|lines| {
        let mut bytes = Vec::new();
        for (line, end) in lines {
            bytes.extend_from_slice(&line);
            if end > 0 {
                bytes.push(b'\n');
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..ProptestConfig::default() })]

    #[test]
    fn pieces_give_the_log_that_the_whole_gives(
        mut bytes in any_log(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..20),
        format in prop::sample::select(vec![LogFormat::PiSessionV3, LogFormat::RuntimeSessionV1]),
    ) {
        // What is known of a line that has not ended depends on where its end was looked for.
        if cuts.iter().any(|(_, end)| *end) {
            bytes.push(b'\n');
        }
        let mut whole = SessionLog::with_line_limit(format, 300);
        whole.push(&bytes);
        whole.end_of_file();
        let mut cuts: Vec<(usize, bool)> = cuts.iter().map(|(cut, end)| (cut.index(bytes.len() + 1), *end)).collect();
        cuts.sort_unstable();
        let mut log = SessionLog::with_line_limit(format, 300);
        let mut start = 0;
        for (cut, end) in cuts {
            log.push(&bytes[start..cut]);
            if end && bytes.len() < 300 {
                log.end_of_file();
            }
            start = cut;
        }
        log.push(&bytes[start..]);
        log.end_of_file();
        prop_assert_eq!(picture(&log), picture(&whole));
        let tail = &bytes[bytes.len().saturating_sub(256)..];
        prop_assert_eq!(log.tail(), tail);
        prop_assert_eq!(log.bytes(), bytes.len() as u64);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), format in prop::sample::select(vec![LogFormat::PiSessionV3, LogFormat::RuntimeSessionV1])) {
        let mut log = SessionLog::new(format);
        log.push(&bytes);
        log.end_of_file();
        let _ = (log.damage(), detect_format(&bytes), Tree::of(&log), project(&log, &branch(&log, None)));
        let _ = log.append_documents(&bytes);
    }

    #[test]
    fn no_json_like_text_panics(text in r#"([{}\[\]":,\\u]|ud8|d83d|"type":|"message"|"id":|"x"|[0-9a-f]|\n){0,120}"#) {
        let log = read(text.as_bytes());
        let _ = (log.damage(), Tree::of(&log), project(&log, &branch(&log, None)));
    }
}
