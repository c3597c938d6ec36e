//! The manifest as a document (behaviour 2.3).

use serde_json::{Map, Value, json};

use super::exclusions::{Exclusion, exclusions};
use super::{POLICY_VERSION, PlanRecord, inventory, items};
use crate::planner::{Fallback, PLANNER_VERSION, SupplementCategory};

/// Groups that `excludedNativeGroups` lists, oversized ones first.
const MAX_LISTED_GROUPS: usize = 32;
/// Details that a warning lists.
const MAX_WARNING_DETAILS: usize = 8;

pub(super) fn manifest(record: &PlanRecord) -> Value {
    let excluded = exclusions(record);
    let mut manifest = json!({
        "schemaVersion": 1,
        "id": record.id,
        "sessionId": record.session_id,
        "branchLeafId": record.leaf_id,
        "provider": record.profile.provider,
        "model": record.profile.id,
        "contextWindow": record.budgets.context_window,
        "outputReserve": record.budgets.output_reserve,
        "safetyMargin": record.budgets.safety,
        "hardInputLimit": record.budgets.hard,
        "softInputLimit": record.budgets.soft,
        "targetInputTokens": record.budgets.target,
        "activeInputBudget": record.budgets.active,
        "estimatedInputTokens": record.estimated_tokens(),
        "estimator": record.estimator.name(),
        "providerUsage": usage(record),
        "composition": items::composition(record),
        "included": items::included(record),
        "excluded": items::excluded(record),
        "retrievedEventIds": retrieved_event_ids(record),
        "retrieval": retrieval(record),
        "persistedInventory": Value::Null,
        "planning": planning(record, &excluded),
        "warnings": warnings(&excluded),
        "policyVersion": POLICY_VERSION,
        "plannerVersion": PLANNER_VERSION,
        "promptHash": record.prompt_hash,
        "createdAt": record.created_at_ms,
    });
    if let Some(manifest) = manifest.as_object_mut() {
        inventory::roll_up(manifest);
    }
    manifest
}

/// What the search for evidence came to (behaviour 2.6).
fn retrieval(record: &PlanRecord) -> Value {
    let mut retrieval = json!({
        "status": record.evidence_status.name(),
        "reservedTokens": record.supplement_reserve,
    });
    if let (Some(reason), Some(fields)) =
        (record.evidence_status.failure(), retrieval.as_object_mut())
    {
        fields.insert("reason".to_owned(), reason.into());
    }
    retrieval
}

/// The entries that evidence of the plan quotes, in the order in which it is placed, each once.
fn retrieved_event_ids(record: &PlanRecord) -> Vec<&str> {
    let mut ids: Vec<&str> = Vec::new();
    let placed = record.decision.supplements.iter();
    let evidence = placed
        .map(|placed| &placed.supplement)
        .filter(|supplement| supplement.category == SupplementCategory::Retrieval);
    for id in evidence.flat_map(|supplement| &supplement.source_ids) {
        if !ids.contains(&id.as_str()) {
            ids.push(id);
        }
    }
    ids
}

fn planning(record: &PlanRecord, excluded: &[Exclusion<'_>]) -> Value {
    let decision = &record.decision;
    let selected = decision
        .groups
        .iter()
        .filter(|group| {
            decision
                .fates
                .get(group.start())
                .is_some_and(|fate| fate.why_in().is_some())
        })
        .count();
    let mut cut = Map::new();
    if let Some(begin) = decision.cut {
        cut.insert("tailSourceId".into(), record.source_id(begin.tail).into());
        cut.insert("bandSourceId".into(), record.source_id(begin.band).into());
    }
    cut.insert("moved".into(), decision.cut_moved.into());
    json!({
        "mode": record.mode.as_str(),
        "originalMessageTokens": record.original_message_tokens(),
        "originalMessageCount": record.messages.len(),
        "fixedTokens": record.fixed_tokens(),
        "messageTargetTokens": decision.message_target,
        "messageHardLimitTokens": decision.message_hard,
        "recentTailTokenLimit": record.ceilings.recent_tail,
        "recentTailTokens": decision.tail_tokens,
        "condensedBandTokens": decision.band_tokens,
        "selectedGroupCount": selected,
        "excludedGroupCount": decision.groups.len() - selected,
        "rescuedImmediatePredecessor": decision.rescued,
        "oversizedTurnExclusions": excluded.iter().filter(|exclusion| exclusion.oversized).count(),
        "excludedNativeGroups": native_groups(excluded),
        "cut": cut,
        "sharedPrefix": {"messages": record.shared_prefix.messages, "tokens": record.shared_prefix.tokens},
        "fallbackReason": decision.fallback.map(Fallback::name),
    })
}

fn native_groups(excluded: &[Exclusion<'_>]) -> Value {
    let mut groups: Vec<&Exclusion<'_>> = excluded
        .iter()
        .filter(|exclusion| exclusion.group_id.is_some())
        .collect();
    let messages: usize = groups
        .iter()
        .map(|exclusion| exclusion.positions.len())
        .sum();
    let total = groups.len();
    groups.sort_by_key(|exclusion| (!exclusion.oversized, exclusion.start()));
    groups.truncate(MAX_LISTED_GROUPS);
    let groups: Vec<Value> = groups
        .iter()
        .map(|exclusion| exclusion.native_group())
        .collect();
    json!({"total": total, "messageCount": messages, "groups": groups})
}

fn warnings(excluded: &[Exclusion<'_>]) -> Vec<Value> {
    let oversized: Vec<&Exclusion<'_>> = excluded
        .iter()
        .filter(|exclusion| exclusion.oversized)
        .collect();
    if oversized.is_empty() {
        return Vec::new();
    }
    let details: Vec<Value> = oversized
        .iter()
        .take(MAX_WARNING_DETAILS)
        .map(|exclusion| json!({"groupId": exclusion.group_id, "tokens": exclusion.tokens, "reason": exclusion.why.name()}))
        .collect();
    vec![json!({
        "code": "context.excluded_oversized_turn",
        "details": details,
        "truncated": oversized.len() > MAX_WARNING_DETAILS,
    })]
}

fn usage(record: &PlanRecord) -> Value {
    let Some(usage) = record.usage else {
        return Value::Null;
    };
    let total = usage.input + usage.cache_read + usage.cache_write;
    json!({
        "inputTokens": usage.input,
        "outputTokens": usage.output,
        "cacheReadTokens": usage.cache_read,
        "cacheWriteTokens": usage.cache_write,
        "totalInputTokens": total,
        "cacheReadShare": share(usage.cache_read, total),
        "cacheWriteShare": share(usage.cache_write, total),
    })
}

fn share(part: u64, total: u64) -> f64 {
    const PRECISION: f64 = 1e6;
    #[allow(clippy::cast_precision_loss)] // token counts lie far below 2^53
    if total == 0 {
        0.0
    } else {
        (part as f64 / total as f64 * PRECISION).round() / PRECISION
    }
}
