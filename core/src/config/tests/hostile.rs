//! Sources that nobody writes by accident: bounded work, one line a problem, never a panic.

use super::{codes, errors, merge_texts};
use crate::config::limits::{MAX_LAYER_BYTES, MAX_PROBLEMS_PER_LAYER, MAX_QUOTED_CHARS};
use crate::config::{Config, Layer, Merged, ProblemCode, Severity, merge};

fn assert_ignored(merged: &Merged, code: ProblemCode) {
    assert_eq!(merged.config, Config::default());
    assert!(errors(&merged.problems) > 0);
    assert_eq!(merged.problems[0].code, code, "{:?}", merged.problems[0]);
    for problem in &merged.problems {
        assert!(
            problem.message.lines().count() == 1 && problem.message.len() < 600,
            "{}",
            problem.message
        );
        assert!(!problem.path.contains('\n') && problem.path.len() < 600);
    }
}

#[test]
fn deep_nesting() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = open.repeat(100_000) + "1" + &close.repeat(100_000);
        assert_ignored(
            &merge_texts(&[&format!("{{\"context\": {deep}}}")]),
            ProblemCode::NotJson,
        );
        assert_ignored(&merge_texts(&[&open.repeat(100_000)]), ProblemCode::NotJson);
    }
    let allowed = format!(
        "{{\"context\": {}{}}}",
        "{\"a\":".repeat(100) + "1",
        "}".repeat(100)
    );
    assert_eq!(
        codes(&merge_texts(&[&allowed]).problems),
        [(ProblemCode::UnknownKey, "context.a")]
    );
}

#[test]
fn duplicate_keys_at_any_depth() {
    let merged = merge_texts(&[
        r#"{"privacy": {"enabled": true}, "context": {"mode": "observer", "mode": "managed"}, "privacy": {}}"#,
    ]);
    assert_ignored(&merged, ProblemCode::DuplicateKey);
    let expected = [
        (ProblemCode::DuplicateKey, "context.mode"),
        (ProblemCode::DuplicateKey, "privacy"),
    ];
    assert_eq!(codes(&merged.problems), expected);
    // The same key by another spelling in JSON.
    let escaped = merge_texts(&[r#"{"enabled": true, "\u0065nabled": false}"#]);
    assert_ignored(&escaped, ProblemCode::DuplicateKey);
    let many = format!("{{{}\"enabled\": 1}}", "\"enabled\": 1,".repeat(10_000));
    let many = merge_texts(&[&many]);
    assert_ignored(&many, ProblemCode::DuplicateKey);
    assert_eq!(many.problems.len(), MAX_PROBLEMS_PER_LAYER);
}

#[test]
fn numbers_that_are_none() {
    for text in [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e400",
        "-1e400",
        "0x10",
        "+1",
        "01",
        ".5",
        "1.",
        "--1",
    ] {
        assert_ignored(
            &merge_texts(&[&format!("{{\"context\": {{\"targetFillRatio\": {text}}}}}")]),
            ProblemCode::NotJson,
        );
    }
}

#[test]
fn numbers_that_fit_no_range() {
    let digits = "9".repeat(300);
    for text in [
        "1e308",
        "-1e308",
        "18446744073709551615",
        "9007199254740993",
        "-9223372036854775808",
        &digits,
    ] {
        for key in ["targetFillRatio", "recentTailTokens"] {
            let merged = merge_texts(&[&format!("{{\"context\": {{\"{key}\": {text}}}}}")]);
            assert_ignored(&merged, ProblemCode::OutOfRange);
        }
    }
    // The smallest number there is stays above nothing.
    let smallest =
        merge_texts(&[r#"{"context": {"targetFillRatio": 5e-324, "recentTailTokens": -0.0}}"#]);
    assert_eq!(smallest.problems, []);
}

#[test]
fn text_that_looks_like_a_number() {
    for text in ["\"NaN\"", "\"0.5\"", "\"\"", "[0.5]", "{}", "null", "true"] {
        let merged = merge_texts(&[&format!("{{\"context\": {{\"targetFillRatio\": {text}}}}}")]);
        assert_ignored(&merged, ProblemCode::WrongType);
    }
}

#[test]
fn sources_beyond_the_size_limit() {
    let long = format!(
        "{{\"context\": {{\"mode\": \"{}\"}}}}",
        "x".repeat(10_000_000)
    );
    assert_ignored(&merge_texts(&[&long]), ProblemCode::TooLarge);
    let blank = " ".repeat(MAX_LAYER_BYTES - 2) + "{}";
    assert_eq!(merge_texts(&[&blank]).problems, []);
    assert_ignored(&merge_texts(&[&(blank + " ")]), ProblemCode::TooLarge);
}

#[test]
fn long_keys_and_values_are_cut_in_messages() {
    let long = "y".repeat(900_000);
    assert_ignored(
        &merge_texts(&[&format!("{{\"context\": {{\"mode\": \"{long}\"}}}}")]),
        ProblemCode::NotAChoice,
    );
    assert_ignored(
        &merge_texts(&[&format!(
            "{{\"storage\": {{\"databasePath\": \"{long}\"}}}}"
        )]),
        ProblemCode::MalformedText,
    );
    let merged = merge_texts(&[&format!("{{\"{long}\": 1, \"line\\nbreak\\u2028\": 2}}")]);
    assert_eq!(
        merged.problems[0].path.chars().count(),
        MAX_QUOTED_CHARS + 1
    );
    assert_eq!(merged.problems[1].path, "line\\nbreak\\u{2028}");
}

#[test]
fn many_problems_are_counted() {
    let keys: Vec<String> = (0..50_000)
        .map(|index| format!("\"key-{index}\": 1"))
        .collect();
    let merged = merge_texts(&[&format!("{{{}, \"enabled\": 1}}", keys.join(","))]);
    assert_eq!(merged.problems.len(), MAX_PROBLEMS_PER_LAYER + 1);
    let last = merged.problems.last().unwrap();
    assert_eq!(
        (last.code, last.severity),
        (ProblemCode::MoreProblems, Severity::Error)
    );
    assert_eq!(last.message, "has 49901 more problems");
    assert_eq!(merged.config, Config::default());
}

#[test]
fn bytes_that_are_no_text() {
    for content in [
        &b"{\"enabled\": \"\xff\xfe\"}"[..],
        b"\xff\xfe{\0}\0",
        b"{\"enabled\": \"\\ud800\"}",
        b"\xEF\xBB\xBF",
    ] {
        assert_ignored(
            &merge(&[Layer {
                source: "bytes",
                content,
            }]),
            ProblemCode::NotJson,
        );
    }
}

#[test]
fn names_of_prototypes_are_only_unknown_keys() {
    let merged = merge_texts(&[r#"{"__proto__": {"enabled": false}, "constructor": 1, "": {}}"#]);
    assert_eq!(errors(&merged.problems), 0);
    assert_eq!(merged.problems.len(), 3);
    assert_eq!(merged.config, Config::default());
}
