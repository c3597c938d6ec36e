//! The ends of the ranges that configuration values may have, and the bounds on configuration files themselves.
//!
//! Ends that behaviour 3.11 states are marked; the others keep a mistyped value from exhausting the machine and are
//! chosen wide. Ends that only one key has stand beside their section's declaration.

/// Tokens, the largest count or budget that any key may name (behaviour 2.1: no window comes near it).
pub(crate) const MAX_TOKENS: u64 = 10_000_000;
/// Characters, the largest length that a key may name.
pub(crate) const MAX_CHARS: u64 = 10_000_000;
/// Bytes, the largest size that a key may name: 10 GB.
pub(crate) const MAX_BYTES: u64 = 10_000_000_000;
/// Results of one search (behaviour 3.11: retrieval, project, memory and artifact searches, ≤ 100).
pub(crate) const MAX_RESULTS: u64 = 100;
/// Sessions of one project that are looked at (behaviour 3.11: memory, 1–10,000).
pub(crate) const MAX_PROJECT_SESSIONS: u64 = 10_000;

/// Bytes of one configuration source; a larger one is not parsed. A full configuration has about 6,000.
pub(crate) const MAX_LAYER_BYTES: usize = 1024 * 1024;
/// Problems reported for one source; the rest is counted in one more line.
pub(crate) const MAX_PROBLEMS_PER_LAYER: usize = 100;
/// Items of a list value.
pub(crate) const MAX_LIST_ITEMS: usize = 256;
/// Entries of an object whose names the user chooses.
pub(crate) const MAX_MAP_ENTRIES: usize = 256;
/// Characters of a provider's, model's or profile's part.
pub(crate) const MAX_NAME_CHARS: usize = 256;
/// Characters of a path.
pub(crate) const MAX_PATH_CHARS: usize = 4096;
/// Characters of a key or value of a file that a message quotes; longer ones are cut.
pub(crate) const MAX_QUOTED_CHARS: usize = 60;
/// Single-character edits up to which an unknown key gets a known one suggested.
pub(crate) const MAX_SUGGESTION_DISTANCE: usize = 2;
