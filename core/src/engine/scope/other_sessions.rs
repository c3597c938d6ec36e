//! The other sessions that the scopes of a session cover, as they are held: read, indexed and forgotten again.
//!
//! Invariants: a call reads and indexes as much as it is told and no more; what was read stays until its log leaves the scope; all
//! sessions share one database, and each has the rows there that it has as a session at hand.

use std::rc::Rc;

use super::counted::{Counted, Identities, counted};
use super::members::{Current, Member, Members, members};
use crate::engine::sync::{Change, LogReader};
use crate::engine::{EngineError, SessionCounts};
use crate::ports::{Storage, StorageError};
use crate::retrieval::{IndexDatabase, Scope, SessionIndex, Source};
use crate::session::{LogFormat, SessionLog};
use crate::store::StoreError;

/// Bytes of a log that are read in the time in which one byte of text is indexed: measured, 12 in Node and 20 in wasmtime.
const READ_FOR_ONE_INDEXED: u64 = 12;
/// What looking at a session costs that has nothing new, in bytes of indexed text.
const LOOK_BYTES: u64 = 4 * 1024;
/// Bytes of a log that are read before an entry of it is shown.
const REFRESH_BYTES: u32 = 1024 * 1024;

/// A session that is not the one at hand.
pub(in crate::engine) struct OtherSession {
    /// Its ID.
    pub(in crate::engine) session_id: String,
    reader: LogReader,
    pub(in crate::engine) log: SessionLog,
    pub(in crate::engine) index: SessionIndex,
    pub(super) identities: Identities,
    /// Whether its log was read to the end, in this round or an earlier one.
    is_read: bool,
}

impl OtherSession {
    fn new(member: Member, format: LogFormat) -> Self {
        Self {
            session_id: member.session_id,
            reader: LogReader::new(member.log, format),
            log: SessionLog::new(format),
            index: SessionIndex::default(),
            identities: Identities::default(),
            is_read: false,
        }
    }

    fn is(&self, member: &Member) -> bool {
        self.session_id == member.session_id && self.reader.path() == member.log
    }

    /// Whether its log is read and all of it indexed, as far as is known.
    fn is_up_to_date(&self) -> bool {
        self.is_read && self.index.progress(&self.log).is_finished()
    }

    /// Reads up to `max_bytes` of what its log has gained. Bytes read.
    fn read(&mut self, storage: &dyn Storage, max_bytes: u32) -> Result<u64, StorageError> {
        let before = self.log.bytes();
        let (progress, change) = self.reader.read(storage, &mut self.log, max_bytes)?;
        let read = if change == Change::Restarted {
            self.index.log_restarted();
            self.identities = Identities::default();
            progress.done
        } else {
            progress.done - before
        };
        self.identities.follow(&self.log);
        self.is_read = progress.finished;
        Ok(read)
    }

    /// Whether the log still is this session's.
    fn is_itself(&self) -> bool {
        let header = self.log.header();
        header.and_then(|header| header.session_id.as_deref()) == Some(&*self.session_id)
    }
}

/// What the other sessions work with.
pub(in crate::engine) struct Opened<'a> {
    pub(in crate::engine) session_id: &'a str,
    /// The log's name in the place `sessions`.
    pub(in crate::engine) path: Option<&'a str>,
    pub(in crate::engine) log: &'a SessionLog,
    pub(in crate::engine) storage: &'a Rc<dyn Storage>,
    /// Other sessions of the project that are wanted at most.
    pub(in crate::engine) max_project_sessions: u64,
}

/// All that are held.
#[derive(Default)]
pub(in crate::engine) struct OtherSessions {
    lineage: Vec<OtherSession>,
    project: Vec<OtherSession>,
    lineage_left_out: u32,
    project_left_out: u32,
    /// The scope that was looked at last, and how many of its sessions are done with in the round under way.
    round: Option<(Scope, usize)>,
    looked_at: Option<Scope>,
    own: Identities,
}

impl OtherSessions {
    /// The log at hand was read anew.
    pub(in crate::engine) fn log_restarted(&mut self) {
        self.own = Identities::default();
        self.looked_at = None;
        self.round = None;
    }

    /// Finds out which sessions the scope covers, where nobody did.
    pub(in crate::engine) fn know(
        &mut self,
        scope: Scope,
        opened: &Opened<'_>,
    ) -> Result<(), EngineError> {
        if scope.covers_other_sessions() && self.looked_at.is_none_or(|looked_at| looked_at < scope)
        {
            self.look(scope, opened)?;
        }
        Ok(())
    }

    /// Finds out which sessions the scope covers now, and forgets those that it no longer does.
    fn look(&mut self, scope: Scope, opened: &Opened<'_>) -> Result<(), EngineError> {
        let current = Current {
            session_id: opened.session_id,
            log: opened.path,
            header: opened.log.header(),
        };
        let most = (scope == Scope::Project).then_some(opened.max_project_sessions);
        let format = opened.log.format();
        let found =
            members(&current, format, &**opened.storage, most).map_err(|error| match error {
                StorageError::Busy => EngineError::Busy,
                other => {
                    EngineError::Storage(format!("the session logs could not be listed: {other}"))
                }
            })?;
        self.hold(found, scope, format);
        self.looked_at = self.looked_at.max(Some(scope));
        self.round = Some((scope, 0));
        Ok(())
    }

    fn hold(&mut self, found: Members, scope: Scope, format: LogFormat) {
        let mut held = std::mem::take(&mut self.lineage);
        held.append(&mut self.project);
        let mut take = |member: Member| {
            let known = held.iter().position(|session| session.is(&member));
            match known {
                Some(place) => held.remove(place),
                None => OtherSession::new(member, format),
            }
        };
        self.lineage = found.lineage.into_iter().map(&mut take).collect();
        self.lineage_left_out = found.lineage_left_out;
        if scope == Scope::Project {
            self.project = found.project.into_iter().map(take).collect();
            self.project_left_out = found.project_left_out;
        } else {
            // They were held for the project, and still are.
            self.project = held;
        }
    }

    /// Reads and indexes up to `max_bytes` of text of the sessions that the scope covers, the one at hand left to the caller. Says
    /// whether all of them are up to date; the next call after that looks anew.
    pub(in crate::engine) fn advance(
        &mut self,
        scope: Scope,
        opened: &Opened<'_>,
        database: &mut IndexDatabase,
        max_bytes: u32,
        now_ms: u64,
    ) -> Result<bool, EngineError> {
        if !scope.covers_other_sessions() {
            return Ok(true);
        }
        if self.round.is_none_or(|(looked_at, _)| looked_at != scope) {
            self.look(scope, opened)?;
        }
        let mut left = u64::from(max_bytes.max(1));
        while let Some((_, done)) = &mut self.round {
            let lineage = self.lineage.len();
            let sessions = self.lineage.iter_mut();
            let project = self.project.iter_mut().take(if scope == Scope::Project {
                usize::MAX
            } else {
                0
            });
            let Some(session) = sessions.chain(project).nth(*done) else {
                self.round = None;
                return Ok(true);
            };
            if left == 0 {
                return Ok(false);
            }
            match step(session, opened.storage, database, left, now_ms) {
                Ok((spent, is_done)) => {
                    left = left.saturating_sub(spent);
                    *done += usize::from(is_done);
                }
                Err(StepError::Lost) => {
                    let place = *done;
                    if place < lineage {
                        self.lineage.remove(place);
                        self.lineage_left_out += 1;
                    } else {
                        self.project.remove(place - lineage);
                        self.project_left_out += 1;
                    }
                }
                Err(StepError::Store(error)) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// The sessions that the scope covers, in the order in which they count.
    pub(in crate::engine) fn of(&self, scope: Scope) -> impl Iterator<Item = &OtherSession> {
        let (lineage, project) = self.lengths(scope);
        self.lineage
            .iter()
            .take(lineage)
            .chain(self.project.iter().take(project))
    }

    /// As [`Self::of`], to be searched.
    pub(in crate::engine) fn of_mut(
        &mut self,
        scope: Scope,
    ) -> impl Iterator<Item = &mut OtherSession> {
        let (lineage, project) = self.lengths(scope);
        self.lineage
            .iter_mut()
            .take(lineage)
            .chain(self.project.iter_mut().take(project))
    }

    /// Which entries of those sessions count, in the same order.
    pub(in crate::engine) fn counted(&mut self, scope: Scope, log: &SessionLog) -> Vec<Counted> {
        if !scope.covers_other_sessions() {
            return Vec::new();
        }
        self.own.follow(log);
        let project = (scope == Scope::Project).then_some(self.project.as_slice());
        counted(&self.own, &self.lineage, project)
    }

    /// How the sessions of the scope are taken in, the one at hand not counted.
    pub(in crate::engine) fn counts(&self, scope: Scope) -> SessionCounts {
        let up_to_date = self
            .of(scope)
            .filter(|session| session.is_up_to_date())
            .count();
        SessionCounts {
            up_to_date: up_to_date as u32,
            pending: (self.of(scope).count() - up_to_date) as u32,
            left_out: match scope {
                Scope::CurrentBranch | Scope::CurrentSession => 0,
                Scope::CurrentLineage => self.lineage_left_out,
                Scope::Project => self.lineage_left_out + self.project_left_out,
            },
        }
    }

    /// Reads what the log of a session has gained. None where the scope does not cover the session, or its log is no longer the one
    /// that was read.
    pub(in crate::engine) fn refreshed(
        &mut self,
        scope: Scope,
        session_id: &str,
        storage: &dyn Storage,
    ) -> Option<usize> {
        let mut sessions = self.of_mut(scope).enumerate();
        let (place, session) = sessions.find(|(_, session)| session.session_id == session_id)?;
        let read = session.read(storage, REFRESH_BYTES);
        (read.is_ok() && session.is_itself()).then_some(place)
    }

    fn lengths(&self, scope: Scope) -> (usize, usize) {
        match scope {
            Scope::CurrentBranch | Scope::CurrentSession => (0, 0),
            Scope::CurrentLineage => (self.lineage.len(), 0),
            Scope::Project => (self.lineage.len(), self.project.len()),
        }
    }
}

/// Why a step on a session could not be made.
enum StepError {
    /// Its log is gone, cannot be read, or is another session's now.
    Lost,
    Store(StoreError),
}

/// Reads on, or indexes on where all is read. What it cost in bytes of indexed text, and whether the session is up to date.
fn step(
    session: &mut OtherSession,
    storage: &Rc<dyn Storage>,
    database: &mut IndexDatabase,
    left: u64,
    now_ms: u64,
) -> Result<(u64, bool), StepError> {
    let max_read = left.saturating_mul(READ_FOR_ONE_INDEXED);
    let max_read = u32::try_from(max_read).unwrap_or(u32::MAX);
    let read = session
        .read(&**storage, max_read)
        .map_err(|error| match error {
            StorageError::Busy => StepError::Store(StoreError::Busy),
            _ => StepError::Lost,
        })?;
    if session.is_read && !session.is_itself() {
        return Err(StepError::Lost);
    }
    let spent = read / READ_FOR_ONE_INDEXED;
    if !session.is_read || spent >= left {
        return Ok((spent.max(1), false));
    }
    let text_bytes =
        |session: &OtherSession| session.index.session().map_or(0, |row| row.text_bytes);
    let before = text_bytes(session);
    let source = Source {
        session_id: &session.session_id,
        path: Some(session.reader.path()),
        log: &session.log,
        storage,
    };
    let most = u32::try_from(left - spent).unwrap_or(u32::MAX);
    let progress = session
        .index
        .advance(database, &source, most, now_ms)
        .map_err(StepError::Store)?;
    let indexed = text_bytes(session).saturating_sub(before);
    Ok((spent + indexed.max(LOOK_BYTES), progress.is_finished()))
}
