//! The user message of a turn that is kept in part.

use super::Selection;
use crate::planner::WhyIn;
use crate::planner::grouping::{Group, GroupKind};
use crate::planner::notice::{NOTICE_RESERVE_TOKENS, notice};

impl Selection<'_> {
    /// The user message of the turn that band or tail begin in the middle of, where it fits beside a notice.
    pub(super) fn choose_turn_head(&mut self) {
        let head = self.first_after_gap().and_then(|first| {
            let first = self.group(first)?;
            let of_turn = first.turn.filter(|_| first.kind != GroupKind::User)?;
            self.grouping.group_of.get(of_turn).copied().flatten()
        });
        let Some(head) = head.filter(|head| !self.is_chosen(*head)) else {
            return;
        };
        let tokens = self.group(head).map_or(0, |group| group.tokens);
        if self.fits(tokens + NOTICE_RESERVE_TOKENS) {
            self.choose(head, WhyIn::TurnHead);
        }
    }

    /// What is left out before band and tail, counted, with its outline.
    pub(super) fn choose_notice(&mut self) {
        let before = self
            .first_after_gap()
            .and_then(|first| self.group(first))
            .map(Group::start);
        let Some(before) = before else { return };
        let groups = self.grouping.groups.iter().enumerate();
        let left_out: Vec<&Group> = groups
            .filter(|(index, group)| {
                !self.is_chosen(*index)
                    && group.kind != GroupKind::Summary
                    && group.start() < before
            })
            .map(|(_, group)| group)
            .collect();
        let say = |outline: Option<&str>| {
            notice(
                self.input.candidates,
                &left_out,
                before,
                self.input.recall,
                outline,
                self.input.estimator,
            )
            .filter(|notice| self.fits(u64::from(notice.tokens)))
        };
        let found = say(self.outline.as_deref()).or_else(|| say(None));
        if let Some(notice) = found {
            self.tokens += u64::from(notice.tokens);
            self.notice = Some(notice);
        }
    }

    /// The first group of the band (or tail, or of the newest exchange), where groups are left out before it.
    fn first_after_gap(&self) -> Option<usize> {
        let first = self.grouping.group_of.get(self.begin?).copied().flatten()?;
        let gap = self
            .grouping
            .groups
            .iter()
            .enumerate()
            .take(first)
            .any(|(index, group)| group.kind != GroupKind::Summary && !self.is_chosen(index));
        gap.then_some(first)
    }
}
