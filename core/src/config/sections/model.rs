//! `modelAwareness`, `nativeContinuation` and `localKvReuse`: what is particular to a model (behaviour 2.1, 2.10,
//! 2.11), and the overrides by which a user corrects what the host says of one.

use std::collections::BTreeMap;

use crate::config::limits::MAX_TOKENS;
use crate::config::schema::{Kind, LowerEnd, choice, section};
use crate::config::text_form::TextForm;

const TOKENS: Kind = Kind::integer(0, MAX_TOKENS, "tokens");
const POSITIVE_TOKENS: Kind = Kind::integer(1, MAX_TOKENS, "tokens");

/// Samples of reported usage (behaviour 3.11).
const MIN_CALIBRATION_WINDOW: u64 = 3;
/// Samples of reported usage (behaviour 3.11; as many rows are kept per profile, 2.3).
const MAX_CALIBRATION_WINDOW: u64 = 200;
/// Reported ÷ estimated tokens (behaviour 3.11).
const MIN_CALIBRATION_RATIO: f64 = 0.25;
/// Reported ÷ estimated tokens (behaviour 3.11).
const MAX_CALIBRATION_RATIO: f64 = 4.0;
const CALIBRATION_RATIO: Kind = Kind::Number {
    min: LowerEnd::From(MIN_CALIBRATION_RATIO),
    max: MAX_CALIBRATION_RATIO,
    unit: "",
};
/// Milliseconds that a provider's stored state may be old (behaviour 2.10).
const MIN_STATE_AGE_MS: u64 = 10_000;
/// Milliseconds that a provider's stored state may be old: a day (behaviour 2.10).
const MAX_STATE_AGE_MS: u64 = 86_400_000;

choice! {
    /// How tokens are estimated (behaviour 2.1).
    enum TokenEstimator {
        /// UTF-16 units ÷ 4.
        CharsV1 = "chars-v1",
        /// Exact counting with the o200k vocabulary.
        O200kBaseV1 = "o200k-base-v1",
    }
}

section! {
    /// `modelAwareness`: calibration and per-model corrections.
    struct ModelAwarenessConfig {
        "enabled" enabled: bool = true, Kind::Flag,
            "Correct estimates by the usage that providers report, and set ceilings by window.";
        "calibrationWindow" calibration_window: u64 = 24,
            Kind::integer(MIN_CALIBRATION_WINDOW, MAX_CALIBRATION_WINDOW, "samples"),
            "Newest usage reports that count, per provider, model and estimator.";
        "minimumCalibrationSamples" minimum_calibration_samples: u64 = 3,
            Kind::integer(1, MAX_CALIBRATION_WINDOW, "samples"),
            "Accepted reports needed before a correction applies.";
        "calibrationRatioLowerBound" calibration_ratio_lower_bound: f64 = 0.5, CALIBRATION_RATIO,
            "Smallest correction.";
        "calibrationRatioUpperBound" calibration_ratio_upper_bound: f64 = 2.0, CALIBRATION_RATIO,
            "Largest correction.";
        "overrides" overrides: BTreeMap<String, ModelOverride> = BTreeMap::new(),
            Kind::Map { name: TextForm::AnyProfile, value: &Kind::Section(ModelOverride::KEYS) },
            "Corrections for all models, a provider's models or one model; the most specific wins, key by key.";
        "autoTune" auto_tune: bool = false, Kind::Flag,
            "Raise automatic ceilings by an eighth when reports show room.";
    }
}

section! {
    /// One entry of `modelAwareness.overrides`. A key that is not given leaves what the host or a less specific
    /// entry says.
    struct ModelOverride {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        "tokenEstimator" token_estimator: Option<TokenEstimator> = None, Kind::Choice(TokenEstimator::NAMES),
            "How tokens are estimated for the model.";
        #[serde(default, skip_serializing_if = "Option::is_none")]
        "contextWindow" context_window: Option<u64> = None, POSITIVE_TOKENS,
            "The model's window.";
        #[serde(default, skip_serializing_if = "Option::is_none")]
        "maxOutputTokens" max_output_tokens: Option<u64> = None, POSITIVE_TOKENS,
            "The longest answer of the model.";
        #[serde(default, skip_serializing_if = "Option::is_none")]
        "safetyMarginTokens" safety_margin_tokens: Option<u64> = None, TOKENS,
            "Room kept free for errors of the estimate.";
        #[serde(default, skip_serializing_if = "Option::is_none")]
        "recentTailTokens" recent_tail_tokens: Option<u64> = None, TOKENS,
            "Recent messages kept word for word, at most.";
        #[serde(default, skip_serializing_if = "Option::is_none")]
        "maxRetrievedHistoryTokens" max_retrieved_history_tokens: Option<u64> = None, TOKENS,
            "Evidence brought back from earlier in the session, at most.";
        #[serde(default, skip_serializing_if = "Option::is_none")]
        "maxProjectTokens" max_project_tokens: Option<u64> = None, TOKENS,
            "Lines of the project's source in one plan, at most.";
    }
}

section! {
    /// `nativeContinuation`: continuing from state that the provider stores.
    struct NativeContinuationConfig {
        "enabled" enabled: bool = false, Kind::Flag,
            "Send only what is new where the provider still holds the rest.";
        "allowProviderStorage" allow_provider_storage: bool = false, Kind::Flag,
            "Agree that the provider stores requests and answers; needed for native continuation.";
        "profiles" profiles: Vec<String> = vec!["openai/*".to_owned()],
            Kind::List { item: &Kind::Text(TextForm::ProviderProfile), min_items: 1 },
            "Models for which stored state may be used.";
        "maxStateAgeMs" max_state_age_ms: u64 = 1_800_000,
            Kind::integer(MIN_STATE_AGE_MS, MAX_STATE_AGE_MS, "ms"),
            "Age above which stored state is not used.";
        "retryManagedReplay" retry_managed_replay: bool = true, Kind::Flag,
            "Send the whole request once more when the provider refuses stored state.";
    }
}

section! {
    /// `localKvReuse`: reuse of a local runtime's computed prefixes.
    struct LocalKvReuseConfig {
        "enabled" enabled: bool = false, Kind::Flag,
            "Let a local runtime reuse the computed prefix of an earlier request.";
    }
}

impl ModelAwarenessConfig {
    /// What the overrides say of one model: `*`, then `provider/*`, then `provider/model`, merged key by key, the
    /// most specific last (behaviour 2.1). Names are compared exactly. Keys that no entry gives stay none.
    ///
    /// Does not look at [`Self::enabled`]: an override is what the user says of the model, not a correction we infer.
    #[must_use]
    pub fn resolve_override(&self, provider: &str, model: &str) -> ModelOverride {
        [
            "*".to_owned(),
            format!("{provider}/*"),
            format!("{provider}/{model}"),
        ]
        .iter()
        .filter_map(|profile| self.overrides.get(profile))
        .fold(ModelOverride::default(), ModelOverride::refined_by)
    }
}

impl ModelOverride {
    /// This override where `specific` says nothing, and `specific` where it does.
    fn refined_by(self, specific: &Self) -> Self {
        Self {
            token_estimator: specific.token_estimator.or(self.token_estimator),
            context_window: specific.context_window.or(self.context_window),
            max_output_tokens: specific.max_output_tokens.or(self.max_output_tokens),
            safety_margin_tokens: specific.safety_margin_tokens.or(self.safety_margin_tokens),
            recent_tail_tokens: specific.recent_tail_tokens.or(self.recent_tail_tokens),
            max_retrieved_history_tokens: specific
                .max_retrieved_history_tokens
                .or(self.max_retrieved_history_tokens),
            max_project_tokens: specific.max_project_tokens.or(self.max_project_tokens),
        }
    }
}
