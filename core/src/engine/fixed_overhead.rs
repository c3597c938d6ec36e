//! The system prompt and the tools of a request: what they cost and what they hash as.
//!
//! Invariant: an unchanged prompt and unchanged tools are counted once, not on every request.

use serde_json::Value;

use super::error::EngineError;
use crate::message::canonical_json;
use crate::model::Estimator;
use crate::model::estimator::{system_prompt_tokens, tool_tokens};

/// The system prompt and the tools, counted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FixedOverhead {
    estimator: Estimator,
    system_prompt: String,
    tools_json: Vec<u8>,
    pub system_tokens: u64,
    pub tools: Vec<(String, u64)>,
    /// `,"systemPrompt":…,"tools":…}`: the end of the canonical request.
    pub canonical_end: String,
}

impl FixedOverhead {
    /// Counts them. `tools_json` is a JSON array of definitions.
    pub(super) fn new(
        estimator: Estimator,
        system_prompt: &str,
        tools_json: &[u8],
    ) -> Result<Self, EngineError> {
        let tools: Value = serde_json::from_slice(tools_json).map_err(|error| {
            EngineError::InvalidInput(format!("the tools are no JSON: {error}"))
        })?;
        let Value::Array(definitions) = &tools else {
            return Err(EngineError::InvalidInput(
                "the tools are no JSON array".to_owned(),
            ));
        };
        let counted = definitions.iter().map(|tool| {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            (name.to_owned(), u64::from(tool_tokens(estimator, tool)))
        });
        Ok(Self {
            estimator,
            system_tokens: u64::from(system_prompt_tokens(estimator, system_prompt)),
            tools: counted.collect(),
            canonical_end: format!(
                r#","systemPrompt":{},"tools":{}}}"#,
                Value::from(system_prompt),
                canonical_json(&tools)
            ),
            system_prompt: system_prompt.to_owned(),
            tools_json: tools_json.to_vec(),
        })
    }

    /// Whether it was counted from the same inputs.
    pub(super) fn is_of(
        &self,
        estimator: Estimator,
        system_prompt: &str,
        tools_json: &[u8],
    ) -> bool {
        self.estimator == estimator
            && self.system_prompt == system_prompt
            && self.tools_json == tools_json
    }

    /// Tokens of both.
    pub(super) fn tokens(&self) -> u64 {
        self.system_tokens + self.tools.iter().map(|(_, tokens)| tokens).sum::<u64>()
    }
}
