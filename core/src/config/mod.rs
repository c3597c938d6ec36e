//! The configuration `ds4-context-config-v1` (behaviour 3.11): every key with its default and range, merged from
//! the user's file, a trusted project's file and flags.
//!
//! Invariants:
//! - A [`Config`] that [`merge`] returns is complete and obeys every range and every rule between keys.
//! - A source with any invalid value changes nothing; what it would have changed keeps the value of the sources
//!   below it. Only unknown keys are skipped one by one.
//! - Each key is declared once (`sections`); defaults, validation, [`to_json`] and [`table`] come from there.
//!
//! Deliberately absent: reading files, deciding whether a project is trusted, resolving paths. The host does these
//! and hands over bytes. Sources never panic and never fail: at worst the result is the defaults and a list of
//! [`Problem`]s.

mod limits;
mod merge;
mod number;
mod parse;
mod problem;
mod rules;
mod schema;
mod sections;
mod suggestion;
mod table;
#[cfg(test)]
mod tests;
mod text_form;
mod validate;

pub use merge::{Layer, Merged, merge, to_json};
pub use problem::{Problem, ProblemCode, Severity};
pub use sections::*;
pub use table::{Row, table};
