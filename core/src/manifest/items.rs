//! The items of a manifest: one a message, tool and system prompt.

use serde_json::{Map, Value, json};

use super::PlanRecord;
use crate::planner::{
    Fate, OTHER_HISTORY_PRIORITY, ReplacementKind, SupplementCandidate, SupplementOut, WhyIn,
};

/// Class of every text while there is no privacy policy.
const CLASSIFICATION: &str = "normal";

/// What is in: system prompt, tools, messages and notices in the order in which they are sent.
pub(super) fn included(record: &PlanRecord) -> Vec<Value> {
    let mut items = Vec::new();
    if record.system_tokens > 0 {
        items.push(item(
            "system",
            "system-prompt",
            "system",
            None,
            record.system_tokens,
            None,
            "always",
        ));
    }
    for (name, tokens) in &record.tools {
        items.push(item("tool", name, "system", None, *tokens, None, "always"));
    }
    for (position, fate) in record.decision.fates.iter().enumerate() {
        if let Some(notice) = record
            .decision
            .notice
            .as_ref()
            .filter(|notice| notice.before == position)
        {
            let source = notice.source_ids.first().map_or("notice", String::as_str);
            items.push(item(
                "notice",
                source,
                "user",
                None,
                u64::from(notice.tokens),
                None,
                "earlier-messages-left-out",
            ));
        }
        for placed in &record.decision.supplements {
            if placed.before == position {
                items.push(supplement_item(record, &placed.supplement, None));
            }
        }
        if let Some(why) = fate.why_in() {
            items.push(message_item(
                record,
                position,
                kind(fate, why),
                why.priority(),
                reason(fate, why),
            ));
        }
    }
    items
}

/// What is out.
pub(super) fn excluded(record: &PlanRecord) -> Vec<Value> {
    let fates = record.decision.fates.iter().enumerate();
    let skipped = record.decision.skipped_supplements.iter();
    let skipped =
        skipped.map(|skipped| supplement_item(record, &skipped.supplement, Some(skipped.why)));
    fates
        .filter_map(|(position, fate)| match fate {
            Fate::Out(why) => Some(message_item(
                record,
                position,
                "history",
                OTHER_HISTORY_PRIORITY,
                why.name(),
            )),
            _ => None,
        })
        .chain(skipped)
        .collect()
}

/// Items and tokens by kind, in a fixed order, kinds without items left out.
pub(super) fn composition(record: &PlanRecord) -> Vec<Value> {
    const KINDS: [&str; 11] = [
        "system",
        "tool",
        "pin",
        "memory",
        "retrieval",
        "project",
        "summary",
        "notice",
        "condensed",
        "recent",
        "current",
    ];
    let included = included(record);
    KINDS
        .into_iter()
        .filter_map(|kind| {
            let of_kind = included
                .iter()
                .filter(|item| item.get("kind").and_then(Value::as_str) == Some(kind));
            let tokens: u64 = of_kind
                .clone()
                .filter_map(|item| item.get("tokens").and_then(Value::as_u64))
                .sum();
            let items = of_kind.count();
            (items > 0).then(|| json!({"kind": kind, "items": items, "tokens": tokens}))
        })
        .collect()
}

fn kind(fate: &Fate, why: WhyIn) -> &'static str {
    match fate {
        Fate::Replace(_, replacement) if replacement.what == ReplacementKind::Superseded => {
            WhyIn::Condensed.kind()
        }
        _ => why.kind(),
    }
}

fn reason(fate: &Fate, why: WhyIn) -> &'static str {
    match fate {
        Fate::Replace(_, replacement) if why != WhyIn::Condensed => replacement.what.name(),
        _ => why.name(),
    }
}

fn message_item(
    record: &PlanRecord,
    position: usize,
    kind: &str,
    priority: u32,
    reason: &str,
) -> Value {
    let message = record.messages.get(position);
    let whole = message.map_or(0, |message| message.tokens);
    let tokens = match record.decision.fates.get(position) {
        Some(Fate::Replace(_, replacement)) => replacement.tokens,
        _ => whole,
    };
    let group = record
        .decision
        .group_of
        .get(position)
        .copied()
        .flatten()
        .and_then(|group| record.decision.groups.get(group));
    let end = group.map_or(position, crate::planner::Group::end);
    let score = score(priority, end, record.messages.len());
    item(
        kind,
        &record.source_id(position),
        message.map_or("", |message| message.role.name()),
        group.map(crate::planner::Group::id),
        u64::from(tokens),
        Some(score),
        reason,
    )
}

/// A supplement, with all its sources and what its category says of it.
fn supplement_item(
    record: &PlanRecord,
    supplement: &SupplementCandidate,
    out: Option<SupplementOut>,
) -> Value {
    let category = supplement.category;
    let mut item = item(
        category.kind(),
        supplement.source_ids.first().unwrap_or(&supplement.id),
        "user",
        None,
        u64::from(supplement.tokens),
        Some(score(
            category.priority(),
            supplement.end,
            record.messages.len(),
        )),
        out.map_or(supplement.reason.as_str(), |why| why.name()),
    );
    if let Some(fields) = item.as_object_mut() {
        fields.insert("sourceIds".into(), json!(supplement.source_ids));
        fields.insert("categoryScore".into(), supplement.score.into());
    }
    item
}

/// `priority + (end + 1) / (count + 1)`, rounded to millionths (behaviour 2.2).
fn score(priority: u32, end: usize, count: usize) -> f64 {
    const PRECISION: f64 = 1e6;
    #[allow(clippy::cast_precision_loss)] // positions lie far below 2^53
    let place = (end + 1) as f64 / (count + 1) as f64;
    ((f64::from(priority) + place) * PRECISION).round() / PRECISION
}

fn item(
    kind: &str,
    source_id: &str,
    role: &str,
    group_id: Option<String>,
    tokens: u64,
    score: Option<f64>,
    reason: &str,
) -> Value {
    let mut item = Map::new();
    item.insert("kind".into(), kind.into());
    item.insert("sourceId".into(), source_id.into());
    item.insert("role".into(), role.into());
    if let Some(group_id) = group_id {
        item.insert("groupId".into(), group_id.into());
    }
    item.insert("tokens".into(), tokens.into());
    if let Some(score) = score {
        item.insert("score".into(), score.into());
    }
    item.insert("classification".into(), CLASSIFICATION.into());
    item.insert("reason".into(), reason.into());
    Value::Object(item)
}
