//! The ready-made storage port: folders of this machine, granted one by one, read and never written, and where an embedder
//! wants it a data folder for derived state.
//!
//! Invariants:
//! - A path names a regular file below its granted folder or it is refused: no absolute path, no empty part, no `.`
//!   or `..`, and no part that is a symbolic link. On Unix each part is opened relative to the one before without
//!   following links, so that a folder that is swapped for a link meanwhile is refused too.
//! - Files are opened for each call, about 5 µs beside reads of a megabyte. Nothing is held open, so a log that was
//!   replaced, cut or grew is seen as it is now.
//! - A fifo or a device is refused without waiting for a writer.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::Serialize;

use super::storage::{
    BlockFile, MAX_BYTES_PER_READ, ObjectStat, ObjectWriter, Place, Storage, StorageError,
};
use crate::storage::{DataFolder, read_at, storage_error};

/// Deepest folder below a granted one that `list_files` enters.
const MAX_FOLDER_DEPTH: usize = 64;

/// Folders that the component may read, and one that it may write. Without a grant everything is
/// [`StorageError::AccessDenied`].
#[derive(Debug, Clone, Default)]
pub struct GrantedFolders {
    folders: BTreeMap<Place, PathBuf>,
    data: Option<DataFolder>,
}

impl GrantedFolders {
    /// No folder is granted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Grants a folder, with everything below it, for reading. A second grant of the same place replaces the first.
    ///
    /// # Errors
    /// Where the folder cannot be resolved or is not a folder.
    pub fn grant(mut self, place: Place, folder: impl AsRef<Path>) -> io::Result<Self> {
        let folder = folder.as_ref().canonicalize()?;
        if !folder.is_dir() {
            return Err(io::Error::new(ErrorKind::NotADirectory, "not a folder"));
        }
        self.folders.insert(place, folder);
        Ok(self)
    }

    /// Keeps derived state in a data folder. Without one the component keeps it in memory.
    #[must_use]
    pub fn with_data_folder(mut self, data: DataFolder) -> Self {
        self.data = Some(data);
        self
    }

    fn data(&self) -> Result<&DataFolder, StorageError> {
        self.data.as_ref().ok_or(StorageError::AccessDenied)
    }

    fn folder(&self, place: Place) -> Result<&Path, StorageError> {
        self.folders
            .get(&place)
            .map(PathBuf::as_path)
            .ok_or(StorageError::AccessDenied)
    }
}

impl Storage for GrantedFolders {
    fn read_file(
        &mut self,
        place: Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        let parts = confined_parts(path)?;
        let file = open_below(self.folder(place)?, &parts).map_err(storage_error)?;
        let metadata = file.metadata().map_err(storage_error)?;
        if !metadata.is_file() {
            return Err(StorageError::AccessDenied);
        }
        let available = metadata
            .len()
            .saturating_sub(offset)
            .min(u64::from(length.min(MAX_BYTES_PER_READ)));
        let mut bytes = vec![0; usize::try_from(available).unwrap_or(0)];
        let read = read_at(&file, &mut bytes, offset).map_err(storage_error)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    fn list_files(
        &mut self,
        place: Place,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<u8>, StorageError> {
        let mut listing = Listing {
            after,
            left: limit,
            lines: Vec::new(),
        };
        listing
            .add_folder(self.folder(place)?, "", 0)
            .map_err(storage_error)?;
        Ok(listing.lines)
    }

    fn open_block_file(&mut self, name: &str) -> Result<Box<dyn BlockFile>, StorageError> {
        self.data()?.open_block_file(name)
    }

    fn block_file_size(&mut self, name: &str) -> Result<Option<u64>, StorageError> {
        self.data()?.block_file_size(name)
    }

    fn remove_block_file(&mut self, name: &str) -> Result<(), StorageError> {
        self.data()?.remove_block_file(name)
    }

    fn start_object(&mut self) -> Result<Box<dyn ObjectWriter>, StorageError> {
        self.data()?.start_object()
    }

    fn get_object(
        &mut self,
        sha256: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        self.data()?.get_object(sha256, offset, length)
    }

    fn list_objects(
        &mut self,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ObjectStat>, StorageError> {
        self.data()?.list_objects(after, limit)
    }

    fn remove_object(&mut self, sha256: &str) -> Result<(), StorageError> {
        self.data()?.remove_object(sha256)
    }
}

/// The parts of a path that stays below its place.
fn confined_parts(path: &str) -> Result<Vec<&str>, StorageError> {
    let refused = |part: &&str| {
        part.is_empty()
            || *part == "."
            || *part == ".."
            || part.contains('\0')
            || (cfg!(windows) && part.contains(['\\', ':']))
    };
    let parts: Vec<&str> = path.split('/').collect();
    if parts.iter().any(refused) {
        Err(StorageError::AccessDenied)
    } else {
        Ok(parts)
    }
}

#[cfg(unix)]
fn open_below(folder: &Path, parts: &[&str]) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};

    let folder_flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // NONBLOCK: a fifo without a writer must not hold the call; it has no effect on regular files.
    let file_flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let (file, folders) = parts.split_last().ok_or(ErrorKind::NotFound)?;
    let mut parent = open(folder, folder_flags, Mode::empty())?;
    for part in folders {
        parent = openat(
            &parent,
            *part,
            folder_flags | OFlags::NOFOLLOW,
            Mode::empty(),
        )?;
    }
    Ok(File::from(openat(
        &parent,
        *file,
        file_flags,
        Mode::empty(),
    )?))
}

#[cfg(not(unix))]
fn open_below(folder: &Path, parts: &[&str]) -> io::Result<File> {
    let mut path = folder.to_path_buf();
    path.extend(parts);
    // Without `openat` the resolved path is compared: a link inside the place that leads out is refused.
    if !path.canonicalize()?.starts_with(folder) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    File::open(path)
}

/// A walk in byte order of whole paths that stops when enough lines are there.
struct Listing<'a> {
    after: Option<&'a str>,
    left: u32,
    lines: Vec<u8>,
}

/// One line of `list_files`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedFile<'a> {
    path: &'a str,
    size: u64,
    modified_ms: u64,
}

impl Listing<'_> {
    fn add_folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> io::Result<()> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            // Links are not followed, and a name that is not UTF-8 could not cross the contract.
            let (Ok(name), kind) = (entry.file_name().into_string(), entry.file_type()?) else {
                continue;
            };
            if kind.is_dir() {
                // With its slash a folder sorts where its first file does.
                names.push((format!("{prefix}{name}/"), entry));
            } else if kind.is_file() {
                names.push((format!("{prefix}{name}"), entry));
            }
        }
        names.sort_by(|(first, _), (second, _)| first.as_bytes().cmp(second.as_bytes()));
        for (path, entry) in names {
            if self.left == 0 {
                break;
            }
            if path.ends_with('/') {
                let already_listed = self
                    .after
                    .is_some_and(|after| !after.starts_with(&path) && path.as_str() <= after);
                // A folder that vanished or may not be read is left out; the rest of the place is still listed.
                if !already_listed && depth < MAX_FOLDER_DEPTH {
                    let _ = self.add_folder(&entry.path(), &path, depth + 1);
                }
            } else if self.after.is_none_or(|after| path.as_str() > after) {
                self.add_file(&path, &entry);
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &str, entry: &fs::DirEntry) {
        let Ok(metadata) = entry.metadata() else {
            return;
        };
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified_ms = modified
            .and_then(|since| u64::try_from(since.as_millis()).ok())
            .unwrap_or(0);
        let line = ListedFile {
            path,
            size: metadata.len(),
            modified_ms,
        };
        if serde_json::to_writer(&mut self.lines, &line).is_ok() {
            self.lines.push(b'\n');
            self.left -= 1;
        }
    }
}

#[cfg(test)]
#[path = "granted_folders_tests.rs"]
mod tests;
