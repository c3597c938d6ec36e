//! The defaults are those of behaviour 3.11 and 2.2, written out here a second time on purpose.

use serde_json::json;

use crate::config::{Config, merge, to_json};

#[test]
fn defaults_are_those_of_the_format() {
    let expected = json!({
        "enabled": true,
        "context": {
            "mode": "managed", "targetFillRatio": 0.7, "softLimitRatio": 0.8, "hardLimitRatio": 0.9,
            "minimumOutputReserve": 8192, "preferredOutputReserve": 32768, "recentTailTokens": 64000,
            "rescueImmediatePredecessor": true, "supplementalPlacement": "latest-user",
            "maxPinnedTokens": 16000, "maxMemoryTokens": 8000, "maxRetrievedHistoryTokens": 16000,
            "maxProjectTokens": 20000, "maxSummaryTokens": 12000,
            "condensedBand": {"enabled": true, "maxShare": 0.3, "stubChars": 2000},
            "condenseSuperseded": true,
            "cacheAware": {
                "mode": "off", "minimumCacheSampleCount": 3, "minimumCacheReadShare": 0.5,
                "minimumMissHitRatio": 20, "minimumImprovementRatio": 0.1, "maxTailBudgetShare": 0.5,
                "expectedRequestsPerTurn": 4, "expectedTurnsPerEpoch": 4, "stickinessEpochs": 2
            }
        },
        "compaction": {
            "enabled": true, "mode": "hierarchical", "validate": true, "segmentTargetTokens": 30000,
            "maxRequestInputTokens": 64000, "maxOperationInputTokens": 2_000_000,
            "preserveRecentVerbatim": true, "directUpdate": true, "inputBudget": "context",
            "maxConcurrentSegments": 2, "transport": {"maxAttempts": 4, "baseDelayMs": 2000},
            "summary": {"thinking": "off"}
        },
        "editing": {"anchored": false, "postEditReport": false},
        "reading": {"adaptive": false},
        "jobs": {"enabled": false},
        "sessionRebase": {
            "enabled": true, "mode": "manual", "suggestAfterCompactions": 6, "suggestAboveSessionMiB": 50,
            "checkpointTargetTokens": 8000, "preserveSource": true
        },
        "historyTools": {
            "enabled": true, "defaultScope": "current-branch", "maxResults": 6, "maxOutputTokens": 3000,
            "allowProjectScope": false, "includeSummaries": false, "maxProjectSessions": 100
        },
        "retrieval": {
            "exact": true, "fts": true, "semantic": false, "maxResults": 12,
            "embedding": {
                "mode": "local", "provider": "ds4-local", "model": "feature-hash-v1", "dimensions": 256,
                "remoteProfiles": [], "maxSources": 50000, "candidatePool": 80, "batchSize": 64,
                "queryCacheSize": 64, "timeoutMs": 2000
            }
        },
        "project": {
            "enabled": true, "maxFiles": 10000, "maxFileBytes": 512_000, "maxTotalBytes": 50_000_000,
            "snippetLines": 80, "snippetOverlapLines": 12, "maxResults": 8
        },
        "memory": {
            "enabled": true, "crossSession": false, "maxProjectSessions": 250, "maxPinChars": 4000,
            "maxClaimChars": 2000, "maxResults": 12
        },
        "artifacts": {
            "enabled": true, "adaptiveBudget": false, "maxInlineToolResultChars": 12000,
            "maxArtifactBytes": 100_000_000, "maxSearchBytes": 50_000_000, "excerptChars": 6000,
            "maxSearchMatches": 12, "storeLargeOutputs": true
        },
        "privacy": {
            "enabled": false, "defaultClassification": "normal",
            "localProviders": ["faux", "ollama", "llama-cpp", "lmstudio"],
            "remoteDefaultAllowed": ["normal", "internal"], "remoteProviders": {}, "redactSecrets": true
        },
        "modelAwareness": {
            "enabled": true, "calibrationWindow": 24, "minimumCalibrationSamples": 3,
            "calibrationRatioLowerBound": 0.5, "calibrationRatioUpperBound": 2, "overrides": {},
            "autoTune": false
        },
        "nativeContinuation": {
            "enabled": false, "allowProviderStorage": false, "profiles": ["openai/*"],
            "maxStateAgeMs": 1_800_000, "retryManagedReplay": true
        },
        "localKvReuse": {"enabled": false},
        "quality": {"enabled": false, "maxSamples": 1000},
        "ranking": {
            "mode": "off", "modelPath": "ds4-context/ranking-model.json", "minimumTrainingSamples": 20,
            "maxTrainingSamples": 10000, "maxLatencyMs": 10
        },
        "diagnostics": {"storeContextManifest": true, "storeFullRenderedContext": false, "logLevel": "info"},
        "storage": {
            "scope": "project", "databasePath": "ds4-context/context.db", "busyTimeoutMs": 5000,
            "writeRetryTimeoutMs": 30000, "projectIndexLeaseMs": 120_000
        }
    });
    let defaults = to_json(&Config::default());
    assert_eq!(defaults, expected);
    // Equal as text too: the order of the keys is the format's.
    assert_eq!(defaults.to_string(), expected.to_string());
}

#[test]
fn without_sources_the_defaults_apply() {
    let merged = merge(&[]);
    assert_eq!(merged.config, Config::default());
    assert!(merged.problems.is_empty());
}

#[test]
fn defaults_break_no_range_and_no_rule() {
    let merged = super::merge_value(&to_json(&Config::default()));
    assert_eq!(merged.problems, []);
    assert_eq!(merged.config, Config::default());
}
