//! SQLite's file system over the storage port: one main database a connection, a block file underneath, and nothing else.
//!
//! Invariants:
//! - A transaction is one `commit` of the port: the files declare `BATCH_ATOMIC`, SQLite then keeps its rollback journal in
//!   memory and hands over all pages between `BEGIN_ATOMIC_WRITE` and `COMMIT_ATOMIC_WRITE`. The transaction that makes a
//!   database, and one whose commit failed and is tried again, are no batches; their pages wait here for the one sync and are one
//!   commit as well. Journals are files in memory that no other connection sees: there is never one to roll back from.
//! - Whatever is read was read under the port's lock, or belongs to a commit counter that the lock confirmed.
//! - Nothing here waits: a lock that somebody else holds is `SQLITE_BUSY` at once.
//!
//! Deliberately absent: WAL, shared memory, memory mapping, and files of any other name than the database's own.
//! Temporary tables and sorting live in memory (`SQLITE_TEMP_STORE=3`).
//!
//! This is the only module of the crate with `unsafe` code: SQLite's callbacks are C functions.

mod file;
mod methods;
mod pending;
mod spans;
mod store;

pub use methods::Vfs;
// The file system as the traits of `rsqlite-vfs` know it, so that its test suite can run in a component as well
// (tests/vfs-suite).
pub use store::{Files, Store};

#[cfg(test)]
mod tests;
