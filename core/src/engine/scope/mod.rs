//! How far a search of the history looks (behaviour 2.16): which sessions, and which of their entries.
//!
//! The way: [`session_files`] says which logs the place `sessions` holds → [`members`] chooses those that a scope covers →
//! [`other_sessions`] reads and indexes them in slices → [`counted`] says which of their entries count, and as what.
//!
//! Invariants:
//! - Nothing outside of the folder that holds the session's own log is looked at: of a path that a header names, only the file name
//!   is used.
//! - What cannot be taken in (a log that is missing or damaged, a cycle, more than the bounds allow) is left out and counted; it is
//!   never an error.
//! - What stands in several sessions, with the same ID and the same content, is found once: in the session at hand where that has
//!   it, else in the nearest one.
//! - The scope `project` needs `historyTools.allowProjectScope`, whoever asks.

mod counted;
mod members;
mod other_sessions;
mod session_files;

pub(super) use other_sessions::{Opened, OtherSession, OtherSessions};

use super::error::EngineError;
use crate::config::HistoryToolsConfig;
use crate::retrieval::Scope;

/// That the configuration allows the scope.
pub(super) fn check_allowed(scope: Scope, config: &HistoryToolsConfig) -> Result<(), EngineError> {
    if scope == Scope::Project && !config.allow_project_scope {
        return Err(EngineError::InvalidInput(
            "the configuration does not allow the scope project; set historyTools.allowProjectScope to true"
                .to_owned(),
        ));
    }
    Ok(())
}
