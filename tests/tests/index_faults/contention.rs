//! Several processes on one database, and one that keeps it too long.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ds4_context_host::{EngineError, HostError};
use ds4_context_tests::indexed_session::log_with_needle;
use ds4_context_tests::pi_log::PiLog;
use serde_json::json;

use super::*;

const LOAD_MS: u64 = 4_000;

fn worker(world: &TemporaryFolder, words: &[&str]) -> Child {
    let [command, rest @ ..] = words else {
        panic!("no command");
    };
    Command::new(env!("CARGO_BIN_EXE_index-worker"))
        .arg(command)
        .arg(world.path())
        .args(rest)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a worker")
}

/// Rounds of a worker that must have ended well.
fn rounds(worker: Child) -> usize {
    let output = worker.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}: {}",
        output.status,
        said.lines().last().unwrap_or_default()
    );
    said.lines().filter(|line| *line == "round").count()
}

#[test]
fn two_sessions_and_one_of_them_twice_share_a_database() {
    let (folder, world) = world(10);
    std::fs::write(world.log("other.jsonl"), log_with_needle(10).text()).expect("a log");
    let time = LOAD_MS.to_string();
    let workers = [
        worker(&folder, &["rebuild", "other", "other.jsonl", "4000", &time]),
        worker(&folder, &["follow", SESSION, LOG, "4000", &time]),
        worker(&folder, &["follow", SESSION, LOG, "1500", &time]),
    ];
    // The agent writes its log meanwhile.
    let end = Instant::now() + Duration::from_millis(LOAD_MS);
    let made = log_with_needle(10);
    let (mut leaf, mut entries) = (made.leaf().to_owned(), made.entries());
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(world.log(LOG))
        .expect("the log");
    let mut written = 0;
    while Instant::now() < end {
        let mut more = PiLog::continued(&leaf, entries);
        more.turn(&format!("m{written}"), 1_000);
        file.write_all(more.text().as_bytes()).expect("written");
        (leaf, entries) = (more.leaf().to_owned(), more.entries());
        written += 1;
        std::thread::sleep(Duration::from_millis(20));
    }
    let rounds = workers.map(rounds);
    println!("{rounds:?} rounds in {LOAD_MS} ms while {written} turns were written");
    assert!(rounds.iter().all(|rounds| *rounds > 1), "{rounds:?}");
    let mut session = indexed(&world);
    let health = assert_whole(&mut session, "after the load");
    assert_eq!(health["session"]["rebuilds"], 0, "{health}");
    assert_eq!(health["database"]["madeAnew"], false);
    let mut other = world.open("other", "other.jsonl").expect("opened");
    other.index().expect("indexed");
    assert_whole(&mut other, "the other session");
}

/// A process that keeps the database: calls are repeated up to `storage.busyTimeoutMs`, and then one line says it.
#[test]
fn a_database_that_is_held_is_asked_again_and_then_told() {
    let (_folder, world) = world(6);
    drop(indexed(&world));
    let mut holder = Command::new(env!("CARGO_BIN_EXE_block-file-worker"))
        .arg("hold")
        .arg(world.data())
        .arg(ds4_context_tests::indexed_session::DATABASE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a holder");
    let mut said = String::new();
    let output = holder.stdout.take().expect("standard output");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut said).expect("a line");
    assert!(said.starts_with("held "), "{said}");

    let impatient = json!({"storage": {"busyTimeoutMs": 300}});
    let mut session = world.open_with(SESSION, LOG, impatient).expect("opened");
    let started = Instant::now();
    let refused = session.index().expect_err("held");
    let waited = started.elapsed();
    assert!(
        matches!(&refused, HostError::Refused(EngineError::Busy)),
        "{refused:?}"
    );
    assert!(
        waited >= Duration::from_millis(300) && waited < Duration::from_secs(3),
        "{waited:?}"
    );
    assert_eq!(refused.to_string().lines().count(), 1);
    // A plan waits for as long, and is then made without evidence.
    session
        .plan(&ds4_context_host::PlanRequest {
            budget: Some(3_000),
            ..ds4_context_host::PlanRequest::default()
        })
        .expect("planned");

    // Held for a part of the time only: nobody notices.
    let patient = json!({"storage": {"busyTimeoutMs": 10_000}});
    let mut session = world.open_with(SESSION, LOG, patient).expect("opened");
    let input = holder.stdin.take();
    let release = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        drop(input);
    });
    session.index().expect("indexed when it was free");
    release.join().expect("released");
    holder.wait().expect("gone");
    assert_whole(&mut session, "held for a while");
}
