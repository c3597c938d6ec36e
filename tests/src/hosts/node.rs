//! The component in Node: one process runs all cases through the npm package and prints one JSON line a case.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::cases::Outcome;
use crate::workspace;

/// What a test says where the package is not built.
pub const NODE_NOT_BUILT: &str = "host-node/dist is not built; run: cargo xtask build";

#[derive(Deserialize)]
struct Line {
    case: String,
    outcomes: Vec<Outcome>,
}

/// Runs the cases in these folders. The outcomes by the folders' names.
///
/// # Errors
/// With one clear line where the package is not built, Node is not there, or the script fails.
pub fn run_cases(folders: &[&Path]) -> io::Result<BTreeMap<String, Vec<Outcome>>> {
    let root = workspace::root();
    if !root.join("host-node/dist/index.js").is_file() {
        return Err(io::Error::other(NODE_NOT_BUILT));
    }
    let output = Command::new("node")
        .arg(root.join("tests/node/run-cases.mjs"))
        .args(folders)
        .output()
        .map_err(|error| io::Error::other(format!("node cannot be started: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!(
            "tests/node/run-cases.mjs failed: {}",
            said.trim()
        )));
    }
    let text = String::from_utf8(output.stdout).map_err(io::Error::other)?;
    text.lines()
        .map(|line| {
            let line: Line = serde_json::from_str(line)?;
            Ok((line.case, line.outcomes))
        })
        .collect()
}
