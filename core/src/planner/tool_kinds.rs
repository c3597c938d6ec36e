//! Which tools read and which write a file: the one place that knows agents' names for them.
//!
//! Invariant: an unknown tool is neither, so that nothing of it is ever taken for stale.

use serde_json::Value;

/// Names of tools that return a file's content, in lower case.
const READERS: [&str; 6] = ["read", "read_file", "readfile", "view", "open_file", "cat"];
/// Names of tools that change or replace a file's content, in lower case.
const WRITERS: [&str; 12] = [
    "edit",
    "write",
    "multiedit",
    "multi_edit",
    "edit_file",
    "write_file",
    "writefile",
    "create_file",
    "str_replace",
    "notebookedit",
    "apply_edit",
    "replace",
];
/// Arguments that name the file.
const PATH_KEYS: [&str; 5] = ["path", "file_path", "filePath", "filename", "notebook_path"];
/// Arguments that narrow a reading to a part of the file.
const RANGE_KEYS: [&str; 8] = [
    "offset",
    "limit",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "view_range",
    "range",
];

/// What a call does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileUse<'a> {
    /// It reads all of it.
    ReadsAll(&'a str),
    /// It reads a part of it.
    ReadsPart(&'a str),
    /// It changes it.
    Writes(&'a str),
}

impl<'a> FileUse<'a> {
    /// What the call does; none where it does nothing with one file that could be told from its name.
    pub(super) fn of(tool: &str, arguments: &'a Value) -> Option<Self> {
        let path = PATH_KEYS
            .iter()
            .find_map(|key| arguments.get(key).and_then(Value::as_str))?;
        let is_one_of = |names: &[&str]| names.iter().any(|name| tool.eq_ignore_ascii_case(name));
        if is_one_of(&WRITERS) {
            return Some(Self::Writes(path));
        }
        if !is_one_of(&READERS) {
            return None;
        }
        let part = RANGE_KEYS
            .iter()
            .any(|key| arguments.get(key).is_some_and(|value| !value.is_null()));
        Some(if part {
            Self::ReadsPart(path)
        } else {
            Self::ReadsAll(path)
        })
    }

    /// The file.
    pub(super) const fn path(&self) -> &'a str {
        match self {
            Self::ReadsAll(path) | Self::ReadsPart(path) | Self::Writes(path) => path,
        }
    }
}
