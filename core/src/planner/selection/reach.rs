//! The tail, the condensed band and the cut exchange at their edge: from the choice of [`tail`] to chosen groups.

use std::rc::Rc;

use super::Selection;
use super::current::current_groups;
use crate::planner::grouping::{Group, GroupKind};
use crate::planner::shorten::shorten_results;
use crate::planner::superseded::{Superseded, superseded};
use crate::planner::tail::{self, Eligible, Room, RoomFacts};
use crate::planner::{Cut, Kept, Replacement, ReplacementKind, WhyIn, WhyOut};

/// Tokens that must be left for the exchange at the edge of the tail to be worth cutting.
const SMALLEST_EDGE_TOKENS: u64 = 500;

impl Selection<'_> {
    pub(super) fn choose_tail(&mut self) {
        let mut eligible = self.indices(|group| group.kind != GroupKind::Summary);
        eligible.retain(|&index| !self.is_chosen(index));
        eligible.reverse();
        let room = self.room(&eligible);
        let input = self.input;
        let kept = input.kept.filter(|kept| self.keep(&eligible, &room, kept));
        if kept.is_none() {
            self.choose_anew(&eligible, &room);
        }
        let (length, band_length) = (self.reach.length, self.reach.band_length);
        let why = if self.reach.rescued {
            WhyIn::Rescued
        } else {
            WhyIn::Recent
        };
        for (place, &index) in eligible.iter().take(length + band_length).enumerate() {
            self.condense_group(index, kept.as_ref(), place >= length);
            self.choose(
                index,
                if place < length {
                    why
                } else {
                    WhyIn::Condensed
                },
            );
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
        self.room = Some(room);
    }

    /// Takes the previous plan's tail and band over, if they still fit.
    fn keep(&mut self, eligible: &[usize], room: &Room, kept: &Kept<'_>) -> bool {
        let groups = self.groups(eligible);
        let cost = |place: usize| {
            let form = |position: usize| (kept.condensed)(position);
            groups
                .get(place)
                .map_or(0, |group| self.tokens_with(group, &form))
        };
        let outline = kept.outline.map_or(0, |outline| {
            u64::from(crate::model::estimator::text_tokens(
                self.input.estimator,
                outline,
            ))
        });
        let reach = tail::keep(
            &Eligible {
                groups: &groups,
                in_tail: &cost,
                in_band: &cost,
            },
            room,
            kept.cut,
            outline + self.head_tokens(kept.cut.band),
        );
        let stays = reach.is_some();
        if let Some(reach) = reach {
            self.reach = reach;
            self.outline = kept.outline.map(Rc::from);
            self.is_kept = true;
        }
        stays
    }

    /// Tokens of the user message of the turn that the band begins in the middle of, where it is not chosen anyway: it
    /// stands before the band, and dropping it would change the prefix.
    fn head_tokens(&self, band: usize) -> u64 {
        let group = |position: usize| self.grouping.group_of.get(position).copied().flatten();
        let head = group(band)
            .and_then(|first| self.group(first)?.turn)
            .filter(|head| *head < band)
            .and_then(group)
            .filter(|head| !self.is_chosen(*head));
        head.and_then(|head| self.group(head))
            .map_or(0, |head| head.tokens)
    }

    fn choose_anew(&mut self, eligible: &[usize], room: &Room) {
        // What fits whole stays whole: condensing begins with the first cut.
        if !room.everything_fits && self.input.superseded.is_some() {
            self.superseded = superseded(self.input.candidates, &self.grouping);
        }
        self.reach = {
            let groups = self.groups(eligible);
            let in_tail = |place: usize| {
                groups.get(place).map_or(0, |group| {
                    self.tokens_with(group, &|position| self.stale(position))
                })
            };
            let in_band = |place: usize| {
                groups.get(place).map_or(0, |group| {
                    self.tokens_with(group, &|position| self.in_band(position))
                })
            };
            let eligible = Eligible {
                groups: &groups,
                in_tail: &in_tail,
                in_band: &in_band,
            };
            tail::choose(&eligible, room, self.input.kept.is_some())
        };
    }

    fn groups(&self, indices: &[usize]) -> Vec<&Group> {
        indices
            .iter()
            .filter_map(|&index| self.group(index))
            .collect()
    }

    /// The room of tail and band.
    fn room(&self, eligible: &[usize]) -> Room {
        Room::of(&RoomFacts {
            tail_limit: self.input.ceilings.recent_tail,
            input: self.target.min(self.hard),
            mandatory: self.mandatory_tokens,
            chosen: self.tokens,
            eligible: self.groups(eligible).iter().map(|group| group.tokens).sum(),
            rescue: self.input.rescue_immediate_predecessor,
            band_share: self.input.band.map(|band| band.share),
            given_back: self.given_back,
            supplement_reserve: self.input.supplement_reserve,
        })
    }

    /// Tokens of a group with those members condensed for which there is a form.
    pub(super) fn tokens_with(
        &self,
        group: &Group,
        form: &dyn Fn(usize) -> Option<Rc<Replacement>>,
    ) -> u64 {
        let tokens = group.members.iter().map(|&position| {
            self.condensable(position).and_then(form).map_or_else(
                || self.grouping.tokens_of(position, self.input.candidates),
                |condensed| u64::from(condensed.tokens),
            )
        });
        tokens.sum()
    }

    /// The position, where its message may go out condensed: one whose unanswered calls were taken out keeps that form.
    fn condensable(&self, position: usize) -> Option<usize> {
        let trimmed = self.grouping.trimmed.get(position);
        trimmed.is_none_or(Option::is_none).then_some(position)
    }

    /// The form of a message of the tail that a later call has made stale.
    pub(super) fn stale(&self, position: usize) -> Option<Rc<Replacement>> {
        let condensed = self.input.superseded?;
        let Superseded {
            results,
            failed_calls,
        } = &self.superseded;
        if !results.contains(&position) && !failed_calls.contains(&position) {
            return None;
        }
        let form = condensed(position)?;
        Some(Rc::new(Replacement {
            what: ReplacementKind::Superseded,
            ..Replacement::clone(&form)
        }))
    }

    fn in_band(&self, position: usize) -> Option<Rc<Replacement>> {
        (self.input.band?.condensed)(position)
    }

    /// Puts the condensed forms of a group's members in their place.
    fn condense_group(&mut self, index: usize, kept: Option<&Kept<'_>>, band: bool) {
        let members = self
            .group(index)
            .map(|group| group.members.clone())
            .unwrap_or_default();
        let condensed: Vec<_> = members
            .into_iter()
            .filter_map(|position| {
                let position = self.condensable(position)?;
                let form = match kept {
                    Some(kept) => (kept.condensed)(position),
                    None if band => self.in_band(position),
                    None => self.stale(position),
                };
                Some((position, form?))
            })
            .collect();
        self.condensed.extend(condensed.iter().cloned());
        self.apply_replacements(condensed);
    }

    /// The exchange at the edge of the tail, with its results cut to the room that is left. Only where no earlier plan
    /// set the cut: a cut edge would change with every request.
    fn choose_edge(&mut self, index: usize, room: &Room) -> bool {
        if self.input.kept.is_some() || self.reach.rescued {
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
