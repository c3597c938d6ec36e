//! What of an entry is searched.
//!
//! Invariant: the index, the verification of what it found, and the excerpts all read an entry here and nowhere else.
//! Text, tool names with their arguments, tool results, summaries, labels, model changes and session names are searched;
//! thinking, images, opaque blocks and `custom` entries are not (behaviour 2.14).

use std::borrow::Cow;

use crate::message::{Role, Sendable};
use crate::session::{Entry, EntryKind};

/// The searched text of an entry; none where there is nothing to find.
pub fn indexed_text(entry: &Entry) -> Option<Cow<'_, str>> {
    let text = match &entry.kind {
        EntryKind::Message(message)
        | EntryKind::CustomMessage(message)
        | EntryKind::BranchSummary(message) => Cow::Owned(message.reading().text),
        EntryKind::Compaction(compaction) => Cow::Owned(compaction.summary.reading().text),
        EntryKind::Label {
            label: Some(label), ..
        } => Cow::Borrowed(&**label),
        EntryKind::SessionInfo { name: Some(name) } => Cow::Borrowed(&**name),
        EntryKind::ModelChange { provider, model_id } => {
            Cow::Owned(format!("{provider}/{model_id}"))
        }
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Whether the entry is something that was said, which a search may bring back (behaviour 2.6); summaries only where they
/// are asked for. What an agent itself never sends again is not among it: its own system prompt, responses that were
/// aborted, commands that the person excluded from the context, and entries whose line could not be read whole.
pub fn is_eligible(entry: &Entry, with_summaries: bool) -> bool {
    match &entry.kind {
        EntryKind::Message(message) | EntryKind::CustomMessage(message) => {
            message.role != Role::System && message.sendable == Sendable::Yes
        }
        EntryKind::Compaction(_) | EntryKind::BranchSummary(_) => with_summaries,
        _ => false,
    }
}

/// The text up to that many bytes, at a boundary of characters.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}
