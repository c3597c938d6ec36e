//! The disk is full, or may not be written. Real limits of the system, in a child process: a limit on the size of files, and
//! where the system lets us mount one, a small file system and a read-only one.

use std::path::Path;

use ds4_context_tests::temporary_folder::TemporaryFolder;

use super::*;

/// The worker under a limit of some 32 or 64 KiB on the size of files, depending on the shell's unit. The signal that
/// comes with it is ignored, as this program does not handle it.
fn limited(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let inner = command(folder, words);
    let output = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 64 || exit 99; exec \"$@\"",
            "sh",
        ])
        .arg(inner.get_program())
        .args(inner.get_args())
        .output()
        .expect("a shell");
    answer(&output)
}

fn size(folder: &Path) -> (Option<i32>, String) {
    answer(&command(folder, &["size"]).output().expect("a worker"))
}

fn line(text: &str) -> (Option<i32>, String) {
    (Some(0), text.to_owned())
}

fn refused(case: &str) -> (Option<i32>, String) {
    (Some(4), format!("refused {case}"))
}

#[test]
fn a_record_that_does_not_fit_changes_nothing() {
    let folder = TemporaryFolder::new().expect("a folder");
    let folder = folder.path();
    assert_eq!(limited(folder, &["write", "0", "100"]), line("committed 1"));
    assert_eq!(limited(folder, &["write", "0", "1000000"]), refused("full"));
    assert_eq!(names(folder), ["index", "index.state"]);
    assert_eq!(size(folder), line("size 100 1"));
    assert_eq!(
        limited(folder, &["write", "50", "100"]),
        line("committed 2")
    );
}

#[test]
fn pages_that_do_not_fit_are_written_when_there_is_space_again() {
    let folder = TemporaryFolder::new().expect("a folder");
    let folder = folder.path();
    assert_eq!(limited(folder, &["write", "0", "100"]), line("committed 1"));
    // The record is short, but the file's end is behind the limit.
    assert_eq!(
        limited(folder, &["write", "9000000", "100"]),
        refused("full")
    );
    assert_eq!(names(folder), ["index", "index.commit", "index.state"]);
    // Still no space: nobody gets at the file, and the commit is kept.
    assert_eq!(limited(folder, &["size"]), refused("full"));
    assert_eq!(names(folder), ["index", "index.commit", "index.state"]);
    assert_eq!(size(folder), line("size 9000100 2"));
    assert_eq!(names(folder), ["index", "index.state"]);
}

/// Runs a script as root of a namespace of its own, with `$1` the worker and `$2` an empty folder. None where the system does
/// not let us.
fn in_own_namespace(script: &str) -> Option<String> {
    let folder = TemporaryFolder::new().expect("a folder");
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .arg(format!(
            "mount -t tmpfs -o size=256k none \"$2\" || exit 99\n{script}"
        ))
        .arg("sh")
        .arg(env!("CARGO_BIN_EXE_block-file-worker"))
        .arg(folder.path())
        .output();
    let mounted = output.ok().filter(|output| output.status.success());
    if mounted.is_none() {
        eprintln!("SKIPPED: this system does not let us mount a file system of our own");
    }
    mounted.map(|output| answer(&output).1)
}

#[test]
fn a_full_file_system_loses_nothing() {
    let script = r#"
        "$1" write "$2" index 0 50000
        "$1" write "$2" index 0 300000
        ls "$2"
        "$1" write "$2" index 0 150000
        ls "$2"
        "$1" size "$2" index
        mount -o remount,size=1m "$2"
        "$1" size "$2" index
        head -c 9000000 /dev/zero > "$2/filler" 2>/dev/null
        "$1" size "$2" index
        ls "$2"
        rm "$2/filler"
        "$1" size "$2" index
        exit 0
    "#;
    let Some(said) = in_own_namespace(script) else {
        return;
    };
    let expected = [
        "committed 1",
        // The record does not fit: nothing was changed.
        "refused full",
        "index",
        "index.state",
        // The record fits, but not the pages beside it: they wait for space.
        "refused full",
        "index",
        "index.commit",
        "index.state",
        "refused full",
        "size 150000 2",
        // Not even a lock fits.
        "refused full",
        "filler",
        "index",
        "index.state",
        "size 150000 2",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_read_only_file_system_is_refused() {
    let script = r#"
        "$1" write "$2" index 0 100
        mount -o remount,ro "$2"
        "$1" size "$2" index
        "$1" write "$2" index 0 100
        ls "$2"
        exit 0
    "#;
    let Some(said) = in_own_namespace(script) else {
        return;
    };
    let expected = [
        "committed 1",
        "refused access-denied",
        "refused access-denied",
        "index",
        "index.state",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}
