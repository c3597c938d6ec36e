//! The tail, the condensed band and the cut exchange at their edge: from the choice of [`tail`] to chosen groups.

use std::rc::Rc;

use super::Selection;
use super::current::current_groups;
use crate::planner::grouping::{Group, GroupKind};
use crate::planner::shorten::shorten_results;
use crate::planner::tail::{self, Eligible, Room, RoomFacts};
use crate::planner::{Cut, Replacement, WhyIn, WhyOut};

/// Tokens that must be left for the exchange at the edge of the tail to be worth cutting.
const SMALLEST_EDGE_TOKENS: u64 = 500;

impl Selection<'_> {
    pub(super) fn choose_tail(&mut self) {
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
            supplement_reserve: self.input.supplement_reserve,
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
}
