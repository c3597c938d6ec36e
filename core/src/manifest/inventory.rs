//! Large manifests: the list of what is out, rolled up (behaviour 2.3, failures.md 46).
//!
//! Invariant: whatever a session's length, a manifest's list of exclusions is bounded; what is rolled up is counted by
//! kind, reason and class, and its digest tells two lists apart.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::message::{canonical_json, hex};

/// The name of a rolled-up list's shape.
const SCHEMA: &str = "ds4-context-manifest-inventory-v1";
/// Bytes up to which a manifest keeps every item.
const MAX_WHOLE_BYTES: usize = 256 * 1024;
/// Items that a rolled-up list keeps at either end.
const KEPT_AT_EITHER_END: usize = 128;

/// Rolls the manifest's `excluded` up where the manifest is too large; `persistedInventory` then says what it held.
pub(super) fn roll_up(manifest: &mut Map<String, Value>) {
    let bytes: usize = manifest.values().map(|value| value.to_string().len()).sum();
    let Some(Value::Array(excluded)) = manifest.get_mut("excluded") else {
        return;
    };
    if bytes <= MAX_WHOLE_BYTES || excluded.len() <= 2 * KEPT_AT_EITHER_END {
        return;
    }
    let inventory = json!({
        "schema": SCHEMA,
        "items": excluded.len(),
        "sha256": hex(&Sha256::digest(canonical_json(&Value::Array(excluded.clone())).as_bytes())),
        "kept": {"first": KEPT_AT_EITHER_END, "last": KEPT_AT_EITHER_END},
        "byKind": counted_by(excluded, "kind"),
        "byReason": counted_by(excluded, "reason"),
        "byClassification": counted_by(excluded, "classification"),
    });
    let last = excluded.split_off(excluded.len() - KEPT_AT_EITHER_END);
    excluded.truncate(KEPT_AT_EITHER_END);
    excluded.extend(last);
    manifest.insert("persistedInventory".into(), inventory);
}

/// Items and tokens by the value of a key, in byte order.
fn counted_by(items: &[Value], key: &str) -> Value {
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for item in items {
        let text = item.get(key).and_then(Value::as_str).unwrap_or_default();
        let tokens = item.get("tokens").and_then(Value::as_u64);
        let count = counts.entry(text).or_default();
        count.0 += 1;
        count.1 += tokens.unwrap_or_default();
    }
    let rows = counts.into_iter();
    rows.map(|(text, (items, tokens))| (text.to_owned(), json!({"items": items, "tokens": tokens})))
        .collect::<Map<String, Value>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(items: usize) -> Map<String, Value> {
        let excluded: Vec<Value> = (0..items)
            .map(|item| json!({"kind": "history", "sourceId": format!("entry-{item:08}"), "tokens": 2,
                "classification": "normal", "reason": if item % 2 == 0 { "recent-tail-closed" } else { "orphan-result" }}))
            .collect();
        json!({"excluded": excluded, "persistedInventory": null})
            .as_object()
            .unwrap()
            .clone()
    }

    #[test]
    fn a_small_manifest_keeps_every_item() {
        let mut small = manifest(1_000);
        let whole = small.clone();
        roll_up(&mut small);
        assert_eq!(small, whole);
    }

    #[test]
    fn sixty_eight_thousand_items_become_both_ends_and_counts() {
        let mut large = manifest(68_000);
        roll_up(&mut large);
        let excluded = large["excluded"].as_array().unwrap();
        assert_eq!(excluded.len(), 256);
        assert_eq!(excluded[0]["sourceId"], "entry-00000000");
        assert_eq!(excluded[255]["sourceId"], "entry-00067999");
        let inventory = &large["persistedInventory"];
        assert_eq!(inventory["items"], 68_000);
        assert_eq!(
            inventory["byReason"]["orphan-result"],
            json!({"items": 34_000, "tokens": 68_000})
        );
        assert!(Value::Object(large.clone()).to_string().len() < MAX_WHOLE_BYTES);
        let mut other = manifest(68_001);
        roll_up(&mut other);
        assert_ne!(other["persistedInventory"]["sha256"], inventory["sha256"]);
    }
}
