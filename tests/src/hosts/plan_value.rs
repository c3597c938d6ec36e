//! A plan as plain data: one shape for both hosts inside this process, and the one that the Node package's API has.

use serde_json::{Value, json};

/// What every plan has beside its items.
pub(super) struct PlanFacts<'a> {
    pub manifest_id: &'a str,
    pub prompt_hash: &'a str,
    pub estimated_tokens: u32,
    pub estimator: &'a str,
    pub fallback: Option<&'a str>,
}

pub(super) fn plan(items: Vec<Value>, facts: &PlanFacts<'_>) -> Value {
    let mut value = json!({
        "items": items,
        "manifestId": facts.manifest_id,
        "promptHash": facts.prompt_hash,
        "estimatedTokens": facts.estimated_tokens,
        "estimator": facts.estimator,
    });
    if let Some(fallback) = facts.fallback {
        value["fallback"] = fallback.into();
    }
    value
}

pub(super) fn keep(first: u32, count: u32) -> Value {
    json!({"tag": "keep", "val": {"first": first, "count": count}})
}

pub(super) fn replace(position: u32, content: &[u8]) -> Value {
    let content: Value =
        serde_json::from_slice(content).unwrap_or_else(|error| json!(format!("no JSON: {error}")));
    json!({"tag": "replace", "val": {"position": position, "content": content}})
}

pub(super) fn insert(
    kind: &str,
    text: &str,
    tokens: u32,
    classification: &str,
    source_ids: &[String],
) -> Value {
    let val = json!({
        "kind": kind, "text": text, "tokens": tokens, "classification": classification, "sourceIds": source_ids,
    });
    json!({"tag": "insert", "val": val})
}
