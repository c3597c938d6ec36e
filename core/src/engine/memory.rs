//! What a session remembers of its plans: records for manifests, the newest plan's messages, and the stable cut.

use std::collections::VecDeque;
use std::rc::Rc;

use super::planning::{Anchor, Context, MessageIdentity, Sent};
use super::view::View;
use crate::fixed_hash::FixedHashMap;
use crate::manifest::{PlanRecord, SharedPrefix};
use crate::model::{Estimator, ModelProfile};
use crate::planner::{Cut, Replacement};
use crate::session::{EntryIndex, SessionLog};

/// Plans whose manifests are held.
pub const HELD_PLANS: usize = 8;

/// The newest plan with what is needed to render it.
#[derive(Debug)]
pub(super) struct NewestPlan {
    pub view: Rc<View>,
    pub context: Context,
    pub sent: Vec<Sent>,
    pub fingerprints: Vec<u64>,
}

/// Where the previous plan began, in which form it sent old messages, and what that depends on.
#[derive(Debug)]
pub(super) struct RememberedCut {
    /// The messages that it sent condensed.
    pub condensed: FixedHashMap<MessageIdentity, Rc<Replacement>>,
    /// What it sent of the messages before the band.
    pub outline: Option<Rc<str>>,
    tail: Anchor,
    band: Anchor,
    profile: ModelProfile,
    budget: Option<u64>,
    leaf: Option<EntryIndex>,
    compaction: Option<EntryIndex>,
}

/// Condensed forms by message, made once: they are pure, and a band asks for the same ones before every request.
#[derive(Debug, Default)]
pub(super) struct CondensedForms {
    estimator: Estimator,
    forms: FixedHashMap<MessageIdentity, Option<Rc<Replacement>>>,
}

impl CondensedForms {
    /// The form of the message, made by `make` where it is not there yet.
    pub(super) fn form(
        &mut self,
        estimator: Estimator,
        message: MessageIdentity,
        make: impl FnOnce() -> Option<Replacement>,
    ) -> Option<Rc<Replacement>> {
        if self.estimator != estimator {
            *self = Self {
                estimator,
                ..Self::default()
            };
        }
        self.forms
            .entry(message)
            .or_insert_with(|| make().map(Rc::new))
            .clone()
    }
}

/// The plans of a session.
#[derive(Debug, Default)]
pub(super) struct PlanMemory {
    records: VecDeque<PlanRecord>,
    newest: Option<NewestPlan>,
    cut: Option<RememberedCut>,
    made: u64,
}

impl PlanMemory {
    /// The running number of the next plan, from 1.
    pub(super) const fn next_number(&self) -> u64 {
        self.made + 1
    }

    /// The record of that ID, the newest where none is given.
    pub(super) fn record(&self, id: Option<&str>) -> Option<&PlanRecord> {
        match id {
            None => self.records.back(),
            Some(id) => self.records.iter().rev().find(|record| record.id == id),
        }
    }

    /// The same, to add what the provider reported.
    pub(super) fn record_mut(&mut self, id: &str) -> Option<&mut PlanRecord> {
        self.records.iter_mut().rev().find(|record| record.id == id)
    }

    /// The newest plan's messages, if that is its ID.
    pub(super) fn newest(&self, id: &str) -> Option<&NewestPlan> {
        self.newest
            .as_ref()
            .filter(|_| self.records.back().is_some_and(|record| record.id == id))
    }

    /// Remembers a plan.
    pub(super) fn remember(&mut self, record: PlanRecord, newest: NewestPlan, log: &SessionLog) {
        self.made += 1;
        // A fallback chose nothing: the cut of the plan before still tells where the warm prefix begins.
        if record.decision.fallback.is_none() {
            let condensed = record.decision.condensed.iter().map(|(place, form)| {
                let message = newest.context.identity(log, &newest.view, *place);
                (message, Rc::clone(form))
            });
            let condensed = condensed.collect();
            self.cut = record.decision.cut.map(|cut| RememberedCut {
                condensed,
                outline: record.decision.outline.clone(),
                tail: newest.context.anchor(log, &newest.view, cut.tail),
                band: newest.context.anchor(log, &newest.view, cut.band),
                profile: record.profile.clone(),
                budget: record.budgets.explicit,
                leaf: newest.view.leaf,
                compaction: newest.view.projection.compaction,
            });
        }
        if self.records.len() == HELD_PLANS {
            self.records.pop_front();
        }
        self.records.push_back(record);
        self.newest = Some(newest);
    }

    /// Where the previous plan began and in which forms it sent old messages, if it is still there and nothing has happened that forgets it: another model or
    /// window, another budget of the caller's, a compaction, another branch (behaviour 2.2, Stable cut). A cut that
    /// outlived its limits would leave a larger window empty.
    pub(super) fn kept(
        &self,
        profile: &ModelProfile,
        budget: Option<u64>,
        view: &View,
        context: &Context,
        log: &SessionLog,
    ) -> Option<(Cut, &RememberedCut)> {
        let cut = self.cut.as_ref()?;
        let same_limits = cut.profile == *profile && cut.budget == budget;
        let same_branch = cut
            .leaf
            .is_none_or(|leaf| view.branch.entries.iter().rev().any(|entry| *entry == leaf));
        if !same_limits || !same_branch || cut.compaction != view.projection.compaction {
            return None;
        }
        let band = context.place_of(log, view, 0, cut.band)?;
        let tail = context.place_of(log, view, band, cut.tail)?;
        Some((Cut { tail, band }, cut))
    }

    /// How much of the previous plan's beginning this one shares.
    pub(super) fn shared_prefix(
        &self,
        fingerprints: &[u64],
        sent: &[Sent],
        record: &PlanRecord,
    ) -> SharedPrefix {
        let Some(previous) = &self.newest else {
            return SharedPrefix::default();
        };
        let messages = previous
            .fingerprints
            .iter()
            .zip(fingerprints)
            .take_while(|(before, now)| before == now)
            .count();
        let tokens = sent
            .iter()
            .take(messages)
            .map(|message| sent_tokens(message, record))
            .sum();
        SharedPrefix { messages, tokens }
    }

    /// Positions of entries mean nothing any more: the log was read anew.
    pub(super) fn forget_positions(&mut self) {
        self.newest = None;
        self.cut = None;
    }
}

/// Tokens of a message that goes out.
pub(super) fn sent_tokens(message: &Sent, record: &PlanRecord) -> u64 {
    match message {
        Sent::Whole(place) => record
            .messages
            .get(*place)
            .map_or(0, |message| u64::from(message.tokens)),
        Sent::Replaced(_, replacement) => u64::from(replacement.tokens),
        Sent::Added(supplement) => u64::from(supplement.tokens),
    }
}
