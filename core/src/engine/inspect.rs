//! What is in a session's log: `ds4-context-inspect-v1`. Counts, IDs and damage; no text of a message.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::view::{TokenCounts, View};
use crate::message::tools::{Binding, Relations};
use crate::message::{Message, Role, Sendable};
use crate::model::{Estimator, ModelProfile};
use crate::session::{EntryIndex, EntryKind, SessionLog, Tree};

/// The name of the document's shape.
const SCHEMA: &str = "ds4-context-inspect-v1";
/// Branches that are listed, newest first.
const MAX_LISTED_BRANCHES: usize = 64;

pub(super) fn document(
    session_id: &str,
    log: &SessionLog,
    view: &View,
    profile: &ModelProfile,
    counts: &mut TokenCounts,
) -> Value {
    let tree = Tree::of(log);
    let mut document = Map::new();
    document.insert("schema".into(), SCHEMA.into());
    document.insert("session".into(), session(session_id, log));
    if let Some((provider, id)) = view.model(log) {
        document.insert("model".into(), json!({"provider": provider, "id": id}));
    }
    document.insert("estimator".into(), profile.estimator.name().into());
    document.insert("entries".into(), entries(log));
    document.insert("activeLeafId".into(), view.leaf_id(log).into());
    document.insert("projection".into(), projection(log, view, profile, counts));
    document.insert(
        "branches".into(),
        branches(log, &tree, view, profile, counts),
    );
    document.insert("branchCount".into(), tree.leaves().len().into());
    document.insert("turns".into(), turns(log, view, profile, counts));
    document.insert("labels".into(), labels(log));
    document.insert("damage".into(), damage(log, view));
    Value::Object(document)
}

/// Tokens of all messages of the view.
pub(super) fn projection_tokens(
    log: &SessionLog,
    view: &View,
    profile: &ModelProfile,
    counts: &mut TokenCounts,
) -> u64 {
    (0..view.len())
        .map(|position| tokens(log, view, position, profile.estimator, counts))
        .sum()
}

fn tokens(
    log: &SessionLog,
    view: &View,
    position: usize,
    estimator: Estimator,
    counts: &mut TokenCounts,
) -> u64 {
    let (Some(entry), Some(message)) = (view.entry(position), view.message(log, position)) else {
        return 0;
    };
    u64::from(counts.count(estimator, entry, !view.is_edited(position), message))
}

fn session(session_id: &str, log: &SessionLog) -> Value {
    let header = log.header();
    json!({
        "id": session_id,
        "format": log.format().name(),
        "version": header.map(|header| header.version),
        "cwd": header.and_then(|header| header.cwd.as_deref()),
        "parentSession": header.and_then(|header| header.parent_session.as_deref()),
        "bytes": log.bytes(),
        "lines": log.lines(),
    })
}

fn entries(log: &SessionLog) -> Value {
    let mut by_type: BTreeMap<&str, u64> = BTreeMap::new();
    let mut by_role: BTreeMap<&str, u64> = BTreeMap::new();
    for entry in log.entries() {
        *by_type.entry(entry.type_name()).or_default() += 1;
        if let EntryKind::Message(message) = &entry.kind {
            *by_role.entry(message.role.name()).or_default() += 1;
        }
    }
    json!({"total": log.entries().len(), "byType": by_type, "messagesByRole": by_role})
}

fn projection(
    log: &SessionLog,
    view: &View,
    profile: &ModelProfile,
    counts: &mut TokenCounts,
) -> Value {
    json!({
        "messages": view.len(),
        "tokens": projection_tokens(log, view, profile, counts),
        "compactionEntryId": view.projection.compaction.and_then(|entry| log.get(entry)).map(|entry| &*entry.id),
    })
}

fn branches(
    log: &SessionLog,
    tree: &Tree,
    active: &View,
    profile: &ModelProfile,
    counts: &mut TokenCounts,
) -> Value {
    let mut leaves: Vec<EntryIndex> = tree
        .leaves()
        .iter()
        .rev()
        .copied()
        .take(MAX_LISTED_BRANCHES)
        .collect();
    if let Some(leaf) = active.leaf.filter(|leaf| !leaves.contains(leaf)) {
        leaves.insert(0, leaf);
    }
    let mut rows = Vec::new();
    for leaf in leaves {
        let view = View::new(log, Some(leaf));
        let fork = view
            .branch
            .entries
            .iter()
            .rev()
            .find(|entry| tree.children(**entry).len() > 1);
        let users = (0..view.len())
            .filter(|position| is_user(view.message(log, *position)))
            .count();
        rows.push(json!({
            "leafId": view.leaf_id(log),
            "active": active.leaf == Some(leaf),
            "forkEntryId": fork.and_then(|entry| log.get(*entry)).map(|entry| &*entry.id),
            "entries": view.branch.entries.len(),
            "messages": view.len(),
            "turns": users,
            "tokens": projection_tokens(log, &view, profile, counts),
        }));
    }
    rows.into()
}

fn is_user(message: Option<&Message>) -> bool {
    message.is_some_and(|message| message.role == Role::User)
}

/// The turns of the active branch; what stands before the first user message is a turn without an entry of its own.
fn turns(log: &SessionLog, view: &View, profile: &ModelProfile, counts: &mut TokenCounts) -> Value {
    #[derive(Default)]
    struct Turn<'a> {
        entry_id: Option<&'a str>,
        messages: u64,
        exchanges: u64,
        tool_calls: u64,
        tokens: u64,
        timestamp_ms: Option<u64>,
    }
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for position in 0..view.len() {
        let Some(message) = view.message(log, position) else {
            continue;
        };
        if message.role == Role::User || turns.is_empty() {
            let entry_id = view
                .entry_id(log, position)
                .filter(|_| message.role == Role::User);
            turns.push(Turn {
                entry_id,
                timestamp_ms: message.timestamp_ms,
                ..Turn::default()
            });
        }
        let tokens = tokens(log, view, position, profile.estimator, counts);
        if let Some(turn) = turns.last_mut() {
            turn.messages += 1;
            turn.exchanges += u64::from(message.role == Role::Assistant);
            turn.tool_calls += message.calls.len() as u64;
            turn.tokens += tokens;
        }
    }
    turns
        .iter()
        .map(|turn| {
            json!({
                "entryId": turn.entry_id,
                "messages": turn.messages,
                "exchanges": turn.exchanges,
                "toolCalls": turn.tool_calls,
                "tokens": turn.tokens,
                "timestampMs": turn.timestamp_ms,
            })
        })
        .collect()
}

fn labels(log: &SessionLog) -> Value {
    let targets: BTreeSet<&str> = log
        .entries()
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Label { target_id, .. } => Some(&**target_id),
            _ => None,
        })
        .collect();
    let labelled = targets
        .into_iter()
        .filter_map(|id| Some((id, log.label(log.entry(id)?)?)));
    labelled
        .map(|(id, label)| json!({"entryId": id, "label": label}))
        .collect()
}

/// The log's damage, and what the tool relations of the active branch show.
fn damage(log: &SessionLog, view: &View) -> Value {
    let from_log = log.damage().into_iter().map(|damage| {
        json!({
            "code": damage.code.name(),
            "count": damage.count,
            "firstLine": damage.first_line,
            "text": damage.code.text(),
        })
    });
    from_log.chain(tool_damage(log, view)).collect()
}

fn tool_damage(log: &SessionLog, view: &View) -> Vec<Value> {
    let messages: Vec<&Message> = (0..view.len())
        .filter_map(|position| view.message(log, position))
        .collect();
    let relations = Relations::bind(messages.iter().copied());
    let line = |position: usize| {
        view.entry(position)
            .and_then(|entry| log.get(entry))
            .map(|entry| entry.line)
    };
    let all = 0..messages.len();
    let of_results = |wanted: fn(&Binding) -> bool| -> Vec<usize> {
        all.clone()
            .filter(|position| relations.binding(*position).as_ref().is_some_and(wanted))
            .collect()
    };
    let unanswered: Vec<usize> = all
        .clone()
        .filter(|position| {
            let can_be_sent = messages
                .get(*position)
                .is_some_and(|message| message.sendable == Sendable::Yes);
            can_be_sent && relations.answers(*position).iter().any(Option::is_none)
        })
        .collect();
    let found = [
        (
            "orphan-tool-result",
            of_results(|binding| *binding == Binding::Orphan),
            "a tool result has no call before it and is never sent",
        ),
        (
            "surplus-tool-result",
            of_results(|binding| matches!(binding, Binding::Surplus(_))),
            "a tool call has more than one result; the first counts",
        ),
        (
            "unanswered-tool-call",
            unanswered,
            "a tool call has no result; it is taken out of its message",
        ),
    ];
    found
        .into_iter()
        .filter(|(_, positions, _)| !positions.is_empty())
        .map(|(code, positions, text)| {
            let first = positions.first().and_then(|position| line(*position));
            json!({"code": code, "count": positions.len(), "firstLine": first, "text": text})
        })
        .collect()
}
