//! Token estimators (behaviour 2.1). One place for every token count.
//!
//! Invariants: both estimators share the structure (message 8, block 4, image 1,024, tool 12, system prompt 8) and
//! differ only in how they count a text; empty text is 0 tokens; a base64 image is an image and never text.

use serde_json::Value;

use crate::message::Block;

/// Tokens that wrap every message and the system prompt.
const MESSAGE_WRAPPER_TOKENS: u32 = 8;
/// Tokens that wrap every content block.
const BLOCK_WRAPPER_TOKENS: u32 = 4;
/// Tokens of an image, whatever its size.
const IMAGE_TOKENS: u32 = 1_024;
/// Tokens that wrap every tool definition.
const TOOL_WRAPPER_TOKENS: u32 = 12;
/// UTF-16 units per token of `chars-v1`.
const UTF16_UNITS_PER_TOKEN: usize = 4;

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Estimator {
    /// `ceil(utf16 units / 4)`: the default, and what Pi itself uses.
    #[default]
    CharsV1,
    /// Exact byte-pair encoding with the `o200k_base` vocabulary.
    O200kBaseV1,
}

impl Estimator {
    /// The name that every estimate carries.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CharsV1 => "chars-v1",
            Self::O200kBaseV1 => "o200k-base-v1",
        }
    }

    /// The estimator of that name, where this build has it.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "chars-v1" => Some(Self::CharsV1),
            "o200k-base-v1" if cfg!(feature = "exact-tokens") => Some(Self::O200kBaseV1),
            _ => None,
        }
    }
}

/// Tokens of a plain text.
pub fn text_tokens(estimator: Estimator, text: &str) -> u32 {
    match estimator {
        Estimator::CharsV1 => saturate(utf16_length(text).div_ceil(UTF16_UNITS_PER_TOKEN)),
        Estimator::O200kBaseV1 => o200k_tokens(text),
    }
}

/// Tokens of a message in its wire form.
pub fn message_tokens(estimator: Estimator, wire: &Value) -> u32 {
    let text = |key: &str| {
        wire.get(key)
            .and_then(Value::as_str)
            .map_or(0, |text| text_tokens(estimator, text))
    };
    let content = match wire.get("content") {
        None | Some(Value::Null) => 0,
        Some(Value::String(text)) => text_tokens(estimator, text),
        Some(Value::Array(blocks)) => blocks
            .iter()
            .map(|block| BLOCK_WRAPPER_TOKENS.saturating_add(block_tokens(estimator, block)))
            .fold(0, u32::saturating_add),
        Some(other) => text_tokens(estimator, &other.to_string()),
    };
    ["role", "summary", "command", "output", "toolName"]
        .into_iter()
        .map(text)
        .fold(
            MESSAGE_WRAPPER_TOKENS.saturating_add(content),
            u32::saturating_add,
        )
}

/// Tokens of a message of the planner's own: a user message with one text block.
pub fn supplement_tokens(estimator: Estimator, text: &str) -> u32 {
    MESSAGE_WRAPPER_TOKENS
        .saturating_add(BLOCK_WRAPPER_TOKENS)
        .saturating_add(text_tokens(estimator, "user"))
        .saturating_add(text_tokens(estimator, text))
}

/// Tokens of the system prompt; none is 0.
pub fn system_prompt_tokens(estimator: Estimator, prompt: &str) -> u32 {
    if prompt.is_empty() {
        0
    } else {
        MESSAGE_WRAPPER_TOKENS.saturating_add(text_tokens(estimator, prompt))
    }
}

/// Tokens of one tool definition: its stable JSON of name, description and parameters (behaviour 3.10).
pub fn tool_tokens(estimator: Estimator, tool: &Value) -> u32 {
    let field = |key: &str| tool.get(key).cloned().unwrap_or(Value::Null);
    let definition = serde_json::json!({
        "description": field("description"),
        "name": field("name"),
        "parameters": field("parameters"),
    });
    TOOL_WRAPPER_TOKENS.saturating_add(text_tokens(
        estimator,
        &crate::message::canonical_json(&definition),
    ))
}

fn block_tokens(estimator: Estimator, block: &Value) -> u32 {
    match Block::of(block) {
        Block::Text(text) | Block::Thinking(text) => text_tokens(estimator, text),
        Block::Image => IMAGE_TOKENS,
        Block::ToolCall {
            name, arguments, ..
        } => text_tokens(estimator, &format!("{name}{arguments}")),
        Block::Other(value) => text_tokens(estimator, &value.to_string()),
    }
}

/// Length in UTF-16 units, as JavaScript counts; a character beyond the basic plane counts twice.
pub fn utf16_length(text: &str) -> usize {
    // Every byte that starts a character counts once, and a four-byte character once more.
    text.bytes().filter(|byte| (byte & 0xC0) != 0x80).count()
        + text.bytes().filter(|byte| *byte >= 0xF0).count()
}

#[cfg(feature = "exact-tokens")]
fn o200k_tokens(text: &str) -> u32 {
    saturate(super::o200k::count(text))
}

#[cfg(not(feature = "exact-tokens"))]
fn o200k_tokens(text: &str) -> u32 {
    // `Estimator::from_name` never gives this estimator to such a build; a caller that names it gets the default.
    text_tokens(Estimator::CharsV1, text)
}

fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn chars_count_utf16_units_in_quarters() {
        for (text, tokens) in [
            ("", 0),
            ("a", 1),
            ("abcd", 1),
            ("abcde", 2),
            ("😀😀", 1),
            ("日本語です", 2),
        ] {
            assert_eq!(text_tokens(Estimator::CharsV1, text), tokens, "{text}");
            assert_eq!(utf16_length(text), text.encode_utf16().count(), "{text}");
        }
    }

    #[test]
    fn a_string_has_no_block_wrapper_and_an_image_is_an_image() {
        let count = |wire: Value| message_tokens(Estimator::CharsV1, &wire);
        assert_eq!(count(json!({"role": "user", "content": "abcd"})), 8 + 1 + 1);
        assert_eq!(
            count(json!({"role": "user", "content": [{"type": "text", "text": "abcd"}]})),
            8 + 1 + 4 + 1
        );
        assert_eq!(
            count(json!({"role": "user", "content": [{"type": "image", "bytes": 900_000}]})),
            8 + 1 + 4 + 1_024
        );
        let call = json!({"role": "assistant", "content": [{"type": "toolCall", "id": "x", "name": "read", "arguments": {"a": 1}}]});
        assert_eq!(count(call), 8 + 3 + 4 + 3); // read{"a":1} has 11 units
        assert_eq!(
            count(json!({"role": "compactionSummary", "summary": "abcd"})),
            8 + 5 + 1
        );
    }

    #[cfg(feature = "exact-tokens")]
    #[test]
    fn o200k_counts_what_the_vocabulary_counts() {
        assert_eq!(text_tokens(Estimator::O200kBaseV1, ""), 0);
        assert_eq!(text_tokens(Estimator::O200kBaseV1, "hello world"), 2);
        assert_eq!(text_tokens(Estimator::O200kBaseV1, "你好，世界"), 3);
    }
}
