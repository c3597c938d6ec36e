//! Cases: `fixtures/cases/<name>/case.json` with the log files it names, and `expected.json`.
//!
//! A case opens one session and makes calls on it. Each call has an [`Outcome`]; `expected.json` holds all of them in
//! canonical form with long texts abbreviated, so that a person can review it. Hosts are compared by the unabbreviated
//! bytes.

mod canonical;
mod expected;
mod outcome;
mod step;

pub use canonical::canonical;
pub use expected::expected_document;
pub use outcome::{Failure, Outcome};
pub use step::{
    LayerStep, ModelStep, PlanStep, RunStep, SearchStep, SessionStep, SpanStep, Step, UsageStep,
};

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

/// The file in a case's folder.
pub const CASE_FILE: &str = "case.json";
/// What the case comes to.
pub const EXPECTED_FILE: &str = "expected.json";
/// The log's name in the folder that a session is granted, whatever the case calls its file.
pub const LOG_NAME: &str = "session.jsonl";

/// What `case.json` says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CaseDocument {
    /// One line: the behaviour, with the number of `failures.md` where there is one.
    pub about: String,
    /// How the session is opened.
    pub session: SessionStep,
    /// The calls, in order.
    pub steps: Vec<Step>,
}

/// A case and its folder.
#[derive(Debug, Clone)]
pub struct Case {
    /// The folder's name.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// What it says.
    pub document: CaseDocument,
}

impl Case {
    /// Reads the case in a folder.
    ///
    /// # Errors
    /// Where the file is not there or is no case.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let file = folder.join(CASE_FILE);
        let text = fs::read_to_string(&file)?;
        let document = serde_json::from_str(&text)
            .map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Self {
            name,
            folder: folder.to_path_buf(),
            document,
        })
    }

    /// The file that holds what the case comes to.
    #[must_use]
    pub fn expected_file(&self) -> PathBuf {
        self.folder.join(EXPECTED_FILE)
    }
}

/// All cases in the order of their names.
///
/// # Errors
/// Where a case cannot be read.
pub fn all(folder: &Path) -> io::Result<Vec<Case>> {
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders.iter().map(|folder| Case::read(folder)).collect()
}
