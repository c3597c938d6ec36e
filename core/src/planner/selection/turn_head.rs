//! The user message of a turn that is kept in part, and the line about what is left out of it.

use super::Selection;
use crate::planner::WhyIn;
use crate::planner::grouping::{Group, GroupKind};
use crate::planner::notice::turn_notice;

impl Selection<'_> {
    /// The user message of the turn that the tail begins in the middle of, and the line about what is left out.
    pub(super) fn choose_turn_head(&mut self) {
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
}
