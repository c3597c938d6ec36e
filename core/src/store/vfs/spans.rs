//! What was read of a block file, in spans: read-ahead, valid for one commit counter.

use std::collections::VecDeque;

use super::pending::Pending;
use crate::fixed_hash::FixedHashMap;

/// Bytes of one read of the port. SQLite asks for single pages; a crossing costs as much for sixteen of them.
pub(super) const SPAN_BYTES: u64 = 64 * 1024;
/// Spans that are kept: read-ahead, and what spares a crossing for the header page. SQLite keeps pages of its own above.
const KEPT_SPANS: usize = 64;

/// Spans of the block file, the oldest dropped first.
#[derive(Default)]
pub(super) struct Spans {
    bytes: FixedHashMap<u64, Vec<u8>>,
    order: VecDeque<u64>,
}

impl Spans {
    pub(super) fn holds(&self, start: u64) -> bool {
        self.bytes.contains_key(&start)
    }

    pub(super) fn get(&self, start: u64) -> Option<&[u8]> {
        self.bytes.get(&start).map(Vec::as_slice)
    }

    pub(super) fn keep(&mut self, start: u64, bytes: Vec<u8>) {
        if self.order.len() >= KEPT_SPANS
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes.remove(&oldest);
        }
        self.bytes.insert(start, bytes);
        self.order.push_back(start);
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.order.clear();
    }

    /// Drops what the commit changed; it is read again when it is asked for.
    pub(super) fn overwrite(&mut self, pending: &Pending, new_size: u64) {
        let is_stale = |start: u64, length: u64| {
            start + length > new_size || length < SPAN_BYTES || pending.touches(start, SPAN_BYTES)
        };
        let bytes = &mut self.bytes;
        self.order.retain(|start| {
            let length = bytes.get(start).map_or(0, |span| span.len() as u64);
            let stale = is_stale(*start, length);
            if stale {
                bytes.remove(start);
            }
            !stale
        });
    }
}
