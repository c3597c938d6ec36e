//! Derived state on disk: block files for databases, and immutable objects. The bytes are those of `docs/block-files.md`,
//! which the Node host keeps to as well, so that processes of both can share a data folder.
//!
//! Invariants:
//! - A block file's content is that of one commit, whatever died and whenever: the commit record is durable before the
//!   first page is written, and whoever takes the lock next finishes it.
//! - A transaction belongs to one handle of one process. A handle that lost its lock, because it did nothing for a
//!   minute, gets `Busy` before it reads or writes another page.
//! - Nothing outside the data folder is touched: names are checked, and no link below the folder is followed.
//! - Nothing is written before the component writes: opening a block file makes no file and no folder.
//!
//! Deliberately absent: waiting. `Busy` is answered at once, and the caller repeats the call.

mod block_file;
mod counter;
mod failure;
mod folder;
mod hex;
mod lock;
mod lock_file;
mod names;
mod objects;
mod pages;
mod positioned;
mod process;
mod record;
mod takeover;

use std::io;
use std::path::{Path, PathBuf};

use crate::ports::{BlockFile, ObjectStat, ObjectWriter, StorageError};
use block_file::StoredBlockFile;
use folder::Folder;
use names::BlockFileName;

pub(crate) use failure::storage_error;
pub(crate) use positioned::read_at;

/// Largest block file, in bytes, and therefore the end of the last extent. No file system that is in use refuses a file
/// of this size, so that a commit that was accepted can always be applied.
pub const MAX_BLOCK_FILE_BYTES: u64 = 1 << 40;

/// Most objects that one listing names. An empty listing is the end, not a short one.
pub const MAX_OBJECTS_PER_LISTING: u32 = 65_536;

/// A folder for derived state: block files and objects. The folder is made, for this user only, when something is first
/// written to it. Several processes may use it at once, those of the Node host too.
///
/// ```
/// use ds4_context_host::{DataFolder, Extent};
///
/// # let folder = std::env::temp_dir().join(format!("ds4-data-folder-example-{}", std::process::id()));
/// let data = DataFolder::new(&folder)?;
/// let mut index = data.open_block_file("project/index")?;
/// index.lock()?;
/// index.commit(&[Extent { offset: 0, length: 5 }], b"pages", 5, true)?;
/// assert_eq!(index.read(0, 100)?, b"pages");
/// index.unlock();
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct DataFolder {
    root: PathBuf,
}

impl DataFolder {
    /// A data folder at a path, which may be a link itself. Nothing is looked at or made yet.
    ///
    /// # Errors
    /// Where the path is empty, or is relative and the working directory is gone.
    pub fn new(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self {
            root: std::path::absolute(path)?,
        })
    }

    /// Opens a block file, which need not be there.
    ///
    /// # Errors
    /// `AccessDenied` for a name that is not allowed or that leads through a link.
    pub fn open_block_file(&self, name: &str) -> Result<Box<dyn BlockFile>, StorageError> {
        Ok(Box::new(self.block_file(name)?))
    }

    /// Size of a block file in bytes as it is at the moment, without its lock; `None` where it is not there. Makes nothing.
    ///
    /// # Errors
    /// As `open_block_file`.
    pub fn block_file_size(&self, name: &str) -> Result<Option<u64>, StorageError> {
        let name = BlockFileName::parse(name)?;
        let file = self
            .open(name.folders())
            .and_then(|folder| folder.open_to_read(&name.pages));
        match file.and_then(|file| file.metadata()) {
            Ok(metadata) => Ok(Some(metadata.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(storage_error(error)),
        }
    }

    /// Removes a block file under its lock. Its counter stays, one higher, so that a handle that is still open
    /// elsewhere sees that its pages are stale.
    ///
    /// # Errors
    /// `NotFound`, `Busy` where somebody is in a transaction, or as `open_block_file`.
    pub fn remove_block_file(&self, name: &str) -> Result<(), StorageError> {
        self.block_file(name)?.remove()
    }

    /// Starts a new object.
    ///
    /// # Errors
    /// Where nothing can be written there.
    pub fn start_object(&self) -> Result<Box<dyn ObjectWriter>, StorageError> {
        Ok(Box::new(objects::start(self)?))
    }

    /// Up to `length` bytes of an object from `offset`; fewer only at its end. The hash is not checked.
    ///
    /// # Errors
    /// `NotFound`; `AccessDenied` for a name that is no SHA-256 in lower-case hex.
    pub fn get_object(
        &self,
        sha256: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        objects::get(self, sha256, offset, length)
    }

    /// Objects in byte order of their names, from after `after`, at most [`MAX_OBJECTS_PER_LISTING`].
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn list_objects(
        &self,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ObjectStat>, StorageError> {
        objects::list(self, after, limit.min(MAX_OBJECTS_PER_LISTING))
    }

    /// Removes an object.
    ///
    /// # Errors
    /// As `get_object`.
    pub fn remove_object(&self, sha256: &str) -> Result<(), StorageError> {
        objects::remove(self, sha256)
    }

    fn block_file(&self, name: &str) -> Result<StoredBlockFile, StorageError> {
        let name = BlockFileName::parse(name)?;
        match self.open(name.folders()) {
            // What is missing is made by the first transaction.
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(storage_error(error)),
        }
        Ok(StoredBlockFile::new(self.clone(), name))
    }

    /// The folder below the root, as it is now.
    fn open<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> io::Result<Folder> {
        let root = Folder::open_root(&self.root)?;
        parts
            .into_iter()
            .try_fold(root, |folder, part| folder.subfolder(part))
    }

    /// As `open`; what is missing is made.
    fn open_or_create<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> io::Result<Folder> {
        let root = Folder::open_or_create_root(&self.root)?;
        parts
            .into_iter()
            .try_fold(root, |folder, part| folder.subfolder_or_create(part))
    }
}

#[cfg(test)]
mod tests;
