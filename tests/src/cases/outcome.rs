//! What a call of a case came to.

use serde::{Deserialize, Serialize};

/// The outcome of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The call's name; `open` for the opening itself.
    pub call: String,
    /// A JSON text exactly as the host got it from the engine, or made from plain data, in canonical form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<String>,
    /// The refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// A refused call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The case of the contract's `error`.
    pub code: String,
    /// The line for a person.
    pub message: String,
}

impl Outcome {
    /// A call that was answered.
    #[must_use]
    pub fn ok(call: &str, text: String) -> Self {
        Self {
            call: call.to_owned(),
            ok: Some(text),
            error: None,
        }
    }

    /// A call that was refused.
    #[must_use]
    pub fn refused(call: &str, failure: Failure) -> Self {
        Self {
            call: call.to_owned(),
            ok: None,
            error: Some(failure),
        }
    }
}
