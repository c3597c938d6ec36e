//! The context engine: decides, before every request, what a language model sees of a long session.
//!
//! Invariants of the whole crate:
//! - Sans-IO: storage and models are traits in [`ports`]; time comes in as an argument. Nothing here asks for the
//!   time, randomness, the environment or a file, so the same input gives the same bytes on every host.
//! - No host is named: no WIT types, no agent SDK. Knowing a *file format* (Pi's JSONL, the runtime JSONL) is not
//!   knowing an SDK, so the codecs live here and untrusted files are parsed inside the sandbox.
//! - No input panics: `unwrap`, `expect`, `panic` and unchecked indexing are denied, and `unsafe` is denied outside [`store::vfs`].
//!
//! Data flows one way: parse ([`session`]) → canonical ([`message`]) → decide ([`planner`]) → render ([`manifest`],
//! [`engine`]). Deliberately absent: anything that writes to a session log.
#![deny(unsafe_code)]
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable,
    clippy::todo,
    clippy::unimplemented,
    missing_docs
)]
#![warn(clippy::pedantic)]
#![allow(
    clippy::module_name_repetitions,
    clippy::must_use_candidate,
    clippy::missing_errors_doc,
    clippy::cast_possible_truncation,
    clippy::similar_names,
    clippy::match_same_arms,
    clippy::semicolon_if_nothing_returned,
    clippy::struct_field_names
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::needless_pass_by_value
    )
)]

pub mod config;
pub mod engine;
mod fixed_hash;
pub mod manifest;
pub mod message;
pub mod model;
pub mod planner;
pub mod ports;
pub mod privacy;
pub mod retrieval;
pub mod session;
pub mod store;
