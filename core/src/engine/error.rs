//! What can go wrong in a call of the engine: cases of `error` in the contract.

use crate::ports::StorageError;

/// A failed call. The text is for a person; programs decide by the case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The caller passed something that breaks the contract.
    #[error("{0}")]
    InvalidInput(String),
    /// A named entry, plan or file is not there.
    #[error("{0}")]
    NotFound(String),
    /// A limit was reached; nothing was changed.
    #[error("{0}")]
    Limit(String),
    /// Another process holds the resource; the call can be repeated.
    #[error("another process holds the file; try again")]
    Busy,
    /// The storage port failed.
    #[error("{0}")]
    Storage(String),
}

impl EngineError {
    /// A failed read of the log at that path.
    pub(super) fn reading(path: &str, error: &StorageError) -> Self {
        match error {
            StorageError::NotFound => {
                Self::NotFound(format!("the session log {path} is not there"))
            }
            StorageError::Busy => Self::Busy,
            other => Self::Storage(format!("the session log {path} could not be read: {other}")),
        }
    }
}
