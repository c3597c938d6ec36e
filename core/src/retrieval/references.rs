//! References that open a whole entry for a while (behaviour 2.16).
//!
//! Invariants: a reference cannot be guessed without the session's seed; it says nothing about the entry; it is good for
//! [`LIFETIME_MS`] after it was last given, and at most [`MAX_REFERENCES`] are held, the oldest dropped first.

use std::collections::VecDeque;

use sha2::{Digest, Sha256};

use crate::message::hex;

/// Milliseconds for which a reference opens its entry.
pub const LIFETIME_MS: u64 = 600_000;
/// References that one session holds.
pub const MAX_REFERENCES: usize = 512;

/// The references of one session.
#[derive(Debug)]
pub struct References {
    key: Vec<u8>,
    /// The reference, its entry's ID, when it ends; in the order in which they were given.
    given: VecDeque<(String, String, u64)>,
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
    pub fn give(&mut self, entry_id: &str, now_ms: u64) -> String {
        let mut hash = Sha256::new();
        hash.update(&self.key);
        hash.update(entry_id.as_bytes());
        let digest = hex(&hash.finalize());
        let reference = format!("hist_{}", digest.get(..32).unwrap_or(&digest));
        self.given.retain(|(given, _, _)| *given != reference);
        if self.given.len() >= MAX_REFERENCES {
            self.given.pop_front();
        }
        self.given.push_back((
            reference.clone(),
            entry_id.to_owned(),
            now_ms.saturating_add(LIFETIME_MS),
        ));
        reference
    }

    /// The ID of the entry that the reference opens now.
    pub fn entry_id(&self, reference: &str, now_ms: u64) -> Option<&str> {
        self.given
            .iter()
            .find(|(given, _, _)| given == reference)
            .filter(|(_, _, ends)| now_ms < *ends)
            .map(|(_, entry_id, _)| entry_id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_opens_its_entry_for_ten_minutes() {
        let mut references = References::new(&[7; 32], "s");
        let reference = references.give("e1", 1_000);
        assert_eq!(reference.len(), "hist_".len() + 32);
        assert_eq!(references.entry_id(&reference, 600_999), Some("e1"));
        assert_eq!(references.entry_id(&reference, 601_000), None);
        assert_eq!(references.give("e1", 601_000), reference);
        assert_eq!(references.entry_id(&reference, 601_000), Some("e1"));
        assert_ne!(References::new(&[8; 32], "s").give("e1", 0), reference);
    }

    #[test]
    fn the_oldest_is_dropped_first() {
        let mut references = References::new(&[7; 32], "s");
        let first = references.give("first", 0);
        for number in 0..MAX_REFERENCES {
            references.give(&number.to_string(), 0);
        }
        assert_eq!(references.entry_id(&first, 0), None);
    }
}
