//! What another budget would have included: the same choice of tail and band, asked with other numbers.
//!
//! Invariant: the answer is checked by the choice itself, so a plan made with that budget includes the group.

use super::grouping::Group;
use super::notice::NOTICE_RESERVE_TOKENS;
use super::tail::{self, Eligible, Room, RoomFacts};

/// A plan's choice of tail and band, to be repeated with other budgets.
pub struct WhatIf<'a> {
    /// The groups that may join tail or band, newest first, with their tokens whole.
    pub eligible: &'a [Group],
    /// Tokens of the condensed form of the group at that place; none where there is no band.
    pub condensed: Option<&'a dyn Fn(usize) -> u64>,
    /// The band's share.
    pub band_share: f64,
    /// Tokens of the system prompt and the tools.
    pub fixed: u64,
    /// Tokens of the mandatory groups.
    pub mandatory: u64,
    /// Tokens of the mandatory groups and the summaries.
    pub chosen: u64,
    /// The budget of the plan that was made.
    pub active: u64,
}

impl WhatIf<'_> {
    /// The smallest explicit budget with which the group at that place is in, in whatever form.
    pub fn smallest_budget(&self, place: usize) -> u64 {
        let whole: u64 = self
            .eligible
            .iter()
            .take(place + 1)
            .map(|group| group.tokens)
            .sum();
        let (mut too_small, mut enough) = (
            self.active,
            self.fixed + self.chosen + whole + NOTICE_RESERVE_TOKENS,
        );
        // The band's reserve can stand against a tail that would fit whole: then more than the whole is needed.
        while !self.includes(place, enough) {
            too_small = enough;
            enough = enough.saturating_mul(2);
            if enough == u64::MAX {
                return enough;
            }
        }
        while too_small + 1 < enough {
            let middle = too_small + (enough - too_small) / 2;
            if self.includes(place, middle) {
                enough = middle
            } else {
                too_small = middle
            }
        }
        enough
    }

    fn includes(&self, place: usize, budget: u64) -> bool {
        let input = budget.saturating_sub(self.fixed);
        if self.chosen > input {
            return false;
        }
        let groups: Vec<&Group> = self.eligible.iter().collect();
        let whole = |_: usize| u64::MAX;
        let condensed: &dyn Fn(usize) -> u64 = self.condensed.unwrap_or(&whole);
        let room = Room::of(&RoomFacts {
            tail_limit: budget,
            input,
            explicit: true,
            mandatory: self.mandatory,
            chosen: self.chosen,
            eligible: groups.iter().map(|group| group.tokens).sum(),
            rescue: false,
            band_share: self.condensed.map(|_| self.band_share),
        });
        let reach = tail::choose(
            &Eligible {
                groups: &groups,
                condensed,
            },
            &room,
            None,
        );
        reach.length + reach.band_length > place
    }
}
