//! The database is deleted, damaged, or another one.

use std::fs;

use ds4_context_tests::block_file_content::Random;
use ds4_context_tests::indexed_session::{NEEDLE, ask, file_hash};

use super::*;

const CUTS: usize = 40;
const FLIP_ROUNDS: u64 = 60;
/// Where SQLite's header has the version of the schema.
const USER_VERSION: std::ops::Range<usize> = 60..64;

/// Does that to the database's bytes, and then everything is found again and the log is as it was. The health document.
fn recovers(damage: impl FnOnce(Vec<u8>) -> Option<Vec<u8>>, after: &str) -> Value {
    let (_folder, world) = world(6);
    let log = file_hash(&world.log(LOG));
    drop(indexed(&world));
    let bytes = fs::read(world.database()).expect("a database");
    match damage(bytes) {
        Some(bytes) => fs::write(world.database(), bytes).expect("written"),
        None => fs::remove_dir_all(world.data()).expect("deleted"),
    }
    let health = assert_whole(&mut indexed(&world), after);
    assert_eq!(file_hash(&world.log(LOG)), log, "{after}");
    assert_eq!(health["database"]["kind"], "stored", "{after}");
    health
}

#[test]
fn a_deleted_database_is_made_anew() {
    let health = recovers(|_| None, "deleted");
    assert_eq!(health["session"]["lastReason"], "initial");
}

#[test]
fn an_emptied_database_is_made_anew() {
    recovers(|_| Some(Vec::new()), "emptied");
}

#[test]
fn a_database_replaced_by_text_is_made_anew() {
    let text = "This is no database, but a note. ".repeat(1_000);
    let health = recovers(|_| Some(text.into_bytes()), "text");
    assert_eq!(health["database"]["madeAnew"], true);
    // Shorter than a header.
    recovers(|_| Some(b"note".to_vec()), "a short text");
}

#[test]
fn a_database_of_other_steps_is_made_anew() {
    let health = recovers(
        |mut bytes| {
            // A checksum in `schema_migrations` is 64 hex digits behind the step's name.
            let name = b"session-index";
            let at = bytes
                .windows(name.len() + 64)
                .position(|window| {
                    window.starts_with(name)
                        && window[name.len()..].iter().all(u8::is_ascii_hexdigit)
                })
                .expect("the row of the first step");
            let digit = &mut bytes[at + name.len()];
            *digit = if *digit == b'0' { b'1' } else { b'0' };
            Some(bytes)
        },
        "other steps",
    );
    assert_eq!(health["database"]["madeAnew"], true);
}

#[test]
fn a_cut_database_is_made_anew() {
    let mut random = Random::new(11);
    for _ in 0..CUTS {
        let mut size = 0;
        recovers(
            |mut bytes| {
                size = random.below(bytes.len() as u64);
                bytes.truncate(size as usize);
                Some(bytes)
            },
            "cut",
        );
    }
}

/// A newer version's database stays as it is, and the session works in memory meanwhile.
#[test]
fn a_database_of_a_newer_schema_is_left_alone() {
    let (_folder, world) = world(6);
    drop(indexed(&world));
    let mut bytes = fs::read(world.database()).expect("a database");
    bytes[USER_VERSION].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(world.database(), &bytes).expect("written");
    let mut session = indexed(&world);
    session.rebuild_index().expect("forgotten");
    session.index().expect("indexed");
    let health = assert_whole(&mut session, "a newer schema");
    assert_eq!(health["database"]["reason"], "newer-schema");
    assert_eq!(health["database"]["schema"], 99);
    assert_eq!(fs::read(world.database()).expect("a database"), bytes);
}

/// SQLite has no checksums: a flipped bit may stay unseen until somebody looks. It never fails a call, what is found is verified
/// against the log, and a rebuild repairs everything.
#[test]
fn flipped_bits_fail_no_call_and_are_repaired() {
    let (_folder, world) = world(6);
    let log = file_hash(&world.log(LOG));
    drop(indexed(&world));
    let intact = fs::read(world.database()).expect("a database");
    let mut random = Random::new(13);
    let (mut made_anew, mut unseen, mut lost) = (0, 0, 0);
    for round in 0..FLIP_ROUNDS {
        let mut bytes = intact.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << random.below(8);
        }
        fs::write(world.database(), bytes).expect("written");
        let mut session = indexed(&world);
        let answer = ask(&mut session, NEEDLE).expect("searched");
        for hit in &answer.hits {
            let is_verified = hit.excerpt.contains(NEEDLE) || !hit.reason.contains("exact");
            assert!(is_verified, "round {round}: {hit:?}");
        }
        lost += u64::from(answer.hits.is_empty());
        let before = health(&mut session);
        made_anew += u64::from(before["database"]["madeAnew"] == true);
        unseen += u64::from(before["healthy"] == true);
        drop(session);

        let mut session = world.open(SESSION, LOG).expect("opened");
        session.rebuild_index().expect("forgotten");
        session.index().expect("indexed");
        assert_whole(&mut session, &format!("round {round}: {before}"));
        assert_eq!(file_hash(&world.log(LOG)), log, "round {round}");
    }
    println!(
        "{FLIP_ROUNDS} rounds: {made_anew} made anew at once, {unseen} well in spite of it or after it, {lost} without the needle until the rebuild"
    );
}
