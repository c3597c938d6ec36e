//! What is left out, group by group, and message by message where one could not have been sent at all.

use serde_json::{Map, Value, json};

use super::PlanRecord;
use crate::planner::{Fate, GroupKind, WhyOut};

/// A group, or a message that could not be sent, that is not in the plan.
#[derive(Debug, Clone)]
pub(super) struct Exclusion<'a> {
    record: &'a PlanRecord,
    /// Its messages, ascending.
    pub positions: Vec<usize>,
    /// `group:…`; none for a message that could not be sent.
    pub group_id: Option<String>,
    /// The group's kind, or the message's role.
    pub kind: &'a str,
    /// Its tokens.
    pub tokens: u64,
    /// Why.
    pub why: WhyOut,
    /// Whether it alone is larger than the whole tail may be.
    pub oversized: bool,
    /// Whether it stands directly before the tail.
    pub immediate_predecessor: bool,
}

/// What is left out, oldest first.
pub(super) fn exclusions(record: &PlanRecord) -> Vec<Exclusion<'_>> {
    let decision = &record.decision;
    let mut found = Vec::new();
    let mut nothing_out_yet = true;
    for group in decision.groups.iter().rev() {
        let is_summary = group.kind == GroupKind::Summary;
        let why = match decision.fates.get(group.start()) {
            Some(Fate::Out(why)) => *why,
            _ => continue,
        };
        found.push(Exclusion {
            record,
            positions: group.members.clone(),
            group_id: Some(group.id()),
            kind: if group.is_prefix() {
                "prefix"
            } else {
                group.kind.name()
            },
            tokens: group.tokens,
            why,
            oversized: !is_summary && group.tokens > record.ceilings.recent_tail,
            immediate_predecessor: !is_summary && nothing_out_yet,
        });
        nothing_out_yet &= is_summary;
    }
    for (position, fate) in decision.fates.iter().enumerate() {
        if let Fate::Out(why) = fate
            && decision.group_of.get(position).copied().flatten().is_none()
        {
            let message = record.messages.get(position);
            found.push(Exclusion {
                record,
                positions: vec![position],
                group_id: None,
                kind: message.map_or("", |message| message.role.name()),
                tokens: message.map_or(0, |message| u64::from(message.tokens)),
                why: *why,
                oversized: false,
                immediate_predecessor: false,
            });
        }
    }
    found.sort_by_key(|exclusion| exclusion.positions.first().copied());
    found
}

impl Exclusion<'_> {
    /// Position of its first message.
    pub(super) fn start(&self) -> usize {
        self.positions.first().copied().unwrap_or(0)
    }

    /// Position of its last message.
    pub(super) fn end(&self) -> usize {
        self.positions.last().copied().unwrap_or(0)
    }

    fn entry_id(&self, position: usize) -> Option<&str> {
        self.record
            .messages
            .get(position)
            .and_then(|message| message.entry_id.as_deref())
    }

    /// The row that plans and explanations show.
    pub(super) fn row(&self) -> Value {
        let mut row = Map::new();
        if let Some(group_id) = &self.group_id {
            row.insert("groupId".into(), group_id.as_str().into());
        }
        row.insert("kind".into(), self.kind.into());
        for (key, position) in [("firstEntryId", self.start()), ("lastEntryId", self.end())] {
            if let Some(id) = self.entry_id(position) {
                row.insert(key.into(), id.into());
            }
        }
        row.insert("messageCount".into(), self.positions.len().into());
        row.insert("tokens".into(), self.tokens.into());
        row.insert("reason".into(), self.why.name().into());
        Value::Object(row)
    }

    /// The row of a manifest's `excludedNativeGroups`.
    pub(super) fn native_group(&self) -> Value {
        let decision = &self.record.decision;
        let rescue = decision
            .rescue
            .filter(|(group, _)| {
                decision.groups.get(*group).map(crate::planner::Group::id) == self.group_id
            })
            .map_or("not-immediate-predecessor", |(_, rescue)| rescue.name());
        json!({
            "groupId": self.group_id,
            "kind": self.kind,
            "startIndex": self.start(),
            "endIndex": self.end(),
            "messageCount": self.positions.len(),
            "tokens": self.tokens,
            "oversized": self.oversized,
            "immediatePredecessor": self.immediate_predecessor,
            "reason": self.why.name(),
            "rescue": rescue,
        })
    }
}
