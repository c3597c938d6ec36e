//! The engine's derived state: which database a session uses, its index, and how both are.
//!
//! Invariants: with privacy on the database lives in memory until texts can be redacted before they are indexed, and what was
//! indexed at its place before is removed; a session without a log is indexed in memory, because nothing could tell later that
//! it is the same one.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::error::EngineError;
use super::{Progress, Session};
use crate::config::{Config, StorageScope};
use crate::message::hex;
use crate::retrieval::{IndexDatabase, IndexProgress, SessionIndex, Source};
use crate::store::{Database, Standing, StoreError, empty_if_there, sessions};

/// The folder that the agent keeps its derived state in; configured paths begin with its name, block files lie in it.
const DATA_FOLDER: &str = "ds4-context/";

/// Hex digits of a path's hash in names.
const PATH_DIGITS: usize = 32;

/// Which block file a session's derived state lives in.
pub(super) struct DatabasePlace {
    /// Where it lives; none in memory only.
    pub(super) stored: Option<String>,
    /// Where it would live without privacy. What is there was indexed before privacy was switched on, and must not stay.
    pub(super) withdrawn: Option<String>,
}

impl DatabasePlace {
    pub(super) fn of(config: &Config, has_log: bool, project_root: Option<&str>) -> Self {
        let name = has_log.then(|| database_name(config, project_root));
        let (stored, withdrawn) = if config.privacy.enabled {
            (None, name)
        } else {
            (name, None)
        };
        Self { stored, withdrawn }
    }
}

fn database_name(config: &Config, project_root: Option<&str>) -> String {
    let shared = &config.storage.database_path;
    let shared = shared.strip_prefix(DATA_FOLDER).unwrap_or(shared);
    match (config.storage.scope, project_root) {
        (StorageScope::Project, Some(root)) => format!("projects/{}.db", path_digest(root)),
        _ => shared.to_owned(),
    }
}

/// What names a session's rows in the index: its ID, and where that does not tell it from one of another folder, the folder.
pub(super) fn index_key(session_id: &str, log_folder: Option<&str>) -> String {
    log_folder.map_or_else(
        || session_id.to_owned(),
        |folder| format!("{session_id}@{}", path_digest(folder)),
    )
}

fn path_digest(path: &str) -> String {
    let mut digest = hex(&Sha256::digest(path.as_bytes()));
    digest.truncate(PATH_DIGITS);
    digest
}

impl Session {
    /// Indexes up to `max_bytes` of the text that the log has gained, at least one entry. Counted in entries. Call `sync`
    /// before: only what was read is indexed.
    pub fn index(&mut self, max_bytes: u32, now_ms: u64) -> Result<Progress, EngineError> {
        let progress = self.with_source(|index, database, source| {
            index.advance(database, source, max_bytes, now_ms)
        })?;
        self.was_indexed = true;
        Ok(progress.into())
    }

    /// Forgets the session's index, so that the next [`Self::index`] makes it anew from the log.
    pub fn rebuild_index(&mut self) {
        self.session_index.rebuild();
    }

    /// Where the derived state lives, how large it is, how far the session is indexed and what was wrong. `deep` checks every
    /// page of the database, which takes time in proportion to it.
    ///
    /// Where nothing was indexed yet, nothing is made for the sake of looking: the database is `absent`.
    pub fn health(&mut self, depth: HealthDepth, now_ms: u64) -> Result<Value, EngineError> {
        if let Some(name) = self.absent_database() {
            return Ok(self.health_without_database(&name, depth));
        }
        self.look_at_index(now_ms)?;
        let progress = self.session_index.progress(&self.log);
        let session = self.session_index.session().map(|session| {
            json!({
                "entries": session.checkpoint.entries,
                "indexedBytes": session.checkpoint.indexed_bytes,
                "textBytes": session.text_bytes,
                "indexedAt": session.indexed_at_ms,
                "rebuilds": session.rebuilds,
                "lastReason": session.last_reason,
            })
        });
        let totals = self
            .session_index
            .query(&mut self.database, now_ms, |connection, _| {
                sessions::totals(connection)
            })?;
        let Some(database) = self.database.get() else {
            return Err(EngineError::Storage(
                "the index database is not open".to_owned(),
            ));
        };
        let (bytes, free_bytes) = database.size()?;
        let problems = match depth {
            HealthDepth::Quick => None,
            HealthDepth::Deep => Some(match database.integrity_problems() {
                // A schema that cannot even be read is a problem like the others.
                Err(StoreError::Damaged(problem)) => vec![problem],
                problems => problems?,
            }),
        };
        let damaged = problems.as_ref().is_some_and(|found| !found.is_empty());
        let (sessions, entries, text_bytes) = totals.unwrap_or_default();
        Ok(json!({
            "schemaVersion": 1,
            "sessionId": self.session_id,
            "database": standing(database, self.config.privacy.enabled),
            "bytes": bytes,
            "freeBytes": free_bytes,
            "sessions": sessions,
            "entries": entries,
            "textBytes": text_bytes,
            "session": session,
            "logEntries": progress.total,
            "upToDate": progress.is_finished(),
            "problems": problems,
            "healthy": !damaged,
        }))
    }
}

impl Session {
    /// Whether there is a database on disk already.
    pub(super) fn is_stored(&self) -> bool {
        let name = self.database.name();
        let size = name.and_then(|name| self.storage.block_file_size(name).ok().flatten());
        size.is_some_and(|bytes| bytes > 0)
    }

    /// The name of the database where it is not there yet.
    fn absent_database(&self) -> Option<String> {
        let name = self.database.name()?;
        if self.database.get().is_some() {
            return None;
        }
        // A host that refuses to tell keeps nothing; that is found when it is opened.
        let size = self.storage.block_file_size(name).ok()?;
        (size.unwrap_or(0) == 0).then(|| name.to_owned())
    }

    fn health_without_database(&self, name: &str, depth: HealthDepth) -> Value {
        let progress = self.session_index.progress(&self.log);
        let problems = match depth {
            HealthDepth::Quick => None,
            HealthDepth::Deep => Some(json!([])),
        };
        json!({
            "schemaVersion": 1,
            "sessionId": self.session_id,
            "database": {"kind": "absent", "name": name, "madeAnew": false},
            "bytes": 0,
            "freeBytes": 0,
            "sessions": 0,
            "entries": 0,
            "textBytes": 0,
            "session": null,
            "logEntries": progress.total,
            "upToDate": progress.is_finished(),
            "problems": problems,
            "healthy": true,
        })
    }

    /// Opens the index and looks whether it has the session's rows.
    pub(super) fn look_at_index(&mut self, now_ms: u64) -> Result<(), StoreError> {
        self.with_source(|index, database, source| index.look(database, source, now_ms))
    }

    fn with_source<T>(
        &mut self,
        work: impl FnOnce(&mut SessionIndex, &mut IndexDatabase, &Source<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(name) = &self.withdrawn_database {
            empty_if_there(&self.storage, name)?;
            self.withdrawn_database = None;
        }
        let source = Source {
            session_id: &self.index_key,
            path: self.reader.as_ref().map(super::sync::LogReader::path),
            log: &self.log,
            storage: &self.storage,
        };
        work(&mut self.session_index, &mut self.database, &source)
    }
}

/// How much [`Session::health`] looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthDepth {
    /// Sizes and counts.
    Quick,
    /// Every page as well.
    Deep,
}

fn standing(database: &Database, privacy: bool) -> Value {
    let made_anew = database.was_made_anew();
    match database.standing() {
        Standing::Stored(name) => json!({"kind": "stored", "name": name, "madeAnew": made_anew}),
        Standing::InMemory => json!({
            "kind": "in-memory",
            "reason": if privacy { "privacy" } else { "no-data-folder" },
            "madeAnew": made_anew,
        }),
        Standing::NotWritable => json!({
            "kind": "in-memory", "reason": "not-writable", "madeAnew": made_anew,
        }),
        Standing::NewerSchema(version) => json!({
            "kind": "in-memory", "reason": "newer-schema", "schema": version, "madeAnew": made_anew,
        }),
    }
}

impl From<IndexProgress> for Progress {
    fn from(progress: IndexProgress) -> Self {
        Self {
            done: progress.done,
            total: Some(progress.total),
            finished: progress.is_finished(),
        }
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy => Self::Busy,
            other => Self::Storage(other.to_string()),
        }
    }
}
