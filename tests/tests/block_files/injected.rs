//! A process is killed at, or gets an error from, each of its system calls in turn. `strace` does that to the real program.

use std::fs;
use std::time::SystemTime;

use ds4_context_tests::temporary_folder::TemporaryFolder;

use super::*;

/// System calls that a transaction is made of.
const CALLS: [&str; 12] = [
    "openat",
    "statx",
    "write",
    "pread64",
    "pwrite64",
    "ftruncate",
    "fdatasync",
    "fsync",
    "unlinkat",
    "renameat",
    "mkdirat",
    "readlink",
];
/// No transaction of these tests makes one call more often.
const MOST_OF_ONE_CALL: u32 = 200;

/// What a transaction finds when it begins.
struct Scenario {
    name: &'static str,
    /// Empty where the folder is missing.
    folder: TemporaryFolder,
    /// The generation of which the content is, or will be once an unfinished commit is finished.
    generation: u64,
}

impl Scenario {
    fn all() -> Vec<Self> {
        vec![Self::missing(), Self::at_rest(), Self::after_crash()]
    }

    fn missing() -> Self {
        let folder = TemporaryFolder::new().expect("a folder");
        fs::remove_dir(folder.path()).expect("removed");
        Self {
            name: "a missing folder",
            folder,
            generation: 0,
        }
    }

    fn at_rest() -> Self {
        let folder = TemporaryFolder::new().expect("a folder");
        Worker::start(folder.path(), &["commit", "3", "1"]).finish();
        Self {
            name: "a file at rest",
            folder,
            generation: 3,
        }
    }

    /// The lock of a process that died, and its record of which the first pages are written.
    fn after_crash() -> Self {
        let mut scenario = Self::at_rest();
        injected(scenario.folder.path(), "pwrite64", 2, "signal=KILL", "9");
        let left = names(scenario.folder.path());
        assert_eq!(left, ["index", "index.commit", "index.lock", "index.state"]);
        scenario.name = "after a crash";
        scenario.generation = 4;
        scenario
    }

    fn copy(&self) -> TemporaryFolder {
        let copy = TemporaryFolder::new().expect("a folder");
        if !self.folder.path().exists() {
            fs::remove_dir(copy.path()).expect("removed");
            return copy;
        }
        for name in names(self.folder.path()) {
            let from = self.folder.path().join(&name);
            fs::copy(from, copy.path().join(name)).expect("copied");
        }
        copy
    }
}

/// Whether the system has a tracer and lets us trace.
fn can_trace() -> bool {
    let traced = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .output();
    let works = traced.is_ok_and(|output| output.status.success());
    if !works {
        eprintln!("SKIPPED: strace is not there or may not trace");
    }
    works
}

/// One commit; something happens to it at the call that is number `count` of its kind. Also whether there was such a call.
fn injected(folder: &Path, call: &str, count: u32, what: &str, seed: &str) -> (Output, bool) {
    let notes = TemporaryFolder::new().expect("a folder");
    let trace = notes.path().join("trace");
    let worker = command(folder, &["commit", "1", seed]);
    let output = Command::new("strace")
        .args(["-f", "-e", &format!("trace={call}"), "-o"])
        .arg(&trace)
        .args(["-e", &format!("inject={call}:{what}:when={count}")])
        .arg(worker.get_program())
        .args(worker.get_args())
        .output()
        .expect("strace");
    let trace = fs::read_to_string(trace).expect("a trace");
    (
        output,
        trace.contains("INJECTED") || trace.contains("killed by SIGKILL"),
    )
}

/// So that nobody has to wait until what a killed process left is stale.
fn make_old(folder: &Path) {
    let past = SystemTime::now() - Duration::from_secs(90);
    for name in ["index.lock", "index.takeover"] {
        let file = fs::OpenOptions::new().write(true).open(folder.join(name));
        if let Ok(file) = file {
            file.set_modified(past).expect("a time");
        }
    }
}

#[test]
fn killed_at_any_system_call_it_leaves_the_old_content_or_the_new_one() {
    if !can_trace() {
        return;
    }
    let (mut kills, mut new) = (0, 0);
    for scenario in Scenario::all() {
        for call in CALLS {
            for count in 1..=MOST_OF_ONE_CALL {
                let folder = scenario.copy();
                let (output, happened) = injected(folder.path(), call, count, "signal=KILL", "5");
                if !happened {
                    assert!(output.status.success(), "{call} {count}: {output:?}");
                    break;
                }
                let (_, said) = answer(&output);
                make_old(folder.path());
                let (generation, counter) = state(folder.path());
                let what = format!("{}, {call} {count}: {said:?}", scenario.name);
                assert_eq!(generation, counter, "{what}");
                let is_new = generation == scenario.generation + 1;
                assert!(is_new || generation == scenario.generation, "{what}");
                assert!(is_new || said.is_empty(), "{what}");
                kills += 1;
                new += u32::from(is_new);
                assert!(count < MOST_OF_ONE_CALL, "{what}");
            }
        }
    }
    println!("{kills} kills; {new} left the new content");
    assert!(kills > 60 && new > 10 && new < kills);
}

/// What a disk that is full or damaged says to this call.
fn error_of(call: &str) -> &'static str {
    match call {
        "openat" | "write" | "pwrite64" | "ftruncate" | "mkdirat" => "ENOSPC",
        _ => "EIO",
    }
}

#[test]
fn an_error_of_any_system_call_leaves_the_old_content_or_the_new_one_and_is_told() {
    if !can_trace() {
        return;
    }
    let (mut errors, mut refused) = (0, 0);
    for scenario in Scenario::all() {
        for call in CALLS {
            let error = error_of(call);
            for count in 1..=MOST_OF_ONE_CALL {
                let folder = scenario.copy();
                let what = format!("error={error}");
                let (output, happened) = injected(folder.path(), call, count, &what, "5");
                let (code, said) = answer(&output);
                let left = fs::exists(folder.path().join("index.commit")).expect("known");
                let what = format!("{}, {call} {count} {error}: {said:?}", scenario.name);
                if !happened {
                    assert_eq!(code, Some(0), "{what}");
                    break;
                }
                // 127: the program did not even start. 1: it could not tell.
                assert!(matches!(code, Some(0 | 1 | 4 | 127)), "{code:?}, {what}");
                if !folder.path().exists() {
                    assert!(!said.starts_with("committed"), "{what}");
                    continue;
                }
                make_old(folder.path());
                let (generation, counter) = state(folder.path());
                assert_eq!(generation, counter, "{what}");
                let is_new = generation == scenario.generation + 1;
                assert!(is_new || generation == scenario.generation, "{what}");
                if said.starts_with("committed") {
                    assert!(is_new, "{what}");
                } else if said.starts_with("refused") {
                    refused += 1;
                    assert!(!is_new || left, "told as refused and done: {what}");
                }
                errors += 1;
                assert!(count < MOST_OF_ONE_CALL, "{what}");
            }
        }
    }
    println!("{errors} errors, {refused} of them refused the commit");
    assert!(refused > 60);
}
