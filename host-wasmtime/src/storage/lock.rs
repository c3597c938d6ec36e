//! The lock of a block file, `NAME.lock`: taken, kept, taken over from a process that died, given back.
//!
//! Invariants:
//! - A lock appears by exclusive creation only, so one process wins. Only who made `NAME.takeover` renames a lock.
//! - A lock is removed by the process whose nonce it holds, and by nobody else.
//! - Nothing here is synced: no lock is held after a power loss, and what is left of one is stale.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::failure::storage_error;
use super::folder::Folder;
use super::hex::{NONCE_DIGITS, is_hex, nonce};
use super::names::BlockFileName;
use super::{positioned, process};
use crate::ports::StorageError;

/// A lock that nobody touched for this long is stale, whoever holds it.
const STALE_AFTER: Duration = Duration::from_secs(60);
/// A lock that does not parse is one that is just being written, until it is this old.
const UNREADABLE_STALE_AFTER: Duration = Duration::from_secs(2);
/// A takeover lasts milliseconds; one this old belongs to a process that died.
const TAKEOVER_STALE_AFTER: Duration = Duration::from_secs(10);
/// A holder sets the lock's time at most this often, and looks whether it still holds it.
const TOUCH_EVERY: Duration = Duration::from_secs(1);
/// Bytes of a lock that are read; a longer one does not parse.
const LONGEST_LOCK_BYTES: u32 = 4096;
/// Largest process number that every system takes.
const LARGEST_PID: u32 = i32::MAX as u32;

/// What stands in a lock, in this order.
#[derive(Debug, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    host: String,
    nonce: String,
}

impl Holder {
    fn parse(content: &[u8]) -> Option<Self> {
        let holder: Self = serde_json::from_slice(content).ok()?;
        let valid = (1..=LARGEST_PID).contains(&holder.pid) && is_hex(&holder.nonce, NONCE_DIGITS);
        valid.then_some(holder)
    }
}

/// A lock as it was found.
#[derive(PartialEq, Eq)]
struct Found {
    content: Vec<u8>,
    modified: SystemTime,
}

impl Found {
    /// None where it is not there any more.
    fn read(folder: &Folder, name: &str) -> Result<Option<Self>, StorageError> {
        let file = match folder.open_to_read(name) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(storage_error(error)),
        };
        let content =
            positioned::read_span(&file, 0, LONGEST_LOCK_BYTES + 1).map_err(storage_error)?;
        let modified = modified(&file)?;
        Ok(Some(Self { content, modified }))
    }

    fn is_stale(&self, now: SystemTime) -> bool {
        // A time in the future counts as touched just now.
        let untouched = now.duration_since(self.modified).unwrap_or_default();
        let holder = if self.content.len() > LONGEST_LOCK_BYTES as usize {
            None
        } else {
            Holder::parse(&self.content)
        };
        match holder {
            None => untouched > UNREADABLE_STALE_AFTER,
            Some(holder) => {
                untouched > STALE_AFTER
                    || (holder.host == process::host() && process::is_gone(holder.pid))
            }
        }
    }
}

/// A lock that this process holds. Dropping it gives it back.
#[derive(Debug)]
pub(super) struct Lock {
    folder: Arc<Folder>,
    name: String,
    nonce: String,
    file: File,
    touched: SystemTime,
}

impl Lock {
    /// Takes the lock, where need be from a process that died.
    ///
    /// # Errors
    /// `Busy` at once where somebody holds it.
    pub(super) fn take(folder: &Arc<Folder>, names: &BlockFileName) -> Result<Self, StorageError> {
        let nonce = nonce()?;
        match Self::create(folder, &names.lock, &nonce)? {
            Some(lock) => Ok(lock),
            None => take_over(folder, names, nonce),
        }
    }

    /// Creates the lock. None where there is one.
    fn create(folder: &Arc<Folder>, name: &str, nonce: &str) -> Result<Option<Self>, StorageError> {
        let holder = Holder {
            pid: std::process::id(),
            host: process::host(),
            nonce: nonce.to_owned(),
        };
        // Before the file is there: one that a killed process left empty keeps the others waiting.
        let content =
            serde_json::to_vec(&holder).map_err(|error| StorageError::Other(error.to_string()))?;
        let mut file = match folder.create_new(name) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(storage_error(error)),
        };
        if let Err(error) = file.write_all(&content) {
            // Where even this fails, it does not parse and is stale in a moment.
            let _ = folder.remove(name);
            return Err(storage_error(error));
        }
        Ok(Some(Self {
            folder: Arc::clone(folder),
            name: name.to_owned(),
            nonce: nonce.to_owned(),
            file,
            touched: SystemTime::now(),
        }))
    }

    /// Whether the lock is still this one. It is not where this process stood still for a minute and another one took
    /// over.
    pub(super) fn is_held(&self) -> bool {
        let found = Found::read(&self.folder, &self.name);
        found.ok().flatten().is_some_and(|found| {
            Holder::parse(&found.content).is_some_and(|holder| holder.nonce == self.nonce)
        })
    }

    /// Shows the others that the holder is alive.
    ///
    /// # Errors
    /// `Busy` where the lock is lost.
    pub(super) fn keep(&mut self) -> Result<(), StorageError> {
        let now = SystemTime::now();
        // A clock that was set back must not make the lock look untouched.
        let is_fresh = now
            .duration_since(self.touched)
            .is_ok_and(|age| age < TOUCH_EVERY);
        if is_fresh {
            return Ok(());
        }
        if !self.is_held() {
            return Err(StorageError::Busy);
        }
        self.file.set_modified(now).map_err(storage_error)?;
        self.touched = now;
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn set_touched(&mut self, time: SystemTime) {
        self.touched = time;
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.is_held() {
            // Where it cannot be removed it is stale as soon as this process ends.
            let _ = self.folder.remove(&self.name);
        }
    }
}

fn take_over(
    folder: &Arc<Folder>,
    names: &BlockFileName,
    nonce: String,
) -> Result<Lock, StorageError> {
    let Some(found) = Found::read(folder, &names.lock)? else {
        return Err(StorageError::Busy);
    };
    if !found.is_stale(SystemTime::now()) {
        return Err(StorageError::Busy);
    }
    let Some(takeover) = Takeover::begin(folder, &names.takeover)? else {
        return Err(StorageError::Busy);
    };
    // Meanwhile another process may have taken it over and be alive. The time is now the file system's own, in case
    // that its clock and ours differ.
    let again = Found::read(folder, &names.lock)?;
    if again.is_none_or(|again| again != found || !again.is_stale(takeover.made)) {
        return Err(StorageError::Busy);
    }
    let aside = format!("{}.{nonce}", names.lock);
    match folder.rename(&names.lock, (folder, &aside)) {
        Ok(()) => {}
        // Its holder was alive after all and has given it back.
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(StorageError::Busy),
        Err(error) => return Err(storage_error(error)),
    }
    let created = Lock::create(folder, &names.lock, &nonce);
    folder.remove_if_there(&aside).map_err(storage_error)?;
    created?.ok_or(StorageError::Busy)
}

/// The right to rename the lock. Dropping it ends the takeover.
struct Takeover<'a> {
    folder: &'a Folder,
    name: &'a str,
    /// When it was made, by the clock of the file system.
    made: SystemTime,
}

impl<'a> Takeover<'a> {
    /// None where another process is taking over.
    fn begin(folder: &'a Folder, name: &'a str) -> Result<Option<Self>, StorageError> {
        match folder.create_new(name) {
            Ok(file) => Ok(Some(Self {
                folder,
                name,
                made: modified(&file)?,
            })),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                remove_abandoned_takeover(folder, name)?;
                Ok(None)
            }
            Err(error) => Err(storage_error(error)),
        }
    }
}

impl Drop for Takeover<'_> {
    fn drop(&mut self) {
        // Where it cannot be removed, the next one does when it is old.
        let _ = self.folder.remove(self.name);
    }
}

fn remove_abandoned_takeover(folder: &Folder, name: &str) -> Result<(), StorageError> {
    let Some(takeover) = Found::read(folder, name)? else {
        return Ok(());
    };
    let age = SystemTime::now().duration_since(takeover.modified);
    if age.is_ok_and(|age| age > TAKEOVER_STALE_AFTER) {
        folder.remove_if_there(name).map_err(storage_error)?;
    }
    Ok(())
}

fn modified(file: &File) -> Result<SystemTime, StorageError> {
    file.metadata()
        .and_then(|metadata| metadata.modified())
        .map_err(storage_error)
}
