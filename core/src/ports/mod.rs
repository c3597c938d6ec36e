//! What the engine needs from its host, as traits: the component implements them by WIT imports, tests in memory.
//!
//! Invariant: no port blocks on the world. Storage is local; what talks to a model is started and polled. A port is
//! added here with the part of the engine that uses it: this version reads canonical files and nothing else.

/// A canonical place, granted when the session is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The folder that holds the session's log.
    Sessions,
    /// The root of a trusted project.
    Project,
}

/// Why a storage call failed. The same cases as `storage-error` in the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// No file of that name.
    #[error("the file is not there")]
    NotFound,
    /// The place was not granted, or the path leaves it.
    #[error("access to the file was denied")]
    AccessDenied,
    /// Another process holds the file.
    #[error("another process holds the file; try again")]
    Busy,
    /// No space is left.
    #[error("no space is left on the device")]
    Full,
    /// The content fails its own checksum or format.
    #[error("the file is damaged: {0}")]
    Corrupt(String),
    /// Any other failure.
    #[error("{0}")]
    Other(String),
}

/// Canonical files of the host.
pub trait Storage {
    /// Up to `length` bytes of a file from `offset`; fewer only at its end, none behind it. At most 8 MiB a call.
    fn read_file(
        &self,
        place: Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError>;
}
