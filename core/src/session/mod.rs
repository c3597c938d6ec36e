//! Session logs: from untrusted bytes to the messages of the active branch.
//!
//! The way of a byte: [`line_reader`] cuts lines → [`document`] reads and repairs the JSON documents on a line →
//! a codec ([`pi_codec`] or [`runtime_codec`]) says what each document is → [`SessionLog`] places it in the tree →
//! [`branch`] walks from a leaf to its root → [`project`] selects and edits messages as Pi does (pi.md, section b).
//!
//! Invariants:
//! - No input is fatal. Whatever cannot be used is counted as [`Damage`] with its first line, and what is around it is
//!   used all the same.
//! - The same lines give the same log, however their bytes were cut into pieces and wherever the end of the file was
//!   announced in between.
//! - Every line is parsed once and a text is held once: projections borrow messages from the log by [`EntryIndex`].
//! - Reading, walking and projecting take time linear in the log; what is held is bounded
//!   by about twice the log, and lines are read one at a time.
//!
//! Deliberately absent: reading files (the host's storage port does), writing anything, and tool relations, which are
//! [`crate::message::tools`]'s.

mod append;
mod branch;
mod contents;
mod damage;
mod document;
mod document_value;
mod entry;
mod first_line;
mod line_reader;
mod log;
mod pi_codec;
mod projection;
mod runtime_codec;
mod shallow_scan;
mod slots;
mod surrogates;
mod system_context;
mod timestamp;
mod tree;
mod version_one;

pub use append::{AppendError, Appended};
pub use branch::{Branch, branch};
pub use damage::{Damage, DamageCode, LogError};
pub use entry::{Compaction, Entry, EntryIndex, EntryKind, Header};
pub use first_line::detect_format;
pub use line_reader::MAX_LINE_BYTES;
pub use log::{LogFormat, SessionLog};
pub use projection::{Projected, ProjectedSource, Projection, project};
pub use runtime_codec::{MAX_RUNTIME_LOG_BYTES, MAX_RUNTIME_LOG_MESSAGES};
pub use surrogates::lone_surrogates_replaced;
pub use system_context::SystemContext;
pub(crate) use timestamp::{days_since_1970, iso_timestamp};
pub use tree::Tree;

#[cfg(test)]
mod tests;
