//! Several processes at once: no commit is lost, none is made on top of another one's past.

use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::Duration;

use ds4_context_tests::block_file_content::Random;
use ds4_context_tests::temporary_folder::TemporaryFolder;

use super::*;

#[test]
fn commits_of_several_processes_are_one_sequence() {
    const WRITERS: u64 = 4;
    const COMMITS: u64 = 40;
    let folder = TemporaryFolder::new().expect("a folder");
    let writers: Vec<Worker> = (0..WRITERS)
        .map(|seed| {
            let words = ["commit", &COMMITS.to_string(), &seed.to_string()];
            Worker::start(folder.path(), &words)
        })
        .collect();
    let readers: Vec<Worker> = (0..2)
        .map(|_| Worker::start(folder.path(), &["read", "60"]))
        .collect();
    let mut generations = Vec::new();
    for writer in writers {
        for line in writer.finish() {
            let committed = numbers(&line);
            assert_eq!(committed[0], committed[1], "{line}");
            generations.push(committed[0]);
        }
    }
    for reader in readers {
        let mut last = 0;
        for line in reader.finish() {
            let read = numbers(&line);
            assert_eq!(read[0], read[1], "{line}");
            assert!(read[0] >= last, "{line} after {last}");
            last = read[0];
        }
    }
    generations.sort_unstable();
    assert_eq!(generations, (1..=WRITERS * COMMITS).collect::<Vec<u64>>());
    assert_eq!(state(folder.path()), (WRITERS * COMMITS, WRITERS * COMMITS));
    assert_eq!(names(folder.path()), ["index", "index.state"]);
}

#[test]
fn processes_that_fight_over_the_lock_of_a_dead_one_commit_one_after_the_other() {
    const WRITERS: u64 = 4;
    let mut expected = 0;
    let folder = TemporaryFolder::new().expect("a folder");
    for _ in 0..10 {
        let mut holder = Worker::start(folder.path(), &["hold"]);
        holder.line().expect("held");
        // All of them find the lock of one that lives, and see it die.
        let writers: Vec<Worker> = (0..WRITERS)
            .map(|seed| Worker::start(folder.path(), &["commit", "2", &seed.to_string()]))
            .collect();
        holder.kill();
        let committed: BTreeSet<u64> = writers
            .into_iter()
            .flat_map(Worker::finish)
            .map(|line| numbers(&line)[0])
            .collect();
        let wanted: BTreeSet<u64> = (expected + 1..=expected + WRITERS * 2).collect();
        assert_eq!(committed, wanted);
        expected += WRITERS * 2;
        let takeover = format!("{NAME}.takeover");
        assert!(!names(folder.path()).contains(&takeover));
    }
    assert_eq!(state(folder.path()), (expected, expected));
}

#[test]
fn kills_among_several_processes_lose_no_commit_that_was_told() {
    const WRITERS: u64 = 3;
    const KILLS: u64 = 60;
    let folder = TemporaryFolder::new().expect("a folder");
    let mut random = Random::new(7);
    let start = |seed: u64| Worker::start(folder.path(), &["commit", "0", &seed.to_string()]);
    let mut workers: Vec<Worker> = (0..WRITERS).map(start).collect();
    let mut told = Vec::new();
    let mut tell = |lines: Vec<String>| told.extend(lines.iter().map(|line| numbers(line)[0]));
    for kill in 0..KILLS {
        sleep(Duration::from_micros(random.below(30_000)));
        let chosen = usize::try_from(random.below(WRITERS)).expect("small");
        let killed = std::mem::replace(&mut workers[chosen], start(100 + kill));
        tell(killed.kill());
    }
    for worker in workers {
        tell(worker.kill());
    }
    let (generation, counter) = state(folder.path());
    assert_eq!(generation, counter);
    let distinct: BTreeSet<u64> = told.iter().copied().collect();
    assert_eq!(
        distinct.len(),
        told.len(),
        "a generation was committed twice"
    );
    assert!(distinct.last().is_none_or(|last| *last <= generation));
    // A commit that nobody told of is one of a process that was killed on the way.
    let untold = generation - distinct.len() as u64;
    println!("{generation} commits, {untold} of them by a process that died before it could tell");
    assert!(generation > 0 && untold <= KILLS + WRITERS, "{untold}");
}
