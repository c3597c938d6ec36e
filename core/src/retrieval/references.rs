//! References that open a whole entry for a while (behaviour 2.16).
//!
//! Invariants: a reference cannot be guessed without the session's seed; it says nothing about the entry; it is bound to the session
//! and the scope in which the entry was found, and whoever opens it checks that scope again; it is good for
//! [`LIFETIME_MS`] after it was last given, and at most [`MAX_REFERENCES`] are held, the oldest dropped first.

use std::collections::VecDeque;

use sha2::{Digest, Sha256};

use super::scope::Scope;
use crate::message::hex;

/// Milliseconds for which a reference opens its entry.
pub const LIFETIME_MS: u64 = 600_000;
/// References that one session holds.
pub const MAX_REFERENCES: usize = 512;

/// What a reference opens, and in which scope it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The entry's session.
    pub session_id: String,
    /// The entry.
    pub entry_id: String,
    /// The scope of the search that found it.
    pub scope: Scope,
}

/// The references that one opened session gave.
#[derive(Debug)]
pub struct References {
    key: Vec<u8>,
    /// The reference, what it opens, when it ends; in the order in which they were given.
    given: VecDeque<(String, Grant, u64)>,
}

impl References {
    /// References that the seed and the session make unguessable.
    pub fn new(seed: &[u8], session_id: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"history-reference\0");
        hash.update(seed);
        hash.update(session_id.as_bytes());
        Self {
            key: hash.finalize().to_vec(),
            given: VecDeque::new(),
        }
    }

    /// A reference to the entry, good from now on for [`LIFETIME_MS`].
    pub fn give(&mut self, grant: Grant, now_ms: u64) -> String {
        let mut hash = Sha256::new();
        hash.update(&self.key);
        for part in [grant.scope.name(), &grant.session_id, &grant.entry_id] {
            // With its length, so that no two grants are the same bytes.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let digest = hex(&hash.finalize());
        let reference = format!("hist_{}", digest.get(..32).unwrap_or(&digest));
        self.given.retain(|(given, _, _)| *given != reference);
        if self.given.len() >= MAX_REFERENCES {
            self.given.pop_front();
        }
        let ends = now_ms.saturating_add(LIFETIME_MS);
        self.given.push_back((reference.clone(), grant, ends));
        reference
    }

    /// What the reference opens now.
    pub fn grant(&self, reference: &str, now_ms: u64) -> Option<&Grant> {
        self.given
            .iter()
            .find(|(given, _, _)| given == reference)
            .filter(|(_, _, ends)| now_ms < *ends)
            .map(|(_, grant, _)| grant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(entry_id: &str) -> Grant {
        Grant {
            session_id: "s".to_owned(),
            entry_id: entry_id.to_owned(),
            scope: Scope::CurrentBranch,
        }
    }

    #[test]
    fn a_reference_opens_its_entry_for_ten_minutes() {
        let mut references = References::new(&[7; 32], "s");
        let reference = references.give(grant("e1"), 1_000);
        assert_eq!(reference.len(), "hist_".len() + 32);
        assert_eq!(references.grant(&reference, 600_999), Some(&grant("e1")));
        assert_eq!(references.grant(&reference, 601_000), None);
        assert_eq!(references.give(grant("e1"), 601_000), reference);
        assert_eq!(references.grant(&reference, 601_000), Some(&grant("e1")));
        assert_ne!(
            References::new(&[8; 32], "s").give(grant("e1"), 0),
            reference
        );
    }

    #[test]
    fn a_reference_is_for_one_session_and_one_scope() {
        let mut references = References::new(&[7; 32], "s");
        let reference = references.give(grant("e1"), 0);
        let other_session = Grant {
            session_id: "t".to_owned(),
            ..grant("e1")
        };
        let other_scope = Grant {
            scope: Scope::Project,
            ..grant("e1")
        };
        let other_parts = Grant {
            session_id: "se".to_owned(),
            ..grant("1")
        };
        for other in [other_session, other_scope, other_parts] {
            let given = references.give(other.clone(), 0);
            assert_ne!(given, reference);
            assert_eq!(references.grant(&given, 0), Some(&other));
        }
        assert_eq!(references.grant(&reference, 0), Some(&grant("e1")));
    }

    #[test]
    fn the_oldest_is_dropped_first() {
        let mut references = References::new(&[7; 32], "s");
        let first = references.give(grant("first"), 0);
        for number in 0..MAX_REFERENCES {
            references.give(grant(&number.to_string()), 0);
        }
        assert_eq!(references.grant(&first, 0), None);
    }
}
