//! The session index: what of a log is searchable, brought up to date in slices.
//!
//! Invariants:
//! - The index of a session is a function of its log: whatever was interrupted, damaged or deleted, the slices that follow
//!   bring it to the same rows.
//! - A log is indexed on from its checkpoint only if it still begins with what was indexed; otherwise its rows are made anew,
//!   for a reason that can be read ([`RebuildReason`]).
//! - One slice is one transaction: rows and checkpoint are written together or not at all.
//! - The log is never written.

use super::index_database::IndexDatabase;
use super::source::Source;
use super::timeline::Timeline;
use crate::session::SessionLog;
use crate::store::entries;
use crate::store::sessions::{self, IndexedSession};
use crate::store::{Database, StoreError};

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

/// The index of one session.
#[derive(Default)]
pub struct SessionIndex {
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

    /// The session's row as it was last written or read.
    pub fn session(&self) -> Option<&IndexedSession> {
        self.session.as_ref()
    }

    /// The indexed entries as they followed one another when they were last searched.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
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
        database: &mut IndexDatabase,
        source: &Source<'_>,
        max_bytes: u32,
        now_ms: u64,
    ) -> Result<IndexProgress, StoreError> {
        let outcome = self
            .check_on_doubt(database, now_ms)
            .and_then(|()| self.slice(database, source, max_bytes, now_ms));
        match outcome {
            Err(StoreError::Damaged(_)) => self.reopen(database, now_ms)?,
            outcome => return outcome,
        }
        match self.slice(database, source, max_bytes, now_ms) {
            Err(StoreError::Damaged(_)) => {
                self.make_anew(database, now_ms)?;
                self.slice(database, source, max_bytes, now_ms)
            }
            outcome => outcome,
        }
    }

    /// Runs `query` on the database and the session's row. None where nothing is indexed yet.
    pub fn query<T>(
        &mut self,
        database: &mut IndexDatabase,
        now_ms: u64,
        query: impl FnOnce(&rusqlite::Connection, &IndexedSession) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let (Some(opened), Some(session)) = (database.get_mut(), &self.session) else {
            return Ok(None);
        };
        let outcome = opened.read().and_then(|transaction| {
            if !is_still_there(&transaction, session)? {
                return Ok(None);
            }
            let answer = query(&transaction, session)?;
            transaction.finish()?;
            Ok(Some(answer))
        });
        match outcome {
            Err(StoreError::Damaged(_)) => {
                self.reopen(database, now_ms)?;
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
        database: &mut IndexDatabase,
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
            let counts = self.query(database, now_ms, |connection, session| {
                entries::word_counts(connection, session, known)
            })?;
            self.timeline.extend(log, &counts.unwrap_or_default());
        }
        let timeline = std::mem::take(&mut self.timeline);
        let found = self.query(database, now_ms, |connection, session| {
            search(connection, session, &timeline)
        });
        // Made anew meanwhile: then the old one is of no use.
        if self.session.is_some() {
            self.timeline = timeline;
        }
        found
    }

    /// Opens the database and looks at the session's row, and writes no entry.
    pub fn look(
        &mut self,
        database: &mut IndexDatabase,
        source: &Source<'_>,
        now_ms: u64,
    ) -> Result<(), StoreError> {
        let transaction = database.open(now_ms)?.read()?;
        let stored = sessions::find(&transaction, source.session_id)?;
        transaction.finish()?;
        // Rows that are to be made anew are not taken for whole.
        if self.session.is_none()
            && self.forced.is_none()
            && let Some(stored) = stored
            && source.differs(&stored.checkpoint)?.is_none()
        {
            self.session = Some(stored);
        }
        Ok(())
    }

    fn check_on_doubt(
        &mut self,
        database: &mut IndexDatabase,
        now_ms: u64,
    ) -> Result<(), StoreError> {
        if self.forced != Some(RebuildReason::Forced) {
            return Ok(());
        }
        let problems = database.open(now_ms)?.integrity_problems()?;
        match problems.into_iter().next() {
            Some(problem) => Err(StoreError::Damaged(problem)),
            None => Ok(()),
        }
    }

    fn reopen(&mut self, database: &mut IndexDatabase, now_ms: u64) -> Result<(), StoreError> {
        self.replace(database, |database| database.reopen(now_ms))
    }

    fn make_anew(&mut self, database: &mut IndexDatabase, now_ms: u64) -> Result<(), StoreError> {
        self.replace(database, |database| database.make_anew(now_ms))
    }

    fn replace(
        &mut self,
        database: &mut IndexDatabase,
        with: impl FnOnce(Database) -> Result<Database, StoreError>,
    ) -> Result<(), StoreError> {
        self.log_restarted();
        if database.replace(with)? {
            self.forced = Some(RebuildReason::DatabaseDamaged);
        }
        Ok(())
    }

    fn slice(
        &mut self,
        database: &mut IndexDatabase,
        source: &Source<'_>,
        max_bytes: u32,
        now_ms: u64,
    ) -> Result<IndexProgress, StoreError> {
        // Nothing is new, and nobody took the rows away: that takes one look at the session's row.
        if self.session.is_some()
            && self.progress(source.log).is_finished()
            && self.query(database, now_ms, |_, _| Ok(()))?.is_some()
        {
            return Ok(self.progress(source.log));
        }
        let transaction = database.open(now_ms)?.begin()?;
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
