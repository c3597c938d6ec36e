//! The session's index and its history: taking in, searching, reading.

use std::thread;
use std::time::{Duration, Instant};

use super::Session;
use super::conversions::document;
use super::history_types::{
    EntryLines, HealthDepth, HistoryAnswer, HistoryHit, HistoryQuery, HistoryRelation,
    HistoryScope, SearchStatus, SessionCounts,
};
use super::types::{Classification, Progress};
use crate::bindings::exports::ds4::context::{diagnostics, retrieval};
use crate::{EngineError, HostError};

/// Bytes of text that one call of the component indexes: one transaction of the database, for which others wait: a plan in Pi less than a
/// second.
pub const INDEX_SLICE_BYTES: u32 = 1024 * 1024;
/// Time for which a call is repeated while another process holds the database, where the configuration does not say
/// (`storage.busyTimeoutMs`).
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause between two slices of an index: another process that waits for the database gets it then, instead of finding it taken
/// again at every look.
const SLICE_PAUSE: Duration = Duration::from_millis(10);
/// Longest pause between two tries; each is a random part of it, so that processes do not keep meeting.
const LONGEST_BUSY_PAUSE_MS: u32 = 50;

impl Session {
    /// Indexes what [`Session::sync`] or [`Session::append`] has brought, so that it can be found.
    ///
    /// # Errors
    /// `Refused` with `Busy` where another process held the database for longer than `storage.busyTimeoutMs`, with `Storage`
    /// where it cannot be written; what was indexed before stays.
    pub fn index(&mut self) -> Result<Progress, HostError> {
        self.index_with(|_| {})
    }

    /// As [`Session::index`], and tells how far it is after each [`INDEX_SLICE_BYTES`], in entries.
    ///
    /// # Errors
    /// As [`Session::index`].
    pub fn index_with(&mut self, mut told: impl FnMut(Progress)) -> Result<Progress, HostError> {
        loop {
            let progress = self.index_slice(INDEX_SLICE_BYTES)?;
            told(progress);
            if progress.finished {
                return Ok(progress);
            }
            thread::sleep(SLICE_PAUSE);
        }
    }

    /// Indexes up to so many bytes of text, at least one entry, in one transaction.
    ///
    /// # Errors
    /// As [`Session::index`].
    pub fn index_slice(&mut self, max_bytes: u32) -> Result<Progress, HostError> {
        let now_ms = self.options.clock.now_ms();
        self.while_busy(|session| {
            session.call(|store, exports, handle| {
                let calls = exports.ds4_context_sessions().session();
                calls.call_index(store, handle, max_bytes, now_ms)
            })
        })
        .map(Progress::from)
    }

    /// Reads the logs of the other sessions that the scope covers, and indexes these and the session itself. Tells how far it is
    /// after each [`INDEX_SLICE_BYTES`], in entries.
    ///
    /// # Errors
    /// As [`Session::index`], and `Refused` with `InvalidInput` for a scope that the configuration does not allow.
    pub fn index_scope(
        &mut self,
        scope: HistoryScope,
        mut told: impl FnMut(Progress),
    ) -> Result<Progress, HostError> {
        loop {
            let progress = self.index_scope_slice(scope, INDEX_SLICE_BYTES)?;
            told(progress);
            if progress.finished {
                return Ok(progress);
            }
        }
    }

    /// As [`Session::index_scope`], up to so many bytes of text.
    ///
    /// # Errors
    /// As [`Session::index_scope`].
    pub fn index_scope_slice(
        &mut self,
        scope: HistoryScope,
        max_bytes: u32,
    ) -> Result<Progress, HostError> {
        let now_ms = self.options.clock.now_ms();
        self.while_busy(|session| {
            session.call(|store, exports, handle| {
                let calls = exports.ds4_context_retrieval();
                calls.call_index_scope(store, handle, scope.into(), max_bytes, now_ms)
            })
        })
        .map(Progress::from)
    }

    /// Makes the session's part of the index anew with the next [`Session::index`].
    ///
    /// # Errors
    /// As every call.
    pub fn rebuild_index(&mut self) -> Result<(), HostError> {
        self.call(|store, exports, handle| {
            let calls = exports.ds4_context_sessions().session();
            calls.call_rebuild_index(store, handle).map(Ok)
        })
    }

    /// The entries that answer a question best. Only what was indexed is found.
    ///
    /// # Errors
    /// `Refused` with `InvalidInput` for a limit outside 1 to 1,000 and for a scope that the configuration does not allow, with
    /// `Busy` and `Storage` as [`Session::index`].
    pub fn search_history(&mut self, query: &HistoryQuery) -> Result<HistoryAnswer, HostError> {
        let query = retrieval::Query {
            text: query.text.clone(),
            scope: query.scope.into(),
            limit: query.limit,
            max_tokens: query.max_tokens.unwrap_or(0),
            now_ms: self.options.clock.now_ms(),
        };
        self.while_busy(|session| {
            session.call(|store, exports, handle| {
                let calls = exports.ds4_context_retrieval();
                calls.call_search_history(store, handle, &query)
            })
        })
        .map(HistoryAnswer::from)
    }

    /// Lines of the entry that a hit's reference opens, from `first_line` (counted from 1) on, at most 200.
    ///
    /// # Errors
    /// `Refused` with `NotFound` where the reference is older than ten minutes or opens nothing any more.
    pub fn read_history(
        &mut self,
        reference: &str,
        first_line: u32,
        count: u32,
    ) -> Result<EntryLines, HostError> {
        let now_ms = self.options.clock.now_ms();
        self.call(|store, exports, handle| {
            let calls = exports.ds4_context_retrieval();
            calls.call_read(store, handle, reference, first_line, count, now_ms)
        })
        .map(EntryLines::from)
    }

    /// Where the derived state lives, how large it is, how far the session is indexed and what is wrong, as JSON.
    ///
    /// # Errors
    /// As [`Session::index`].
    pub fn health(&mut self, depth: HealthDepth) -> Result<String, HostError> {
        let now_ms = self.options.clock.now_ms();
        let depth = match depth {
            HealthDepth::Quick => diagnostics::HealthDepth::Quick,
            HealthDepth::Deep => diagnostics::HealthDepth::Deep,
        };
        self.while_busy(|session| {
            session.call(|store, exports, handle| {
                let calls = exports.ds4_context_diagnostics();
                calls.call_health(store, handle, depth, now_ms)
            })
        })
        .and_then(document)
    }

    /// Repeats a call while another process holds the database, up to the configured time.
    fn while_busy<R>(
        &mut self,
        mut call: impl FnMut(&mut Self) -> Result<R, HostError>,
    ) -> Result<R, HostError> {
        let give_up = Instant::now() + self.busy_timeout();
        loop {
            let outcome = call(self);
            let is_busy = matches!(outcome, Err(HostError::Refused(EngineError::Busy)));
            if !is_busy || Instant::now() >= give_up {
                return outcome;
            }
            let random = getrandom::u32().unwrap_or(LONGEST_BUSY_PAUSE_MS);
            thread::sleep(Duration::from_millis(
                u64::from(random % LONGEST_BUSY_PAUSE_MS) + 1,
            ));
        }
    }

    /// `storage.busyTimeoutMs` of the configuration.
    pub(super) fn busy_timeout(&self) -> Duration {
        let config: Option<serde_json::Value> = serde_json::from_str(&self.options.config).ok();
        config
            .and_then(|config| config.pointer("/storage/busyTimeoutMs")?.as_u64())
            .map_or(BUSY_TIMEOUT, Duration::from_millis)
    }
}

impl From<HistoryScope> for retrieval::Scope {
    fn from(scope: HistoryScope) -> Self {
        match scope {
            HistoryScope::CurrentBranch => Self::CurrentBranch,
            HistoryScope::CurrentSession => Self::CurrentSession,
            HistoryScope::CurrentLineage => Self::CurrentLineage,
            HistoryScope::Project => Self::Project,
        }
    }
}

impl From<retrieval::Answer> for HistoryAnswer {
    fn from(answer: retrieval::Answer) -> Self {
        Self {
            status: match answer.status {
                retrieval::Status::Disabled => SearchStatus::Disabled,
                retrieval::Status::NoQuery => SearchStatus::NoQuery,
                retrieval::Status::Complete => SearchStatus::Complete,
            },
            hits: answer.hits.into_iter().map(HistoryHit::from).collect(),
            indexed_entries: answer.indexed_entries,
            log_entries: answer.log_entries,
            sessions: SessionCounts {
                up_to_date: answer.sessions.up_to_date,
                pending: answer.sessions.pending,
                left_out: answer.sessions.left_out,
            },
        }
    }
}

impl From<retrieval::Hit> for HistoryHit {
    fn from(hit: retrieval::Hit) -> Self {
        Self {
            entry_id: hit.entry_id,
            session_id: hit.session_id,
            relation: match hit.relation {
                retrieval::Relation::Ancestor => HistoryRelation::Ancestor,
                retrieval::Relation::LineageAncestor => HistoryRelation::LineageAncestor,
                retrieval::Relation::OtherBranch => HistoryRelation::OtherBranch,
                retrieval::Relation::OtherSession => HistoryRelation::OtherSession,
            },
            role: hit.role,
            timestamp_ms: hit.timestamp_ms,
            score: hit.score,
            reason: hit.reason,
            excerpt: hit.excerpt,
            classification: Classification::from(hit.classification),
            reference: hit.reference,
        }
    }
}

impl From<retrieval::EntryLines> for EntryLines {
    fn from(lines: retrieval::EntryLines) -> Self {
        Self {
            entry_id: lines.entry_id,
            session_id: lines.session_id,
            role: lines.role,
            first_line: lines.first_line,
            total_lines: lines.total_lines,
            text: lines.text,
        }
    }
}
