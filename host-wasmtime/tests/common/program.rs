//! The binary `ds4-context`, run in a world of its own.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::Folder;

/// Columns of a terminal that every table fits.
pub const COLUMNS: usize = 80;

/// A command in a world of its own: no configuration, no home, compiled code shared with the other tests.
pub fn command(folder: &Folder, words: &[&str]) -> Command {
    // Compiles the component once, for all tests at once.
    super::engine();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ds4-context"));
    command
        .args(words)
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        .env("DS4_CONTEXT_HOME", folder.path().join("data"))
        .env("DS4_CONTEXT_CACHE", super::code_cache())
        .stdin(Stdio::null());
    command
}

pub fn run(folder: &Folder, words: &[&str]) -> Output {
    command(folder, words).output().expect("the program runs")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Standard output of a command that must succeed without a word on standard error.
pub fn answer(folder: &Folder, words: &[&str]) -> String {
    let output = run(folder, words);
    assert_eq!(
        (output.status.code(), text(&output.stderr)),
        (Some(0), String::new()),
        "{words:?}"
    );
    text(&output.stdout)
}

/// Bad input: exit code 2, one line on standard error, nothing on standard output.
pub fn assert_bad_input(folder: &Folder, words: &[&str], says: &str) {
    let output = run(folder, words);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
    assert_eq!(text(&output.stdout), "", "{words:?}");
    assert!(
        error.starts_with("ds4-context: ") && error.trim_end().lines().count() == 1,
        "{words:?}: {error:?}"
    );
    assert!(
        error.contains(says),
        "{words:?}: {error:?} does not say {says:?}"
    );
}

pub fn columns(line: &str) -> usize {
    line.chars().count()
}

pub fn all_files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(all_files(&path));
        } else {
            files.push(path.display().to_string());
        }
    }
    files.sort();
    files
}
