//! Reading the session's log through the storage port, in slices.
//!
//! Invariants: a log is read from where the last slice ended, and only if the bytes before that place are still the same;
//! a log that was cut, rewritten or replaced is read anew from its start. What a failed read leaves is what was read before it.

use crate::ports::{Place, Storage, StorageError};
use crate::session::{LogFormat, SessionLog};

/// Bytes of one read: large enough that crossings cost nothing, small enough to be held twice.
const READ_BYTES: u32 = 1024 * 1024;

/// How far a log is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read.
    pub done: u64,
    /// Bytes of the log, known once its end was reached.
    pub total: Option<u64>,
    /// Whether the end was reached.
    pub finished: bool,
}

/// What a slice changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Nothing,
    Grown,
    /// Read anew from the start: positions of entries from before mean nothing any more.
    Restarted,
}

/// A log under way.
#[derive(Debug)]
pub(super) struct LogReader {
    path: String,
    format: LogFormat,
}

impl LogReader {
    pub(super) fn new(path: String, format: LogFormat) -> Self {
        Self { path, format }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Reads up to `max_bytes` of what is new, at least one byte where there is one.
    pub(super) fn read(
        &self,
        storage: &dyn Storage,
        log: &mut SessionLog,
        max_bytes: u32,
    ) -> Result<(Progress, Change), StorageError> {
        let mut change = Change::Nothing;
        let mut left = u64::from(max_bytes.max(1));
        loop {
            let wanted = u32::try_from(left.min(u64::from(READ_BYTES))).unwrap_or(READ_BYTES);
            let overlap = log.tail().len();
            let from = log.bytes().saturating_sub(overlap as u64);
            let bytes = storage.read_file(
                Place::Sessions,
                &self.path,
                from,
                wanted.saturating_add(overlap as u32),
            )?;
            let Some(new) = bytes.strip_prefix(log.tail()) else {
                *log = SessionLog::new(self.format);
                change = Change::Restarted;
                continue;
            };
            if !new.is_empty() {
                log.push(new);
                change = if change == Change::Restarted {
                    change
                } else {
                    Change::Grown
                };
            }
            left = left.saturating_sub(new.len() as u64);
            let finished = new.len() < wanted as usize;
            if finished {
                log.end_of_file();
            }
            if finished || left == 0 {
                let total = finished.then_some(log.bytes());
                return Ok((
                    Progress {
                        done: log.bytes(),
                        total,
                        finished,
                    },
                    change,
                ));
            }
        }
    }
}
