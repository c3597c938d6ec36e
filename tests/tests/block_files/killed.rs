//! A process is killed with SIGKILL, at any time.

use std::thread::sleep;
use std::time::Duration;

use ds4_context_tests::block_file_content::Random;
use ds4_context_tests::temporary_folder::TemporaryFolder;

use super::*;

/// Kills of one run.
const ROUNDS: u64 = 250;
/// Keeps files in memory, so that a sync takes no time and a kill meets every other step more often.
const MEMORY: &str = "/dev/shm";

#[test]
fn on_a_disk_the_content_is_that_of_one_commit_and_the_counter_never_goes_back() {
    let folder = TemporaryFolder::new().expect("a folder");
    kill_often(folder.path(), 40_000);
}

#[test]
fn in_memory_the_content_is_that_of_one_commit_and_the_counter_never_goes_back() {
    match TemporaryFolder::below(Path::new(MEMORY)) {
        Ok(folder) => kill_often(folder.path(), 5_000),
        Err(error) => eprintln!("SKIPPED: {MEMORY}: {error}"),
    }
}

/// Kills a worker at most so many microseconds after its first commit, some ten commits later.
fn kill_often(folder: &Path, longest_life_us: u64) {
    let mut random = Random::new(1);
    let (mut before, mut unfinished, mut finished_by_us) = (0, 0, 0);
    for round in 0..ROUNDS {
        let mut worker = Worker::start(folder, &["commit", "0", &round.to_string()]);
        let first = worker.line().expect("a first commit");
        sleep(Duration::from_micros(random.below(longest_life_us)));
        let said = worker.kill();
        let last = numbers(said.last().unwrap_or(&first));
        let left = names(folder);
        let has_record = left.iter().any(|name| name == "index.commit");
        unfinished += u64::from(has_record);

        let (generation, counter) = state(folder);
        // Every commit was counted, and the one that was under way is there or is not.
        assert_eq!(generation, counter, "round {round}");
        assert!(
            generation == last[0] || generation == last[0] + 1,
            "round {round}: {generation} after {last:?}"
        );
        assert_eq!(last[0], last[1], "round {round}");
        assert!(generation > before, "round {round}");
        finished_by_us += u64::from(has_record && generation == last[0] + 1);
        before = generation;
        let rest = names(folder);
        assert!(
            !rest
                .iter()
                .any(|name| name == "index.commit" || name == "index.lock")
        );
    }
    println!(
        "{ROUNDS} kills, {before} commits; {unfinished} times a record was left, of which {finished_by_us} were finished"
    );
    // Without these the kills came at harmless times only, and nothing was tested.
    assert!(finished_by_us > 0);
}

#[test]
fn the_lock_of_a_killed_process_is_taken_over_at_once() {
    let folder = TemporaryFolder::new().expect("a folder");
    let mut holder = Worker::start(folder.path(), &["hold"]);
    assert_eq!(holder.line().as_deref(), Some("held 0"));
    let mut file = open(folder.path());
    assert_eq!(file.lock(), Err(ds4_context_host::StorageError::Busy));
    holder.kill();
    assert_eq!(names(folder.path()), ["index.lock"]);
    assert_eq!(file.lock(), Ok(0));
    file.unlock();
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_process_that_ends_well_leaves_no_lock() {
    let folder = TemporaryFolder::new().expect("a folder");
    let mut holder = Worker::start(folder.path(), &["hold"]);
    assert_eq!(holder.line().as_deref(), Some("held 0"));
    holder.finish();
    assert!(names(folder.path()).is_empty());
}
