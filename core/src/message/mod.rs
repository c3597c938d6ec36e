//! Messages as the engine holds them, independent of the file format they came from.
//!
//! Invariants:
//! - A [`Message`] holds what a model reads of a message and nothing else: usage, timestamps' formats, `details` and
//!   signatures are dropped when it is made, and an image is held as its hash.
//! - [`Message::wire`] is compact JSON with the fields in canonical order; only the insides of tool arguments keep the
//!   order in which the agent wrote them. [`Message::canonical`] is its RFC 8785 form, the bytes that prompts are
//!   hashed from.
//! - Which result answers which call is decided in [`tools`] and nowhere else.
//!
//! Deliberately absent: IDs of sessions and entries. Where a message stands is the business of [`crate::session`].

mod block;
mod canonical_form;
mod native;
mod portable;
mod reading;
pub mod tools;

pub use block::Block;
pub(crate) use block::hex;
pub use canonical_form::canonical_json;
pub use native::from_native;
pub use portable::{PortableError, from_portable};
pub use reading::{Reading, read};

use serde_json::Value;

use crate::model::estimator::{self, Estimator};

/// Who a message is from, as Pi's session format names it. The portable roles map onto these: `tool` is
/// [`Role::ToolResult`], `custom` is [`Role::Custom`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Instructions and tool definitions; never a planned message, always fixed overhead.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of one tool call.
    ToolResult,
    /// A command that the person ran through the agent, with its output.
    BashExecution,
    /// Text that an extension put in; a model reads it as the user's.
    Custom,
    /// A summary of a branch that the session came back from.
    BranchSummary,
    /// A summary that replaced older messages.
    CompactionSummary,
    /// A role that this version does not know. Agents drop such messages, and so do plans.
    Unknown(Box<str>),
}

impl Role {
    /// The role's name in Pi's session format.
    pub fn name(&self) -> &str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::ToolResult => "toolResult",
            Self::BashExecution => "bashExecution",
            Self::Custom => "custom",
            Self::BranchSummary => "branchSummary",
            Self::CompactionSummary => "compactionSummary",
            Self::Unknown(name) => name,
        }
    }

    /// The role of that name.
    pub fn from_name(name: &str) -> Self {
        match name {
            "system" => Self::System,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "toolResult" => Self::ToolResult,
            "bashExecution" => Self::BashExecution,
            "custom" => Self::Custom,
            "branchSummary" => Self::BranchSummary,
            "compactionSummary" => Self::CompactionSummary,
            other => Self::Unknown(other.into()),
        }
    }

    /// Whether the message stands for older messages that are no longer there.
    pub fn is_summary(&self) -> bool {
        matches!(self, Self::BranchSummary | Self::CompactionSummary)
    }
}

/// One call of a tool inside an assistant message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The call's ID. Unique within its message at most: the same ID can come again later in a session.
    pub id: Box<str>,
    /// The tool's name.
    pub name: Box<str>,
}

/// What a tool result says about the call it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The ID of the call.
    pub call_id: Box<str>,
    /// The tool's name; empty where the log does not give it.
    pub tool_name: Box<str>,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// Whether a message can be sent at all, judged by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sendable {
    /// It can.
    Yes,
    /// The response was aborted or failed; agents drop it before they send (pi.md, fact 6).
    Aborted,
    /// It has no content that a model could read.
    Empty,
    /// The person excluded it from the context (`!!` commands).
    ExcludedFromContext,
    /// Its role is not known.
    UnknownRole,
}

/// One message, reduced to what a model reads of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// Compact JSON of what a model reads, tool arguments in the agent's own key order.
    wire: Box<str>,
    /// The RFC 8785 form, held only where it differs from `wire`.
    canonical: Option<Box<str>>,
    /// The tool calls of an assistant message, in order.
    pub calls: Box<[ToolCall]>,
    /// The call that a tool result answers.
    pub answers: Option<ToolAnswer>,
    /// Whether it can be sent at all.
    pub sendable: Sendable,
    /// Milliseconds since 1970, where the log gives it.
    pub timestamp_ms: Option<u64>,
    /// Tokens by `chars-v1`, which costs nothing beside parsing.
    chars_v1: u32,
}

impl Message {
    /// A message of that role from its wire form.
    pub(crate) fn new(role: Role, wire: &Value) -> Self {
        let text = wire.to_string();
        let canonical = (!canonical_form::is_canonical(wire))
            .then(|| canonical_json(wire).into_boxed_str())
            .filter(|canonical| **canonical != *text);
        Self {
            role,
            wire: text.into_boxed_str(),
            canonical,
            calls: Box::default(),
            answers: None,
            sendable: Sendable::Yes,
            timestamp_ms: None,
            chars_v1: estimator::message_tokens(Estimator::CharsV1, wire),
        }
    }

    /// The same message with other content: an array of wire blocks.
    pub(crate) fn with_content(&self, content: Value) -> Self {
        let mut wire = self.wire_value();
        if let Some(fields) = wire.as_object_mut() {
            fields.insert("content".into(), content);
        }
        Self {
            calls: native::calls(&wire),
            answers: self.answers.clone(),
            sendable: self.sendable,
            timestamp_ms: self.timestamp_ms,
            ..Self::new(self.role.clone(), &wire)
        }
    }

    /// Compact JSON of what a model reads: `role` and the role's own fields.
    pub fn wire(&self) -> &str {
        &self.wire
    }

    /// The RFC 8785 form of [`Self::wire`].
    pub fn canonical(&self) -> &str {
        self.canonical.as_deref().unwrap_or(&self.wire)
    }

    /// The wire form as a value; null where it cannot be parsed back, which no constructor allows.
    pub fn wire_value(&self) -> Value {
        serde_json::from_str(&self.wire).unwrap_or(Value::Null)
    }

    /// Tokens by that estimator. `o200k-base-v1` counts anew on every call: callers keep what they got.
    pub fn tokens(&self, estimator: Estimator) -> u32 {
        match estimator {
            Estimator::CharsV1 => self.chars_v1,
            Estimator::O200kBaseV1 => estimator::message_tokens(estimator, &self.wire_value()),
        }
    }

    /// Bytes that the message holds in memory, beside the structure itself.
    pub fn held_bytes(&self) -> usize {
        self.wire.len() + self.canonical.as_ref().map_or(0, |text| text.len())
    }
}

#[cfg(test)]
mod tests;
