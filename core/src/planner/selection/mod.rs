//! The order of work of a plan (behaviour 2.2): mandatory, newest summary, tail and band, turn head, telling lines,
//! notice, further summaries, checks.
//!
//! One deviation from the reference order: the newest summary is chosen before the tail. It stands for everything that
//! was compacted away; with an explicit budget the tail would otherwise take all room and the agent would lose it.

mod current;
mod lines;
mod mandatory;
mod reach;
mod turn_head;

use std::rc::Rc;

use super::grouping::{self, Group, GroupKind, Grouping};
use super::superseded::Superseded;
use super::tail::{Reach, Room};
use super::{
    Candidate, Cut, Decision, Fallback, Fate, Notice, PlannerInput, Replacement, Rescue, WhyIn,
    WhyOut,
};
use crate::message::Role;

/// The part of the target that the band must have left unused for tail and band to be chosen once more.
const WORTH_A_SECOND_CHOICE: u64 = 20;

/// Selects among the groups.
pub(super) fn select(input: &PlannerInput<'_>, grouping: Grouping) -> Decision {
    let mut selection = Selection::new(input, grouping);
    let mut fallback = selection.run().err();
    // What the band found no lines for lengthens the tail, once.
    let unused = selection.unused;
    if fallback.is_none() && unused > selection.target / WORTH_A_SECOND_CHOICE {
        selection = Selection::new(input, grouping::group(input.candidates, input.estimator));
        selection.given_back = unused;
        fallback = selection.run().err();
    }
    let mut decision = selection.into_decision();
    decision.fallback = fallback.or_else(|| super::validation::check(input, &decision));
    decision
}

struct Selection<'a> {
    input: &'a PlannerInput<'a>,
    grouping: Grouping,
    /// Why each group is in.
    chosen: Vec<Option<WhyIn>>,
    /// Why each group is out, where that is known already.
    out: Vec<Option<WhyOut>>,
    replaced: Vec<Option<Rc<Replacement>>>,
    /// Tokens of the chosen groups, results as shortened.
    tokens: u64,
    mandatory_tokens: u64,
    target: u64,
    hard: u64,
    reach: Reach,
    rescue: Option<(usize, Rescue)>,
    cut: Option<Cut>,
    /// The first message of all that is kept without a gap, a cut edge included.
    begin: Option<usize>,
    notice: Option<Notice>,
    /// The room that tail and band were chosen for.
    room: Option<Room>,
    /// Whether tail and band are the previous plan's.
    is_kept: bool,
    superseded: Superseded,
    /// The messages that go out condensed.
    condensed: Vec<(usize, Rc<Replacement>)>,
    outline: Option<Rc<str>>,
    /// Tokens of the band's share that no line was found for.
    unused: u64,
    /// The same of a first choice, which the tail has in the second.
    given_back: u64,
}

impl<'a> Selection<'a> {
    fn new(input: &'a PlannerInput<'a>, grouping: Grouping) -> Self {
        let groups = grouping.groups.len();
        Self {
            input,
            chosen: vec![None; groups],
            out: vec![None; groups],
            replaced: vec![None; input.candidates.len()],
            tokens: 0,
            mandatory_tokens: 0,
            target: input.budgets.active.saturating_sub(input.fixed_tokens),
            hard: input.budgets.hard.saturating_sub(input.fixed_tokens),
            reach: Reach::default(),
            rescue: None,
            cut: None,
            begin: None,
            notice: None,
            room: None,
            is_kept: false,
            superseded: Superseded::default(),
            condensed: Vec::new(),
            outline: None,
            unused: 0,
            given_back: 0,
            grouping,
        }
    }

    fn run(&mut self) -> Result<(), Fallback> {
        if self.grouping.groups.is_empty() {
            return Err(Fallback::NoMessages);
        }
        if self.input.fixed_tokens > self.input.budgets.hard {
            return Err(Fallback::FixedOverHardLimit);
        }
        self.choose_mandatory()?;
        self.choose_summaries(1);
        self.choose_tail();
        self.choose_turn_head();
        self.choose_lines();
        self.choose_notice();
        self.choose_summaries(usize::MAX);
        Ok(())
    }

    fn choose(&mut self, group: usize, why: WhyIn) {
        let tokens = self.group(group).map_or(0, |group| group.tokens);
        if let Some(slot @ None) = self.chosen.get_mut(group) {
            *slot = Some(why);
            self.tokens += tokens;
        }
    }

    fn group(&self, index: usize) -> Option<&Group> {
        self.grouping.groups.get(index)
    }

    fn is_chosen(&self, group: usize) -> bool {
        self.chosen.get(group).copied().flatten().is_some()
    }

    /// Summaries, newest first, as long as each fits.
    fn choose_summaries(&mut self, at_most: usize) {
        let mut spent: u64 = self
            .grouping
            .groups
            .iter()
            .zip(&self.chosen)
            .filter(|(_, chosen)| **chosen == Some(WhyIn::Summary))
            .map(|(group, _)| group.tokens)
            .sum();
        let mut summaries = self.indices(|group| group.kind == GroupKind::Summary);
        summaries.reverse();
        for index in summaries.into_iter().take(at_most) {
            if self.is_chosen(index) {
                continue;
            }
            let tokens = self.group(index).map_or(0, |group| group.tokens);
            if spent + tokens <= self.input.ceilings.summaries && self.fits(tokens) {
                spent += tokens;
                self.choose(index, WhyIn::Summary);
            } else if let Some(slot) = self.out.get_mut(index) {
                *slot = Some(WhyOut::SummaryPolicyOrBudget);
            }
        }
    }

    fn fits(&self, tokens: u64) -> bool {
        self.tokens + tokens <= self.target.min(self.hard)
    }

    fn saved_by(&self, position: usize, replacement: &Replacement) -> u64 {
        let whole = self
            .input
            .candidates
            .get(position)
            .map_or(0, |candidate| candidate.tokens);
        u64::from(whole.saturating_sub(replacement.tokens))
    }

    /// Takes replaced messages over into their groups.
    fn apply_replacements(&mut self, replaced: impl IntoIterator<Item = (usize, Rc<Replacement>)>) {
        for (position, replacement) in replaced {
            let saved = self.saved_by(position, &replacement);
            if let Some(group) = self.grouping.group_of.get(position).copied().flatten()
                && let Some(group) = self.grouping.groups.get_mut(group)
            {
                group.tokens = group.tokens.saturating_sub(saved);
            }
            if let Some(slot) = self.replaced.get_mut(position) {
                *slot = Some(replacement);
            }
        }
    }

    fn indices(&self, matches: impl Fn(&Group) -> bool) -> Vec<usize> {
        self.grouping
            .groups
            .iter()
            .enumerate()
            .filter_map(|(index, group)| matches(group).then_some(index))
            .collect()
    }

    fn into_decision(mut self) -> Decision {
        let tail_costs = self.tail_costs();
        let fates = (0..self.input.candidates.len())
            .map(|position| self.fate(position))
            .collect();
        Decision {
            fates,
            group_of: self.grouping.group_of,
            groups: self.grouping.groups,
            notice: self.notice,
            supplements: Vec::new(),
            skipped_supplements: Vec::new(),
            cut: self.cut,
            condensed: self.condensed,
            outline: self.outline,
            tail_costs,
            cut_moved: self.input.kept.is_some() && !self.is_kept,
            rescued: self.reach.rescued,
            rescue: self.rescue,
            tail_tokens: self.mandatory_tokens + self.reach.tokens,
            band_tokens: self.reach.band_tokens,
            message_tokens: self.tokens,
            message_target: self.target,
            message_hard: self.hard,
            fallback: None,
        }
    }

    /// Tokens of each group as the tail would hold it.
    fn tail_costs(&self) -> Vec<u64> {
        let cost = |group| self.tokens_with(group, &|position| self.stale(position));
        self.grouping.groups.iter().map(cost).collect()
    }

    fn fate(&mut self, position: usize) -> Fate {
        let Some(group) = self.grouping.group_of.get(position).copied().flatten() else {
            let why = self.grouping.unsendable.get(position).copied().flatten();
            return Fate::Out(why.unwrap_or(WhyOut::UnknownRole));
        };
        let Some(why) = self.chosen.get(group).copied().flatten() else {
            let why = self.out.get(group).copied().flatten();
            return Fate::Out(why.unwrap_or(WhyOut::RecentTailClosed));
        };
        let replaced = self.replaced.get_mut(position).and_then(Option::take);
        let trimmed = self
            .grouping
            .trimmed
            .get_mut(position)
            .and_then(Option::take);
        match replaced.or(trimmed) {
            Some(replacement) => Fate::Replace(why, replacement),
            None => Fate::Keep(why),
        }
    }
}

/// Whether the message is the user's own.
pub(super) fn is_user(candidate: &Candidate<'_>) -> bool {
    candidate.message.role == Role::User
}
