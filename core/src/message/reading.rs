//! What a model reads of a message, as text: the form that plans are shown and scored in.
//!
//! Invariant: this is the one place that turns a message into text; the special roles read as Pi sends them
//! (pi.md, section c). Thinking is left out: providers do not show a model its earlier thinking as text.

use serde_json::Value;

use super::block::Block;
use super::{Message, Role};

/// A message as a model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// `user`, `assistant` or `toolResult`: the role it is sent under.
    pub role: &'static str,
    /// Prose, calls as `name({…})`, tool output; an image as `[image]`.
    pub text: String,
}

/// What a model reads of a wire form.
pub fn read(role: &Role, wire: &Value) -> Reading {
    let field = |key: &str| wire.get(key).and_then(Value::as_str).unwrap_or_default();
    let (sent_as, text) = match role {
        Role::Assistant => ("assistant", content_text(wire)),
        Role::ToolResult => ("toolResult", content_text(wire)),
        Role::BashExecution => ("user", command_text(wire)),
        Role::CompactionSummary => (
            "user",
            format!(
                "The conversation history before this point was compacted into the following summary:\n\n<summary>\n{}\n</summary>",
                field("summary")
            ),
        ),
        Role::BranchSummary => (
            "user",
            format!(
                "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n{}</summary>",
                field("summary")
            ),
        ),
        Role::System => ("user", system_text(wire)),
        Role::User | Role::Custom | Role::Unknown(_) => ("user", content_text(wire)),
    };
    Reading {
        role: sent_as,
        text,
    }
}

impl Message {
    /// What a model reads of the message.
    pub fn reading(&self) -> Reading {
        read(&self.role, &self.wire_value())
    }
}

/// The blocks' texts, one a line.
fn content_text(wire: &Value) -> String {
    match wire.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let parts: Vec<String> = blocks
                .iter()
                .filter_map(|block| block_text(&Block::of(block)))
                .collect();
            parts.join("\n")
        }
        _ => String::new(),
    }
}

fn block_text(block: &Block<'_>) -> Option<String> {
    match block {
        Block::Text("") | Block::Thinking(_) => None,
        Block::Text(text) => Some((*text).to_owned()),
        Block::Image => Some("[image]".to_owned()),
        Block::ToolCall {
            name, arguments, ..
        } => Some(format!("{name}({arguments})")),
        Block::Other(value) => Some(value.to_string()),
    }
}

/// A command of the person as Pi's `convertToLlm` words it.
fn command_text(wire: &Value) -> String {
    let field = |key: &str| wire.get(key).and_then(Value::as_str).unwrap_or_default();
    let output = field("output");
    let mut text = format!("Ran `{}`\n", field("command"));
    if output.is_empty() {
        text.push_str("(no output)");
    } else {
        text.push_str("```\n");
        text.push_str(output);
        text.push_str("\n```");
    }
    if wire.get("cancelled") == Some(&Value::Bool(true)) {
        text.push_str("\n\n(command cancelled)");
    } else if let Some(code) = wire
        .get("exitCode")
        .and_then(Value::as_i64)
        .filter(|code| *code != 0)
    {
        text.push_str("\n\nCommand exited with code ");
        text.push_str(&code.to_string());
    }
    if wire.get("truncated") == Some(&Value::Bool(true)) && !field("fullOutputPath").is_empty() {
        text.push_str("\n\n[Output truncated. Full output: ");
        text.push_str(field("fullOutputPath"));
        text.push(']');
    }
    text
}

/// A system message's text: its content and its sections in their order.
fn system_text(wire: &Value) -> String {
    let mut parts = Vec::new();
    let content = content_text(wire);
    if !content.is_empty() {
        parts.push(content);
    }
    if let Some(sections) = wire.get("sections").and_then(Value::as_object) {
        parts.extend(
            sections
                .values()
                .filter_map(Value::as_str)
                .map(str::to_owned),
        );
    }
    parts.join("\n\n")
}
