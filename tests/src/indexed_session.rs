//! Sessions whose index lies in a data folder, for tests of what can happen to it: logs with a needle, opened by the Rust
//! host.

use std::fs;
use std::path::{Path, PathBuf};

use ds4_context_host::{
    Clock, DataFolder, GrantedFolders, HistoryAnswer, HistoryQuery, HistoryScope, HostError, Place,
    Ports, Session, SessionOptions,
};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::hosts::wasmtime_engine;
use crate::pi_log::{PiLog, filler};
use crate::{NOW_MS, SEED};

/// The block file that sessions without a project share (`storage.databasePath`).
pub const DATABASE: &str = "context.db";
/// What every made log says once.
pub const NEEDLE: &str = "vermilion-seventeen";

/// Turns of prose and tool results with [`NEEDLE`] in the third one.
#[must_use]
pub fn log_with_needle(turns: usize) -> PiLog {
    let mut log = PiLog::new();
    for turn in 1..=turns {
        let id = format!("t{turn}");
        log.user(
            &format!("{id}u"),
            &format!("Question {turn} about part {turn}"),
        );
        if turn == 3 {
            log.say("needle", &format!("The key of the archive is {NEEDLE}."));
        }
        log.exchange(&id, 2_000);
        log.say(&format!("{id}a"), &filler(&format!("answer-{turn}"), 400));
    }
    log
}

/// A folder with logs and a data folder beside it.
#[derive(Debug, Clone)]
pub struct World {
    root: PathBuf,
}

impl World {
    /// Folders below `root`, made where they are not there.
    ///
    /// # Panics
    /// Where the system refuses.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        fs::create_dir_all(root.join("sessions")).expect("a folder for logs");
        Self {
            root: root.to_path_buf(),
        }
    }

    /// Where a log lies.
    #[must_use]
    pub fn log(&self, name: &str) -> PathBuf {
        self.root.join("sessions").join(name)
    }

    /// Where derived state lies.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// The pages of the database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data().join(DATABASE)
    }

    /// Opens a session on a log and reads the log to its end.
    ///
    /// # Errors
    /// As the host refuses.
    pub fn open(&self, session_id: &str, log: &str) -> Result<Session, HostError> {
        self.open_with(session_id, log, json!({}))
    }

    /// As [`Self::open`], with a configuration.
    ///
    /// # Errors
    /// As the host refuses.
    ///
    /// # Panics
    /// Where the folders cannot be granted.
    pub fn open_with(
        &self,
        session_id: &str,
        log: &str,
        config: serde_json::Value,
    ) -> Result<Session, HostError> {
        let folders = GrantedFolders::new()
            .grant(Place::Sessions, self.root.join("sessions"))
            .expect("granted")
            .with_data_folder(DataFolder::new(self.data()).expect("a path"));
        let options = SessionOptions {
            session_id: session_id.to_owned(),
            log: Some(log.to_owned()),
            config: config.to_string(),
            seed: Some(SEED.to_vec()),
            clock: Clock::Fixed(NOW_MS),
            ..SessionOptions::in_memory(session_id)
        };
        let ports = Ports::with_storage(folders);
        let mut session = Session::open(wasmtime_engine(), options, ports)?;
        session.sync()?;
        Ok(session)
    }
}

/// Asks for something in the whole session.
///
/// # Errors
/// As the host refuses.
pub fn ask(session: &mut Session, text: &str) -> Result<HistoryAnswer, HostError> {
    session.search_history(&HistoryQuery {
        text: text.to_owned(),
        scope: HistoryScope::CurrentSession,
        limit: 5,
        max_tokens: Some(1_000),
    })
}

/// Whether everything is indexed and the best hit for [`NEEDLE`] is the entry that says it.
///
/// # Errors
/// As the host refuses.
pub fn finds_the_needle(session: &mut Session) -> Result<bool, HostError> {
    let answer = ask(session, &format!("which key is {NEEDLE}"))?;
    let is_whole = answer.indexed_entries == answer.log_entries;
    let best = answer.hits.first();
    Ok(
        is_whole
            && best.is_some_and(|hit| hit.entry_id == "needle" && hit.excerpt.contains(NEEDLE)),
    )
}

/// SHA-256 of a file.
///
/// # Panics
/// Where it cannot be read.
#[must_use]
pub fn file_hash(file: &Path) -> Vec<u8> {
    Sha256::digest(fs::read(file).expect("a file")).to_vec()
}
