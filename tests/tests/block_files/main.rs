//! Block files used by several processes, which are killed, stopped by limits, and fight for the lock.

#![cfg(unix)]

mod contention;
mod injected;
mod killed;
mod limits;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use ds4_context_host::{BlockFile, DataFolder, StorageError};
use ds4_context_tests::block_file_content::{generation, read};

/// The block file of these tests.
const NAME: &str = "index";
/// No process that was killed keeps a file longer than this.
const LONGEST_AFTER_KILL: Duration = Duration::from_secs(15);

fn command(folder: &Path, words: &[&str]) -> Command {
    let [verb, rest @ ..] = words else {
        panic!("no command");
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_block-file-worker"));
    command.arg(verb).arg(folder).arg(NAME).args(rest);
    command
}

/// A running worker.
struct Worker {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Worker {
    fn start(folder: &Path, words: &[&str]) -> Self {
        let mut child = command(folder, words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a worker");
        let lines = BufReader::new(child.stdout.take().expect("standard output"));
        Self { child, lines }
    }

    /// The next line; none at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line).expect("text");
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// SIGKILL, and all that it still said. It is gone on return.
    fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
        std::iter::from_fn(|| self.line()).collect()
    }

    /// All that it says until it ends by itself, which must be well.
    fn finish(mut self) -> Vec<String> {
        drop(self.child.stdin.take());
        let lines: Vec<String> = std::iter::from_fn(|| self.line()).collect();
        let status = self.child.wait().expect("an end");
        assert!(status.success(), "{status}: {lines:?}");
        lines
    }
}

/// Exit code and standard output.
fn answer(output: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8_lossy(&output.stdout);
    (output.status.code(), text.trim_end().to_owned())
}

/// The numbers behind the first word.
fn numbers(line: &str) -> Vec<u64> {
    let words = line.split(' ').skip(1);
    words
        .map(|word| word.parse().unwrap_or_else(|_| panic!("{line:?}")))
        .collect()
}

fn open(folder: &Path) -> Box<dyn BlockFile> {
    let data = DataFolder::new(folder).expect("a path");
    data.open_block_file(NAME).expect("opened")
}

/// Generation and counter of what is there, which must be exactly one commit. Nobody alive holds the file, but a process that
/// was killed before it had written who it is keeps it for two seconds, and one that was killed in a takeover for ten.
fn state(folder: &Path) -> (u64, u64) {
    let mut file = open(folder);
    let start = Instant::now();
    let counter = loop {
        match file.lock() {
            Err(StorageError::Busy) if start.elapsed() < LONGEST_AFTER_KILL => {
                std::thread::sleep(Duration::from_millis(20));
            }
            locked => break locked.expect("locked"),
        }
    };
    let content = read(&mut *file).expect("read");
    let generation = generation(&content).expect("the content of one commit");
    (generation, counter)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}
