//! Documents as tables that a person can read: at most [`WIDTH`] columns, figures aligned to the right.
//!
//! Invariants: nothing but the documents is shown, and no message text but the excerpts that a search was asked for; whatever a log wrote (IDs, names,
//! labels) is shown without control characters.

mod explanation;
mod health;
mod inspection;
mod layout;
mod plan;
mod runs;
mod search;
mod words;

pub(crate) use explanation::explanation;
pub(crate) use health::{health, indexed};
pub(crate) use inspection::inspection;
pub(crate) use layout::{Style, printable};
pub(crate) use plan::plan;
pub(crate) use search::found;
pub(crate) use words::fallback_text;

/// Columns of every table.
const WIDTH: usize = 80;
