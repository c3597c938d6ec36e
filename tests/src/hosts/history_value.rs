//! What a search and a read came to, as plain data: one shape for both hosts inside this process, and the one that the Node
//! package's API has.

use serde_json::{Value, json};

/// What every hit has.
pub(super) struct HitFacts<'a> {
    pub entry_id: &'a str,
    pub session_id: &'a str,
    pub relation: &'a str,
    pub role: &'a str,
    pub timestamp_ms: Option<u64>,
    pub score: i64,
    pub reason: &'a str,
    pub excerpt: &'a str,
    pub classification: &'a str,
    pub reference: &'a str,
}

pub(super) fn hit(facts: &HitFacts<'_>) -> Value {
    let mut value = json!({
        "entryId": facts.entry_id,
        "sessionId": facts.session_id,
        "relation": facts.relation,
        "role": facts.role,
        "score": facts.score,
        "reason": facts.reason,
        "excerpt": facts.excerpt,
        "classification": facts.classification,
        "reference": facts.reference,
    });
    if let Some(timestamp_ms) = facts.timestamp_ms {
        value["timestampMs"] = timestamp_ms.into();
    }
    value
}

pub(super) fn answer(
    status: &str,
    hits: Vec<Value>,
    indexed_entries: u32,
    log_entries: u32,
    sessions: Value,
) -> Value {
    json!({
        "status": status,
        "hits": hits,
        "indexedEntries": indexed_entries,
        "logEntries": log_entries,
        "sessions": sessions,
    })
}

pub(super) fn sessions(up_to_date: u32, pending: u32, left_out: u32) -> Value {
    json!({"upToDate": up_to_date, "pending": pending, "leftOut": left_out})
}

pub(super) fn lines(
    entry_id: &str,
    session_id: &str,
    role: &str,
    first_line: u32,
    total_lines: u32,
    text: &str,
) -> Value {
    json!({
        "entryId": entry_id,
        "sessionId": session_id,
        "role": role,
        "firstLine": first_line,
        "totalLines": total_lines,
        "text": text,
    })
}

/// The references of an answer's hits, in their order.
pub(super) fn references(answer: &Value) -> Vec<String> {
    let hits = answer["hits"].as_array().into_iter().flatten();
    hits.filter_map(|hit| hit["reference"].as_str().map(str::to_owned))
        .collect()
}
