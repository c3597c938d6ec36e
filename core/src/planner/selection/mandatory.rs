//! The mandatory part: what every plan holds, its largest results cut where it would not fit.

use std::rc::Rc;

use super::Selection;
use super::current::current_groups;
use crate::planner::shorten::shorten_results;
use crate::planner::{Fallback, WhyIn};

impl Selection<'_> {
    /// The newest user message, the newest exchange after it with all that follows, and the pinned groups.
    pub(super) fn choose_mandatory(&mut self) -> Result<(), Fallback> {
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
}
