//! Documents of Pi's session JSONL, versions 1 to 3 (behaviour 3.1, pi.md section b), to headers and entries of ours.
//!
//! Invariants: a record of an odd shape is unreadable and never an error; what a model does not read (`details`,
//! `usage`) is not held. IDs and parents of version 1 are [`super::version_one`]'s.

use serde_json::{Value, json};

use crate::message::{Message, from_native};

use super::damage::DamageCode;
use super::entry::{Compaction, EntryKind, Header};
use super::timestamp::milliseconds;

/// The newest version that is known.
const CURRENT_VERSION: u64 = 3;

/// The first version that calls messages of extensions `custom` and not `hookMessage`.
const FIRST_VERSION_WITH_CUSTOM_ROLE: u64 = 3;

/// The types of documents that this version knows.
const KNOWN_TYPES: [&str; 12] = [
    "session",
    "message",
    "custom_message",
    "compaction",
    "branch_summary",
    "context_edit",
    "label",
    "model_change",
    "thinking_level_change",
    "session_info",
    "custom",
    "usage",
];

/// What a document is, before it has a place in the log.
#[derive(Debug)]
pub(super) enum Decoded {
    /// The log's header.
    Header(Header, Option<DamageCode>),
    /// An entry.
    Entry(Draft),
}

/// An entry without a place in the log.
#[derive(Debug)]
pub(super) struct Draft {
    /// Its own ID.
    pub id: Option<String>,
    /// The parent that it names.
    pub parent: Parent,
    /// What it is.
    pub kind: EntryKind,
    /// Milliseconds since 1970.
    pub timestamp_ms: Option<u64>,
    /// The model that it names: provider and ID.
    pub model: Option<(String, String)>,
    /// Version 1: the position of the first kept entry among the log's documents.
    pub first_kept_index: Option<u64>,
    /// What is wrong with it.
    pub damage: Option<DamageCode>,
}

impl Draft {
    /// An entry of which nothing is known but its parent.
    pub fn unreadable(parent: Parent) -> Self {
        Self {
            id: None,
            parent,
            kind: EntryKind::Unreadable,
            timestamp_ms: None,
            model: None,
            first_kept_index: None,
            damage: None,
        }
    }
}

/// How an entry names its parent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// None: a root.
    Root,
    /// By its ID.
    Named(String),
    /// The entry before it in the log.
    Previous,
}

/// Whether a text starts with a type and its closing quote.
pub(super) fn starts_with_known_type(text: &str) -> bool {
    KNOWN_TYPES.iter().any(|known| {
        text.strip_prefix(known)
            .is_some_and(|rest| rest.starts_with('"'))
    })
}

/// Whether a log with documents of that type is Pi's.
pub(super) fn is_known_type(name: &str) -> bool {
    KNOWN_TYPES.contains(&name)
}

/// What the document is. `version` is the header's, where there was one.
pub(super) fn decode(document: &Value, version: Option<u64>) -> Decoded {
    if document.get("type").and_then(Value::as_str) == Some("session") {
        return header(document);
    }
    let timestamp_ms = document.get("timestamp").and_then(milliseconds);
    let mut draft = Draft {
        id: text(document, "id")
            .filter(|id| !id.is_empty())
            .map(str::to_owned),
        parent: match text(document, "parentId") {
            Some(id) if !id.is_empty() => Parent::Named(id.to_owned()),
            _ => Parent::Root,
        },
        timestamp_ms,
        ..Draft::unreadable(Parent::Root)
    };
    match kind(document, version, timestamp_ms) {
        Some(kind) => draft.kind = kind,
        None => draft.damage = Some(DamageCode::InvalidRecord),
    }
    complete(&mut draft, document);
    Decoded::Entry(draft)
}

/// What is not part of the kind itself.
fn complete(draft: &mut Draft, document: &Value) {
    match &draft.kind {
        EntryKind::Message(_) => {
            draft.model = document.get("message").and_then(model_of_message);
        }
        EntryKind::ModelChange { provider, model_id } => {
            draft.model = Some((provider.to_string(), model_id.to_string()));
        }
        EntryKind::Compaction(_) => {
            draft.first_kept_index = document.get("firstKeptEntryIndex").and_then(Value::as_u64);
            if text(document, "summary").is_none() {
                draft.damage = Some(DamageCode::InvalidRecord);
            }
        }
        EntryKind::Unknown(_) => draft.damage = Some(DamageCode::UnknownEntryType),
        _ => {}
    }
}

fn model_of_message(message: &Value) -> Option<(String, String)> {
    if text(message, "role") != Some("assistant") {
        return None;
    }
    Some((
        text(message, "provider")?.to_owned(),
        text(message, "model")?.to_owned(),
    ))
}

/// What the entry is; none where it lacks what its type needs.
fn kind(document: &Value, version: Option<u64>, timestamp_ms: Option<u64>) -> Option<EntryKind> {
    let boxed = |key: &str| text(document, key).map(Into::into);
    Some(match text(document, "type")? {
        "message" => EntryKind::Message(message(document.get("message")?, version)?),
        "custom_message" => {
            let content = document.get("content").cloned().unwrap_or(Value::Null);
            let custom_type = text(document, "customType").unwrap_or_default();
            let native = json!({"role": "custom", "customType": custom_type, "content": content});
            EntryKind::CustomMessage(at(timestamp_ms, &native))
        }
        "compaction" => EntryKind::Compaction(Box::new(Compaction {
            summary: summary("compactionSummary", document, timestamp_ms),
            system: document
                .get("systemMessage")
                .filter(|system| system.is_object())
                .map(from_native),
            first_kept_entry_id: text(document, "firstKeptEntryId").map(Into::into),
            tokens_before: document
                .get("tokensBefore")
                .and_then(Value::as_u64)
                .unwrap_or(0),
        })),
        // Pi projects an empty branch summary to nothing.
        "branch_summary" if text(document, "summary")?.is_empty() => return None,
        "branch_summary" => {
            EntryKind::BranchSummary(summary("branchSummary", document, timestamp_ms))
        }
        "context_edit" => EntryKind::ContextEdit {
            target_id: boxed("targetId")?,
            replacement: match document.get("replacement")? {
                Value::Null => None,
                replacement => Some(replacement.get("content")?.clone()),
            },
        },
        "label" => EntryKind::Label {
            target_id: boxed("targetId")?,
            label: text(document, "label")
                .filter(|label| !label.is_empty())
                .map(Into::into),
        },
        "model_change" => EntryKind::ModelChange {
            provider: boxed("provider")?,
            model_id: boxed("modelId")?,
        },
        "thinking_level_change" => EntryKind::ThinkingLevelChange(boxed("thinkingLevel")?),
        "session_info" => EntryKind::SessionInfo {
            name: text(document, "name")
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(Into::into),
        },
        "custom" => EntryKind::Custom {
            custom_type: boxed("customType").unwrap_or_default(),
        },
        "usage" => EntryKind::Usage,
        other => EntryKind::Unknown(other.into()),
    })
}

fn message(native: &Value, version: Option<u64>) -> Option<Message> {
    let is_older = version.is_some_and(|version| version < FIRST_VERSION_WITH_CUSTOM_ROLE);
    if is_older && text(native, "role") == Some("hookMessage") {
        let mut native = native.clone();
        native
            .as_object_mut()?
            .insert("role".into(), Value::from("custom"));
        return Some(from_native(&native));
    }
    native.is_object().then(|| from_native(native))
}

fn summary(role: &str, document: &Value, timestamp_ms: Option<u64>) -> Message {
    let summary = text(document, "summary").unwrap_or_default();
    at(timestamp_ms, &json!({"role": role, "summary": summary}))
}

/// A message that has its entry's time.
fn at(timestamp_ms: Option<u64>, native: &Value) -> Message {
    let mut message = from_native(native);
    message.timestamp_ms = timestamp_ms;
    message
}

fn header(document: &Value) -> Decoded {
    let boxed = |key: &str| text(document, key).map(Into::into);
    let version = document.get("version").and_then(Value::as_u64).unwrap_or(1);
    let header = Header {
        session_id: boxed("id"),
        version,
        cwd: boxed("cwd"),
        parent_session: boxed("parentSession").or_else(|| boxed("branchedFrom")),
        runtime_id: None,
        model: boxed("provider").zip(boxed("modelId")),
        thinking_level: boxed("thinkingLevel"),
        timestamp_ms: document.get("timestamp").and_then(milliseconds),
    };
    Decoded::Header(
        header,
        (version > CURRENT_VERSION).then_some(DamageCode::NewerVersion),
    )
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
