//! The planner `managed-v1` (behaviour 2.2): which of the host's messages the next request holds.
//!
//! Pure: from messages, limits and the remembered cut to a [`Decision`]; it parses nothing, renders nothing and keeps
//! nothing between calls.
//!
//! Invariants, checked again by [`validation`] before a decision leaves:
//! - never over the hard limit, and never over an explicit budget;
//! - never half a tool exchange, and no result without its call;
//! - the newest user message is always there, and text of the user is never cut;
//! - the order of messages is kept;
//! - whatever cannot be planned is a [`Fallback`]: the host's own context, with a reason.
//!
//! Two passes: [`plan`] decides without supplements, which tells the caller what is in the prompt word for word
//! ([`Decision::is_whole`]) and need not be retrieved; [`Decision::with_supplements`] then adds what was found.
//!
//! Deliberately absent in this version: pins from memory and the cache-aware tail.

mod grouping;
mod names;
mod notice;
mod reason;
mod selection;
mod shorten;
mod stub;
mod superseded;
mod supplement;
mod tail;
mod telling;
mod tool_kinds;
mod validation;
mod what_if;

pub use grouping::{Group, GroupKind};
pub use notice::{NOTICE_RESERVE_TOKENS, Notice};
pub use reason::{Fallback, OTHER_HISTORY_PRIORITY, Rescue, WhyIn, WhyOut};
pub use stub::condense;
pub use supplement::{
    PlacedSupplement, SkippedSupplement, SupplementCandidate, SupplementCategory, SupplementOut,
};
pub use what_if::WhatIf;

use std::rc::Rc;

use serde_json::Value;

use crate::config::SupplementalPlacement;
use crate::message::Message;
use crate::model::{Budgets, Ceilings, Estimator};

/// The planner's name in manifests.
pub const PLANNER_VERSION: &str = "managed-v1";

/// One message of the host's context, as a candidate for the request.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The message.
    pub message: &'a Message,
    /// Its tokens by the plan's estimator.
    pub tokens: u32,
    /// The entry that it came from; none for a message that the log does not hold.
    pub entry_id: Option<&'a str>,
    /// Whether a `ds4:pin` label stands on its entry.
    pub pinned: bool,
}

/// Everything that a plan is decided from.
#[derive(Clone, Copy)]
pub struct PlannerInput<'a> {
    /// The host's context in order.
    pub candidates: &'a [Candidate<'a>],
    /// Tokens of the system prompt and the tools.
    pub fixed_tokens: u64,
    /// The request's limits.
    pub budgets: &'a Budgets,
    /// The categories' limits.
    pub ceilings: &'a Ceilings,
    /// `context.rescueImmediatePredecessor`.
    pub rescue_immediate_predecessor: bool,
    /// The estimator of all tokens here.
    pub estimator: Estimator,
    /// The condensed band; none where it is off.
    pub band: Option<Band<'a>>,
    /// `context.condenseSuperseded`, with the condensed forms of results; none where it is off.
    pub superseded: Option<Condensed<'a>>,
    /// What is kept of the previous plan of this branch.
    pub kept: Option<Kept<'a>>,
    /// Tokens that tail and band leave to supplements where not everything fits, whether or not any come: 0 where the
    /// caller will bring none. It must not depend on what was found, or the cut would come and go with the evidence.
    pub supplement_reserve: u64,
    /// `context.supplementalPlacement`.
    pub placement: SupplementalPlacement,
    /// How the model itself can get back what is left out; none where the host has no such tools.
    pub recall: Option<RecallTools<'a>>,
}

/// The tools with which the model can get back what a plan leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecallTools<'a> {
    /// Finds entries by words.
    pub search: &'a str,
    /// Reads the entry of an ID whole.
    pub read: &'a str,
}

/// The condensed form of the candidate at a position; none where it stays as it is. Pure: see [`condense`].
pub type Condensed<'a> = &'a dyn Fn(usize) -> Option<Rc<Replacement>>;

/// The condensed band of a plan.
#[derive(Clone, Copy)]
pub struct Band<'a> {
    /// Its share of what the messages may fill.
    pub share: f64,
    /// Characters of the lines that one stub keeps at most.
    pub stub_chars: usize,
    /// The condensed forms, without lines.
    pub condensed: Condensed<'a>,
}

/// What the previous plan decided and this one keeps while it fits.
#[derive(Clone, Copy)]
pub struct Kept<'a> {
    /// Where it began.
    pub cut: Cut,
    /// The condensed form in which it sent the candidate at a position, with its lines.
    pub condensed: Condensed<'a>,
    /// The lines that it sent of messages before the band.
    pub outline: Option<&'a str>,
}

/// Where a plan begins, as positions among the candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The first message of the recent tail.
    pub tail: usize,
    /// The first message of the condensed band; the tail's where the band is empty.
    pub band: usize,
}

/// What becomes of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is sent as it is.
    Keep(WhyIn),
    /// It is sent with other content.
    Replace(WhyIn, Rc<Replacement>),
    /// It is left out.
    Out(WhyOut),
}

impl Fate {
    /// Why the message is sent; none where it is not.
    pub fn why_in(&self) -> Option<WhyIn> {
        match self {
            Self::Keep(why) | Self::Replace(why, _) => Some(*why),
            Self::Out(_) => None,
        }
    }
}

/// A message with other content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The message as it is sent.
    pub message: Message,
    /// Its content: a JSON array of content blocks.
    pub content: Box<str>,
    /// Its tokens.
    pub tokens: u32,
    /// What was done to it, for manifests.
    pub what: ReplacementKind,
}

impl Replacement {
    /// The message with that content.
    pub(crate) fn new(
        original: &Message,
        content: Value,
        estimator: Estimator,
        what: ReplacementKind,
    ) -> Self {
        let text = content.to_string().into_boxed_str();
        let message = original.with_content(content);
        Self {
            tokens: message.tokens(estimator),
            content: text,
            message,
            what,
        }
    }
}

/// What was done to a replaced message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplacementKind {
    /// A tool result was cut to its head and tail.
    ShortenedResult,
    /// Calls that never got a result were taken out.
    UnansweredCallsRemoved,
    /// A result became a stub, or a response lost its thinking and the long texts of its arguments.
    Condensed,
    /// The same, because a later call made the result stale.
    Superseded,
}

impl ReplacementKind {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ShortenedResult => "result-shortened",
            Self::UnansweredCallsRemoved => "unanswered-calls-removed",
            Self::Condensed => "condensed",
            Self::Superseded => "superseded-result",
        }
    }
}

/// A plan, decided.
#[derive(Debug, Clone)]
pub struct Decision {
    /// One fate a candidate, in order.
    pub fates: Vec<Fate>,
    /// The groups in the order of their first messages.
    pub groups: Vec<Group>,
    /// The group of each candidate; none for messages that cannot be sent.
    pub group_of: Vec<Option<usize>>,
    /// A line about what is left out of a turn, and the position that it stands before.
    pub notice: Option<Notice>,
    /// What is added, in the order of its categories.
    pub supplements: Vec<PlacedSupplement>,
    /// What was proposed and is not added.
    pub skipped_supplements: Vec<SkippedSupplement>,
    /// The messages that go out condensed, as the next plan has to keep them.
    pub condensed: Vec<(usize, Rc<Replacement>)>,
    /// The lines of what is left out that the notice holds, as the next plan has to keep them.
    pub outline: Option<Rc<str>>,
    /// Tokens of each group as the tail would hold it.
    pub tail_costs: Vec<u64>,
    /// Where tail and band begin; none where there are no messages.
    pub cut: Option<Cut>,
    /// Whether one of them begins elsewhere than the remembered cut says.
    pub cut_moved: bool,
    /// Whether the immediate predecessor was kept against the tail's own limit.
    pub rescued: bool,
    /// The group that closed the tail, and why it was not rescued.
    pub rescue: Option<(usize, Rescue)>,
    /// Tokens of the mandatory groups and the tail.
    pub tail_tokens: u64,
    /// Tokens of the condensed band.
    pub band_tokens: u64,
    /// Tokens of all planned messages, the notice and the supplements included.
    pub message_tokens: u64,
    /// What the messages may fill.
    pub message_target: u64,
    /// What the messages never exceed.
    pub message_hard: u64,
    /// Why nothing of this is sent, and the host's own context is.
    pub fallback: Option<Fallback>,
}

impl Decision {
    /// Whether the message goes out word for word. What is there as a stub only is worth retrieving.
    pub fn is_whole(&self, position: usize) -> bool {
        self.fallback.is_some() || matches!(self.fates.get(position), Some(Fate::Keep(_)))
    }
}

/// Decides what the next request holds, without supplements; [`Decision::with_supplements`] adds them.
pub fn plan(input: &PlannerInput<'_>) -> Decision {
    let grouping = grouping::group(input.candidates, input.estimator);
    selection::select(input, grouping)
}

#[cfg(test)]
mod tests;
