//! What another budget would have included: the same choice of tail and band, asked with other numbers.
//!
//! Invariant: the answer is checked by the choice itself, so a plan made with that budget includes the group.

use super::grouping::Group;
use super::tail::{self, Eligible, Room, RoomFacts};

/// Tokens by which the search for a budget begins to climb.
const FIRST_STEP_TOKENS: u64 = 64;

/// A plan's choice of tail and band, to be repeated with other budgets.
pub struct WhatIf<'a> {
    /// The groups that may join tail or band, newest first, with their tokens as the tail would hold them.
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
    /// Left to supplements in a plan within that budget, where not everything fits.
    pub supplement_reserve: &'a dyn Fn(u64) -> u64,
}

impl WhatIf<'_> {
    /// The smallest explicit budget above `too_small` with which the group at that place is in, in whatever form.
    pub fn smallest_budget(&self, place: usize, mut too_small: u64) -> u64 {
        // Groups of a session are small beside a budget: what is needed lies seldom far above what was too small.
        let mut step = FIRST_STEP_TOKENS;
        while !self.includes(place, too_small.saturating_add(step)) {
            too_small = too_small.saturating_add(step);
            if too_small == u64::MAX {
                return too_small;
            }
            step = step.saturating_mul(2);
        }
        let mut enough = too_small.saturating_add(step);
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
            mandatory: self.mandatory,
            chosen: self.chosen,
            eligible: groups.iter().map(|group| group.tokens).sum(),
            rescue: false,
            band_share: self.condensed.map(|_| self.band_share),
            given_back: 0,
            supplement_reserve: (self.supplement_reserve)(budget),
        });
        let reach = tail::choose(
            &Eligible {
                groups: &groups,
                in_tail: &|place| groups.get(place).map_or(0, |group| group.tokens),
                in_band: condensed,
            },
            &room,
            false,
        );
        reach.length + reach.band_length > place
    }
}
