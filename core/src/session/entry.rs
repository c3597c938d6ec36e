//! Entries of a session's tree, and the log's header.

use std::sync::Arc;

use serde_json::Value;

use crate::message::Message;

/// The position of an entry in its log, in the order of the file. Valid for the log that gave it, for as long as it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryIndex(pub(super) u32);

impl EntryIndex {
    /// The position in [`super::SessionLog::entries`].
    pub const fn position(self) -> usize {
        self.0 as usize
    }
}

/// A provider and a model's ID there.
pub(super) type ModelName = (Box<str>, Box<str>);

/// One entry of the tree.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its ID; `v1-<line>` in a log that has none.
    pub id: Arc<str>,
    /// The entry it follows; none for a root. It need not be in the log.
    pub parent_id: Option<Arc<str>>,
    /// What it is.
    pub kind: EntryKind,
    /// The line it stands on, counted from 1.
    pub line: u64,
    /// Milliseconds since 1970, where the log gives it.
    pub timestamp_ms: Option<u64>,
    /// Number of its own ID among the log's IDs.
    pub(super) slot: u32,
    /// Number of its parent's ID.
    pub(super) parent_slot: Option<u32>,
    /// The model that it names.
    pub(super) model: Option<Arc<ModelName>>,
    /// Fingerprint of the document's text, by which a second copy is known. Of no use across versions.
    pub(super) fingerprint: u64,
    /// Whether the line was no JSON at all, so that agents do not see the entry.
    pub(super) malformed: bool,
}

/// What an entry is, by Pi's `type` (pi.md, section b).
#[derive(Debug, Clone)]
pub enum EntryKind {
    /// A message of any role.
    Message(Message),
    /// Text of an extension, which a model reads as the user's.
    CustomMessage(Message),
    /// A summary that stands for what is before it.
    Compaction(Box<Compaction>),
    /// A summary of a branch that the session came back from.
    BranchSummary(Message),
    /// Replaces the content of an entry's message.
    ContextEdit {
        /// The entry.
        target_id: Box<str>,
        /// The new content as the log gives it; none drops the message.
        replacement: Option<Value>,
    },
    /// Names an entry.
    Label {
        /// The entry.
        target_id: Box<str>,
        /// Its name; none takes the name away.
        label: Option<Box<str>>,
    },
    /// Another model from here on.
    ModelChange {
        /// The provider.
        provider: Box<str>,
        /// The model's ID at the provider.
        model_id: Box<str>,
    },
    /// Another thinking level from here on.
    ThinkingLevelChange(Box<str>),
    /// The session's name.
    SessionInfo {
        /// The name; none takes it away.
        name: Option<Box<str>>,
    },
    /// State of an extension; never sent to a model.
    Custom {
        /// The extension's name for it.
        custom_type: Box<str>,
    },
    /// Usage that belongs to no message.
    Usage,
    /// A type that this version does not know.
    Unknown(Box<str>),
    /// The content could not be read; the entry keeps its place in the tree.
    Unreadable,
}

/// What a compaction entry says.
#[derive(Debug, Clone)]
pub struct Compaction {
    /// The summary, as the message it becomes.
    pub summary: Message,
    /// The system message that was in force.
    pub system: Option<Message>,
    /// The first entry that is kept verbatim. One that is not found before the compaction keeps nothing.
    pub first_kept_entry_id: Option<Arc<str>>,
    /// Tokens before the compaction, as the agent counted them.
    pub tokens_before: u64,
}

impl Entry {
    /// The message that the entry becomes in a projection; of a compaction, its summary.
    pub fn message(&self) -> Option<&Message> {
        match &self.kind {
            EntryKind::Message(message)
            | EntryKind::CustomMessage(message)
            | EntryKind::BranchSummary(message) => Some(message),
            EntryKind::Compaction(compaction) => Some(&compaction.summary),
            _ => None,
        }
    }

    /// Fingerprint of the document's text: the same text has the same one, in this version of the engine.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Its `type` in the log; `unreadable` where that is not known.
    pub fn type_name(&self) -> &str {
        match &self.kind {
            EntryKind::Message(_) => "message",
            EntryKind::CustomMessage(_) => "custom_message",
            EntryKind::Compaction(_) => "compaction",
            EntryKind::BranchSummary(_) => "branch_summary",
            EntryKind::ContextEdit { .. } => "context_edit",
            EntryKind::Label { .. } => "label",
            EntryKind::ModelChange { .. } => "model_change",
            EntryKind::ThinkingLevelChange(_) => "thinking_level_change",
            EntryKind::SessionInfo { .. } => "session_info",
            EntryKind::Custom { .. } => "custom",
            EntryKind::Usage => "usage",
            EntryKind::Unknown(name) => name,
            EntryKind::Unreadable => "unreadable",
        }
    }
}

/// What a log says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The session's ID.
    pub session_id: Option<Box<str>>,
    /// The format's version: 1 where a Pi log gives none.
    pub version: u64,
    /// The project's folder: `cwd` in Pi's logs, `projectRoot` in runtime logs.
    pub cwd: Option<Box<str>>,
    /// The log that this one was forked from.
    pub parent_session: Option<Box<str>>,
    /// The runtime that wrote the log; none in Pi's logs.
    pub runtime_id: Option<Box<str>>,
    /// Provider and model ID at the start; only logs of version 1 name it.
    pub model: Option<(Box<str>, Box<str>)>,
    /// Thinking level at the start; only logs of version 1 name it.
    pub thinking_level: Option<Box<str>>,
    /// Milliseconds since 1970.
    pub timestamp_ms: Option<u64>,
}
