//! The engine's database: SQLite over the storage port.
//!
//! Invariants:
//! - Everything in it is derived: deleted, damaged or of another version, it costs time to make anew and never content.
//! - Every transaction is one commit of the port. None is left open between two calls of the engine.
//! - Where the host has no place for derived state, or a newer version wrote the one there, the database lives in memory.
//!
//! Who wants rows asks a repository here ([`entries`], [`sessions`]); SQL stands nowhere else in the crate.

mod database;
pub mod entries;
mod error;
mod migrations;
pub mod sessions;
pub mod vfs;

#[cfg(test)]
pub(crate) mod memory;

pub use database::{Database, Standing, empty_if_there};
pub use error::StoreError;
