//! What a branch becomes for the model: Pi's `buildSessionProjection` (pi.md, section b, projection 1–5).
//!
//! Invariants: the order is Pi's; system messages are not among the messages, they are in [`Projection::system`]; texts
//! stay in the log, only a message whose content was edited is held here. Linear in the branch.

use serde_json::{Value, json};

use crate::message::{Message, Role, Sendable, from_native};

use super::branch::Branch;
use super::entry::{Entry, EntryIndex, EntryKind};
use super::log::SessionLog;

/// The messages of a branch, and what is in force at its leaf.
#[derive(Debug, Clone, Default)]
pub struct Projection {
    /// Every message but system messages, in Pi's order.
    pub messages: Vec<Projected>,
    /// The system messages in their order; [`Projection::system_context`] puts them together.
    pub system: Vec<Projected>,
    /// The compaction that stands for what is before it.
    pub compaction: Option<EntryIndex>,
    /// Provider and model ID, by the last model change or response of the branch.
    pub model: Option<(Box<str>, Box<str>)>,
    /// The last thinking level of the branch.
    pub thinking_level: Option<Box<str>>,
    edited: Vec<Message>,
}

/// One message of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Projected {
    /// The entry that it is from.
    pub entry: EntryIndex,
    /// Where its text is.
    pub source: ProjectedSource,
}

/// Where the text of a projected message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectedSource {
    /// In the entry itself: its message, or a compaction's summary.
    Entry,
    /// In the entry: a compaction's system message.
    CompactionSystem,
    /// Edited: at this position of the projection's own messages.
    Edited(u32),
}

impl Projection {
    /// The message at a position of [`Self::messages`].
    pub fn message<'a>(&'a self, log: &'a SessionLog, position: usize) -> Option<&'a Message> {
        self.resolve(log, self.messages.get(position)?)
    }

    /// The message that a part of this projection is.
    pub fn resolve<'a>(
        &'a self,
        log: &'a SessionLog,
        projected: &Projected,
    ) -> Option<&'a Message> {
        match projected.source {
            ProjectedSource::Entry => log.get(projected.entry)?.message(),
            ProjectedSource::CompactionSystem => match &log.get(projected.entry)?.kind {
                EntryKind::Compaction(compaction) => compaction.system.as_ref(),
                _ => None,
            },
            ProjectedSource::Edited(position) => self.edited.get(position as usize),
        }
    }

    fn push(&mut self, log: &SessionLog, projected: Projected) {
        let is_system = self
            .resolve(log, &projected)
            .is_some_and(|message| message.role == Role::System);
        let list = if is_system {
            &mut self.system
        } else {
            &mut self.messages
        };
        list.push(projected);
    }
}

/// Projects a branch as Pi does.
pub fn project(log: &SessionLog, branch: &Branch) -> Projection {
    let path: Vec<(EntryIndex, &Entry)> = branch
        .entries
        .iter()
        .filter_map(|index| Some((*index, log.get(*index)?)))
        .collect();
    let mut projection = Projection::default();
    let mut model = None;
    for (index, entry) in &path {
        model = entry.model.as_ref().or(model);
        match &entry.kind {
            EntryKind::Compaction(_) => projection.compaction = Some(*index),
            EntryKind::ThinkingLevelChange(level) => {
                projection.thinking_level = Some(level.clone());
            }
            _ => {}
        }
    }
    projection.model = model.map(|model| model.as_ref().clone());
    let selected = select(&path, projection.compaction);
    let edits = edits(log, &selected);
    for (index, entry) in selected {
        let is_older_compaction =
            matches!(entry.kind, EntryKind::Compaction(_)) && projection.compaction != Some(index);
        if is_older_compaction {
            continue;
        }
        let edit = edits.get(entry.slot as usize).copied().unwrap_or_default();
        if edit != Edit::Drop {
            project_entry(&mut projection, log, index, entry, edit);
        }
    }
    projection
}

/// The entries that count: the compaction, what it keeps of what is before it, and what is behind it.
fn select<'a>(
    path: &[(EntryIndex, &'a Entry)],
    compaction: Option<EntryIndex>,
) -> Vec<(EntryIndex, &'a Entry)> {
    let Some(position) =
        compaction.and_then(|compaction| path.iter().position(|(index, _)| *index == compaction))
    else {
        return path.to_vec();
    };
    let (before, behind) = path.split_at_checked(position).unwrap_or((path, &[]));
    let first_kept = match behind.first().map(|(_, entry)| &entry.kind) {
        Some(EntryKind::Compaction(compaction)) => compaction.first_kept_entry_id.as_ref(),
        _ => None,
    };
    let kept = first_kept
        .and_then(|id| before.iter().position(|(_, entry)| entry.id == *id))
        .unwrap_or(before.len());
    let kept = before.get(kept..).unwrap_or_default();
    let mut selected = Vec::with_capacity(behind.len() + kept.len());
    selected.extend(behind.first());
    selected.extend(kept.iter().filter(|(_, entry)| !is_system(entry)));
    selected.extend(behind.iter().skip(1));
    selected
}

fn is_system(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Message(message) if message.role == Role::System)
}

/// What the edits of an entry come to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Edit<'a> {
    #[default]
    Keep,
    Drop,
    Content(&'a Value),
}

/// The last edit of each entry among the selected ones, by slot; empty where there are no edits.
fn edits<'a>(log: &SessionLog, selected: &[(EntryIndex, &'a Entry)]) -> Vec<Edit<'a>> {
    let mut edits = Vec::new();
    for (_, entry) in selected {
        let EntryKind::ContextEdit {
            target_id,
            replacement,
        } = &entry.kind
        else {
            continue;
        };
        if edits.is_empty() {
            edits = vec![Edit::Keep; log.contents.slots.len()];
        }
        let slot = log.contents.slots.find(target_id);
        if let Some(edit) = slot.and_then(|slot| edits.get_mut(slot as usize)) {
            *edit = replacement.as_ref().map_or(Edit::Drop, Edit::Content);
        }
    }
    edits
}

fn project_entry(
    projection: &mut Projection,
    log: &SessionLog,
    index: EntryIndex,
    entry: &Entry,
    edit: Edit<'_>,
) {
    let mut source = ProjectedSource::Entry;
    match &entry.kind {
        EntryKind::Compaction(compaction) if compaction.system.is_some() => {
            projection.push(
                log,
                Projected {
                    entry: index,
                    source: ProjectedSource::CompactionSystem,
                },
            );
        }
        EntryKind::Message(message) | EntryKind::CustomMessage(message) => {
            let edited = match edit {
                Edit::Content(content) => edited(message, content),
                Edit::Keep | Edit::Drop => None,
            };
            if let Some(edited) = edited {
                source = ProjectedSource::Edited(projection.edited.len() as u32);
                projection.edited.push(edited);
            }
        }
        _ => {}
    }
    if entry.message().is_some() {
        projection.push(
            log,
            Projected {
                entry: index,
                source,
            },
        );
    }
}

/// The message with other content; none where its role has no content that can be edited.
fn edited(message: &Message, content: &Value) -> Option<Message> {
    let content = match (&message.role, content) {
        (Role::Assistant | Role::ToolResult, Value::String(text)) => {
            json!([{"type": "text", "text": text}])
        }
        (Role::User | Role::Assistant | Role::ToolResult | Role::Custom, content) => {
            content.clone()
        }
        _ => return None,
    };
    let mut native = message.wire_value();
    native.as_object_mut()?.insert("content".into(), content);
    let mut edited = from_native(&native);
    edited.timestamp_ms = message.timestamp_ms;
    // Why a response ended is not in its wire form.
    if message.sendable == Sendable::Aborted {
        edited.sendable = Sendable::Aborted;
    }
    Some(edited)
}
