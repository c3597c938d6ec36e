//! The storage port: canonical files that may only be read, and derived state that the component writes.

/// Most bytes that one call of the storage port carries.
pub const MAX_BYTES_PER_READ: u32 = 8 * 1024 * 1024;

/// A canonical place that the host grants when it opens a session. Nothing else is readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The folder that holds the session's log.
    Sessions,
    /// The root of a trusted project.
    Project,
}

/// Why the storage port refused or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// No file or object of that name.
    #[error("no such file")]
    NotFound,
    /// The place was not granted, or the path leaves it: absolute, with `..`, or through a link.
    #[error("not allowed: the place is not granted or the path leaves it")]
    AccessDenied,
    /// Another process holds the file; the call can be repeated.
    #[error("another process holds the file")]
    Busy,
    /// No space is left; nothing was changed.
    #[error("no space is left")]
    Full,
    /// The content fails its own checksum or format.
    #[error("the content is damaged: {0}")]
    Corrupt(String),
    /// Any other failure, in a line for people.
    #[error("{0}")]
    Other(String),
}

/// Whether one call may carry so many bytes. Asked for every call on block files and objects.
///
/// # Errors
/// `Other` above [`MAX_BYTES_PER_READ`].
pub(crate) fn within_call_limit(bytes: u64) -> Result<(), StorageError> {
    if bytes <= u64::from(MAX_BYTES_PER_READ) {
        Ok(())
    } else {
        Err(StorageError::Other(format!(
            "one call carries at most {MAX_BYTES_PER_READ} bytes, not {bytes}"
        )))
    }
}

/// A span of a block file, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u32,
}

/// An immutable object of derived state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectStat {
    /// Its name: lower-case hex SHA-256 of its content.
    pub sha256: String,
    /// Bytes.
    pub size: u64,
}

/// A random-access file of derived state. The contract of each call is in `wit/storage.wit`.
pub trait BlockFile: Send {
    /// Takes the file for one transaction and returns the commit counter.
    ///
    /// # Errors
    /// `Busy` at once where another process holds it.
    fn lock(&mut self) -> Result<u64, StorageError>;
    /// Ends the transaction; without a `commit` nothing of it is kept.
    fn unlock(&mut self);
    /// Size in bytes.
    ///
    /// # Errors
    /// Where the file cannot be examined.
    fn size(&mut self) -> Result<u64, StorageError>;
    /// Up to `length` bytes from `offset`; fewer only at the end of the file.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, StorageError>;
    /// Writes all extents or none and is durable on return; `last` ends a transaction that came in parts.
    ///
    /// # Errors
    /// `Full` and every other failure leave the file as it was.
    fn commit(
        &mut self,
        extents: &[Extent],
        data: &[u8],
        new_size: u64,
        last: bool,
    ) -> Result<u64, StorageError>;
}

/// Writes one immutable object of derived state.
pub trait ObjectWriter: Send {
    /// Adds bytes at the end.
    ///
    /// # Errors
    /// Where they cannot be written.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError>;
    /// Checks the hash and makes the object visible.
    ///
    /// # Errors
    /// `Corrupt` where the hash is another one.
    fn finish(&mut self, sha256: &str) -> Result<(), StorageError>;
}

/// What the host keeps for the component.
///
/// Only the two calls for canonical files must be implemented. Where an embedder leaves out the calls for block files and
/// objects they answer [`StorageError::AccessDenied`], and the component keeps its derived state in memory.
pub trait Storage: Send {
    /// Up to `length` bytes of a file from `offset`; fewer only at its end, none behind it.
    ///
    /// # Errors
    /// `NotFound`, `AccessDenied`, or `Other` for a failure of the device.
    fn read_file(
        &mut self,
        place: Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError>;

    /// Files of a place in byte order of their paths, from after `after`, as JSON lines `{path, size, modifiedMs}`.
    ///
    /// # Errors
    /// `AccessDenied` where the place is not granted.
    fn list_files(
        &mut self,
        place: Place,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<u8>, StorageError>;

    /// Opens a block file, and makes it where it is not there.
    ///
    /// # Errors
    /// `AccessDenied` where no place for derived state was granted.
    fn open_block_file(&mut self, name: &str) -> Result<Box<dyn BlockFile>, StorageError> {
        let _ = name;
        Err(StorageError::AccessDenied)
    }

    /// Size of a block file in bytes as it is at the moment, without its lock; none where it is not there. Makes nothing.
    ///
    /// # Errors
    /// As `open_block_file`.
    fn block_file_size(&mut self, name: &str) -> Result<Option<u64>, StorageError> {
        let _ = name;
        Err(StorageError::AccessDenied)
    }

    /// Removes a block file that nobody has open.
    ///
    /// # Errors
    /// As `open_block_file`.
    fn remove_block_file(&mut self, name: &str) -> Result<(), StorageError> {
        let _ = name;
        Err(StorageError::AccessDenied)
    }

    /// Starts a new object.
    ///
    /// # Errors
    /// As `open_block_file`.
    fn start_object(&mut self) -> Result<Box<dyn ObjectWriter>, StorageError> {
        Err(StorageError::AccessDenied)
    }

    /// Up to `length` bytes of an object from `offset`.
    ///
    /// # Errors
    /// As `open_block_file`, and `NotFound`.
    fn get_object(
        &mut self,
        sha256: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        let _ = (sha256, offset, length);
        Err(StorageError::AccessDenied)
    }

    /// Objects in byte order of their names, from after `after`.
    ///
    /// # Errors
    /// As `open_block_file`.
    fn list_objects(
        &mut self,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ObjectStat>, StorageError> {
        let _ = (after, limit);
        Err(StorageError::AccessDenied)
    }

    /// Removes an object.
    ///
    /// # Errors
    /// As `open_block_file`.
    fn remove_object(&mut self, sha256: &str) -> Result<(), StorageError> {
        let _ = sha256;
        Err(StorageError::AccessDenied)
    }
}

/// No place is granted: every call answers [`StorageError::AccessDenied`]. For sessions that live in memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoStorage;

impl Storage for NoStorage {
    fn read_file(&mut self, _: Place, _: &str, _: u64, _: u32) -> Result<Vec<u8>, StorageError> {
        Err(StorageError::AccessDenied)
    }

    fn list_files(&mut self, _: Place, _: Option<&str>, _: u32) -> Result<Vec<u8>, StorageError> {
        Err(StorageError::AccessDenied)
    }
}
