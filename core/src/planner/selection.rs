//! The order of work of a plan (behaviour 2.2): mandatory, newest summary, tail, turn head, further summaries, checks.
//!
//! One deviation from the reference order: the newest summary is chosen before the tail. It stands for everything that
//! was compacted away; with an explicit budget the tail would otherwise take all room and the agent would lose it.

use std::rc::Rc;

use super::grouping::{Group, GroupKind, Grouping};
use super::notice::turn_notice;
use super::shorten::shorten_results;
use super::tail::{self, Eligible, Reach, Room, RoomFacts};
use super::{
    Candidate, Cut, Decision, Fallback, Fate, Notice, PlannerInput, Replacement, Rescue, WhyIn,
    WhyOut,
};
use crate::message::Role;

/// Tokens that must be left for the exchange at the edge of the tail to be worth cutting.
const SMALLEST_EDGE_TOKENS: u64 = 500;

/// Selects among the groups.
pub(super) fn select(input: &PlannerInput<'_>, grouping: Grouping) -> Decision {
    let mut selection = Selection::new(input, grouping);
    let fallback = selection.run().err();
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

    /// The newest user message, the newest exchange after it with all that follows, and the pinned groups.
    fn choose_mandatory(&mut self) -> Result<(), Fallback> {
        let pinned: Vec<usize> = self.indices(|group| group.pinned);
        let pin_tokens: u64 = pinned
            .iter()
            .filter_map(|&index| self.group(index))
            .map(|group| group.tokens)
            .sum();
        if pin_tokens > self.input.ceilings.pins {
            return Err(Fallback::PinsOverCap);
        }
        for index in current_groups(&self.grouping.groups).collect::<Vec<_>>() {
            self.choose(index, WhyIn::Current);
        }
        for index in pinned {
            self.choose(index, WhyIn::Pin);
        }
        // Over the target the largest results are cut; over the limit there is no plan. An explicit budget is a limit.
        let limit = if self.input.budgets.explicit.is_some() {
            self.target
        } else {
            self.hard
        };
        if self.tokens > self.target {
            self.shorten_mandatory(self.tokens - self.target);
        }
        self.mandatory_tokens = self.tokens;
        if self.tokens > limit {
            Err(Fallback::MandatoryOverLimit)
        } else {
            Ok(())
        }
    }

    fn shorten_mandatory(&mut self, excess: u64) {
        let positions: Vec<usize> = self
            .grouping
            .groups
            .iter()
            .zip(&self.chosen)
            .filter(|(_, chosen)| chosen.is_some())
            .flat_map(|(group, _)| group.members.iter().copied())
            .collect();
        let shortened = shorten_results(
            self.input.candidates,
            &positions,
            excess,
            self.input.estimator,
        );
        let saved: u64 = shortened
            .iter()
            .map(|(position, replacement)| self.saved_by(*position, replacement))
            .sum();
        self.apply_replacements(
            shortened
                .into_iter()
                .map(|(position, replacement)| (position, Rc::new(replacement))),
        );
        self.tokens = self.tokens.saturating_sub(saved);
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

    fn choose_tail(&mut self) {
        let mut eligible = self.indices(|group| group.kind != GroupKind::Summary);
        eligible.retain(|&index| !self.is_chosen(index));
        eligible.reverse();
        let groups: Vec<&Group> = eligible
            .iter()
            .filter_map(|&index| self.group(index))
            .collect();
        let room = self.room(groups.iter().map(|group| group.tokens).sum());
        let condensed = |place: usize| {
            groups
                .get(place)
                .map_or(0, |group| self.condensed_tokens(group))
        };
        self.reach = tail::choose(
            &Eligible {
                groups: &groups,
                condensed: &condensed,
            },
            &room,
            self.input.cut,
        );
        let (length, band_length) = (self.reach.length, self.reach.band_length);
        let why = if self.reach.rescued {
            WhyIn::Rescued
        } else {
            WhyIn::Recent
        };
        for &index in eligible.iter().take(length) {
            self.choose(index, why);
        }
        for &index in eligible.iter().skip(length).take(band_length) {
            self.choose_condensed(index);
        }
        let mut in_plan = length + band_length;
        let edge = eligible.get(length).copied().filter(|_| band_length == 0);
        let edge = edge.filter(|&edge| self.choose_edge(edge, &room));
        in_plan += usize::from(edge.is_some());
        for (place, &index) in eligible.iter().skip(in_plan).enumerate() {
            let prefix = self.group(index).is_some_and(Group::is_prefix);
            let why = match self.reach.closed_by {
                Some(why) if place == 0 || why == WhyOut::BeforeStableCut => why,
                _ if prefix => WhyOut::BackgroundWithoutRetrieval,
                _ => WhyOut::RecentTailClosed,
            };
            if let Some(slot) = self.out.get_mut(index) {
                *slot = Some(why);
            }
        }
        self.rescue = eligible.get(in_plan).copied().zip(self.reach.rescue);
        let oldest = |places: std::ops::Range<usize>| {
            let indices = eligible.get(places).unwrap_or_default().iter();
            indices
                .filter_map(|&index| self.group(index))
                .map(Group::start)
                .min()
        };
        let tail = oldest(0..length).or(self.newest_exchange_start());
        let band = oldest(length..length + band_length).or(tail);
        self.cut = tail.zip(band).map(|(tail, band)| Cut { tail, band });
        self.begin = edge
            .and_then(|edge| self.group(edge))
            .map(Group::start)
            .or(band);
    }

    /// The room of tail and band, whose groups have `eligible` tokens.
    fn room(&self, eligible: u64) -> Room {
        Room::of(&RoomFacts {
            tail_limit: self.input.ceilings.recent_tail,
            input: self.target.min(self.hard),
            explicit: self.input.budgets.explicit.is_some(),
            mandatory: self.mandatory_tokens,
            chosen: self.tokens,
            eligible,
            rescue: self.input.rescue_immediate_predecessor,
            band_share: self.input.band.map(|band| band.share),
        })
    }

    /// Tokens of a group with its members condensed.
    fn condensed_tokens(&self, group: &Group) -> u64 {
        group
            .members
            .iter()
            .map(|&position| {
                self.condensed(position).map_or_else(
                    || self.grouping.tokens_of(position, self.input.candidates),
                    |condensed| u64::from(condensed.tokens),
                )
            })
            .sum()
    }

    /// The condensed form of a message; a message whose unanswered calls were taken out keeps that form.
    fn condensed(&self, position: usize) -> Option<Rc<Replacement>> {
        let is_trimmed = self
            .grouping
            .trimmed
            .get(position)
            .is_some_and(Option::is_some);
        self.input
            .band
            .filter(|_| !is_trimmed)
            .and_then(|band| (band.condensed)(position))
    }

    fn choose_condensed(&mut self, index: usize) {
        let members = self
            .group(index)
            .map(|group| group.members.clone())
            .unwrap_or_default();
        let condensed: Vec<_> = members
            .into_iter()
            .filter_map(|position| Some((position, self.condensed(position)?)))
            .collect();
        self.apply_replacements(condensed);
        self.choose(index, WhyIn::Condensed);
    }

    /// The exchange at the edge of the tail, with its results cut to the room that is left. Only where no earlier plan
    /// set the cut: a cut edge would change with every request.
    fn choose_edge(&mut self, index: usize, room: &Room) -> bool {
        if self.input.cut.is_some() || self.reach.rescued {
            return false;
        }
        let Some(group) = self.group(index) else {
            return false;
        };
        let left = room.beside_band().left(self.reach.tokens);
        if left < SMALLEST_EDGE_TOKENS || group.tokens <= left {
            return false;
        }
        let (tokens, members) = (group.tokens, group.members.clone());
        let shortened = shorten_results(
            self.input.candidates,
            &members,
            tokens - left,
            self.input.estimator,
        );
        let saved: u64 = shortened
            .iter()
            .map(|(position, replacement)| self.saved_by(*position, replacement))
            .sum();
        if tokens - saved > left {
            return false;
        }
        self.apply_replacements(
            shortened
                .into_iter()
                .map(|(position, replacement)| (position, Rc::new(replacement))),
        );
        self.choose(index, WhyIn::Recent);
        self.reach.tokens += tokens - saved;
        true
    }

    /// Where the newest exchange begins, or the current request where there is no exchange after it.
    fn newest_exchange_start(&self) -> Option<usize> {
        let current: Vec<&Group> = current_groups(&self.grouping.groups)
            .filter_map(|index| self.group(index))
            .collect();
        let exchange = current.iter().find(|group| group.kind != GroupKind::User);
        exchange.or(current.first()).map(|group| group.start())
    }

    /// The user message of the turn that the tail begins in the middle of, and the line about what is left out.
    fn choose_turn_head(&mut self) {
        let Some(first) = self.first_after_gap() else {
            return;
        };
        let Some(turn) = self.group(first).and_then(|group| group.turn) else {
            return;
        };
        let Some(head) = self.grouping.group_of.get(turn).copied().flatten() else {
            return;
        };
        let before = self.group(first).map_or(0, Group::start);
        let left_out: Vec<&Group> = self
            .grouping
            .groups
            .iter()
            .enumerate()
            .filter(|(index, group)| {
                *index != head
                    && group.turn == Some(turn)
                    && !self.is_chosen(*index)
                    && group.start() < before
            })
            .map(|(_, group)| group)
            .collect();
        let notice = turn_notice(
            self.input.candidates,
            &left_out,
            before,
            self.input.estimator,
        );
        if !self.is_chosen(head) {
            let tokens = self.group(head).map_or(0, |group| group.tokens);
            let with_notice = tokens + notice.as_ref().map_or(0, |notice| u64::from(notice.tokens));
            if !self.fits(with_notice) {
                return;
            }
            self.choose(head, WhyIn::TurnHead);
        }
        if let Some(notice) = notice.filter(|notice| self.fits(u64::from(notice.tokens))) {
            self.tokens += u64::from(notice.tokens);
            self.notice = Some(notice);
        }
    }

    /// The first group of the band (or tail, or of the newest exchange), where groups of its own turn are left out
    /// before it.
    fn first_after_gap(&self) -> Option<usize> {
        let first = self.grouping.group_of.get(self.begin?).copied().flatten()?;
        let turn = self.group(first)?.turn?;
        let gap = self
            .grouping
            .groups
            .iter()
            .enumerate()
            .take(first)
            .any(|(index, group)| (group.turn == Some(turn)) && !self.is_chosen(index));
        (gap && self.group(first)?.kind != GroupKind::User).then_some(first)
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
        let fates = (0..self.input.candidates.len())
            .map(|position| self.fate(position))
            .collect();
        Decision {
            fates,
            group_of: self.grouping.group_of,
            groups: self.grouping.groups,
            notice: self.notice,
            cut: self.cut,
            cut_moved: self.input.cut.is_some() && self.input.cut != self.cut,
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

/// The groups of the current request: the newest user message, the newest exchange after it, and what follows that.
/// Without a user message: the newest exchange and what follows it.
fn current_groups(groups: &[Group]) -> impl Iterator<Item = usize> + use<> {
    let user = groups
        .iter()
        .rposition(|group| group.kind == GroupKind::User);
    let after_user = user.map_or(0, |index| index + 1);
    let exchange = groups
        .iter()
        .rposition(|group| group.kind == GroupKind::Exchange)
        .filter(|index| *index >= after_user);
    let from = exchange.unwrap_or_else(|| {
        if user.is_some() {
            after_user
        } else {
            groups.len().saturating_sub(1)
        }
    });
    let following: Vec<usize> = groups
        .iter()
        .enumerate()
        .skip(from)
        .filter(|(_, group)| group.kind != GroupKind::Summary || groups.len() == 1)
        .map(|(index, _)| index)
        .collect();
    user.into_iter().chain(following)
}

/// Whether the message is the user's own.
pub(super) fn is_user(candidate: &Candidate<'_>) -> bool {
    candidate.message.role == Role::User
}
