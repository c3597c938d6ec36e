//! What the conformance tests and the benches share: cases from `fixtures/cases`, three hosts that run them, and logs that
//! are made and not recorded.
//!
//! Invariants:
//! - A case is data. Every host reads the same `case.json` and gives the same [`cases::Outcome`]s, byte for byte.
//! - Nothing here knows a rule of the engine: what is right stands in `expected.json`, which a person reviews.
//! - No test needs the network, a clock or a random number; what is random comes from a seed.

pub mod block_file_content;
pub mod cases;
pub mod config_table;
pub mod figures;
pub mod hosts;
pub mod indexed_session;
pub mod made_cases;
pub mod pi_log;
pub mod temporary_folder;
pub mod workspace;

/// A host of its own clock tells every session this time, in milliseconds since 1970.
pub const NOW_MS: u64 = 1_796_000_000_000;
/// Every session of a test gets this seed.
pub const SEED: [u8; 32] = [7; 32];
