//! What can go wrong with the database, by what there is to do about it.

use rusqlite::ErrorCode;

/// Why the database did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another process is in a transaction; try again.
    #[error("another process uses the index database; try again")]
    Busy,
    /// No space is left; nothing was changed.
    #[error("no space is left for the index database; nothing was changed")]
    Full,
    /// What is there cannot be used: it has to be made anew.
    #[error("the index database is damaged ({0}); it is made anew from the session log")]
    Damaged(String),
    /// Any other failure of the storage port or of SQLite.
    #[error("the index database failed: {0}")]
    Other(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(failure, message) = &error else {
            // Rows of another shape than the schema says: not what this version wrote.
            return Self::Damaged(error.to_string());
        };
        let text = message.clone().unwrap_or_else(|| error.to_string());
        match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            ErrorCode::DiskFull => Self::Full,
            // `Unknown` is SQLITE_ERROR: a table that is not there any more, because another process made the file anew.
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::SchemaChanged
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::Unknown => Self::Damaged(text),
            _ => Self::Other(text),
        }
    }
}
