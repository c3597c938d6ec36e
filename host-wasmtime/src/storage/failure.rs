//! What a failure of the file system is called in the contract.

use std::io::{self, ErrorKind};

use crate::ports::StorageError;

/// The answer for a failed operation on a file that a guest named.
pub(crate) fn storage_error(error: io::Error) -> StorageError {
    // A link at the last part is ELOOP, one before it ENOTDIR, as is a file that is used as a folder.
    #[cfg(unix)]
    if let Some(code) = error.raw_os_error() {
        use rustix::io::Errno;
        if code == Errno::LOOP.raw_os_error() || code == Errno::NXIO.raw_os_error() {
            return StorageError::AccessDenied;
        }
    }
    match error.kind() {
        ErrorKind::NotFound => StorageError::NotFound,
        ErrorKind::PermissionDenied
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::NotADirectory
        | ErrorKind::IsADirectory => StorageError::AccessDenied,
        // A limit on the size of files or of a user's files is for the caller what a full disk is.
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            StorageError::Full
        }
        _ => StorageError::Other(error.to_string()),
    }
}
