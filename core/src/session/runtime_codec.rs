//! Documents of the runtime JSONL `ds4-runtime-session-v1` (behaviour 3.7): a header and portable messages.
//!
//! Invariants: an entry's ID is its message's, its parent is the entry before it; a message that breaks the portable
//! shape is an unreadable entry and never an error.

use serde_json::Value;

use crate::message::{PortableError, from_portable};

use super::damage::DamageCode;
use super::entry::{EntryKind, Header};
use super::pi_codec::{Decoded, Draft, Parent};
use super::timestamp::milliseconds;

/// The largest log that is read.
pub const MAX_RUNTIME_LOG_BYTES: u64 = 64 * 1024 * 1024;

/// The most messages that are read of a log.
pub const MAX_RUNTIME_LOG_MESSAGES: u64 = 100_000;

/// The `type` of the header, which is the format's name.
pub(super) const HEADER_TYPE: &str = "ds4-runtime-session-v1";

/// What the document is.
pub(super) fn decode(document: &Value) -> Decoded {
    let boxed = |key: &str| document.get(key).and_then(Value::as_str).map(Into::into);
    let mut draft = Draft::unreadable(Parent::Previous);
    match document.get("type").and_then(Value::as_str) {
        Some(HEADER_TYPE) => {
            let header = Header {
                session_id: boxed("sessionId"),
                version: 1,
                cwd: boxed("projectRoot"),
                runtime_id: boxed("runtimeId"),
                ..Header::default()
            };
            return Decoded::Header(header, None);
        }
        Some("message") => {
            take_message(&mut draft, document.get("message").unwrap_or(&Value::Null));
        }
        Some(other) => {
            draft.kind = EntryKind::Unknown(other.into());
            draft.damage = Some(DamageCode::UnknownEntryType);
        }
        None => draft.damage = Some(DamageCode::InvalidRecord),
    }
    Decoded::Entry(draft)
}

fn take_message(draft: &mut Draft, portable: &Value) {
    let text = |key: &str| portable.get(key).and_then(Value::as_str).map(str::to_owned);
    match from_portable(portable) {
        Ok((id, message)) => {
            draft.id = Some(id);
            draft.timestamp_ms = message
                .timestamp_ms
                .or_else(|| portable.get("createdAt").and_then(milliseconds));
            draft.kind = EntryKind::Message(message);
            draft.model = text("provider")
                .zip(text("model"))
                .filter(|_| text("role").as_deref() == Some("assistant"));
        }
        // Without an ID it has no place, which is what is counted.
        Err(PortableError::MissingId) => {}
        Err(_) => {
            draft.id = text("id");
            draft.damage = Some(DamageCode::InvalidRecord);
        }
    }
}
