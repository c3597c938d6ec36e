//! Objects: immutable, named by the SHA-256 of their content, `objects/<first two digits>/<all digits>`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::failure::storage_error;
use super::folder::Folder;
use super::hex::{NONCE_DIGITS, hex, is_hex, nonce};
use super::{DataFolder, positioned};
use crate::ports::{ObjectStat, ObjectWriter, StorageError, within_call_limit};

const OBJECTS: &str = "objects";
/// Objects that are being written.
const INCOMING: &str = "incoming";
/// Hex digits of a SHA-256.
const SHA256_DIGITS: usize = 64;
/// Hex digits that name a folder.
const FOLDER_DIGITS: usize = 2;
/// No object takes this long to write; an older file belongs to a process that died.
const LONGEST_WRITE: Duration = Duration::from_secs(24 * 60 * 60);

/// Begins an object, and removes what processes that died have left.
pub(super) fn start(data: &DataFolder) -> Result<IncomingObject, StorageError> {
    let folder = data
        .open_or_create([OBJECTS, INCOMING])
        .map_err(storage_error)?;
    remove_abandoned(&folder)?;
    let name = nonce()?;
    let file = folder.create_new(&name).map_err(storage_error)?;
    Ok(IncomingObject {
        data: data.clone(),
        folder,
        name,
        content: Content::Open(file, Sha256::new()),
    })
}

fn remove_abandoned(incoming: &Folder) -> Result<(), StorageError> {
    let now = SystemTime::now();
    for entry in incoming.files().map_err(storage_error)? {
        let age = now.duration_since(entry.modified);
        if is_hex(&entry.name, NONCE_DIGITS) && age.is_ok_and(|age| age > LONGEST_WRITE) {
            incoming
                .remove_if_there(&entry.name)
                .map_err(storage_error)?;
        }
    }
    Ok(())
}

/// An object in the making. What is not finished is removed when it is dropped.
#[derive(Debug)]
pub(super) struct IncomingObject {
    data: DataFolder,
    folder: Folder,
    name: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Open(File, Sha256),
    /// Visible under this name.
    Finished(String),
    /// A write failed or the hash was another one.
    Discarded,
}

impl ObjectWriter for IncomingObject {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        within_call_limit(bytes.len() as u64)?;
        let Content::Open(file, hash) = &mut self.content else {
            return Err(not_open());
        };
        let written = file.write_all(bytes);
        hash.update(bytes);
        if let Err(error) = written {
            // A part of the bytes may be there.
            self.discard();
            return Err(storage_error(error));
        }
        Ok(())
    }

    fn finish(&mut self, sha256: &str) -> Result<(), StorageError> {
        let (file, own) = match &self.content {
            Content::Open(file, hash) => (file, hex(&hash.clone().finalize())),
            Content::Finished(own) if own == sha256 => return Ok(()),
            Content::Finished(own) => return Err(another_hash(own)),
            Content::Discarded => return Err(not_open()),
        };
        if own != sha256 {
            self.discard();
            return Err(another_hash(&own));
        }
        let folder = file
            .sync_data()
            .and_then(|()| self.data.open_or_create([OBJECTS, folder_of(&own)]));
        let visible = folder.and_then(|folder| {
            self.folder.rename(&self.name, (&folder, &own))?;
            folder.sync()
        });
        match visible {
            Ok(()) => {
                self.content = Content::Finished(own);
                Ok(())
            }
            Err(error) => {
                self.discard();
                Err(storage_error(error))
            }
        }
    }
}

impl IncomingObject {
    fn discard(&mut self) {
        self.content = Content::Discarded;
        // What cannot be removed now is removed when it is old.
        let _ = self.folder.remove_if_there(&self.name);
    }
}

impl Drop for IncomingObject {
    fn drop(&mut self) {
        if matches!(self.content, Content::Open(..)) {
            self.discard();
        }
    }
}

fn not_open() -> StorageError {
    StorageError::Other("the object is finished or was given up".to_owned())
}

fn another_hash(own: &str) -> StorageError {
    StorageError::Corrupt(format!("the object's SHA-256 is {own}"))
}

/// The folder of an object whose name was checked.
fn folder_of(sha256: &str) -> &str {
    sha256.get(..FOLDER_DIGITS).unwrap_or_default()
}

fn checked(sha256: &str) -> Result<&str, StorageError> {
    if is_hex(sha256, SHA256_DIGITS) {
        Ok(sha256)
    } else {
        Err(StorageError::AccessDenied)
    }
}

pub(super) fn get(
    data: &DataFolder,
    sha256: &str,
    offset: u64,
    length: u32,
) -> Result<Vec<u8>, StorageError> {
    let name = checked(sha256)?;
    within_call_limit(u64::from(length))?;
    data.open([OBJECTS, folder_of(name)])
        .and_then(|folder| folder.open_to_read(name))
        .and_then(|file| positioned::read_span(&file, offset, length))
        .map_err(storage_error)
}

pub(super) fn remove(data: &DataFolder, sha256: &str) -> Result<(), StorageError> {
    let name = checked(sha256)?;
    data.open([OBJECTS, folder_of(name)])
        .and_then(|folder| folder.remove(name))
        .map_err(storage_error)
}

pub(super) fn list(
    data: &DataFolder,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<ObjectStat>, StorageError> {
    let limit = limit as usize;
    let after = after.unwrap_or_default();
    let mut listed = Vec::new();
    let Some(objects) = found(data.open([OBJECTS]))? else {
        return Ok(listed);
    };
    for number in 0..=u8::MAX {
        let prefix = hex(&[number]);
        // Every name in the folder begins with its own, so a whole folder can lie before `after`.
        let is_before = after
            .get(..FOLDER_DIGITS)
            .is_some_and(|first| prefix.as_str() < first);
        if is_before {
            continue;
        }
        if listed.len() >= limit {
            break;
        }
        listed.extend(
            objects_in(&objects, &prefix, after)?
                .into_iter()
                .take(limit - listed.len())
                .map(|(sha256, size)| ObjectStat { sha256, size }),
        );
    }
    Ok(listed)
}

/// The objects of one folder behind `after`, in order.
fn objects_in(
    objects: &Folder,
    prefix: &str,
    after: &str,
) -> Result<BTreeMap<String, u64>, StorageError> {
    let Some(folder) = found(objects.subfolder(prefix))? else {
        return Ok(BTreeMap::new());
    };
    let entries = folder.files().map_err(storage_error)?.into_iter();
    Ok(entries
        .filter(|entry| {
            is_hex(&entry.name, SHA256_DIGITS)
                && folder_of(&entry.name) == prefix
                && entry.name.as_str() > after
        })
        .map(|entry| (entry.name, entry.size))
        .collect())
}

/// None where there is no such folder.
fn found(opened: io::Result<Folder>) -> Result<Option<Folder>, StorageError> {
    match opened {
        Ok(folder) => Ok(Some(folder)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(storage_error(error)),
    }
}
