//! A process is killed with SIGKILL while it indexes, at any time.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use ds4_context_tests::block_file_content::Random;
use ds4_context_tests::indexed_session::file_hash;
use serde_json::json;

use super::*;

/// Rounds where `DS4_KILL_ROUNDS` does not say.
const ROUNDS: u32 = 100;
/// Bytes of text of one transaction: some thirty for the whole log.
const SLICE: &str = "4000";
/// Longest life after the first slice: about two rebuilds.
const LONGEST_LIFE_US: u64 = 150_000;

#[test]
fn a_killed_process_leaves_an_index_that_goes_on() {
    let (folder, world) = world(40);
    let log = file_hash(&world.log(LOG));
    let mut random = Random::new(7);
    let (mut in_the_middle, mut records) = (0, 0);
    let rounds =
        std::env::var("DS4_KILL_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"));
    for round in 0..rounds {
        let mut worker = Command::new(env!("CARGO_BIN_EXE_index-worker"))
            .arg("rebuild")
            .arg(folder.path())
            .args([SESSION, LOG, SLICE, "0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a worker");
        let mut lines = BufReader::new(worker.stdout.take().expect("standard output")).lines();
        let first = lines.next().expect("a slice").expect("text");
        assert!(first.starts_with("indexed "), "{first}");
        sleep(Duration::from_micros(random.below(LONGEST_LIFE_US)));
        worker.kill().expect("killed");
        worker.wait().expect("gone");
        let said: Vec<String> = lines.map_while(Result::ok).collect();
        let last = said.last().unwrap_or(&first);
        assert!(
            last == "round" || last.starts_with("indexed "),
            "round {round}: {last}"
        );
        records += u32::from(world.data().join("context.db.commit").exists());

        // A lock whose owner died before it had written who it is stays for some seconds.
        let patient = json!({"storage": {"busyTimeoutMs": 15_000}});
        let mut session = world.open_with(SESSION, LOG, patient).expect("opened");
        let before = session.index_slice(1).expect("indexed on");
        in_the_middle += u32::from(!before.finished);
        session.index().expect("indexed to the end");
        let health = assert_whole(&mut session, &format!("round {round}, {last}"));
        // A kill damages nothing: what there was is taken on, not made anew.
        assert_eq!(health["database"]["madeAnew"], false, "round {round}");
        assert_ne!(
            health["session"]["lastReason"], "database-damaged",
            "round {round}"
        );
        assert_eq!(file_hash(&world.log(LOG)), log, "round {round}");
    }
    println!(
        "{rounds} kills: {in_the_middle} left a part of the entries, {records} an unfinished commit"
    );
    // Without these the kills came at harmless times only, and nothing was tested.
    assert!(in_the_middle > 0);
}
