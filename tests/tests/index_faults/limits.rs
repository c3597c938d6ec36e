//! The disk is full, or may not be written: real limits of the system, in a child process.

use std::path::Path;
use std::process::Command;

use ds4_context_tests::indexed_session::file_hash;

use super::*;

/// What a worker says when there is no space.
const FULL: &str = "refused no space is left for the index database; nothing was changed";

/// Runs a script as root of a namespace of its own, with `$1` the worker and `$2` the folder, whose `data` is a file system of
/// its own. None where the system does not let us.
fn in_own_namespace(folder: &Path, script: &str) -> Option<String> {
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .arg(format!(
            "mkdir -p \"$2/data\" && mount -t tmpfs -o size=8m none \"$2/data\" || exit 99\n{script}"
        ))
        .arg("sh")
        .arg(env!("CARGO_BIN_EXE_index-worker"))
        .arg(folder)
        .output();
    let mounted = output.ok().filter(|output| output.status.success());
    if mounted.is_none() {
        eprintln!("SKIPPED: this system does not let us mount a file system of our own");
    }
    mounted.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Nothing can be written, with an index there or without one: the session is indexed in memory, and found is what was said.
#[test]
fn a_read_only_data_folder_costs_time_and_no_answer() {
    let (folder, _world) = world(6);
    let script = r#"
        mount -o remount,ro "$2/data"
        "$1" once "$2" session session.jsonl | tail -n 1
        mount -o remount,rw "$2/data"
        "$1" once "$2" session session.jsonl | tail -n 1
        mount -o remount,ro "$2/data"
        "$1" once "$2" session session.jsonl | tail -n 1
        ls "$2/data"
        exit 0
    "#;
    let Some(said) = in_own_namespace(folder.path(), script) else {
        return;
    };
    let expected = ["found", "found", "found", "context.db", "context.db.state"];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn an_index_that_does_not_fit_is_told_and_made_when_there_is_space() {
    let (folder, world) = world(40);
    let log = file_hash(&world.log(LOG));
    let script = r#"
        mount -o remount,size=120k "$2/data"
        "$1" once "$2" session session.jsonl | tail -n 1
        "$1" once "$2" session session.jsonl | tail -n 1
        mount -o remount,size=8m "$2/data"
        "$1" once "$2" session session.jsonl | tail -n 1
        exit 0
    "#;
    let Some(said) = in_own_namespace(folder.path(), script) else {
        return;
    };
    assert_eq!(said.lines().collect::<Vec<_>>(), [FULL, FULL, "found"]);
    assert_eq!(file_hash(&world.log(LOG)), log);
}

#[test]
fn a_full_file_system_is_told_and_loses_nothing() {
    let (folder, _world) = world(6);
    let script = r#"
        "$1" once "$2" session session.jsonl | tail -n 1
        head -c 9000000 /dev/zero > "$2/data/filler" 2>/dev/null
        "$1" once "$2" session session.jsonl | tail -n 1
        "$1" once "$2" another session.jsonl | tail -n 1
        rm "$2/data/filler"
        "$1" once "$2" another session.jsonl | tail -n 1
        "$1" once "$2" session session.jsonl | tail -n 1
        exit 0
    "#;
    let Some(said) = in_own_namespace(folder.path(), script) else {
        return;
    };
    let full = "refused no space is left for the index database; nothing was changed";
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 5, "{said}");
    assert_eq!([lines[0], lines[3], lines[4]], ["found"; 3], "{said}");
    assert!(lines[1].contains("no space is left"), "{said}");
    assert!(
        lines[2].contains("no space is left"),
        "{said} is not {full}"
    );
}
