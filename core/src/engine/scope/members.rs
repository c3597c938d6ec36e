//! Which other sessions a scope covers.
//!
//! Invariants: each session comes once, and the one at hand never; ancestors come first, the nearest before its own; the others of
//! the project are chosen and ordered by the names of their files, the last first, which in Pi's folders are the newest.

use std::collections::BTreeSet;

use super::session_files::{file_name, header, logs};
use crate::ports::{Storage, StorageError};
use crate::session::{Header, LogFormat};

/// Generations of a lineage (behaviour 2.16).
const MAX_ANCESTORS: u32 = 16;
/// Bytes of other sessions' logs that are held: held, they take about twice as much.
pub(super) const MAX_HELD_BYTES: u64 = 64 * 1024 * 1024;
/// Logs whose headers are read for the project's sessions; most folders hold those of one project.
const MAX_HEADERS: usize = 1_000;

/// Another session that a scope covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    /// Its log's name in the place `sessions`.
    pub log: String,
    /// Its ID, as its header names it.
    pub session_id: String,
}

/// The other sessions that a scope covers.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Those it was forked from, the nearest first.
    pub lineage: Vec<Member>,
    /// What of the lineage is left out.
    pub lineage_left_out: u32,
    /// The other sessions of the project; none where they were not asked for.
    pub project: Vec<Member>,
    /// What of the project is left out.
    pub project_left_out: u32,
}

/// The session at hand.
pub(super) struct Current<'a> {
    /// The ID that the host gave it.
    pub session_id: &'a str,
    /// Its log's name in the place `sessions`; none for a session without a log.
    pub log: Option<&'a str>,
    /// Its header, where it has one.
    pub header: Option<&'a Header>,
}

/// Finds them. `max_project_sessions` is none where only the lineage is wanted.
pub(super) fn members(
    current: &Current<'_>,
    format: LogFormat,
    storage: &dyn Storage,
    max_project_sessions: Option<u64>,
) -> Result<Members, StorageError> {
    let parent = current
        .header
        .and_then(|header| header.parent_session.as_deref());
    if parent.is_none() && max_project_sessions.is_none() {
        return Ok(Members::default());
    }
    let mut search = Search {
        storage,
        format,
        logs: logs(storage)?,
        taken: BTreeSet::new(),
        held_bytes: 0,
        found: Members::default(),
    };
    let header_id = current
        .header
        .and_then(|header| header.session_id.as_deref());
    search.taken.extend(
        [Some(current.session_id), header_id]
            .into_iter()
            .flatten()
            .map(str::to_owned),
    );
    if let Some(log) = current.log {
        search.logs.remove(log);
    }
    search.lineage(parent)?;
    if let Some(most) = max_project_sessions {
        let folder = current.header.and_then(|header| header.cwd.as_deref());
        search.project(folder, most)?;
    }
    Ok(search.found)
}

struct Search<'a> {
    storage: &'a dyn Storage,
    format: LogFormat,
    /// The logs that are not taken yet, with their sizes.
    logs: std::collections::BTreeMap<String, u64>,
    /// IDs of sessions that are taken: a second log of the same session is none of its own.
    taken: BTreeSet<String>,
    held_bytes: u64,
    found: Members,
}

impl Search<'_> {
    /// Goes from parent to parent. What ends the way before a session without a parent is left out.
    fn lineage(&mut self, parent: Option<&str>) -> Result<(), StorageError> {
        let mut parent: Option<Box<str>> = parent.map(Into::into);
        for _ in 0..MAX_ANCESTORS {
            let Some(path) = parent else { return Ok(()) };
            let name = file_name(&path);
            let Some((member, size, header)) = self.ancestor(name)? else {
                self.found.lineage_left_out += 1;
                return Ok(());
            };
            if self.fits(size) {
                self.found.lineage.push(member);
            } else {
                self.found.lineage_left_out += 1;
            }
            parent = header.parent_session;
        }
        self.found.lineage_left_out += u32::from(parent.is_some());
        Ok(())
    }

    /// The session in the log of that name, with the log's size and header.
    fn ancestor(&mut self, name: &str) -> Result<Option<(Member, u64, Header)>, StorageError> {
        let Some(size) = self.logs.remove(name) else {
            return Ok(None);
        };
        let Some(header) = header(self.storage, name, self.format)? else {
            return Ok(None);
        };
        let member = self.member(name, &header);
        Ok(member.map(|member| (member, size, header)))
    }

    /// Takes the logs of the same folder. One whose header names another folder is another project's.
    fn project(&mut self, folder: Option<&str>, most: u64) -> Result<(), StorageError> {
        let logs = std::mem::take(&mut self.logs);
        let beyond = logs.len().saturating_sub(MAX_HEADERS) as u32;
        self.found.project_left_out += beyond;
        for (name, size) in logs.into_iter().rev().take(MAX_HEADERS) {
            let Some(header) = header(self.storage, &name, self.format)? else {
                self.found.project_left_out += 1;
                continue;
            };
            let other_folder = header.cwd.as_deref();
            if folder.is_some() && other_folder.is_some() && folder != other_folder {
                continue;
            }
            let is_room = (self.found.project.len() as u64) < most;
            match self.member(&name, &header) {
                Some(member) if is_room && self.fits(size) => self.found.project.push(member),
                _ => self.found.project_left_out += 1,
            }
        }
        Ok(())
    }

    /// The session, unless its ID is taken.
    fn member(&mut self, name: &str, header: &Header) -> Option<Member> {
        let session_id = header.session_id.as_deref()?.to_owned();
        self.taken.insert(session_id.clone()).then(|| Member {
            log: name.to_owned(),
            session_id,
        })
    }

    /// Makes room for that many bytes, where there is room.
    fn fits(&mut self, bytes: u64) -> bool {
        let fits = self.held_bytes + bytes <= MAX_HELD_BYTES;
        if fits {
            self.held_bytes += bytes;
        }
        fits
    }
}
