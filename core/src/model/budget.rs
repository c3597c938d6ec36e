//! What a request may hold: the limits that follow from a model's window (behaviour 2.1).
//!
//! Invariants: `active ≤ hard` and `soft ≤ hard`; a calibration ratio can only lower a limit; an explicit budget replaces
//! the target and every category ceiling and never raises the hard limit.

use super::profile::ModelProfile;
use crate::config::{Config, ContextConfig};

/// The part of a plan's budget that is left to evidence.
const EVIDENCE_RESERVE_SHARE: f64 = 0.04;

/// Limits of one request, in tokens of input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budgets {
    /// The model's window.
    pub context_window: u64,
    /// Kept for the answer.
    pub output_reserve: u64,
    /// Kept for errors of the estimate.
    pub safety: u64,
    /// Never exceeded.
    pub hard: u64,
    /// Above it, compaction becomes due.
    pub soft: u64,
    /// What a plan aims to fill.
    pub target: u64,
    /// The caller's own budget, where one was given.
    pub explicit: Option<u64>,
    /// What a plan may fill: the explicit budget or the target, within the hard limit.
    pub active: u64,
}

impl Budgets {
    /// The limits for a model. `calibration` is reported ÷ estimated tokens; values below 1 change nothing.
    pub fn derive(
        profile: &ModelProfile,
        context: &ContextConfig,
        explicit: Option<u64>,
        calibration: f64,
    ) -> Self {
        let window = profile.context_window;
        let quarter = window / 4;
        let preferred = context.preferred_output_reserve;
        let ceiling = profile.max_output.unwrap_or(preferred);
        let floor = if context.minimum_output_reserve <= quarter {
            context.minimum_output_reserve
        } else {
            0
        };
        let reserve = ceiling.min(preferred).min(quarter).max(floor);
        let safety = profile.safety_margin.min(window - reserve);
        let hard = calibrated(
            (window - reserve - safety).min(share(window, context.hard_limit_ratio)),
            calibration,
        );
        let soft = calibrated(share(window, context.soft_limit_ratio), calibration).min(hard);
        let target = calibrated(share(window, context.target_fill_ratio), calibration);
        Self {
            context_window: window,
            output_reserve: reserve,
            safety,
            hard,
            soft,
            target,
            explicit,
            active: explicit.unwrap_or(target).min(hard),
        }
    }
}

/// Most tokens of each category of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ceilings {
    /// The recent tail, the mandatory messages included.
    pub recent_tail: u64,
    /// Pins; more than that is a fallback.
    pub pins: u64,
    /// Summaries.
    pub summaries: u64,
    /// Remembered claims.
    pub memory: u64,
    /// Evidence from earlier history.
    pub history: u64,
    /// Lines of the project's source.
    pub project: u64,
}

impl Ceilings {
    /// The ceilings for a model: the automatic ones by window (or the override's), divided by the calibration, capped by
    /// the configuration; with an explicit budget only that budget.
    pub fn derive(
        profile: &ModelProfile,
        context: &ContextConfig,
        automatic: bool,
        explicit: Option<u64>,
        calibration: f64,
    ) -> Self {
        if let Some(budget) = explicit {
            return Self {
                recent_tail: budget,
                pins: context.max_pinned_tokens,
                summaries: budget,
                memory: budget,
                history: budget,
                project: budget,
            };
        }
        let by_window = automatic.then(|| automatic_ceilings(profile.context_window));
        let ceiling = |overridden: Option<u64>, automatic: Option<u64>, configured: u64| {
            let chosen = overridden.or(automatic).unwrap_or(configured);
            calibrated(chosen, calibration).min(configured)
        };
        Self {
            recent_tail: ceiling(
                profile.recent_tail_override,
                by_window.map(|by_window| by_window.recent_tail),
                context.recent_tail_tokens,
            ),
            pins: context.max_pinned_tokens,
            summaries: context.max_summary_tokens,
            memory: context.max_memory_tokens,
            history: ceiling(
                profile.history_override,
                by_window.map(|by_window| by_window.history),
                context.max_retrieved_history_tokens,
            ),
            project: ceiling(
                profile.project_override,
                by_window.map(|by_window| by_window.project),
                context.max_project_tokens,
            ),
        }
    }

    /// Tokens that tail and band leave to evidence in a plan within those budgets, whether or not any is found: a small
    /// part, because what was said last is needed more often than what a search brings back.
    pub fn evidence_reserve(&self, budgets: &Budgets) -> u64 {
        evidence_reserve(budgets.active).min(self.history)
    }
}

/// What is left to evidence in a plan within an explicit budget, which lifts the ceiling.
pub fn evidence_reserve(budget: u64) -> u64 {
    share(budget, EVIDENCE_RESERVE_SHARE)
}

/// The limits and the ceilings of one request to a model: what plans are made within and what a status shows.
pub fn limits(
    profile: &ModelProfile,
    config: &Config,
    explicit: Option<u64>,
    calibration: f64,
) -> (Budgets, Ceilings) {
    let automatic = config.model_awareness.enabled;
    (
        Budgets::derive(profile, &config.context, explicit, calibration),
        Ceilings::derive(profile, &config.context, automatic, explicit, calibration),
    )
}

/// The ceilings that follow from a window.
#[derive(Debug, Clone, Copy)]
struct AutomaticCeilings {
    recent_tail: u64,
    history: u64,
    project: u64,
}

/// The automatic ceilings by window (behaviour 2.1).
const fn automatic_ceilings(window: u64) -> AutomaticCeilings {
    let (recent_tail, history, project) = match window {
        0..=40_000 => (12_000, 4_000, 4_000),
        40_001..=131_072 => (24_000, 8_000, 12_000),
        131_073..=262_144 => (32_000, 16_000, 20_000),
        _ => (64_000, 32_000, 32_000),
    };
    AutomaticCeilings {
        recent_tail,
        history,
        project,
    }
}

/// `floor(ratio × window)`.
fn share(window: u64, ratio: f64) -> u64 {
    #[allow(clippy::cast_sign_loss, clippy::cast_precision_loss)]
    // windows lie far below 2^53, ratios above 0
    let tokens = (window as f64 * ratio) as u64;
    tokens
}

/// A limit divided by `max(1, ratio)`.
fn calibrated(limit: u64, ratio: f64) -> u64 {
    if ratio.is_nan() || ratio <= 1.0 {
        return limit;
    }
    #[allow(clippy::cast_sign_loss, clippy::cast_precision_loss)] // as in `share`
    let lowered = (limit as f64 / ratio) as u64;
    lowered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::model::Model;

    fn budgets(
        window: u32,
        max_output: Option<u32>,
        explicit: Option<u64>,
        calibration: f64,
    ) -> Budgets {
        let config = Config::default();
        let mut model = Model::named("p", "m");
        model.context_window = window;
        model.max_output = max_output;
        Budgets::derive(
            &ModelProfile::resolve(&model, &config),
            &config.context,
            explicit,
            calibration,
        )
    }

    #[test]
    fn a_large_window() {
        let limits = budgets(200_000, Some(64_000), None, 1.0);
        assert_eq!((limits.output_reserve, limits.safety), (32_768, 4_000));
        assert_eq!(
            (limits.hard, limits.soft, limits.target, limits.active),
            (163_232, 160_000, 140_000, 140_000)
        );
    }

    #[test]
    fn a_small_window_keeps_three_quarters_for_input() {
        let limits = budgets(32_768, None, None, 1.0);
        assert_eq!(limits.output_reserve, 8_192);
        assert_eq!(limits.hard, 32_768 - 8_192 - 1_024);
        let tiny = budgets(8_000, None, None, 1.0);
        assert_eq!(
            (tiny.output_reserve, tiny.hard),
            (2_000, 8_000 - 2_000 - 1_024)
        );
        let nothing = budgets(100, None, None, 1.0);
        assert_eq!(nothing.hard, 0);
    }

    #[test]
    fn an_explicit_budget_replaces_the_target_and_never_raises_hard() {
        assert_eq!(budgets(200_000, None, Some(12_000), 1.0).active, 12_000);
        let limits = budgets(200_000, None, Some(900_000), 1.0);
        assert_eq!(limits.active, limits.hard);
    }

    #[test]
    fn a_calibration_lowers_and_never_raises() {
        let nominal = budgets(200_000, None, None, 1.0);
        let lowered = budgets(200_000, None, None, 1.25);
        assert_eq!(lowered.target, 112_000);
        assert!(lowered.hard < nominal.hard);
        assert_eq!(budgets(200_000, None, None, 0.5), nominal);
    }

    #[test]
    fn ceilings_follow_the_window_the_override_and_the_cap() {
        let ceiling = |window: u32, layer: &str| {
            let config = crate::config::merge(&[crate::config::Layer {
                source: "test",
                content: layer.as_bytes(),
            }])
            .config;
            let mut model = Model::named("p", "m");
            model.context_window = window;
            let profile = ModelProfile::resolve(&model, &config);
            Ceilings::derive(
                &profile,
                &config.context,
                config.model_awareness.enabled,
                None,
                1.0,
            )
            .recent_tail
        };
        assert_eq!(
            [32_768, 131_072, 200_000, 1_000_000].map(|window| ceiling(window, "{}")),
            [12_000, 24_000, 32_000, 64_000]
        );
        assert_eq!(
            ceiling(200_000, r#"{"context":{"recentTailTokens":9000}}"#),
            9_000
        );
        assert_eq!(
            ceiling(
                200_000,
                r#"{"modelAwareness":{"overrides":{"p/*":{"recentTailTokens":50000}}}}"#
            ),
            50_000
        );
        assert_eq!(
            ceiling(200_000, r#"{"modelAwareness":{"enabled":false}}"#),
            64_000
        );
    }
}
