//! The way from a leaf to its root.
//!
//! Invariant: an entry comes once; a cycle of parents ends the walk where it closes. Linear in the branch.

use super::entry::EntryIndex;
use super::log::SessionLog;

/// The entries of one branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Branch {
    /// From the root to the leaf.
    pub entries: Vec<EntryIndex>,
    /// The parent that the first entry names and that is not in the log.
    pub missing_parent: Option<Box<str>>,
    /// Whether the walk ended because entries are each other's ancestors.
    pub is_cyclic: bool,
}

impl Branch {
    /// The entry that the branch ends with.
    pub fn leaf(&self) -> Option<EntryIndex> {
        self.entries.last().copied()
    }
}

/// The branch that ends with an entry; none means the log's last leaf. Empty where the log has no entries.
pub fn branch(log: &SessionLog, leaf: Option<EntryIndex>) -> Branch {
    let mut branch = Branch::default();
    let mut visited = vec![false; log.entries().len()];
    let mut next = leaf.or_else(|| log.last_leaf());
    while let Some(index) = next {
        match visited.get_mut(index.position()) {
            None => break,
            Some(true) => {
                branch.is_cyclic = true;
                break;
            }
            Some(seen) => *seen = true,
        }
        branch.entries.push(index);
        next = log.parent(index);
        if next.is_none() {
            let parent = log.get(index).and_then(|entry| entry.parent_id.as_deref());
            branch.missing_parent = parent.map(Into::into);
        }
    }
    branch.entries.reverse();
    branch
}
