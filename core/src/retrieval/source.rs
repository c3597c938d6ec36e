//! A session's log as the source of its index: whether it still begins with what was indexed, and what its entries add.
//!
//! Invariant: two checkpoints are equal only if the log begins with the same entries; how that is told is decided here and
//! nowhere else.

use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::index::RebuildReason;
use super::indexed_text::{cut, indexed_text};
use super::words;
use crate::ports::{Place, Storage, StorageError};
use crate::session::SessionLog;
use crate::store::StoreError;
use crate::store::entries::{self, EntryRow};
use crate::store::sessions::{Checkpoint, IndexedSession};

/// Bytes before the checkpoint that are hashed (behaviour 2.14).
const TAIL_BYTES: u64 = 64 * 1024;
/// Bytes of the header line that are hashed at most (behaviour 2.14).
const MAX_HEADER_BYTES: u32 = 1024 * 1024;
/// Bytes of one entry's text that are indexed: what a tool puts out beyond that is data.
const MAX_INDEXED_BYTES: usize = 1024 * 1024;

/// What the index works on: one session's log.
pub struct Source<'a> {
    /// The session's ID.
    pub session_id: &'a str,
    /// Its log's path in the place `sessions`; none for a session without a log.
    pub path: Option<&'a str>,
    /// The log as it was read so far.
    pub log: &'a SessionLog,
    /// Where canonical files are read.
    pub storage: &'a Rc<dyn Storage>,
}

impl Source<'_> {
    /// Why the log is not the one that the checkpoint was made from; none where it still begins with that.
    pub(super) fn differs(
        &self,
        checkpoint: &Checkpoint,
    ) -> Result<Option<RebuildReason>, StoreError> {
        if checkpoint.log != self.path.unwrap_or_default() {
            return Ok(Some(RebuildReason::PathChanged));
        }
        let was_read = self.log.ended_bytes() >= checkpoint.indexed_bytes;
        let Some(path) = self.path else {
            return Ok(if was_read {
                self.chain_differs(checkpoint)
            } else {
                Some(RebuildReason::Truncated)
            });
        };
        let tail = self.tail_hash(path, checkpoint.indexed_bytes)?;
        // Shorter than what was indexed is the log only if its file is: another process may have read on and indexed more.
        if !was_read && tail != checkpoint.tail_hash {
            return Ok(Some(RebuildReason::Truncated));
        }
        if self.header_hash(path)? != checkpoint.header_hash {
            return Ok(Some(RebuildReason::HeaderChanged));
        }
        if tail != checkpoint.tail_hash {
            return Ok(Some(RebuildReason::ChangedInPlace));
        }
        // What was not read yet has no hashes of its own to compare.
        Ok(if was_read {
            self.chain_differs(checkpoint)
        } else {
            None
        })
    }

    /// Whether an entry that is indexed has another content now.
    fn chain_differs(&self, checkpoint: &Checkpoint) -> Option<RebuildReason> {
        let is_same = self.log.entries().len() >= checkpoint.entries as usize
            && self.chain(0, 0, checkpoint.entries) == checkpoint.chain;
        (!is_same).then_some(RebuildReason::EntryChanged)
    }

    /// The checkpoint behind the entries that the session's row counts. An entry on a line that has not ended is among them:
    /// were it to change, the chain would tell.
    pub(super) fn checkpoint(&self, before: &Checkpoint) -> Result<Checkpoint, StoreError> {
        let indexed_bytes = self.log.ended_bytes();
        let (header_hash, tail_hash) = match self.path {
            Some(path) => (
                self.header_hash(path)?,
                self.tail_hash(path, indexed_bytes)?,
            ),
            None => (Vec::new(), Vec::new()),
        };
        Ok(Checkpoint {
            log: self.path.unwrap_or_default().to_owned(),
            header_hash,
            indexed_bytes,
            tail_hash,
            entries: before.entries,
            chain: before.chain,
        })
    }

    /// Adds entries behind those that are in; their word counts.
    pub(super) fn add(
        &self,
        connection: &rusqlite::Connection,
        session: &mut IndexedSession,
        max_bytes: u32,
    ) -> Result<Option<Vec<u32>>, StoreError> {
        let first = session.checkpoint.entries;
        let mut bytes = 0;
        let mut word_counts = Vec::new();
        for (position, entry) in (first..).zip(self.log.entries().iter().skip(first as usize)) {
            if bytes >= u64::from(max_bytes) {
                break;
            }
            let text = indexed_text(entry);
            let text = cut(text.as_deref().unwrap_or_default(), MAX_INDEXED_BYTES);
            let indexed = words::for_index(text);
            entries::insert(
                connection,
                session.key(position),
                &EntryRow {
                    entry_id: &entry.id,
                    parent_id: entry.parent_id.as_deref(),
                    kind: entry.type_name(),
                    role: entry.message().map_or("", |message| message.role.name()),
                    timestamp_ms: entry.timestamp_ms,
                    line: entry.line,
                    word_count: indexed.count,
                    words: &indexed.distinct,
                    text,
                },
            )?;
            word_counts.push(indexed.count);
            // An entry without text is work all the same.
            bytes += text.len().max(64) as u64;
            session.text_bytes += text.len() as u64;
        }
        if word_counts.is_empty() {
            return Ok(None);
        }
        let added = word_counts.len() as u32;
        let checkpoint = &mut session.checkpoint;
        checkpoint.chain = self.chain(checkpoint.chain, first, added);
        checkpoint.entries = first + added;
        Ok(Some(word_counts))
    }

    /// The hash over the contents of `count` entries from `first` on, on top of the hash over those before.
    fn chain(&self, before: u64, first: u32, count: u32) -> u64 {
        let entries = self.log.entries().iter().skip(first as usize);
        entries.take(count as usize).fold(before, |chain, entry| {
            (chain.rotate_left(23) ^ entry.fingerprint()).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        })
    }

    fn header_hash(&self, path: &str) -> Result<Vec<u8>, StoreError> {
        let bytes = self.read(path, 0, MAX_HEADER_BYTES.min(4096))?;
        let line = |bytes: &[u8]| bytes.iter().position(|byte| *byte == b'\n');
        // Headers are short; only a long one costs a second read.
        let bytes = if line(&bytes).is_none() && bytes.len() == 4096 {
            self.read(path, 0, MAX_HEADER_BYTES)?
        } else {
            bytes
        };
        let end = line(&bytes).unwrap_or(bytes.len());
        Ok(Sha256::digest(bytes.get(..end).unwrap_or_default()).to_vec())
    }

    fn tail_hash(&self, path: &str, end: u64) -> Result<Vec<u8>, StoreError> {
        let length = end.min(TAIL_BYTES);
        let bytes = self.read(path, end - length, length as u32)?;
        Ok(Sha256::digest(&bytes).to_vec())
    }

    fn read(&self, path: &str, offset: u64, length: u32) -> Result<Vec<u8>, StoreError> {
        self.storage
            .read_file(Place::Sessions, path, offset, length)
            .map_err(|error| match error {
                StorageError::Busy => StoreError::Busy,
                other => {
                    StoreError::Other(format!("the session log {path} could not be read: {other}"))
                }
            })
    }
}
