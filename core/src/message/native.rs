//! Native messages of the Pi coding agent (pi.md, section c) to messages of ours.
//!
//! Invariants: every field that a model reads is kept, every other one is dropped; a message of an odd shape becomes a
//! message that says so by [`Sendable`] and never an error. Deliberately absent: Pi's rendering of the special roles
//! into user text, which is [`super::reading`].

use serde_json::{Map, Value};

use super::block::{Block, wire_content};
use super::{Message, Role, Sendable, ToolAnswer, ToolCall};

/// The message in a native message object.
pub fn from_native(native: &Value) -> Message {
    let role = Role::from_name(
        native
            .get("role")
            .and_then(Value::as_str)
            .unwrap_or_default(),
    );
    let wire = wire_form(&role, native);
    let mut message = Message::new(role, &wire);
    message.timestamp_ms = native.get("timestamp").and_then(milliseconds);
    message.sendable = sendable(&message.role, native, &wire);
    match message.role {
        Role::Assistant => message.calls = calls(&wire),
        Role::ToolResult => message.answers = Some(answer(&wire)),
        _ => {}
    }
    message
}

/// The fields of each role that a model reads, in canonical order.
fn wire_form(role: &Role, native: &Value) -> Value {
    let fields: &[&str] = match role {
        Role::System => &["content", "role", "sections", "toolsAdded", "toolsRemoved"],
        Role::User | Role::Assistant => &["content", "role"],
        Role::ToolResult => &["content", "isError", "role", "toolCallId", "toolName"],
        Role::BashExecution => &[
            "cancelled",
            "command",
            "exitCode",
            "fullOutputPath",
            "output",
            "role",
            "truncated",
        ],
        Role::Custom => &["content", "customType", "role"],
        Role::BranchSummary | Role::CompactionSummary => &["role", "summary"],
        Role::Unknown(_) => &["role"],
    };
    let mut wire = Map::new();
    for &field in fields {
        let value = match field {
            "content" => Some(wire_content(native.get("content"))),
            "role" => Some(Value::from(role.name())),
            _ => native.get(field).cloned(),
        };
        if let Some(value) = value {
            wire.insert(field.into(), value);
        }
    }
    Value::Object(wire)
}

fn sendable(role: &Role, native: &Value, wire: &Value) -> Sendable {
    let text = |key: &str| native.get(key).and_then(Value::as_str).unwrap_or_default();
    match role {
        Role::Unknown(_) => Sendable::UnknownRole,
        Role::Assistant if matches!(text("stopReason"), "aborted" | "error") => Sendable::Aborted,
        Role::BashExecution if native.get("excludeFromContext") == Some(&Value::Bool(true)) => {
            Sendable::ExcludedFromContext
        }
        // A tool result without text is an answer all the same, and so is a command without output.
        Role::ToolResult | Role::BashExecution => Sendable::Yes,
        Role::BranchSummary | Role::CompactionSummary if text("summary").trim().is_empty() => {
            Sendable::Empty
        }
        Role::System | Role::BranchSummary | Role::CompactionSummary => Sendable::Yes,
        Role::User | Role::Assistant | Role::Custom if content_is_empty(wire) => Sendable::Empty,
        Role::User | Role::Assistant | Role::Custom => Sendable::Yes,
    }
}

fn content_is_empty(wire: &Value) -> bool {
    match wire.get("content") {
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(Value::Array(blocks)) => blocks.iter().all(|block| Block::of(block).is_empty()),
        _ => true,
    }
}

pub(super) fn calls(wire: &Value) -> Box<[ToolCall]> {
    let blocks = wire.get("content").and_then(Value::as_array);
    blocks
        .into_iter()
        .flatten()
        .filter_map(|block| match Block::of(block) {
            Block::ToolCall { id, name, .. } => Some(ToolCall {
                id: id.into(),
                name: name.into(),
            }),
            _ => None,
        })
        .collect()
}

fn answer(wire: &Value) -> ToolAnswer {
    let text = |key: &str| {
        wire.get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .into()
    };
    ToolAnswer {
        call_id: text("toolCallId"),
        tool_name: text("toolName"),
        is_error: wire.get("isError") == Some(&Value::Bool(true)),
    }
}

/// A timestamp in milliseconds; fractions are cut, negative and absurd ones ignored.
fn milliseconds(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        #[allow(clippy::cast_sign_loss)] // checked
        (0.0..9.0e15).contains(&number).then_some(number as u64)
    })
}
