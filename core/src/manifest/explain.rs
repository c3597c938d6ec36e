//! The smallest change that would have included what was left out.

use serde_json::{Value, json};

use super::exclusions::{Exclusion, exclusions};
use super::{PlanRecord, items};
use crate::planner::WhyOut;

/// The document of `diagnostics.explain`.
pub(super) fn explanation(record: &PlanRecord) -> Value {
    let excluded: Vec<Value> = exclusions(record)
        .iter()
        .map(|exclusion| {
            let mut row = exclusion.row();
            if let Some(row) = row.as_object_mut() {
                row.insert("smallestChange".into(), smallest_change(record, exclusion));
            }
            row
        })
        .collect();
    json!({
        "manifestId": record.id,
        "fallbackReason": record.decision.fallback.map(crate::planner::Fallback::name),
        "included": items::included(record),
        "excluded": excluded,
    })
}

fn smallest_change(record: &PlanRecord, exclusion: &Exclusion<'_>) -> Value {
    if let Some(text) = beyond_any_budget(exclusion.why) {
        return json!({"setting": "none", "text": text});
    }
    let input_need = exclusion.input_need.unwrap_or(u64::MAX);
    if input_need > record.budgets.hard {
        let value = smallest_window(record, input_need);
        let text = format!("a model whose window leaves {input_need} tokens of input (the hard limit here is {})", record.budgets.hard);
        return json!({"setting": "contextWindow", "value": value, "text": text});
    }
    if input_need > record.budgets.active {
        let text = format!("an input budget of {input_need} tokens instead of {}", record.budgets.active);
        return json!({"setting": "budget", "value": input_need, "text": text});
    }
    match exclusion.tail_need {
        None => {
            let value = record.ceilings.summaries + exclusion.tokens;
            let text = format!("{} tokens for summaries instead of {}", value, record.ceilings.summaries);
            json!({"setting": "context.maxSummaryTokens", "value": value, "text": text})
        }
        Some(need) if need > record.configured_tail => {
            let text = format!("a recent tail of {need} tokens instead of {}", record.ceilings.recent_tail);
            json!({"setting": "context.recentTailTokens", "value": need, "text": text})
        }
        Some(need) => {
            // The configured tail would do; the ceiling that follows from the model's window is what binds.
            let text = format!("a recent tail of {need} tokens for this model instead of {}", record.ceilings.recent_tail);
            let setting = format!("modelAwareness.overrides.{}/{}.recentTailTokens", record.profile.provider, record.profile.id);
            json!({"setting": setting, "value": need, "text": text})
        }
    }
}

/// The smallest window with these ratios whose hard limit holds that many tokens, as a first guess that errs upwards.
fn smallest_window(record: &PlanRecord, input_need: u64) -> u64 {
    const PERCENT: u64 = 100;
    let by_share = input_need.saturating_mul(PERCENT).div_ceil(90);
    let by_reserve = input_need + record.budgets.output_reserve + record.budgets.safety;
    by_share.max(by_reserve)
}

/// What to say of a message that no budget would include.
fn beyond_any_budget(why: WhyOut) -> Option<&'static str> {
    Some(match why {
        WhyOut::BeforeStableCut => {
            "it fits, but adding it would rewrite the provider's cached prefix; it returns when the model or the branch changes"
        }
        WhyOut::OrphanResult => "its call is not there, and providers reject a result without its call",
        WhyOut::SurplusResult => "its call has a result already",
        WhyOut::UnansweredCall => "its call never got a result",
        WhyOut::AbortedResponse => "the response was aborted or failed, and agents do not send such",
        WhyOut::ResultOfAbortedResponse => "it answers an aborted response",
        WhyOut::EmptyMessage => "there is nothing in it to read",
        WhyOut::ExcludedFromContext => "the person kept it out of the context",
        WhyOut::UnknownRole => "its role is not known",
        _ => return None,
    })
}
