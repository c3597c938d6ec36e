//! What stands in `NAME.lock` and in `NAME.takeover`, and when either is abandoned.

use std::fs::File;
use std::io::ErrorKind;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::failure::storage_error;
use super::folder::Folder;
use super::hex::{NONCE_DIGITS, is_hex};
use super::positioned;
use super::process::{self, Owner};
use crate::ports::StorageError;

/// Bytes that are read; a longer file does not parse.
const LONGEST_BYTES: u32 = 4096;
/// Largest process number that every system takes.
const LARGEST_PID: u32 = i32::MAX as u32;

/// Who holds it, in this order.
#[derive(Debug, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    host: String,
    /// When the process began; none where its system does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    began: Option<String>,
    nonce: String,
}

impl Holder {
    fn parse(content: &[u8]) -> Option<Self> {
        let holder: Self = serde_json::from_slice(content).ok()?;
        let valid = (1..=LARGEST_PID).contains(&holder.pid) && is_hex(&holder.nonce, NONCE_DIGITS);
        valid.then_some(holder)
    }
}

/// The content of a lock of this process.
pub(super) fn own_content(nonce: &str) -> Result<Vec<u8>, StorageError> {
    let holder = Holder {
        pid: std::process::id(),
        host: process::host(),
        began: process::beginning().map(str::to_owned),
        nonce: nonce.to_owned(),
    };
    serde_json::to_vec(&holder).map_err(|error| StorageError::Other(error.to_string()))
}

/// How long it is waited for a process of which nothing is known.
pub(super) struct Patience {
    /// After this a file that does not parse is not being written any more.
    pub(super) unreadable: Duration,
    /// Without a touch for this long, a process that cannot be asked for counts as gone.
    pub(super) untouched: Duration,
}

/// A lock or takeover as it was found.
pub(super) struct Found {
    pub(super) file: File,
    content: Vec<u8>,
    modified: SystemTime,
}

impl Found {
    /// None where it is not there any more.
    pub(super) fn read(folder: &Folder, name: &str) -> Result<Option<Self>, StorageError> {
        let file = match folder.open_to_read(name) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(storage_error(error)),
        };
        let content = positioned::read_span(&file, 0, LONGEST_BYTES + 1).map_err(storage_error)?;
        let modified = file
            .metadata()
            .and_then(|metadata| metadata.modified())
            .map_err(storage_error)?;
        Ok(Some(Self {
            file,
            content,
            modified,
        }))
    }

    /// Whether it holds this nonce.
    pub(super) fn holds(&self, nonce: &str) -> bool {
        self.holder().is_some_and(|holder| holder.nonce == nonce)
    }

    /// Whether it is the same file as another that was found, with the same content and time.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.content == other.content
            && self.modified == other.modified
            && Folder::is_same_file(&self.file, &other.file)
    }

    /// Whether nobody can hold it any more. A process that is known to live holds it however long it stood still: it may go
    /// on at any moment, in the middle of a write.
    pub(super) fn is_abandoned(&self, now: SystemTime, patience: &Patience) -> bool {
        // A time in the future counts as touched just now.
        let untouched = now.duration_since(self.modified).unwrap_or_default();
        let Some(holder) = self.holder() else {
            return untouched > patience.unreadable;
        };
        let owner = if holder.host == process::host() {
            process::owner(holder.pid, holder.began.as_deref())
        } else {
            Owner::Unknown
        };
        match owner {
            Owner::Gone => true,
            Owner::Lives => false,
            Owner::Unknown => untouched > patience.untouched,
        }
    }

    fn holder(&self) -> Option<Holder> {
        let is_short = self.content.len() <= LONGEST_BYTES as usize;
        is_short.then(|| Holder::parse(&self.content)).flatten()
    }
}
