//! The session index: what of a log is searchable, brought up to date in slices.
//!
//! Invariants:
//! - The index of a session is a function of its log: whatever was interrupted, damaged or deleted, the slices that follow
//!   bring it to the same rows.
//! - A log is indexed on from its checkpoint only if it still begins with what was indexed; otherwise its rows are made anew,
//!   for a reason that can be read ([`RebuildReason`]).
//! - One slice is one transaction: rows and checkpoint are written together or not at all.
//! - The log is never written.

use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::indexed_text::{cut, indexed_text};
use super::timeline::Timeline;
use super::words;
use crate::ports::{Place, Storage, StorageError};
use crate::session::{EntryKind, SessionLog};
use crate::store::entries::{self, EntryRow};
use crate::store::sessions::{self, Checkpoint, IndexedSession};
use crate::store::{Database, StoreError};

/// Bytes before the checkpoint that are hashed (behaviour 2.14).
const TAIL_BYTES: u64 = 64 * 1024;
/// Bytes of the header line that are hashed at most (behaviour 2.14).
const MAX_HEADER_BYTES: u32 = 1024 * 1024;
/// Bytes of one entry's text that are indexed: what a tool puts out beyond that is data.
const MAX_INDEXED_BYTES: usize = 1024 * 1024;

/// Why the rows of a session are made anew (behaviour 2.14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RebuildReason {
    /// There were none.
    Initial,
    /// Somebody asked for it.
    Forced,
    /// The session's log lies elsewhere than before.
    PathChanged,
    /// The log begins with another header.
    HeaderChanged,
    /// The log is shorter than what was indexed.
    Truncated,
    /// The log was written over where it was indexed.
    ChangedInPlace,
    /// An entry that was indexed has another content or was joined to others.
    EntryChanged,
    /// The database could not be used.
    DatabaseDamaged,
}

impl RebuildReason {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Forced => "forced",
            Self::PathChanged => "path-changed",
            Self::HeaderChanged => "header-changed",
            Self::Truncated => "truncated",
            Self::ChangedInPlace => "changed-in-place",
            Self::EntryChanged => "entry-changed",
            Self::DatabaseDamaged => "database-damaged",
        }
    }
}

/// How far a log is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexProgress {
    /// Entries that are in.
    pub done: u64,
    /// Entries of the log.
    pub total: u64,
}

impl IndexProgress {
    /// Whether every entry is in.
    pub const fn is_finished(self) -> bool {
        self.done >= self.total
    }
}

/// What the index works on: one session's log and where its rows are kept.
pub struct Source<'a> {
    /// The session's ID.
    pub session_id: &'a str,
    /// Its log's path in the place `sessions`; none for a session without a log.
    pub path: Option<&'a str>,
    /// The log as it was read so far.
    pub log: &'a SessionLog,
    /// Where canonical files are read.
    pub storage: &'a Rc<dyn Storage>,
    /// The block file of the database; none keeps it in memory.
    pub database: Option<&'a str>,
}

/// The index of one session.
#[derive(Default)]
pub struct SessionIndex {
    database: Option<Database>,
    /// The session's row as this process last saw it, once it was compared with the log.
    session: Option<IndexedSession>,
    forced: Option<RebuildReason>,
    /// The indexed entries, for scoring.
    timeline: Timeline,
}

impl SessionIndex {
    /// Forgets what was compared: the log was read anew.
    pub fn log_restarted(&mut self) {
        self.session = None;
        self.timeline = Timeline::default();
    }

    /// Makes the rows anew with the next slice.
    pub fn rebuild(&mut self) {
        self.forced = Some(RebuildReason::Forced);
        self.log_restarted();
    }

    /// The database, once it was opened.
    pub fn database(&self) -> Option<&Database> {
        self.database.as_ref()
    }

    /// The session's row as it was last written or read.
    pub fn session(&self) -> Option<&IndexedSession> {
        self.session.as_ref()
    }

    /// How far the log is indexed, by what this process knows. Another process may have read more of it and indexed that.
    pub fn progress(&self, log: &SessionLog) -> IndexProgress {
        let session = self.session.as_ref();
        let indexed = session.map_or(0, |session| session.checkpoint.entries);
        let total = log.entries().len() as u64;
        IndexProgress {
            done: u64::from(indexed).min(total),
            total,
        }
    }

    /// Indexes entries until `max_bytes` of text were taken in, at least one entry where there is one.
    ///
    /// [`StoreError::Busy`] and [`StoreError::Full`] change nothing. A database that cannot be used is made anew, once. Whoever
    /// asks for a rebuild doubts it: it is checked as a whole first.
    pub fn advance(
        &mut self,
        source: &Source<'_>,
        max_bytes: u32,
        now_ms: u64,
    ) -> Result<IndexProgress, StoreError> {
        let outcome = self
            .check_on_doubt(source, now_ms)
            .and_then(|()| self.slice(source, max_bytes, now_ms));
        match outcome {
            Err(StoreError::Damaged(_)) => self.reopen(now_ms)?,
            outcome => return outcome,
        }
        match self.slice(source, max_bytes, now_ms) {
            Err(StoreError::Damaged(_)) => {
                self.make_anew(now_ms)?;
                self.slice(source, max_bytes, now_ms)
            }
            outcome => outcome,
        }
    }

    /// Runs `query` on the database and the session's row. None where nothing is indexed yet.
    pub fn query<T>(
        &mut self,
        now_ms: u64,
        query: impl FnOnce(&rusqlite::Connection, &IndexedSession) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let (Some(database), Some(session)) = (&mut self.database, &self.session) else {
            return Ok(None);
        };
        let outcome = database.read().and_then(|transaction| {
            if !is_still_there(&transaction, session)? {
                return Ok(None);
            }
            let answer = query(&transaction, session)?;
            transaction.finish()?;
            Ok(Some(answer))
        });
        match outcome {
            Err(StoreError::Damaged(_)) => {
                self.reopen(now_ms)?;
                Ok(None)
            }
            Ok(None) => {
                // Another process deleted the rows or makes them anew: the next slice compares with the log again.
                self.log_restarted();
                Ok(None)
            }
            outcome => outcome,
        }
    }

    /// As [`Self::query`], with the indexed entries as they follow one another.
    pub fn search<T>(
        &mut self,
        log: &SessionLog,
        now_ms: u64,
        search: impl FnOnce(&rusqlite::Connection, &IndexedSession, &Timeline) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let known = self.timeline.entries();
        let wanted = self
            .session
            .as_ref()
            .map_or(0, |session| session.checkpoint.entries);
        if known < wanted {
            let counts = self.query(now_ms, |connection, session| {
                entries::word_counts(connection, session, known)
            })?;
            self.timeline.extend(log, &counts.unwrap_or_default());
        }
        let timeline = std::mem::take(&mut self.timeline);
        let found = self.query(now_ms, |connection, session| {
            search(connection, session, &timeline)
        });
        // Made anew meanwhile: then the old one is of no use.
        if self.session.is_some() {
            self.timeline = timeline;
        }
        found
    }

    /// Opens the database and looks at the session's row, and writes no entry.
    pub fn look(&mut self, source: &Source<'_>, now_ms: u64) -> Result<(), StoreError> {
        let database = source.opened(&mut self.database, now_ms)?;
        let transaction = database.read()?;
        let stored = sessions::find(&transaction, source.session_id)?;
        transaction.finish()?;
        if self.session.is_none()
            && let Some(stored) = stored
            && source.differs(&stored.checkpoint)?.is_none()
        {
            self.session = Some(stored);
        }
        Ok(())
    }

    fn check_on_doubt(&mut self, source: &Source<'_>, now_ms: u64) -> Result<(), StoreError> {
        if self.forced != Some(RebuildReason::Forced) {
            return Ok(());
        }
        let database = source.opened(&mut self.database, now_ms)?;
        match database.integrity_problems()?.into_iter().next() {
            Some(problem) => Err(StoreError::Damaged(problem)),
            None => Ok(()),
        }
    }

    fn reopen(&mut self, now_ms: u64) -> Result<(), StoreError> {
        self.replace(|database| database.reopen(now_ms))
    }

    fn make_anew(&mut self, now_ms: u64) -> Result<(), StoreError> {
        self.replace(|database| database.make_anew(now_ms))
    }

    fn replace(
        &mut self,
        with: impl FnOnce(Database) -> Result<Database, StoreError>,
    ) -> Result<(), StoreError> {
        self.log_restarted();
        if let Some(database) = self.database.take() {
            let database = with(database)?;
            if database.was_made_anew() {
                self.forced = Some(RebuildReason::DatabaseDamaged);
            }
            self.database = Some(database);
        }
        Ok(())
    }

    fn slice(
        &mut self,
        source: &Source<'_>,
        max_bytes: u32,
        now_ms: u64,
    ) -> Result<IndexProgress, StoreError> {
        // Nothing is new, and nobody took the rows away: that takes one look at the session's row.
        if self.session.is_some()
            && self.progress(source.log).is_finished()
            && self.query(now_ms, |_, _| Ok(()))?.is_some()
        {
            return Ok(self.progress(source.log));
        }
        let database = source.opened(&mut self.database, now_ms)?;
        let transaction = database.begin()?;
        // Another process may have indexed the same session on, or anew, since we last looked.
        let stored = sessions::find(&transaction, source.session_id)?;
        let is_ours = self.session.is_some() && self.session == stored;
        let reason = match &stored {
            _ if self.forced.is_some() => self.forced,
            None => Some(RebuildReason::Initial),
            Some(_) if is_ours => None,
            Some(stored) => source.differs(&stored.checkpoint)?,
        };
        let mut session = match (reason, stored) {
            (None, Some(stored)) => stored,
            (reason, _) => {
                self.timeline = Timeline::default();
                let reason = reason.unwrap_or(RebuildReason::Initial);
                sessions::start(&transaction, source.session_id, reason.name())?
            }
        };
        let added = source.add(&transaction, &mut session, max_bytes)?;
        if added.is_some() || reason.is_some() {
            session.checkpoint = source.checkpoint(&session.checkpoint)?;
            session.indexed_at_ms = now_ms;
            sessions::save(&transaction, source.session_id, &session)?;
        }
        transaction.commit()?;
        self.forced = None;
        let added = added.unwrap_or_default();
        if self.timeline.entries() as usize + added.len() == session.checkpoint.entries as usize {
            self.timeline.extend(source.log, &added);
        }
        self.session = Some(session);
        Ok(self.progress(source.log))
    }
}

/// Whether the session's rows are still those that this process knows, or more of the same.
fn is_still_there(
    connection: &rusqlite::Connection,
    known: &IndexedSession,
) -> Result<bool, StoreError> {
    Ok(
        sessions::of_number(connection, known.number)?.is_some_and(|stored| {
            stored.rebuilds == known.rebuilds
                && stored.checkpoint.log == known.checkpoint.log
                && stored.checkpoint.header_hash == known.checkpoint.header_hash
                && stored.checkpoint.entries >= known.checkpoint.entries
        }),
    )
}

impl Source<'_> {
    fn opened<'d>(
        &self,
        database: &'d mut Option<Database>,
        now_ms: u64,
    ) -> Result<&'d mut Database, StoreError> {
        if let Some(database) = database {
            Ok(database)
        } else {
            let opened = Database::open(self.storage, self.database, now_ms)?;
            Ok(database.insert(opened))
        }
    }

    /// Why the log is not the one that the checkpoint was made from; none where it still begins with that.
    fn differs(&self, checkpoint: &Checkpoint) -> Result<Option<RebuildReason>, StoreError> {
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
    fn checkpoint(&self, before: &Checkpoint) -> Result<Checkpoint, StoreError> {
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
    fn add(
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
            if let EntryKind::Label { target_id, label } = &entry.kind {
                entries::set_label(connection, session, target_id, label.as_deref())?;
            }
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
