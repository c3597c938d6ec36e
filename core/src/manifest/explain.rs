//! The smallest change that would have included what was left out.
//!
//! A larger window alone lifts the hard limit and not the automatic ceilings of tail and band, so that it comes with the budget
//! to ask for. `exact` says whether that budget is the smallest, or one that surely is enough.

use std::cell::OnceCell;

use serde_json::{Value, json};

use super::exclusions::{Exclusion, exclusions};
use super::{PlanRecord, items};
use crate::planner::{Group, GroupKind, NOTICE_RESERVE_TOKENS, WhatIf, WhyIn, WhyOut};

/// Groups of work that the exact needs of one explanation may take: exclusions times groups looked at for each. Beyond
/// it a need is an upper bound, so that explaining stays linear in the longest session.
const MAX_EXACT_WORK: usize = 2_000_000;

/// The smallest share of a budget that upper bounds leave the tail, whatever the band's.
const MIN_TAIL_SHARE: f64 = 0.01;

/// The budget that a group would need.
#[derive(Debug, Clone, Copy)]
enum Need {
    /// The smallest that includes it.
    Exactly(u64),
    /// One that surely includes it.
    AtMost(u64),
}

/// The document of `diagnostics.explain`.
pub(super) fn explanation(record: &PlanRecord, condensed: &dyn Fn(usize) -> Option<u32>) -> Value {
    let budgets = Budgets::new(record, condensed);
    let condensed_group = |place: usize| budgets.condensed(place);
    let what_if = budgets.what_if(record, &condensed_group);
    let mut exact_left = MAX_EXACT_WORK / budgets.eligible.len().max(1);
    let mut excluded = Vec::new();
    // Newest first: an older group never needs less, so each search begins where the one before ended. It begins below
    // an automatic budget: one of the caller's own lifts the ceilings of tail and band, and can be smaller.
    let mut at_least = record.budgets.explicit.unwrap_or(0);
    for exclusion in exclusions(record).iter().rev() {
        let need = budgets.place_of(exclusion).map(|place| {
            if exact_left == 0 {
                return Need::AtMost(budgets.enough(record, place));
            }
            exact_left -= 1;
            let need = what_if.smallest_budget(place, at_least);
            at_least = at_least.max(need.saturating_sub(1));
            // What a band finds no lines for lengthens the tail, so that a little less may do.
            if record.band_share.is_some() {
                Need::AtMost(need)
            } else {
                Need::Exactly(need)
            }
        });
        let mut row = exclusion.row();
        if let Some(row) = row.as_object_mut() {
            let change = smallest_change(record, exclusion, need);
            row.insert("smallestChange".into(), change);
        }
        excluded.push(row);
    }
    excluded.reverse();
    json!({
        "manifestId": record.id,
        "fallbackReason": record.decision.fallback.map(crate::planner::Fallback::name),
        "included": items::included(record),
        "excluded": excluded,
    })
}

/// The record's groups as the choice of tail and band saw them.
struct Budgets<'a> {
    /// Newest first, whole.
    eligible: Vec<Group>,
    /// Their condensed tokens, counted when first asked for.
    condensed: Vec<OnceCell<u64>>,
    /// Whole tokens of the group at each place and all newer ones.
    whole_up_to: Vec<u64>,
    condensed_message: &'a dyn Fn(usize) -> Option<u32>,
    record: &'a PlanRecord,
    mandatory: u64,
    chosen: u64,
}

impl<'a> Budgets<'a> {
    fn new(record: &'a PlanRecord, condensed_message: &'a dyn Fn(usize) -> Option<u32>) -> Self {
        let decision = &record.decision;
        let (mut eligible, mut mandatory, mut summaries) = (Vec::new(), 0, 0);
        for (index, group) in decision.groups.iter().enumerate().rev() {
            let why = decision
                .fates
                .get(group.start())
                .and_then(crate::planner::Fate::why_in);
            match why {
                Some(WhyIn::Current | WhyIn::Pin) => mandatory += group.tokens,
                Some(WhyIn::Summary) => summaries += group.tokens,
                _ if group.kind == GroupKind::Summary => {}
                _ => {
                    eligible.push(Group {
                        tokens: decision
                            .tail_costs
                            .get(index)
                            .copied()
                            .unwrap_or(group.tokens),
                        ..group.clone()
                    });
                }
            }
        }
        Self {
            condensed: vec![OnceCell::new(); eligible.len()],
            whole_up_to: eligible
                .iter()
                .scan(0, |sum: &mut u64, group| {
                    *sum = sum.saturating_add(group.tokens);
                    Some(*sum)
                })
                .collect(),
            condensed_message,
            record,
            eligible,
            mandatory,
            chosen: mandatory + summaries,
        }
    }

    fn what_if<'b>(
        &'b self,
        record: &PlanRecord,
        condensed: &'b dyn Fn(usize) -> u64,
    ) -> WhatIf<'b> {
        WhatIf {
            eligible: &self.eligible,
            condensed: record.band_share.map(|_| condensed),
            band_share: record.band_share.unwrap_or_default(),
            fixed: record.fixed_tokens(),
            mandatory: self.mandatory,
            chosen: self.chosen,
            supplement_reserve: record.supplement_reserve,
        }
    }

    /// Tokens of the group at that place in condensed form.
    fn condensed(&self, place: usize) -> u64 {
        let count = || {
            let members = self
                .eligible
                .get(place)
                .map(|group| group.members.as_slice());
            let tokens = members.unwrap_or_default().iter().map(|&position| {
                let whole = || {
                    self.record
                        .messages
                        .get(position)
                        .map_or(0, |message| message.tokens)
                };
                u64::from((self.condensed_message)(position).unwrap_or_else(whole))
            });
            tokens.sum()
        };
        self.condensed
            .get(place)
            .map_or(0, |cell| *cell.get_or_init(count))
    }

    fn place_of(&self, exclusion: &Exclusion<'_>) -> Option<usize> {
        let newest_first = |group: &Group| std::cmp::Reverse(group.start());
        self.eligible
            .binary_search_by_key(&std::cmp::Reverse(exclusion.start()), newest_first)
            .ok()
    }

    /// A budget in which the group at that place surely is: everything newer and itself fit whole, the band's reserve
    /// beside them.
    fn enough(&self, record: &PlanRecord, place: usize) -> u64 {
        let newer = self.whole_up_to.get(place).copied().unwrap_or_default();
        let messages = self
            .chosen
            .saturating_add(newer)
            .saturating_add(NOTICE_RESERVE_TOKENS)
            .saturating_add(record.supplement_reserve);
        let kept_for_the_band = record.band_share.unwrap_or_default();
        #[allow(clippy::cast_sign_loss, clippy::cast_precision_loss)] // tokens lie far below 2^53
        let with_reserve =
            (messages as f64 / (1.0 - kept_for_the_band).max(MIN_TAIL_SHARE)).ceil() as u64;
        record.fixed_tokens().saturating_add(with_reserve)
    }
}

fn smallest_change(record: &PlanRecord, exclusion: &Exclusion<'_>, need: Option<Need>) -> Value {
    if let Some(text) = beyond_any_budget(exclusion.why) {
        return json!({"setting": "none", "text": text});
    }
    let Some(need) = need else {
        let value = record.ceilings.summaries + exclusion.tokens;
        let text = format!(
            "{value} tokens for summaries instead of {}",
            record.ceilings.summaries
        );
        return json!({"setting": "context.maxSummaryTokens", "value": value, "text": text});
    };
    let (about, need, exact) = match need {
        Need::Exactly(need) => ("", need, true),
        Need::AtMost(need) => ("at most ", need, false),
    };
    if need > record.budgets.hard {
        let value = smallest_window(record, need);
        let hard = record.budgets.hard;
        let text = format!(
            "a model whose window leaves at least {need} tokens of input (the hard limit here is {hard}), with an explicit input budget of {about}{need} tokens"
        );
        return json!({"setting": "contextWindow", "value": value, "budget": need, "exact": exact, "text": text});
    }
    let text = format!(
        "an explicit input budget of {about}{need} tokens, which lifts the automatic ceilings"
    );
    json!({"setting": "budget", "value": need, "exact": exact, "text": text})
}

/// The smallest window with these ratios whose hard limit holds that many tokens, as a first guess that errs upwards.
fn smallest_window(record: &PlanRecord, input_need: u64) -> u64 {
    let budgets = &record.budgets;
    let by_share = input_need
        .saturating_mul(budgets.context_window)
        .div_ceil(budgets.hard.max(1));
    let by_reserve = input_need
        .saturating_add(budgets.output_reserve)
        .saturating_add(budgets.safety);
    by_share.max(by_reserve)
}

/// What to say of a message that no budget would include.
fn beyond_any_budget(why: WhyOut) -> Option<&'static str> {
    Some(match why {
        WhyOut::BeforeStableCut => {
            "it fits, but adding it would rewrite the provider's cached prefix; it returns when the model or the branch changes"
        }
        WhyOut::OrphanResult => {
            "its call is not there, and providers reject a result without its call"
        }
        WhyOut::SurplusResult => "its call has a result already",
        WhyOut::UnansweredCall => "its call never got a result",
        WhyOut::AbortedResponse => {
            "the response was aborted or failed, and agents do not send such"
        }
        WhyOut::ResultOfAbortedResponse => "it answers an aborted response",
        WhyOut::EmptyMessage => "there is nothing in it to read",
        WhyOut::ExcludedFromContext => "the person kept it out of the context",
        WhyOut::UnknownRole => "its role is not known",
        _ => return None,
    })
}
