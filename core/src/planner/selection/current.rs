//! Which groups are the current request.

use crate::planner::grouping::{Group, GroupKind};

/// The groups of the current request: the newest user message, the newest exchange after it, and what follows that.
/// Without a user message: the newest exchange and what follows it.
pub(super) fn current_groups(groups: &[Group]) -> impl Iterator<Item = usize> + use<> {
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
