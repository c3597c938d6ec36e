//! What plans need to know of a model: what the host says, corrected by the configuration's overrides.

use super::estimator::Estimator;
use crate::config::{Config, TokenEstimator};

/// Tokens of a model's window where nobody says: the window that current hosted models have at least.
pub const DEFAULT_CONTEXT_WINDOW_TOKENS: u32 = 200_000;

/// A model as its provider names it.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The provider's name.
    pub provider: String,
    /// The model's ID.
    pub id: String,
    /// Tokens of input and output together.
    pub context_window: u32,
    /// Most tokens of output, where the provider states it.
    pub max_output: Option<u32>,
    /// Prices, where the host knows them.
    pub cost: Option<TokenCost>,
}

/// Prices per million tokens; only their ratios are used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenCost {
    /// Uncached input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Input read from the cache.
    pub cache_read: f64,
    /// Input written to the cache.
    pub cache_write: f64,
}

impl Model {
    /// A model of which only the name is known, as a session log gives it.
    pub fn named(provider: &str, id: &str) -> Self {
        Self {
            provider: provider.to_owned(),
            id: id.to_owned(),
            context_window: DEFAULT_CONTEXT_WINDOW_TOKENS,
            max_output: None,
            cost: None,
        }
    }
}

/// The model as plans use it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelProfile {
    /// The provider's name.
    pub provider: String,
    /// The model's ID.
    pub id: String,
    /// Tokens of input and output together.
    pub context_window: u64,
    /// Most tokens of output, where anybody states it.
    pub max_output: Option<u64>,
    /// How its tokens are counted.
    pub estimator: Estimator,
    /// Tokens kept free for errors of the estimate.
    pub safety_margin: u64,
    /// The recent tail that the override asks for instead of the automatic ceiling.
    pub recent_tail_override: Option<u64>,
    /// Likewise for retrieved history.
    pub history_override: Option<u64>,
    /// Likewise for project source.
    pub project_override: Option<u64>,
}

impl ModelProfile {
    /// What the host says of the model, corrected by `modelAwareness.overrides` (behaviour 2.1).
    pub fn resolve(model: &Model, config: &Config) -> Self {
        let correction = config
            .model_awareness
            .resolve_override(&model.provider, &model.id);
        let context_window = correction
            .context_window
            .unwrap_or(u64::from(model.context_window));
        Self {
            provider: model.provider.clone(),
            id: model.id.clone(),
            context_window,
            max_output: correction
                .max_output_tokens
                .or(model.max_output.map(u64::from)),
            estimator: match correction.token_estimator {
                Some(TokenEstimator::O200kBaseV1) => {
                    Estimator::from_name("o200k-base-v1").unwrap_or_default()
                }
                Some(TokenEstimator::CharsV1) | None => Estimator::CharsV1,
            },
            safety_margin: correction
                .safety_margin_tokens
                .unwrap_or_else(|| default_safety_margin(context_window)),
            recent_tail_override: correction.recent_tail_tokens,
            history_override: correction.max_retrieved_history_tokens,
            project_override: correction.max_project_tokens,
        }
    }
}

/// `min(8192, max(1024, ceil(0.02 × window)))` (behaviour 2.1).
fn default_safety_margin(context_window: u64) -> u64 {
    const SMALLEST: u64 = 1_024;
    const LARGEST: u64 = 8_192;
    const WINDOWS_PER_MARGIN: u64 = 50;
    context_window
        .div_ceil(WINDOWS_PER_MARGIN)
        .clamp(SMALLEST, LARGEST)
}
