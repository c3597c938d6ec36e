//! What keys must be together: rules that no single key can break (behaviour 3.11 and the sections it rests on).
//!
//! They are checked on the merged configuration, because two sources can be valid and not fit each other.

use serde_json::Value;

use super::problem::one_line;
use super::sections::{Config, EmbeddingMode};

/// A broken rule: the keys it is about, and one line for people.
#[derive(Debug)]
pub(crate) struct Breach {
    pub(crate) paths: Vec<String>,
    pub(crate) message: String,
}

impl Breach {
    fn new<const N: usize>(paths: [&str; N], message: impl Into<String>) -> Self {
        Self {
            paths: paths.map(str::to_owned).to_vec(),
            message: message.into(),
        }
    }
}

/// Two numeric keys of which one bounds the other.
#[derive(Debug)]
pub(crate) struct Ordered {
    /// The key that must not be larger.
    pub(crate) lower: &'static str,
    /// The key that bounds it.
    pub(crate) upper: &'static str,
    /// Whether the two may be equal.
    pub(crate) may_be_equal: bool,
}

impl Ordered {
    const fn at_most(lower: &'static str, upper: &'static str) -> Self {
        Self {
            lower,
            upper,
            may_be_equal: true,
        }
    }

    const fn below(lower: &'static str, upper: &'static str) -> Self {
        Self {
            lower,
            upper,
            may_be_equal: false,
        }
    }

    /// The rule in words, for the lower key's row in the README's table and for messages.
    pub(crate) fn relation(&self) -> String {
        let relation = if self.may_be_equal {
            "at most"
        } else {
            "below"
        };
        format!("{relation} {}", self.upper)
    }

    fn check(&self, merged: &Value) -> Option<Breach> {
        let (lower, upper) = (
            number_at(merged, self.lower)?,
            number_at(merged, self.upper)?,
        );
        let holds = if self.may_be_equal {
            lower <= upper
        } else {
            lower < upper
        };
        (!holds).then(|| {
            let message = format!(
                "{} is {lower}; it must be {}, which is {upper}",
                self.lower,
                self.relation()
            );
            Breach::new([self.lower, self.upper], message)
        })
    }
}

/// Every pair of keys of which one bounds the other.
pub(crate) const ORDERED: &[Ordered] = &[
    Ordered::at_most("context.targetFillRatio", "context.softLimitRatio"),
    Ordered::at_most("context.softLimitRatio", "context.hardLimitRatio"),
    Ordered::at_most(
        "context.minimumOutputReserve",
        "context.preferredOutputReserve",
    ),
    Ordered::at_most(
        "compaction.maxRequestInputTokens",
        "compaction.maxOperationInputTokens",
    ),
    Ordered::below("project.snippetOverlapLines", "project.snippetLines"),
    Ordered::at_most("project.maxFileBytes", "project.maxTotalBytes"),
    Ordered::at_most(
        "artifacts.excerptChars",
        "artifacts.maxInlineToolResultChars",
    ),
    Ordered::at_most("artifacts.maxSearchBytes", "artifacts.maxArtifactBytes"),
    Ordered::at_most(
        "modelAwareness.minimumCalibrationSamples",
        "modelAwareness.calibrationWindow",
    ),
    Ordered::below(
        "modelAwareness.calibrationRatioLowerBound",
        "modelAwareness.calibrationRatioUpperBound",
    ),
    Ordered::at_most(
        "ranking.minimumTrainingSamples",
        "ranking.maxTrainingSamples",
    ),
    Ordered::at_most("storage.busyTimeoutMs", "storage.writeRetryTimeoutMs"),
];

/// Every rule that is more than an order of two numbers.
const RULES: &[fn(&Config, &mut Vec<Breach>)] = &[
    compaction_model_is_whole,
    remote_embedding_is_consented,
    providers_are_local_or_remote,
    native_continuation_is_consented,
    override_output_fits_window,
];

/// Every rule that the merged configuration breaks.
pub(crate) fn breaches(config: &Config, merged: &Value) -> Vec<Breach> {
    let mut breaches: Vec<Breach> = ORDERED
        .iter()
        .filter_map(|ordered| ordered.check(merged))
        .collect();
    for rule in RULES {
        rule(config, &mut breaches);
    }
    breaches
}

/// The value at a dotted path of declared keys.
pub(crate) fn value_at<'a>(merged: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.')
        .try_fold(merged, |value, name| value.get(name))
}

fn number_at(merged: &Value, path: &str) -> Option<f64> {
    value_at(merged, path)?.as_f64()
}

fn compaction_model_is_whole(config: &Config, breaches: &mut Vec<Breach>) {
    let Some(model) = &config.compaction.model else {
        return;
    };
    if model.provider.is_empty() || model.id.is_empty() {
        let message = "compaction.model needs both provider and id, or neither";
        breaches.push(Breach::new(["compaction.model"], message));
    }
}

/// Behaviour 2.6: remote embedding needs privacy on and an exact profile.
fn remote_embedding_is_consented(config: &Config, breaches: &mut Vec<Breach>) {
    let embedding = &config.retrieval.embedding;
    if embedding.mode != EmbeddingMode::Remote {
        return;
    }
    let mode = "retrieval.embedding.mode";
    if !config.privacy.enabled {
        let message = format!("{mode} is remote; that needs privacy.enabled true");
        breaches.push(Breach::new([mode, "privacy.enabled"], message));
    }
    let profile = format!("{}/{}", embedding.provider, embedding.model);
    if !embedding.remote_profiles.contains(&profile) {
        let profiles = "retrieval.embedding.remoteProfiles";
        let message = format!(
            "{mode} is remote; that needs {} in {profiles}",
            one_line(&profile)
        );
        let provider = "retrieval.embedding.provider";
        let model = "retrieval.embedding.model";
        breaches.push(Breach::new([mode, profiles, provider, model], message));
    }
}

/// Behaviour 2.4: a provider cannot be both local and remote.
fn providers_are_local_or_remote(config: &Config, breaches: &mut Vec<Breach>) {
    for provider in &config.privacy.local_providers {
        if config.privacy.remote_providers.contains_key(provider) {
            let name = one_line(provider);
            let message = format!(
                "{name} stands in both privacy.localProviders and privacy.remoteProviders; keep one"
            );
            let remote = format!("privacy.remoteProviders.{name}");
            breaches.push(Breach {
                paths: vec![remote, "privacy.localProviders".to_owned()],
                message,
            });
        }
    }
}

/// Behaviour 2.10: the provider stores requests only where the user agreed.
fn native_continuation_is_consented(config: &Config, breaches: &mut Vec<Breach>) {
    let continuation = &config.native_continuation;
    if continuation.enabled && !continuation.allow_provider_storage {
        let (enabled, storage) = (
            "nativeContinuation.enabled",
            "nativeContinuation.allowProviderStorage",
        );
        breaches.push(Breach::new(
            [enabled, storage],
            format!("{enabled} is true; that needs {storage} true"),
        ));
    }
}

/// Within one entry only: entries of several profiles may describe different models.
fn override_output_fits_window(config: &Config, breaches: &mut Vec<Breach>) {
    for (profile, entry) in &config.model_awareness.overrides {
        let (Some(output), Some(window)) = (entry.max_output_tokens, entry.context_window) else {
            continue;
        };
        if output > window {
            let path = format!(
                "modelAwareness.overrides.{}.maxOutputTokens",
                one_line(profile)
            );
            let message = format!(
                "{path} is {output}; it must be at most the entry's contextWindow, which is {window}"
            );
            breaches.push(Breach {
                paths: vec![path],
                message,
            });
        }
    }
}
