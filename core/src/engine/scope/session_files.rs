//! The session logs in the folder that holds the session's own, and what they say of themselves.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::ports::{Place, Storage, StorageError};
use crate::session::{Header, LogFormat, SessionLog, detect_format};

/// Files of one listing.
const FILES_OF_A_LISTING: u32 = 4_096;
/// Files that are looked at in a folder; those behind are not seen.
const MAX_FILES: usize = 65_536;
/// Bytes of a log that are read for its header at first.
const HEADER_BYTES: u32 = 4 * 1024;
/// Bytes of a header at most (behaviour 2.14).
const MAX_HEADER_BYTES: u32 = 1024 * 1024;
/// How the names of logs end.
const LOG_ENDING: &str = ".jsonl";

/// A line of a listing. What else stands in it is of no use here.
#[derive(Deserialize)]
struct ListedFile {
    path: String,
    size: u64,
}

/// The logs that lie in the place itself, with their sizes in bytes, in byte order of their names. None where the host lists nothing.
pub(super) fn logs(storage: &dyn Storage) -> Result<BTreeMap<String, u64>, StorageError> {
    let mut logs = BTreeMap::new();
    let mut after: Option<String> = None;
    let mut seen = 0;
    while seen < MAX_FILES {
        let lines = match storage.list_files(Place::Sessions, after.as_deref(), FILES_OF_A_LISTING)
        {
            Ok(lines) => lines,
            Err(StorageError::AccessDenied | StorageError::NotFound) => break,
            Err(error) => return Err(error),
        };
        let mut last = None;
        for line in lines.split(|byte| *byte == b'\n') {
            let Ok(file) = serde_json::from_slice::<ListedFile>(line) else {
                continue;
            };
            seen += 1;
            if !file.path.contains('/') && file.path.ends_with(LOG_ENDING) {
                logs.insert(file.path.clone(), file.size);
            }
            last = Some(file.path);
        }
        let Some(last) = last else { break };
        // What lies in a folder of the place is no log of its own: the next listing begins behind that folder.
        after = Some(match last.split_once('/') {
            Some((folder, _)) => format!("{folder}/\u{10FFFF}"),
            None => last,
        });
    }
    Ok(logs)
}

/// The header of the log of that name. None where the file is not there, is of another format, or begins with no header that names
/// a session.
pub(super) fn header(
    storage: &dyn Storage,
    name: &str,
    format: LogFormat,
) -> Result<Option<Header>, StorageError> {
    let mut bytes = Vec::new();
    for length in [HEADER_BYTES, MAX_HEADER_BYTES] {
        bytes = match storage.read_file(Place::Sessions, name, 0, length) {
            Ok(bytes) => bytes,
            Err(StorageError::Busy) => return Err(StorageError::Busy),
            Err(_) => return Ok(None),
        };
        if bytes.contains(&b'\n') || bytes.len() < length as usize {
            break;
        }
    }
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let line = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
    if detect_format(line) != Some(format) {
        return Ok(None);
    }
    let mut log = SessionLog::new(format);
    log.push(line);
    log.end_of_file();
    let header = log.header().cloned();
    Ok(header.filter(|header| {
        header
            .session_id
            .as_deref()
            .is_some_and(|id| !id.is_empty())
    }))
}

/// The file name at the end of a path of the host, whichever way it writes paths.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
