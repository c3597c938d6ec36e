//! The lock of a block file, `NAME.lock`: taken, kept, taken over from a process that died, given back.
//!
//! Invariants:
//! - A lock appears by exclusive creation only, so one process wins. Only who made `NAME.takeover` renames a lock, and it puts
//!   back one that is not the stale one that it saw.
//! - A lock is removed by the process whose nonce it holds, and by nobody else.
//! - Nothing here is synced: no lock is held after a power loss, and what is left of one is stale.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::failure::storage_error;
use super::folder::Folder;
use super::hex::nonce;
use super::lock_file::{Found, Patience, own_content};
use super::names::BlockFileName;
use super::takeover::Takeover;
use crate::ports::StorageError;

/// A lock that does not parse is one that is just being written, for the first of these times; one that nobody touched for the
/// second is stale where nothing is known of its process.
const PATIENCE: Patience = Patience {
    unreadable: Duration::from_secs(2),
    untouched: Duration::from_secs(60),
};
/// A holder sets the lock's time at most this often, and looks whether it still holds it.
const TOUCH_EVERY: Duration = Duration::from_secs(1);

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
        // Before the file is there: one that a killed process left empty keeps the others waiting.
        let content = own_content(nonce)?;
        let mut file = match folder.create_new(name) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(storage_error(error)),
        };
        let written = file.write_all(&content);
        // Where this process stood still before it had said who it is, another one has taken over.
        let stands = folder.still_names(name, &file);
        if let Err(error) = written {
            if stands {
                // Where even this fails, it does not parse and is stale in a moment.
                let _ = folder.remove(name);
            }
            return Err(storage_error(error));
        }
        if !stands {
            return Err(StorageError::Busy);
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
        found
            .ok()
            .flatten()
            .is_some_and(|found| found.holds(&self.nonce))
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
    if !found.is_abandoned(SystemTime::now(), &PATIENCE) {
        return Err(StorageError::Busy);
    }
    let Some(takeover) = Takeover::begin(folder, &names.takeover, &nonce)? else {
        return Err(StorageError::Busy);
    };
    remove_stale(folder, names, &found, &takeover, &nonce)?;
    Lock::create(folder, &names.lock, &nonce)?.ok_or(StorageError::Busy)
}

/// Renames the stale lock and removes it. `Busy` where another one stands there by now.
fn remove_stale(
    folder: &Folder,
    names: &BlockFileName,
    stale: &Found,
    takeover: &Takeover<'_>,
    nonce: &str,
) -> Result<(), StorageError> {
    // Meanwhile another process may have taken it over and be alive. The time is now the file system's own, in case
    // that its clock and ours differ.
    let made = takeover.made()?;
    let is_stale = Found::read(folder, &names.lock)?
        .is_some_and(|again| again.is_same(stale) && again.is_abandoned(made, &PATIENCE));
    if !is_stale || !takeover.stands() {
        return Err(StorageError::Busy);
    }
    let aside = format!("{}.{nonce}", names.lock);
    match folder.rename(&names.lock, (folder, &aside)) {
        Ok(()) => {}
        // Its holder was alive after all and has given it back.
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(StorageError::Busy),
        Err(error) => return Err(storage_error(error)),
    }
    let is_another = Found::read(folder, &aside)?.is_some_and(|moved| !moved.is_same(stale));
    if is_another {
        // This takeover was so slow that it was given up, and another one is done: this is a lock in use.
        folder
            .link_unless_there(&aside, &names.lock)
            .map_err(storage_error)?;
    }
    folder.remove_if_there(&aside).map_err(storage_error)?;
    if is_another {
        return Err(StorageError::Busy);
    }
    Ok(())
}
