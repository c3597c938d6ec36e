//! Writes and cuts that the port has not got yet: the pages of one transaction, and the size that they leave.

use std::collections::BTreeMap;

use crate::ports::{BlockFile, Extent, MAX_CALL_BYTES, StorageError};

/// Bytes of one part of a commit: below what a call may carry, with room for the extents.
const MAX_PART_BYTES: usize = MAX_CALL_BYTES / 2;

/// Writes that the port has not got yet.
#[derive(Default)]
pub(super) struct Pending {
    /// By offset; they never overlap.
    writes: BTreeMap<u64, Vec<u8>>,
    /// The smallest size that the file was cut to, and the size after the newest cut or write behind the end.
    cut: Option<Cut>,
}

#[derive(Clone, Copy)]
struct Cut {
    smallest: u64,
    size: u64,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.cut.is_none()
    }

    /// The file's size after the commit.
    pub(super) fn size(&self, stored: u64) -> u64 {
        let base = self.cut.map_or(stored, |cut| cut.size);
        base.max(self.end())
    }

    /// How many bytes of the stored file are still there.
    pub(super) fn kept(&self, stored: u64) -> u64 {
        self.cut.map_or(stored, |cut| cut.smallest.min(stored))
    }

    fn end(&self) -> u64 {
        self.writes
            .last_key_value()
            .map_or(0, |(offset, bytes)| offset + bytes.len() as u64)
    }

    pub(super) fn touches(&self, start: u64, length: u64) -> bool {
        let end = start.saturating_add(length);
        self.writes
            .range(..end)
            .next_back()
            .is_some_and(|(offset, bytes)| offset + bytes.len() as u64 > start)
    }

    pub(super) fn write(&mut self, bytes: &[u8], offset: u64) {
        // Pages mostly come again whole: the common case needs no cutting.
        if let Some(known) = self.writes.get_mut(&offset)
            && known.len() == bytes.len()
        {
            known.copy_from_slice(bytes);
            return;
        }
        self.clear_range(offset, offset + bytes.len() as u64);
        if !bytes.is_empty() {
            self.writes.insert(offset, bytes.to_vec());
        }
    }

    pub(super) fn cut(&mut self, size: u64) {
        self.clear_range(size, u64::MAX);
        let smallest = self.cut.map_or(size, |cut| cut.smallest.min(size));
        self.cut = Some(Cut { smallest, size });
    }

    /// Removes what was written from `start` to `end`.
    fn clear_range(&mut self, start: u64, end: u64) {
        let first = self
            .writes
            .range(..start)
            .next_back()
            .map_or(start, |(offset, _)| *offset);
        let overlapping: Vec<u64> = self
            .writes
            .range(first..end)
            .filter(|(offset, bytes)| *offset + bytes.len() as u64 > start)
            .map(|(offset, _)| *offset)
            .collect();
        for offset in overlapping {
            let Some(mut bytes) = self.writes.remove(&offset) else {
                continue;
            };
            let length = bytes.len() as u64;
            if offset + length > end {
                let behind = usize::try_from(end - offset).unwrap_or(usize::MAX);
                self.writes.insert(end, bytes.split_off(behind));
            }
            if offset < start {
                bytes.truncate(usize::try_from(start - offset).unwrap_or(usize::MAX));
                self.writes.insert(offset, bytes);
            }
        }
    }

    /// Lays the writes over `target`, which holds the bytes from `offset` on.
    pub(super) fn read(&self, target: &mut [u8], offset: u64) {
        let end = offset + target.len() as u64;
        let first = self
            .writes
            .range(..=offset)
            .next_back()
            .map_or(offset, |(at, _)| *at);
        for (at, bytes) in self.writes.range(first..end) {
            let skipped = usize::try_from(offset.saturating_sub(*at)).unwrap_or(usize::MAX);
            let to = usize::try_from(at.saturating_sub(offset)).unwrap_or(usize::MAX);
            if let (Some(from), Some(to)) = (bytes.get(skipped..), target.get_mut(to..)) {
                for (to, byte) in to.iter_mut().zip(from) {
                    *to = *byte;
                }
            }
        }
    }

    /// Hands everything to the port, in parts of what one call may carry.
    pub(super) fn commit(
        &self,
        block: &mut dyn BlockFile,
        new_size: u64,
    ) -> Result<u64, StorageError> {
        let mut extents: Vec<Extent> = Vec::new();
        let mut data: Vec<u8> = Vec::new();
        for (offset, bytes) in &self.writes {
            // A single write of SQLite is at most a page of 64 KiB, far below what a call may carry.
            if data.len() + bytes.len() > MAX_PART_BYTES {
                block.commit(&extents, &data, new_size, false)?;
                extents.clear();
                data.clear();
            }
            match extents.last_mut() {
                Some(last) if last.offset + u64::from(last.length) == *offset => {
                    last.length = last.length.saturating_add(bytes.len() as u32);
                }
                _ => extents.push(Extent {
                    offset: *offset,
                    length: bytes.len() as u32,
                }),
            }
            data.extend_from_slice(bytes);
        }
        block.commit(&extents, &data, new_size, true)
    }
}
