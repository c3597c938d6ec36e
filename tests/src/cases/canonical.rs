//! RFC 8785, by the core's own function: there is one canonical form in this repository.

use serde_json::Value;

/// The canonical text of a value.
#[must_use]
pub fn canonical(value: &Value) -> String {
    ds4_context_core::message::canonical_json(value)
}
