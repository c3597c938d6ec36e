//! The log changes between two processes: each reason for which an index is made anew (behaviour 2.14).

use std::fs;

use ds4_context_tests::indexed_session::{NEEDLE, ask, log_with_needle};
use ds4_context_tests::pi_log::PiLog;

use super::*;

/// Opens and indexes the log as a new process would, and says why the rows were made anew and how often.
fn reason(world: &World, log: &str) -> (String, u64) {
    let mut session = world.open(SESSION, log).expect("opened");
    session.index().expect("indexed");
    let health = assert_whole(&mut session, log);
    let session = &health["session"];
    let reason = session["lastReason"].as_str().expect("a reason");
    (
        reason.to_owned(),
        session["rebuilds"].as_u64().expect("a number"),
    )
}

fn of(reason: &str, rebuilds: u64) -> (String, u64) {
    (reason.to_owned(), rebuilds)
}

#[test]
fn every_reason_is_told() {
    let (_folder, world) = world(40);
    let file = world.log(LOG);
    let whole = fs::read_to_string(&file).expect("a log");
    assert_eq!(reason(&world, LOG), of("initial", 0));
    assert_eq!(reason(&world, LOG), of("initial", 0));

    // Grown: taken on.
    let made = log_with_needle(40);
    let mut more = PiLog::continued(made.leaf(), made.entries());
    more.user("more", "And the lid of the archive is ochre-nine.");
    let grown = format!("{whole}{}", more.text());
    fs::write(&file, &grown).expect("written");
    assert_eq!(reason(&world, LOG), of("initial", 0));
    let mut session = indexed(&world);
    let found = ask(&mut session, "ochre-nine").expect("searched");
    assert_eq!(found.hits[0].entry_id, "more");
    drop(session);

    // Cut by a line.
    fs::write(&file, &whole).expect("written");
    assert_eq!(reason(&world, LOG), of("truncated", 1));

    // An entry far before the end, in the same length.
    let changed = whole.replacen("Question 1 about part 1", "Question 1 above part 1", 1);
    assert!(changed.len() == whole.len() && changed.len() > 128 * 1024);
    fs::write(&file, &changed).expect("written");
    assert_eq!(reason(&world, LOG), of("entry-changed", 2));

    // The last entry, in the same length.
    let at = changed.rfind("src/answer-40").expect("the last answer");
    let mut rewritten = changed.clone();
    rewritten.replace_range(at..at + 3, "SRC");
    fs::write(&file, &rewritten).expect("written");
    assert_eq!(reason(&world, LOG), of("changed-in-place", 3));

    // Another session's header.
    let replaced = rewritten.replacen("\"id\":\"session\"", "\"id\":\"another\"", 1);
    fs::write(&file, &replaced).expect("written");
    assert_eq!(reason(&world, LOG), of("header-changed", 4));

    // The file was moved.
    fs::rename(&file, world.log("moved.jsonl")).expect("moved");
    assert_eq!(reason(&world, "moved.jsonl"), of("path-changed", 5));

    // Somebody asked.
    let mut session = world.open(SESSION, "moved.jsonl").expect("opened");
    session.rebuild_index().expect("forgotten");
    session.index().expect("indexed");
    let health = assert_whole(&mut session, "asked for");
    assert_eq!(health["session"]["lastReason"], "forced");
    drop(session);

    // The page with the table of sessions is gone; the header is not.
    let mut pages = fs::read(world.database()).expect("a database");
    pages[4096..].fill(0);
    fs::write(world.database(), pages).expect("written");
    let (last, _) = reason(&world, "moved.jsonl");
    assert!(last == "database-damaged" || last == "initial", "{last}");
}

/// The database is damaged while a session has it open: the session itself sees it, and says so.
#[test]
fn damage_under_an_open_session_is_told() {
    let (_folder, world) = world(6);
    let mut session = indexed(&world);
    let mut other = world.open("other", LOG).expect("opened");
    let mut pages = fs::read(world.database()).expect("a database");
    pages[4096..].fill(0xAA);
    fs::write(world.database(), pages).expect("written");
    // Another process finds it out and makes the file anew.
    other.index().expect("indexed");
    let answer = ask(&mut session, NEEDLE).expect("searched");
    assert!(answer.hits.is_empty() || answer.hits[0].entry_id == "needle");
    session.rebuild_index().expect("forgotten");
    session.index().expect("indexed");
    assert_whole(&mut session, "damage under an open session");
    assert_whole(&mut other, "the other session");
}
