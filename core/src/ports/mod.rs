//! What the engine needs from its host, as traits: the component implements them by WIT imports, tests in memory.
//!
//! Invariant: no port blocks on the world. Storage is local; what talks to a model is started and polled. A port is
//! added here with the part of the engine that uses it: this version lists and reads canonical files and keeps one block file.

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

/// A span of a block file, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u32,
}

/// A random-access file of derived state, such as the index database. What each call promises is in `wit/storage.wit`.
/// Dropping it ends a transaction that is still open.
pub trait BlockFile {
    /// Takes the file for one transaction and returns the commit counter; [`StorageError::Busy`] at once where another
    /// process holds it.
    fn lock(&mut self) -> Result<u64, StorageError>;
    /// Ends the transaction; without a `commit` nothing of it is kept.
    fn unlock(&mut self);
    /// Size in bytes.
    fn size(&mut self) -> Result<u64, StorageError>;
    /// Up to `length` bytes from `offset`; fewer only at the end of the file. At most [`MAX_CALL_BYTES`].
    fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, StorageError>;
    /// Under the lock: writes all extents or none and is durable on return; a large transaction comes in parts of at most
    /// [`MAX_CALL_BYTES`], of which the last has `is_final`. Returns the new commit counter.
    fn commit(
        &mut self,
        extents: &[Extent],
        data: &[u8],
        new_size: u64,
        is_final: bool,
    ) -> Result<u64, StorageError>;
}

/// Bytes that one call of the storage port carries at most.
pub const MAX_CALL_BYTES: usize = 8 * 1024 * 1024;

/// What the host keeps: canonical files that are read, and derived state that is written.
pub trait Storage {
    /// Up to `length` bytes of a file from `offset`; fewer only at its end, none behind it. At most [`MAX_CALL_BYTES`].
    fn read_file(
        &self,
        place: Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError>;

    /// Files of a place in byte order of their paths, from after `after`, at most `limit`, as JSON lines `{path, size, …}`.
    /// [`StorageError::AccessDenied`] where the host lists nothing: the engine then knows of no file but the session's log.
    fn list_files(
        &self,
        place: Place,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<u8>, StorageError> {
        let _ = (place, after, limit);
        Err(StorageError::AccessDenied)
    }

    /// Opens a block file, and makes it where it is not there. [`StorageError::AccessDenied`] where the host has no place
    /// for derived state: the engine then keeps it in memory.
    fn open_block_file(&self, name: &str) -> Result<Box<dyn BlockFile>, StorageError> {
        let _ = name;
        Err(StorageError::AccessDenied)
    }

    /// Size of a block file in bytes, as it is at the moment, without its lock; none where it is not there. Makes nothing.
    fn block_file_size(&self, name: &str) -> Result<Option<u64>, StorageError> {
        let _ = name;
        Err(StorageError::AccessDenied)
    }
}
