//! How sources combine: deep merge, whole sources ignored, unknown keys skipped with a suggestion.

use serde_json::json;

use super::{codes, errors, merge_texts, merge_value};
use crate::config::{Classification, Config, ContextMode, ProblemCode, Severity, to_json};

#[test]
fn objects_merge_and_later_sources_win() {
    let merged = merge_texts(&[
        r#"{"context": {"recentTailTokens": 1000, "maxMemoryTokens": 500, "cacheAware": {"mode": "auto"}}}"#,
        r#"{"context": {"recentTailTokens": 2000, "cacheAware": {"stickinessEpochs": 5}}}"#,
        r#"{"context": {"mode": "observer"}}"#,
    ]);
    assert_eq!(merged.problems, []);
    let mut expected = Config::default();
    expected.context.recent_tail_tokens = 2_000;
    expected.context.max_memory_tokens = 500;
    expected.context.cache_aware.mode = crate::config::CacheAwareMode::Auto;
    expected.context.cache_aware.stickiness_epochs = 5;
    expected.context.mode = ContextMode::Observer;
    assert_eq!(merged.config, expected);
}

#[test]
fn lists_replace_and_chosen_names_merge() {
    let merged = merge_texts(&[
        r#"{"privacy": {"localProviders": ["ollama"], "remoteProviders": {"acme": ["normal"], "other": []}}}"#,
        r#"{"privacy": {"localProviders": ["lmstudio"], "remoteProviders": {"ACME ": ["sensitive"]}}}"#,
    ]);
    assert_eq!(merged.problems, []);
    let privacy = &merged.config.privacy;
    assert_eq!(privacy.local_providers, ["lmstudio"]);
    assert_eq!(
        privacy.remote_providers["acme"],
        [Classification::Sensitive]
    );
    assert_eq!(privacy.remote_providers["other"], []);
    assert_eq!(privacy.remote_providers.len(), 2);
}

#[test]
fn an_invalid_source_changes_nothing_and_the_others_apply() {
    let merged = merge_texts(&[
        r#"{"context": {"recentTailTokens": 1000}}"#,
        r#"{"context": {"recentTailTokens": 2000, "maxPinnedTokens": 5}, "project": {"maxResults": 0}}"#,
        r#"{"memory": {"maxResults": 3}}"#,
    ]);
    assert_eq!(
        codes(&merged.problems),
        [(ProblemCode::OutOfRange, "project.maxResults")]
    );
    assert_eq!(merged.problems[0].source, "source-1");
    assert_eq!(merged.problems[0].severity, Severity::Error);
    assert_eq!(merged.config.context.recent_tail_tokens, 1_000);
    assert_eq!(merged.config.context.max_pinned_tokens, 16_000);
    assert_eq!(merged.config.memory.max_results, 3);
    assert_eq!(
        merged.problems[0].to_string(),
        "source-1: error, source ignored: project.maxResults is 0; allowed: 1 to 100 results"
    );
}

#[test]
fn a_source_that_is_no_object_is_ignored() {
    for text in [
        "",
        "   ",
        "[]",
        "null",
        "7",
        "\"{}\"",
        "{",
        "{} {}",
        "{'a': 1}",
        "{\"a\": 1,}",
        "NaN",
        "\u{0}",
    ] {
        let merged = merge_texts(&[text]);
        assert_eq!(errors(&merged.problems), 1, "{text:?}");
        assert_eq!(merged.problems[0].path, "");
        assert!(
            matches!(
                merged.problems[0].code,
                ProblemCode::NotJson | ProblemCode::NotObject
            ),
            "{text:?}"
        );
        assert_eq!(merged.config, Config::default());
    }
}

#[test]
fn an_empty_object_and_a_byte_order_mark_are_fine() {
    let merged = merge_texts(&["{}", "\u{feff}{\"enabled\": false}"]);
    assert_eq!(merged.problems, []);
    assert!(!merged.config.enabled);
}

#[test]
fn unknown_keys_are_skipped_and_the_near_one_is_named() {
    let merged = merge_texts(&[r#"{
        "context": {"targetFilRatio": 0.5, "recentTailTokens": 1000, "zzz": {"deep": [1]}},
        "contxt": {},
        "modelAwareness": {"overrides": {"*": {"contextWindw": 5, "contextWindow": 9}}},
        "retrieval": {"maxSummaryTokens": 5},
        "privacy": {"mode": "on"}
    }"#]);
    assert_eq!(errors(&merged.problems), 0);
    assert_eq!(merged.config.context.recent_tail_tokens, 1_000);
    assert_eq!(
        merged.config.model_awareness.overrides["*"].context_window,
        Some(9)
    );
    let messages: Vec<&str> = merged
        .problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    assert_eq!(
        messages,
        [
            "context.targetFilRatio is not a known key and is ignored; did you mean targetFillRatio?",
            "context.zzz is not a known key and is ignored",
            "contxt is not a known key and is ignored; did you mean context?",
            "modelAwareness.overrides.*.contextWindw is not a known key and is ignored; did you mean contextWindow?",
            "retrieval.maxSummaryTokens is not a known key and is ignored; did you mean context.maxSummaryTokens?",
            // Several sections have a mode: no guess.
            "privacy.mode is not a known key and is ignored",
        ]
    );
    assert!(
        merged
            .problems
            .iter()
            .all(|problem| problem.code == ProblemCode::UnknownKey)
    );
}

#[test]
fn a_suggestion_is_at_most_two_edits_away() {
    for (unknown, suggested) in [
        ("quality1", true),
        ("qualit", true),
        ("qulity", true),
        ("kwality", true),
        ("kwalities", false),
    ] {
        let merged = merge_value(&json!({ unknown: 1 }));
        assert_eq!(
            merged.problems[0].message.contains("did you mean quality?"),
            suggested,
            "{unknown}"
        );
    }
}

#[test]
fn the_full_configuration_reads_back_to_itself() {
    let merged = merge_texts(&[r#"{
        "compaction": {"model": {"provider": "acme", "id": "meta/llama"}},
        "privacy": {"enabled": true, "remoteProviders": {"zeta": [], "acme": ["normal"]}},
        "modelAwareness": {"overrides": {"acme/*": {"tokenEstimator": "o200k-base-v1"}, "*": {}}},
        "ranking": {"maxLatencyMs": 2.5}
    }"#]);
    assert_eq!(merged.problems, []);
    let again = merge_value(&to_json(&merged.config));
    assert_eq!(again, merged);
}
