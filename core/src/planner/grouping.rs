//! Groups: the atomic units of a plan (behaviour 2.2, Grouping).
//!
//! Invariants:
//! - A message that can be sent is in exactly one group; one that cannot is in none and has a [`WhyOut`].
//! - An exchange is an assistant message with the answers of its calls, wherever they stand, and with what stands between
//!   them as long as that is no user message, summary or other exchange.
//! - The relations come from [`crate::message::tools`], by occurrence; so the same call ID far apart never joins two turns.
//! - Linear in the number of messages.

use std::rc::Rc;

use serde_json::Value;

use super::{Candidate, Replacement, ReplacementKind, WhyOut};
use crate::message::tools::{Binding, Relations};
use crate::message::{Block, Role, Sendable};
use crate::model::Estimator;

/// What a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// A message of the user.
    User,
    /// An assistant message with the results of its calls.
    Exchange,
    /// A command of the person or an extension's message.
    Standalone,
    /// A summary of older messages.
    Summary,
}

impl GroupKind {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Exchange => "exchange",
            Self::Standalone => "standalone",
            Self::Summary => "summary",
        }
    }
}

/// Messages that are sent together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What it is.
    pub kind: GroupKind,
    /// Positions of its messages, ascending, never empty.
    pub members: Vec<usize>,
    /// Sum of its members' tokens.
    pub tokens: u64,
    /// Whether a pin label stands on one of its entries.
    pub pinned: bool,
    /// The position of the user message that its turn began with; none before the first.
    pub turn: Option<usize>,
}

impl Group {
    /// Position of its first message.
    pub fn start(&self) -> usize {
        self.members.first().copied().unwrap_or(0)
    }

    /// Position of its last message.
    pub fn end(&self) -> usize {
        self.members.last().copied().unwrap_or(0)
    }

    /// `group:<start>-<end>`.
    pub fn id(&self) -> String {
        format!("group:{}-{}", self.start(), self.end())
    }

    /// Whether it stands before the first user message.
    pub fn is_prefix(&self) -> bool {
        self.turn.is_none() && self.kind != GroupKind::User && self.kind != GroupKind::Summary
    }
}

/// Candidates in groups.
#[derive(Debug, Clone, Default)]
pub(super) struct Grouping {
    /// In the order of their first messages.
    pub groups: Vec<Group>,
    /// The group of each candidate.
    pub group_of: Vec<Option<usize>>,
    /// Why a candidate cannot be sent.
    pub unsendable: Vec<Option<WhyOut>>,
    /// The candidate's form without its unanswered calls, where it has such.
    pub trimmed: Vec<Option<Rc<Replacement>>>,
    /// Which result answers which call.
    pub relations: Relations,
}

/// Groups the candidates.
pub(super) fn group(candidates: &[Candidate<'_>], estimator: Estimator) -> Grouping {
    let relations = Relations::bind(candidates.iter().map(|candidate| candidate.message));
    let mut grouping = Grouping {
        unsendable: (0..candidates.len())
            .map(|position| why_unsendable(candidates, &relations, position))
            .collect(),
        trimmed: vec![None; candidates.len()],
        group_of: vec![None; candidates.len()],
        groups: Vec::new(),
        relations,
    };
    trim_unanswered_calls(&mut grouping, candidates, estimator);
    let mut builder = Builder {
        candidates,
        grouping,
        turn: None,
        open: Vec::new(),
    };
    for (position, candidate) in candidates.iter().enumerate() {
        builder.place(position, candidate);
    }
    builder.grouping
}

struct Builder<'a> {
    candidates: &'a [Candidate<'a>],
    grouping: Grouping,
    turn: Option<usize>,
    /// Exchanges whose last answer is still to come: their group and that answer's position, innermost last.
    open: Vec<(usize, usize)>,
}

impl Builder<'_> {
    fn place(&mut self, position: usize, candidate: &Candidate<'_>) {
        while self.open.last().is_some_and(|(_, last)| *last < position) {
            self.open.pop();
        }
        if self
            .grouping
            .unsendable
            .get(position)
            .copied()
            .flatten()
            .is_some()
        {
            return;
        }
        let answered = match self.grouping.relations.binding(position) {
            Some(Binding::Answers(call)) => {
                self.grouping.group_of.get(call.message).copied().flatten()
            }
            _ => None,
        };
        let surrounding = self.open.last().map(|(group, _)| *group);
        match (&candidate.message.role, answered, surrounding) {
            (Role::ToolResult, Some(group), _) => self.join(group, position),
            (Role::User, ..) => {
                self.turn = Some(position);
                self.begin(GroupKind::User, position);
            }
            (Role::BranchSummary | Role::CompactionSummary, ..) => {
                self.begin(GroupKind::Summary, position);
            }
            (Role::Assistant, ..) if !candidate.message.calls.is_empty() => {
                let group = self.begin(GroupKind::Exchange, position);
                let answers = self.grouping.relations.answers(position);
                if let Some(last) = answers.iter().copied().flatten().max() {
                    self.open.push((group, last));
                }
            }
            (_, _, Some(group)) => self.join(group, position),
            (Role::Assistant, ..) => {
                self.begin(GroupKind::Exchange, position);
            }
            _ => {
                self.begin(GroupKind::Standalone, position);
            }
        }
    }

    fn begin(&mut self, kind: GroupKind, position: usize) -> usize {
        let group = self.grouping.groups.len();
        self.grouping.groups.push(Group {
            kind,
            members: Vec::new(),
            tokens: 0,
            pinned: false,
            turn: self.turn,
        });
        self.join(group, position);
        group
    }

    fn join(&mut self, group: usize, position: usize) {
        let tokens = self.grouping.tokens_of(position, self.candidates);
        let pinned = self
            .candidates
            .get(position)
            .is_some_and(|candidate| candidate.pinned);
        if let Some(group) = self.grouping.groups.get_mut(group) {
            group.members.push(position);
            group.tokens += tokens;
            group.pinned |= pinned;
        }
        if let Some(slot) = self.grouping.group_of.get_mut(position) {
            *slot = Some(group);
        }
    }
}

impl Grouping {
    /// Tokens of a candidate in the form in which it would be sent.
    pub(super) fn tokens_of(&self, position: usize, candidates: &[Candidate<'_>]) -> u64 {
        let trimmed = self
            .trimmed
            .get(position)
            .and_then(Option::as_ref)
            .map(|replacement| replacement.tokens);
        let whole = candidates
            .get(position)
            .map_or(0, |candidate| candidate.tokens);
        u64::from(trimmed.unwrap_or(whole))
    }
}

/// Why the message cannot be sent whatever the budget, looking at itself and its relations.
fn why_unsendable(
    candidates: &[Candidate<'_>],
    relations: &Relations,
    position: usize,
) -> Option<WhyOut> {
    let sendable = |position: usize| {
        candidates
            .get(position)
            .map(|candidate| candidate.message.sendable)
    };
    match sendable(position)? {
        Sendable::Yes => match relations.binding(position) {
            None => None,
            Some(Binding::Orphan) => Some(WhyOut::OrphanResult),
            Some(Binding::Surplus(_)) => Some(WhyOut::SurplusResult),
            Some(Binding::Answers(call)) => (sendable(call.message) == Some(Sendable::Aborted))
                .then_some(WhyOut::ResultOfAbortedResponse),
        },
        Sendable::Aborted => Some(WhyOut::AbortedResponse),
        Sendable::Empty => Some(WhyOut::EmptyMessage),
        Sendable::ExcludedFromContext => Some(WhyOut::ExcludedFromContext),
        Sendable::UnknownRole => Some(WhyOut::UnknownRole),
    }
}

/// A call that never got a result cannot be sent; what else its message says still can.
fn trim_unanswered_calls(
    grouping: &mut Grouping,
    candidates: &[Candidate<'_>],
    estimator: Estimator,
) {
    for (position, candidate) in candidates.iter().enumerate() {
        let answers = grouping.relations.answers(position);
        let sendable = grouping
            .unsendable
            .get(position)
            .copied()
            .flatten()
            .is_none();
        if !sendable || answers.iter().all(Option::is_some) {
            continue;
        }
        let answered: Vec<bool> = answers.iter().map(Option::is_some).collect();
        let trimmed = without_unanswered_calls(candidate, &answered, estimator);
        if trimmed.is_none()
            && let Some(why) = grouping.unsendable.get_mut(position)
        {
            *why = Some(WhyOut::UnansweredCall);
        }
        if let Some(slot) = grouping.trimmed.get_mut(position) {
            *slot = trimmed.map(Rc::new);
        }
    }
}

/// The message without its unanswered calls; none where nothing but thinking would be left.
fn without_unanswered_calls(
    candidate: &Candidate<'_>,
    answered: &[bool],
    estimator: Estimator,
) -> Option<Replacement> {
    let mut wire = candidate.message.wire_value();
    let mut calls = answered.iter();
    let content = wire.get_mut("content")?.as_array_mut()?;
    content.retain(|block| match Block::of(block) {
        Block::ToolCall { .. } => calls.next().copied().unwrap_or(false),
        _ => true,
    });
    let says_something = content.iter().any(|block| match Block::of(block) {
        Block::Thinking(_) => false,
        block => !block.is_empty(),
    });
    if !says_something {
        return None;
    }
    let content = Value::Array(std::mem::take(content));
    let what = ReplacementKind::UnansweredCallsRemoved;
    Some(Replacement::new(
        candidate.message,
        content,
        estimator,
        what,
    ))
}
