//! Superseded results: what a later call has made stale (behaviour 2.2, Superseded results).
//!
//! Invariants:
//! - Of identical calls only the newest result stays whole; so does only the newest reading of a file that was read
//!   whole, edited or written again later. A later reading of another part of the file makes none stale.
//! - A failed call that was made again, with the same arguments or for the same file, gives its arguments up.
//! - The newest exchange is never looked at as stale, and an unanswered call never makes anything stale.
//! - Linear in the number of calls.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher};

use serde_json::Value;

use super::Candidate;
use super::grouping::Grouping;
use super::tool_kinds::FileUse;
use crate::message::{Block, canonical_json};

type FixedState = BuildHasherDefault<DefaultHasher>;

/// What is stale, by position.
#[derive(Debug, Default)]
pub(super) struct Superseded {
    /// Results of which a newer one is there.
    pub results: HashSet<usize, FixedState>,
    /// Messages with failed calls that were made again.
    pub failed_calls: HashSet<usize, FixedState>,
}

/// Looks for stale results among the candidates.
pub(super) fn superseded(candidates: &[Candidate<'_>], grouping: &Grouping) -> Superseded {
    let mut found = Superseded::default();
    let mut later = Later::default();
    let mut newest = true;
    for (position, candidate) in candidates.iter().enumerate().rev() {
        if candidate.message.calls.is_empty() {
            continue;
        }
        let answers = grouping.relations.answers(position);
        let wire = candidate.message.wire_value();
        let blocks = wire.get("content").and_then(Value::as_array);
        let calls = blocks
            .into_iter()
            .flatten()
            .filter_map(|block| match Block::of(block) {
                Block::ToolCall {
                    name, arguments, ..
                } => Some((name, arguments)),
                _ => None,
            });
        let calls: Vec<_> = calls.zip(answers).collect();
        for ((tool, arguments), answer) in calls.into_iter().rev() {
            let Some(result) = *answer else { continue };
            let failed = candidates
                .get(result)
                .and_then(|result| result.message.answers.as_ref())
                .is_some_and(|answer| answer.is_error);
            let stale = later.makes_stale(tool, arguments, failed);
            if stale && !newest {
                found.results.insert(result);
                if failed {
                    found.failed_calls.insert(position);
                }
            }
        }
        newest = false;
    }
    found
}

/// What later calls did.
#[derive(Default)]
struct Later {
    /// Tool and canonical arguments.
    calls: HashSet<String, FixedState>,
    /// Files that were read whole or written.
    files: HashSet<String, FixedState>,
    /// Tool and file of every call, for failed ones.
    attempts: HashMap<String, HashSet<String, FixedState>, FixedState>,
}

impl Later {
    /// Whether one of them makes the call's result stale; the call then counts as a later one itself.
    fn makes_stale(&mut self, tool: &str, arguments: &Value, failed: bool) -> bool {
        let identical = !self
            .calls
            .insert(format!("{tool}\0{}", canonical_json(arguments)));
        let Some(file_use) = FileUse::of(tool, arguments) else {
            return identical;
        };
        let path = file_use.path();
        let tried_again = !self
            .attempts
            .entry(tool.to_owned())
            .or_default()
            .insert(path.to_owned());
        let stale = match file_use {
            FileUse::Writes(_) => failed && tried_again,
            FileUse::ReadsAll(_) | FileUse::ReadsPart(_) => self.files.contains(path),
        };
        // What failed changed nothing and shows nothing.
        if !failed && !matches!(file_use, FileUse::ReadsPart(_)) {
            self.files.insert(path.to_owned());
        }
        stale || identical
    }
}
