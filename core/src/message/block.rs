//! Content blocks in their wire form.
//!
//! Invariant: a block of the wire form never holds image data, signatures or a second copy of its text.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// One content block, borrowed from a wire form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Block<'a> {
    /// Prose.
    Text(&'a str),
    /// The model's thinking.
    Thinking(&'a str),
    /// A picture; its data is not held.
    Image,
    /// A call of a tool.
    ToolCall {
        /// The call's ID.
        id: &'a str,
        /// The tool's name.
        name: &'a str,
        /// The arguments as the agent wrote them.
        arguments: &'a Value,
    },
    /// Anything else.
    Other(&'a Value),
}

impl<'a> Block<'a> {
    /// Reads a block of a wire form.
    pub fn of(value: &'a Value) -> Self {
        static NULL: Value = Value::Null;
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        match value.get("type").and_then(Value::as_str) {
            Some("text") => Self::Text(text("text")),
            Some("thinking") => Self::Thinking(text("thinking")),
            Some("image") => Self::Image,
            Some("toolCall") => Self::ToolCall {
                id: text("id"),
                name: text("name"),
                arguments: value.get("arguments").unwrap_or(&NULL),
            },
            _ => Self::Other(value),
        }
    }

    /// Whether a model has anything to read in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) | Self::Thinking(text) => text.trim().is_empty(),
            Self::Image | Self::ToolCall { .. } => false,
            Self::Other(value) => value.is_null(),
        }
    }
}

/// The wire form of native content: a string stays a string, blocks are reduced to what a model reads.
pub(super) fn wire_content(content: Option<&Value>) -> Value {
    match content {
        Some(Value::String(text)) => Value::String(text.clone()),
        Some(Value::Array(blocks)) => blocks.iter().map(wire_block).collect(),
        None | Some(Value::Null) => Value::Array(Vec::new()),
        Some(other) => Value::Array(vec![other.clone()]),
    }
}

/// The wire form of one native block; keys in canonical order.
fn wire_block(block: &Value) -> Value {
    let field = |key: &str| block.get(key).cloned().unwrap_or(Value::Null);
    let mut wire = Map::new();
    match block.get("type").and_then(Value::as_str) {
        Some("text") => {
            wire.insert("text".into(), field("text"));
        }
        Some("thinking") => {
            wire.insert("thinking".into(), field("thinking"));
        }
        Some("toolCall") => {
            wire.insert("arguments".into(), field("arguments"));
            wire.insert("id".into(), field("id"));
            wire.insert("name".into(), field("name"));
        }
        Some("image") => {
            let data = block
                .get("data")
                .and_then(Value::as_str)
                .unwrap_or_default();
            wire.insert("bytes".into(), Value::from(data.len()));
            wire.insert("mimeType".into(), field("mimeType"));
            wire.insert(
                "sha256".into(),
                Value::from(hex(&Sha256::digest(data.as_bytes()))),
            );
        }
        _ => return block.clone(),
    }
    wire.insert("type".into(), field("type"));
    Value::Object(wire)
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
