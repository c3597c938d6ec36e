//! A session in a few figures.

use serde_json::{Value, json};

use crate::config::Config;
use crate::manifest::PlanRecord;
use crate::model::ModelProfile;
use crate::model::budget::limits;
use crate::planner::Fallback;
use crate::session::LogFormat;

/// The contract's interfaces that this build answers.
const SUPPORTED: [&str; 3] = ["sessions", "planning", "diagnostics"];
/// Those that answer `unsupported`.
const UNSUPPORTED: [&str; 3] = ["privacy", "compaction", "retrieval"];

/// What a status is made from.
pub(super) struct Facts<'a> {
    pub session_id: &'a str,
    pub leaf_id: Option<&'a str>,
    pub format: LogFormat,
    pub config: &'a Config,
    pub profile: &'a ModelProfile,
    pub messages: usize,
    pub tokens: u64,
    pub last: Option<&'a PlanRecord>,
}

pub(super) fn document(facts: &Facts<'_>) -> Value {
    let (budgets, ceilings) = limits(facts.profile, facts.config, None, super::UNCALIBRATED);
    json!({
        "sessionId": facts.session_id,
        "leafId": facts.leaf_id,
        "format": facts.format.name(),
        "enabled": facts.config.enabled,
        "mode": facts.config.context.mode.as_str(),
        "model": {
            "provider": facts.profile.provider,
            "id": facts.profile.id,
            "contextWindow": facts.profile.context_window,
            "maxOutput": facts.profile.max_output,
        },
        "estimator": facts.profile.estimator.name(),
        "budgets": {
            "hardInputLimit": budgets.hard,
            "softInputLimit": budgets.soft,
            "targetInputTokens": budgets.target,
            "outputReserve": budgets.output_reserve,
            "safetyMargin": budgets.safety,
            "recentTailTokens": ceilings.recent_tail,
        },
        "messages": facts.messages,
        "tokens": facts.tokens,
        "lastPlan": facts.last.map(last_plan),
        "version": env!("CARGO_PKG_VERSION"),
        "supports": SUPPORTED,
        "unsupported": UNSUPPORTED,
    })
}

fn last_plan(record: &PlanRecord) -> Value {
    let included = record
        .decision
        .fates
        .iter()
        .filter(|fate| fate.why_in().is_some())
        .count();
    json!({
        "manifestId": record.id,
        "estimatedTokens": record.estimated_tokens(),
        "includedMessages": included,
        "excludedMessages": record.decision.fates.len() - included,
        "sharedPrefixTokens": record.shared_prefix.tokens,
        "fallback": record.decision.fallback.map(Fallback::name),
    })
}
