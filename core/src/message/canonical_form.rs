//! RFC 8785 canonical JSON, the form in which everything of ours is hashed.
//!
//! Invariant: [`is_canonical`] says yes only where the compact form that `serde_json` writes is the canonical form
//! already, so that the far more expensive sorting is paid only where it changes something. `serde_json` and RFC 8785
//! escape strings alike; what can differ is the order of keys and how numbers are written.

use serde_json::Value;

/// Integers up to this magnitude are written alike by `serde_json` and by RFC 8785 (2^53 − 1).
const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// The canonical form of a value. A value that RFC 8785 cannot express (there is none that `serde_json` parses) would
/// keep its compact form.
pub fn canonical_json(value: &Value) -> String {
    serde_json_canonicalizer::to_string(value).unwrap_or_else(|_| value.to_string())
}

/// Whether the compact form of the value is canonical as it stands.
pub(super) fn is_canonical(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        Value::Number(number) => number
            .as_i64()
            .is_some_and(|integer| integer.unsigned_abs() <= MAX_SAFE_INTEGER),
        Value::Array(items) => items.iter().all(is_canonical),
        Value::Object(map) => {
            let mut previous: Option<&str> = None;
            for (key, item) in map {
                // Beyond ASCII, bytes and UTF-16 units sort differently: leave those to the canonicaliser.
                if !key.is_ascii() || previous.is_some_and(|before| before >= key.as_str()) {
                    return false;
                }
                if !is_canonical(item) {
                    return false;
                }
                previous = Some(key);
            }
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[a-zé😀]{0,3}", inner), 0..5)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_yes_means_the_compact_form_is_canonical(value in any_json()) {
            if is_canonical(&value) {
                prop_assert_eq!(value.to_string(), canonical_json(&value));
            }
        }
    }

    #[test]
    fn keys_out_of_order_and_floats_are_left_to_the_canonicaliser() {
        assert!(!is_canonical(&json!({"b": 1, "a": 2})));
        assert!(!is_canonical(&json!([1.0])));
        assert!(!is_canonical(&json!(9_007_199_254_740_992_u64)));
        assert!(is_canonical(
            &json!({"a": [1, "x\u{1f}\n", null], "b": {"c": true}})
        ));
        assert_eq!(
            canonical_json(&json!({"b": 1.0, "a": 1e21})),
            r#"{"a":1e+21,"b":1}"#
        );
    }
}
