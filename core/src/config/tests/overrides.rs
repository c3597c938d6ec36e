//! Per-model overrides: least to most specific, key by key (behaviour 2.1).

use serde_json::{Value, json};

use super::{merge_texts, merge_value};
use crate::config::schema::Kind;
use crate::config::{Config, ModelOverride, TokenEstimator};

#[test]
fn the_most_specific_entry_wins_key_by_key() {
    let merged = merge_texts(&[r#"{"modelAwareness": {"overrides": {
        "acme/big": {"contextWindow": 1000000},
        "*": {"contextWindow": 100000, "recentTailTokens": 10, "safetyMarginTokens": 7},
        "acme/*": {"contextWindow": 200000, "recentTailTokens": 20, "tokenEstimator": "o200k-base-v1"}
    }}}"#]);
    assert_eq!(merged.problems, []);
    let awareness = &merged.config.model_awareness;

    let big = awareness.resolve_override("acme", "big");
    let expected = ModelOverride {
        token_estimator: Some(TokenEstimator::O200kBaseV1),
        context_window: Some(1_000_000),
        recent_tail_tokens: Some(20),
        safety_margin_tokens: Some(7),
        ..ModelOverride::default()
    };
    assert_eq!(big, expected);
    assert_eq!(
        awareness.resolve_override("acme", "small").context_window,
        Some(200_000)
    );
    let other = awareness.resolve_override("other", "big");
    assert_eq!(
        (other.context_window, other.token_estimator),
        (Some(100_000), None)
    );
}

#[test]
fn names_are_compared_exactly_and_models_may_hold_slashes() {
    let merged = merge_texts(&[r#"{"modelAwareness": {"overrides": {
        "router/meta/llama": {"contextWindow": 8192}, "acme/*": {"maxOutputTokens": 5}
    }}}"#]);
    assert_eq!(merged.problems, []);
    let awareness = &merged.config.model_awareness;
    assert_eq!(
        awareness
            .resolve_override("router", "meta/llama")
            .context_window,
        Some(8192)
    );
    assert_eq!(
        awareness.resolve_override("router", "meta"),
        ModelOverride::default()
    );
    assert_eq!(
        awareness.resolve_override("Acme", "x"),
        ModelOverride::default()
    );
}

#[test]
fn without_entries_nothing_is_overridden() {
    let override_of_none = Config::default().model_awareness.resolve_override("", "");
    assert_eq!(override_of_none, ModelOverride::default());
}

/// Guards the one place that lists the fields by hand.
#[test]
fn every_key_of_an_override_is_resolved() {
    for key in ModelOverride::KEYS {
        let value = |first: bool| match key.kind {
            Kind::Choice(names) => json!(if first { names[0] } else { names[1] }),
            _ => json!(if first { 11 } else { 22 }),
        };
        let merged = merge_value(&json!({"modelAwareness": {"overrides": {
            "*": {key.name: value(true)}, "acme/m": {key.name: value(false)}
        }}}));
        assert_eq!(merged.problems, []);
        let resolve = |provider| -> Value {
            let resolved = merged
                .config
                .model_awareness
                .resolve_override(provider, "m");
            serde_json::to_value(resolved).unwrap()
        };
        assert_eq!(resolve("other"), json!({key.name: value(true)}));
        assert_eq!(resolve("acme"), json!({key.name: value(false)}));
    }
}

#[test]
fn sources_merge_inside_one_entry() {
    let merged = merge_texts(&[
        r#"{"modelAwareness": {"overrides": {"acme/m": {"contextWindow": 9000, "recentTailTokens": 5}}}}"#,
        r#"{"modelAwareness": {"overrides": {"acme/m": {"recentTailTokens": 6}}}}"#,
    ]);
    let resolved = merged.config.model_awareness.resolve_override("acme", "m");
    assert_eq!(
        (resolved.context_window, resolved.recent_tail_tokens),
        (Some(9000), Some(6))
    );
}
