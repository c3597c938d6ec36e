//! `NAME.takeover`: the right to rename a stale lock, which one process has at a time.
//!
//! Invariants: it is made exclusively, says who made it as a lock does, and is removed only while it is the very file that
//! was made. As long as its maker lives nobody gives it up, however long that one stood still.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::time::{Duration, SystemTime};

use super::failure::storage_error;
use super::folder::Folder;
use super::lock_file::{Found, Patience, own_content};
use crate::ports::StorageError;

/// A takeover lasts milliseconds. One this old, of whose maker nothing is known, belongs to a process that died.
const PATIENCE: Patience = Patience {
    unreadable: Duration::from_secs(10),
    untouched: Duration::from_secs(10),
};

/// The right to rename the lock. Dropping it ends the takeover.
pub(super) struct Takeover<'a> {
    folder: &'a Folder,
    name: &'a str,
    file: File,
}

impl<'a> Takeover<'a> {
    /// None where another process is taking over, or this one was slow and was given up.
    pub(super) fn begin(
        folder: &'a Folder,
        name: &'a str,
        nonce: &str,
    ) -> Result<Option<Self>, StorageError> {
        let content = own_content(nonce)?;
        let file = match folder.create_new(name) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                give_up_abandoned(folder, name)?;
                return Ok(None);
            }
            Err(error) => return Err(storage_error(error)),
        };
        let mut takeover = Self { folder, name, file };
        takeover.file.write_all(&content).map_err(storage_error)?;
        Ok(takeover.stands().then_some(takeover))
    }

    /// When it was made, by the clock of the file system.
    pub(super) fn made(&self) -> Result<SystemTime, StorageError> {
        self.file
            .metadata()
            .and_then(|metadata| metadata.modified())
            .map_err(storage_error)
    }

    /// Whether nobody gave it up.
    pub(super) fn stands(&self) -> bool {
        self.folder.still_names(self.name, &self.file)
    }
}

impl Drop for Takeover<'_> {
    fn drop(&mut self) {
        if self.stands() {
            // Where it cannot be removed, others give it up once this process is gone.
            let _ = self.folder.remove(self.name);
        }
    }
}

fn give_up_abandoned(folder: &Folder, name: &str) -> Result<(), StorageError> {
    let Some(found) = Found::read(folder, name)? else {
        return Ok(());
    };
    if found.is_abandoned(SystemTime::now(), &PATIENCE) && folder.still_names(name, &found.file) {
        folder.remove_if_there(name).map_err(storage_error)?;
    }
    Ok(())
}
