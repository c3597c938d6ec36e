//! Configurations: merging, problems, and sessions that are refused for theirs (behaviour 3.11).

use serde_json::json;

use super::{MadeCase, pi_session};
use crate::cases::{LayerStep, SessionStep, Step};

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        configuration_problems(),
        refused_configuration(),
        refused_seed(),
    ]
}

fn layer(source: &str, content: &str) -> LayerStep {
    LayerStep {
        source: source.to_owned(),
        content: content.to_owned(),
    }
}

fn configuration_problems() -> MadeCase {
    let layers = vec![
        layer(
            "user",
            r#"{"context": {"targetFillRatio": 0.6, "recentTailToken": 5}, "unheard": {}}"#,
        ),
        layer(
            "project",
            r#"{"context": {"hardLimitRatio": 1.5, "mode": "sometimes"}}"#,
        ),
        layer("broken", r#"{"context": "#),
        layer("list", "[]"),
        layer("twice", r#"{"enabled": true, "enabled": false}"#),
        layer("rule", r#"{"context": {"targetFillRatio": 0.95}}"#),
        layer("flags", r#"{"context": {"recentTailTokens": 9000}}"#),
    ];
    MadeCase::in_memory(
        "configuration-problems",
        "Unknown keys are skipped, invalid layers are ignored as a whole, the last valid one wins.",
        pi_session(),
    )
    .step(Step::MergeConfig { layers })
    .step(Step::MergeConfig { layers: Vec::new() })
}

fn refused_configuration() -> MadeCase {
    let session = SessionStep {
        config: Some(json!({"context": {"mode": "sometimes"}})),
        ..pi_session()
    };
    MadeCase::in_memory(
        "refused-configuration",
        "A session is not opened with a configuration that does not hold.",
        session,
    )
}

fn refused_seed() -> MadeCase {
    let session = SessionStep {
        seed_bytes: Some(31),
        ..pi_session()
    };
    MadeCase::in_memory(
        "refused-seed",
        "A session is not opened with a seed that is too short.",
        session,
    )
}
