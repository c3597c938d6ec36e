//! Which entries of each session count in a scope, and as what.
//!
//! Invariants: an entry that several sessions hold counts once. Of a session that this one was forked from, the way to the fork
//! counts, where what both hold tells where that was; otherwise all of it does, because the agent began the new session with
//! nothing of the old one.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::other_sessions::OtherSession;
use crate::fixed_hash::FixedHashSet;
use crate::retrieval::Relation;
use crate::session::{Entry, EntryIndex, SessionLog, branch};

/// What tells an entry's ID and content apart from all others, wherever it hangs in its tree: an agent that forks a session hangs
/// the entries behind a label anew.
type Identity = u64;

/// The identities of a log's entries, in their order.
#[derive(Debug, Default)]
pub(super) struct Identities(Vec<Identity>);

impl Identities {
    /// Adds those of the entries that are new.
    pub(super) fn follow(&mut self, log: &SessionLog) {
        let new = log.entries().iter().skip(self.0.len());
        self.0.extend(new.map(identity));
    }

    fn at(&self, position: usize) -> Option<Identity> {
        self.0.get(position).copied()
    }
}

/// Which entries of one session count.
#[derive(Debug, Default)]
pub(in crate::engine) struct Counted {
    counts: Vec<bool>,
    /// The way to the fork, of a session that this one was forked from; none of another session of the project.
    way: Option<Vec<bool>>,
}

impl Counted {
    /// Whether the entry at that position counts.
    pub(in crate::engine) fn holds(&self, position: u32) -> bool {
        is_set(&self.counts, position as usize)
    }

    /// As what the entry at that position counts.
    pub(in crate::engine) fn relation(&self, position: u32) -> Relation {
        match &self.way {
            None => Relation::OtherSession,
            Some(way) if is_set(way, position as usize) => Relation::LineageAncestor,
            Some(_) => Relation::OtherBranch,
        }
    }
}

/// What counts in each session of the lineage, then in each other one of the project. `own` are the identities of the session at
/// hand. Only the way to the fork counts where the scope is the lineage (`project` is none).
pub(super) fn counted(
    own: &Identities,
    lineage: &[OtherSession],
    project: Option<&[OtherSession]>,
) -> Vec<Counted> {
    let mut seen: FixedHashSet<Identity> = own.0.iter().copied().collect();
    let mut counted = Vec::with_capacity(lineage.len() + project.map_or(0, <[_]>::len));
    // What of the nearer session is on the way, to find where that was forked from the next.
    let mut nearer: FixedHashSet<Identity> = seen.clone();
    for ancestor in lineage {
        let fork = last_shared(ancestor, &nearer);
        let way = way_to(&ancestor.log, fork.or(ancestor.log.last_leaf()));
        let is_on_way = |position: usize| fork.is_none() || is_set(&way, position);
        nearer = identities_where(ancestor, is_on_way)
            .map(|(_, identity)| identity)
            .collect();
        let mut counts = vec![false; ancestor.log.entries().len()];
        for (position, identity) in identities_where(ancestor, |position| {
            project.is_some() || is_on_way(position)
        }) {
            set(&mut counts, position, seen.insert(identity));
        }
        counted.push(Counted {
            counts,
            way: Some(way),
        });
    }
    for other in project.unwrap_or_default() {
        let mut counts = vec![false; other.log.entries().len()];
        for (position, identity) in identities_where(other, |_| true) {
            set(&mut counts, position, seen.insert(identity));
        }
        counted.push(Counted { counts, way: None });
    }
    counted
}

/// Positions and identities of the entries that are chosen.
fn identities_where(
    session: &OtherSession,
    is_chosen: impl Fn(usize) -> bool,
) -> impl Iterator<Item = (usize, Identity)> {
    let identities = session.identities.0.iter().copied().enumerate();
    identities.filter(move |(position, _)| is_chosen(*position))
}

/// The last entry that the nearer session has as well: there it was forked.
fn last_shared(ancestor: &OtherSession, nearer: &FixedHashSet<Identity>) -> Option<EntryIndex> {
    let shared = |position: &usize| {
        let identity = ancestor.identities.at(*position);
        identity.is_some_and(|identity| nearer.contains(&identity))
    };
    let last = (0..ancestor.log.entries().len()).rev().find(shared)?;
    ancestor.log.entry(&ancestor.log.entries().get(last)?.id)
}

/// The entries from the root to a leaf, by position.
fn way_to(log: &SessionLog, leaf: Option<EntryIndex>) -> Vec<bool> {
    let mut way = vec![false; log.entries().len()];
    for entry in branch(log, leaf).entries {
        set(&mut way, entry.position(), true);
    }
    way
}

fn identity(entry: &Entry) -> Identity {
    let mut hasher = DefaultHasher::new();
    entry.id.hash(&mut hasher);
    match entry.message() {
        Some(message) => message.wire().hash(&mut hasher),
        None => entry.fingerprint().hash(&mut hasher),
    }
    hasher.finish()
}

fn is_set(flags: &[bool], position: usize) -> bool {
    flags.get(position).copied().unwrap_or(false)
}

fn set(flags: &mut [bool], position: usize, value: bool) {
    if let Some(flag) = flags.get_mut(position) {
        *flag = value;
    }
}
