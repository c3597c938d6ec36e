//! Numbers as configuration files write them.
//!
//! `30000`, `30000.0` and `3e4` are the same number, and JavaScript cannot tell them apart. They get one spelling
//! here, so that every host prints the same configuration.

use serde_json::{Number, Value};

/// 2^53 − 1: the largest whole number up to which JavaScript holds every whole number exactly.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The number as a whole number, if it is one between 0 and 2^53 − 1.
pub(crate) fn whole(number: &Number) -> Option<u64> {
    number.as_u64().or_else(|| {
        let value = number.as_f64()?;
        // The range makes the conversion exact.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        (value.fract() == 0.0 && (0.0..=MAX_SAFE_INTEGER).contains(&value)).then_some(value as u64)
    })
}

/// The number in its one spelling: without a fraction where it has none.
pub(crate) fn canonical(number: Number) -> Number {
    whole(&number).map_or(number, Number::from)
}

/// Brings every number of a value into its one spelling.
pub(crate) fn canonicalise(value: &mut Value) {
    match value {
        Value::Number(number) => *number = canonical(number.clone()),
        Value::Array(items) => items.iter_mut().for_each(canonicalise),
        Value::Object(object) => object.values_mut().for_each(canonicalise),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
