//! Rules between keys: the source that breaks one is the one that is ignored.

use super::{codes, merge_texts};
use crate::config::rules::ORDERED;
use crate::config::{Config, ProblemCode, table};

/// Each text alone breaks a rule; the path is the key that the problem names.
const BROKEN: &[(&str, &str)] = &[
    (
        r#"{"context": {"targetFillRatio": 0.85}}"#,
        "context.targetFillRatio",
    ),
    (
        r#"{"context": {"softLimitRatio": 0.95}}"#,
        "context.softLimitRatio",
    ),
    (
        r#"{"context": {"hardLimitRatio": 0.75}}"#,
        "context.hardLimitRatio",
    ),
    (
        r#"{"context": {"minimumOutputReserve": 40000}}"#,
        "context.minimumOutputReserve",
    ),
    (
        r#"{"compaction": {"maxOperationInputTokens": 63999}}"#,
        "compaction.maxOperationInputTokens",
    ),
    (
        r#"{"compaction": {"model": {"id": "m"}}}"#,
        "compaction.model",
    ),
    (r#"{"compaction": {"model": {}}}"#, "compaction.model"),
    (
        r#"{"project": {"snippetLines": 12}}"#,
        "project.snippetLines",
    ),
    (
        r#"{"project": {"snippetOverlapLines": 80}}"#,
        "project.snippetOverlapLines",
    ),
    (
        r#"{"project": {"maxTotalBytes": 511999}}"#,
        "project.maxTotalBytes",
    ),
    (
        r#"{"artifacts": {"excerptChars": 12001}}"#,
        "artifacts.excerptChars",
    ),
    (
        r#"{"artifacts": {"maxSearchBytes": 100000001}}"#,
        "artifacts.maxSearchBytes",
    ),
    (
        r#"{"modelAwareness": {"minimumCalibrationSamples": 25}}"#,
        "modelAwareness.minimumCalibrationSamples",
    ),
    (
        r#"{"modelAwareness": {"calibrationRatioLowerBound": 2}}"#,
        "modelAwareness.calibrationRatioLowerBound",
    ),
    (
        r#"{"modelAwareness": {"overrides": {"a/b": {"contextWindow": 5, "maxOutputTokens": 6}}}}"#,
        "modelAwareness.overrides.a/b.maxOutputTokens",
    ),
    (
        r#"{"ranking": {"maxTrainingSamples": 19}}"#,
        "ranking.maxTrainingSamples",
    ),
    (
        r#"{"storage": {"busyTimeoutMs": 30001}}"#,
        "storage.busyTimeoutMs",
    ),
    (
        r#"{"nativeContinuation": {"enabled": true}}"#,
        "nativeContinuation.enabled",
    ),
    (
        r#"{"privacy": {"remoteProviders": {" OLLAMA ": ["normal"]}}}"#,
        "privacy.remoteProviders.ollama",
    ),
    (
        r#"{"privacy": {"enabled": true}, "retrieval": {"embedding": {"mode": "remote"}}}"#,
        "retrieval.embedding.mode",
    ),
];

#[test]
fn a_source_that_breaks_a_rule_alone_is_ignored() {
    for (text, path) in BROKEN {
        let merged = merge_texts(&[text]);
        assert_eq!(
            codes(&merged.problems),
            [(ProblemCode::RuleBroken, *path)],
            "{text}"
        );
        assert_eq!(merged.config, Config::default(), "{text}");
    }
}

#[test]
fn of_two_sources_that_do_not_fit_the_later_is_ignored() {
    let merged = merge_texts(&[
        r#"{"context": {"hardLimitRatio": 0.8, "softLimitRatio": 0.75}}"#,
        r#"{"context": {"softLimitRatio": 0.85, "recentTailTokens": 1}}"#,
        r#"{"context": {"recentTailTokens": 2}}"#,
    ]);
    assert_eq!(
        codes(&merged.problems),
        [(ProblemCode::RuleBroken, "context.softLimitRatio")]
    );
    assert_eq!(merged.problems[0].source, "source-1");
    assert_eq!(
        merged.problems[0].message,
        "context.softLimitRatio is 0.85; it must be at most context.hardLimitRatio, which is 0.8"
    );
    assert!((merged.config.context.soft_limit_ratio - 0.75).abs() < f64::EPSILON);
    assert_eq!(merged.config.context.recent_tail_tokens, 2);
}

#[test]
fn a_later_source_may_complete_what_an_earlier_allows() {
    let merged = merge_texts(&[
        r#"{"privacy": {"enabled": true}}"#,
        r#"{"retrieval": {"embedding": {"mode": "remote", "provider": "acme", "model": "e", "remoteProfiles": ["acme/e"]}}}"#,
        r#"{"nativeContinuation": {"allowProviderStorage": true}}"#,
        r#"{"nativeContinuation": {"enabled": true}}"#,
        r#"{"compaction": {"model": {"provider": "acme", "id": "m"}}}"#,
        r#"{"compaction": {"model": {"id": "n"}}}"#,
    ]);
    assert_eq!(merged.problems, []);
    assert!(merged.config.native_continuation.enabled);
    let model = merged.config.compaction.model.unwrap();
    assert_eq!((model.provider.as_str(), model.id.as_str()), ("acme", "n"));
}

#[test]
fn privacy_is_not_switched_off_under_remote_embedding() {
    let merged = merge_texts(&[
        r#"{"privacy": {"enabled": true}, "retrieval": {"embedding":
            {"mode": "remote", "provider": "acme", "model": "e", "remoteProfiles": ["acme/e"]}}}"#,
        r#"{"privacy": {"enabled": false}}"#,
    ]);
    assert_eq!(
        codes(&merged.problems),
        [(ProblemCode::RuleBroken, "privacy.enabled")]
    );
    assert!(merged.config.privacy.enabled);
}

#[test]
fn no_remote_rule_names_local_only() {
    let merged = merge_texts(&[
        r#"{"privacy": {"remoteDefaultAllowed": ["normal", "local-only"]}}"#,
        r#"{"privacy": {"remoteProviders": {"acme": ["local-only"]}}}"#,
    ]);
    assert_eq!(
        codes(&merged.problems),
        [
            (ProblemCode::NotAChoice, "privacy.remoteDefaultAllowed.1"),
            (ProblemCode::NotAChoice, "privacy.remoteProviders.acme.0"),
        ]
    );
    assert_eq!(merged.config, Config::default());
}

#[test]
fn equal_ends_are_allowed_where_the_rule_says_at_most() {
    let merged = merge_texts(&[
        r#"{"context": {"targetFillRatio": 0.5, "softLimitRatio": 0.5, "hardLimitRatio": 0.5,
            "minimumOutputReserve": 7, "preferredOutputReserve": 7},
            "project": {"snippetLines": 13, "snippetOverlapLines": 12}}"#,
    ]);
    assert_eq!(merged.problems, []);
}

#[test]
fn the_same_provider_twice_is_found_after_lower_casing() {
    let merged = merge_texts(&[
        r#"{"privacy": {"localProviders": ["ollama", "Ollama "]}}"#,
        r#"{"privacy": {"remoteProviders": {"acme": [], "ACME": ["normal"]}}}"#,
    ]);
    assert_eq!(
        codes(&merged.problems),
        [
            (ProblemCode::DuplicateItem, "privacy.localProviders.1"),
            (ProblemCode::DuplicateKey, "privacy.remoteProviders.ACME"),
        ]
    );
}

#[test]
fn every_ordered_pair_names_keys_that_exist() {
    let rows = table();
    for ordered in ORDERED {
        for path in [ordered.lower, ordered.upper] {
            let row = rows.iter().find(|row| row.key == path);
            assert!(
                row.is_some_and(|row| matches!(row.type_name, "integer" | "number")),
                "{path}"
            );
        }
    }
}
