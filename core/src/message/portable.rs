//! Portable canonical messages (behaviour 3.6) to messages of ours, for agents that are not Pi.
//!
//! Invariants: the mapping is onto the same roles and wire forms as Pi's, so that the planner sees one kind of message;
//! a message that breaks the shape is refused with what is wrong, because runtime logs are written by this contract.

use serde_json::{Map, Value, json};

use super::{Message, Role, from_native};

/// Why a portable message was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortableError {
    /// `id` is missing or empty.
    #[error("a message has no `id`")]
    MissingId,
    /// `role` is none of system, user, assistant, tool, custom.
    #[error("message {id}: role {role:?} is none of system, user, assistant, tool, custom")]
    UnknownRole {
        /// The message.
        id: String,
        /// What it says.
        role: String,
    },
    /// `blocks` is missing or no array.
    #[error("message {id}: `blocks` is missing or no array")]
    MissingBlocks {
        /// The message.
        id: String,
    },
    /// A `tool` message needs exactly one `toolResult` block with a `toolCallId`.
    #[error("message {id}: a tool message needs exactly one toolResult block with a toolCallId")]
    ToolResultShape {
        /// The message.
        id: String,
    },
}

/// The ID and the message in a portable message object.
pub fn from_portable(portable: &Value) -> Result<(String, Message), PortableError> {
    let text = |key: &str| {
        portable
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let id = text("id").to_owned();
    if id.is_empty() {
        return Err(PortableError::MissingId);
    }
    let Some(blocks) = portable.get("blocks").and_then(Value::as_array) else {
        return Err(PortableError::MissingBlocks { id });
    };
    let mut native = Map::new();
    let role = match text("role") {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "custom" => Role::Custom,
        "tool" => Role::ToolResult,
        other => {
            return Err(PortableError::UnknownRole {
                role: other.to_owned(),
                id,
            });
        }
    };
    native.insert("role".into(), Value::from(role.name()));
    if let Some(created) = portable.get("createdAt") {
        native.insert("timestamp".into(), created.clone());
    }
    if role == Role::ToolResult {
        let [result] = blocks.as_slice() else {
            return Err(PortableError::ToolResultShape { id });
        };
        let field = |key: &str| result.get(key).cloned().unwrap_or(Value::Null);
        if result.get("type").and_then(Value::as_str) != Some("toolResult")
            || !field("toolCallId").is_string()
        {
            return Err(PortableError::ToolResultShape { id });
        }
        native.insert("toolCallId".into(), field("toolCallId"));
        native.insert("toolName".into(), field("toolName"));
        native.insert(
            "isError".into(),
            Value::from(field("isError") == Value::Bool(true)),
        );
        native.insert("content".into(), text_blocks(&field("content")));
    } else {
        // References and opaque provider blocks keep their own shape: a model reads them as their JSON.
        native.insert("content".into(), Value::Array(blocks.clone()));
    }
    if role == Role::Custom {
        native.insert("customType".into(), Value::from(""));
    }
    Ok((id, from_native(&Value::Object(native))))
}

/// A tool result's content as blocks: portable logs may give a plain string.
fn text_blocks(content: &Value) -> Value {
    match content {
        Value::String(text) => json!([{"type": "text", "text": text}]),
        other => other.clone(),
    }
}
