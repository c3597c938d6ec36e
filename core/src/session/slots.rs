//! Numbers for IDs, so that parents are followed without comparing texts.
//!
//! Invariant: every ID that an entry has or names is a slot, whether or not an entry of that ID is in the log. A slot
//! holds the entry that counts for its ID: an entry that comes again takes the slot over, and everything that names the
//! ID means the new one, as in Pi's own look-up. A tree map, not a hash map: its order and its time do not depend on what
//! an untrusted log calls its entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::entry::EntryIndex;

/// All IDs of a log.
#[derive(Debug, Default)]
pub(super) struct Slots {
    by_id: BTreeMap<Arc<str>, u32>,
    entries: Vec<Option<EntryIndex>>,
}

impl Slots {
    /// The ID's text, shared, and its slot, which is made where it is not there.
    pub fn intern(&mut self, id: &str) -> (Arc<str>, u32) {
        if let Some((id, slot)) = self.by_id.get_key_value(id) {
            return (Arc::clone(id), *slot);
        }
        let slot = self.entries.len() as u32;
        let id: Arc<str> = id.into();
        self.by_id.insert(Arc::clone(&id), slot);
        self.entries.push(None);
        (id, slot)
    }

    /// The slot of an ID that some entry has or names.
    pub fn find(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// The entry that counts for a slot.
    pub fn entry(&self, slot: u32) -> Option<EntryIndex> {
        self.entries.get(slot as usize).copied().flatten()
    }

    /// Gives the slot to an entry.
    pub fn set(&mut self, slot: u32, entry: EntryIndex) {
        if let Some(place) = self.entries.get_mut(slot as usize) {
            *place = Some(entry);
        }
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}
