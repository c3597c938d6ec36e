//! The whole tree of a log: roots, children, forks, leaves.
//!
//! Invariants: only entries that count for their ID are in it; children keep the order of the file; entries on a cycle of
//! parents are in no branch. Linear in the log, without recursion.

use super::damage::{DamageCode, DamageCounts};
use super::entry::EntryIndex;
use super::log::SessionLog;

/// The tree of a log at the time it was made.
#[derive(Debug, Clone)]
pub struct Tree {
    roots: Vec<EntryIndex>,
    /// Children of all entries, those of one entry side by side.
    children: Vec<EntryIndex>,
    /// Where the children of each entry start, and where those of the last one end.
    starts: Vec<usize>,
    leaves: Vec<EntryIndex>,
}

impl Tree {
    /// The tree of a log.
    pub fn of(log: &SessionLog) -> Self {
        let count = log.entries().len();
        let current: Vec<EntryIndex> = (0..count as u32)
            .map(EntryIndex)
            .filter(|index| log.is_current(*index))
            .collect();
        let mut sizes = vec![0_usize; count];
        let mut roots = Vec::new();
        for &index in &current {
            match log.parent(index) {
                None => roots.push(index),
                Some(parent) => {
                    if let Some(size) = sizes.get_mut(parent.position()) {
                        *size += 1;
                    }
                }
            }
        }
        let leaves = current
            .iter()
            .copied()
            .filter(|index| sizes.get(index.position()) == Some(&0))
            .collect();
        let mut starts = Vec::with_capacity(count + 1);
        let mut end = 0;
        for size in sizes {
            starts.push(end);
            end += size;
        }
        starts.push(end);
        let mut tree = Self {
            roots,
            children: vec![EntryIndex(0); end],
            starts,
            leaves,
        };
        tree.place_children(log, &current);
        tree
    }

    fn place_children(&mut self, log: &SessionLog, current: &[EntryIndex]) {
        let mut free = self.starts.clone();
        for &index in current {
            let Some(parent) = log.parent(index) else {
                continue;
            };
            let Some(position) = free.get_mut(parent.position()) else {
                continue;
            };
            if let Some(place) = self.children.get_mut(*position) {
                *place = index;
            }
            *position += 1;
        }
    }

    /// Entries without a parent, and those whose parent is not in the log.
    pub fn roots(&self) -> &[EntryIndex] {
        &self.roots
    }

    /// Entries without children: one a branch, in the order of the file.
    pub fn leaves(&self) -> &[EntryIndex] {
        &self.leaves
    }

    /// The children of an entry.
    pub fn children(&self, index: EntryIndex) -> &[EntryIndex] {
        let bounds = (
            self.starts.get(index.position()),
            self.starts.get(index.position() + 1),
        );
        match bounds {
            (Some(&start), Some(&end)) => self.children.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Entries from which several branches go, in the order of the file.
    pub fn forks(&self) -> impl Iterator<Item = EntryIndex> + '_ {
        let indexes = (0..self.starts.len().saturating_sub(1) as u32).map(EntryIndex);
        indexes.filter(|index| self.children(*index).len() > 1)
    }
}

/// Counts parents that are not in the log and cycles of parents.
pub(super) fn count_damage(log: &SessionLog, counts: &mut DamageCounts) {
    /// The walk that saw an entry; 0 means none did.
    type Walk = u32;
    let mut seen: Vec<Walk> = vec![0; log.entries().len()];
    for (position, entry) in log.entries().iter().enumerate() {
        let walk = position as Walk + 1;
        let mut next = Some(EntryIndex(position as u32)).filter(|index| log.is_current(*index));
        if next.is_some()
            && entry.parent_id.is_some()
            && next.and_then(|index| log.parent(index)).is_none()
        {
            counts.add(DamageCode::MissingParent, Some(entry.line));
        }
        while let Some(index) = next {
            let Some(mark) = seen.get_mut(index.position()) else {
                break;
            };
            if *mark == walk {
                counts.add(DamageCode::ParentCycle, Some(cycle_line(log, index)));
            }
            if *mark != 0 {
                break;
            }
            *mark = walk;
            next = log.parent(index);
        }
    }
}

/// The first line of a cycle that goes through an entry.
fn cycle_line(log: &SessionLog, start: EntryIndex) -> u64 {
    let line = |index: EntryIndex| log.get(index).map_or(u64::MAX, |entry| entry.line);
    let mut first = line(start);
    let mut next = log.parent(start);
    while let Some(index) = next.filter(|index| *index != start) {
        first = first.min(line(index));
        next = log.parent(index);
    }
    first
}
