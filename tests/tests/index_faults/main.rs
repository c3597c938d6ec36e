//! What can happen to the index database under the Rust host: processes that are killed or fight for it, damage, a full or
//! read-only disk, logs that change. In every case the log stays as it is and what it says is found again.

#![cfg(unix)]

mod contention;
mod damage;
mod killed;
mod limits;
mod rebuilds;

use std::fs;

use ds4_context_host::{HealthDepth, Session};
use ds4_context_tests::indexed_session::{World, finds_the_needle, log_with_needle};
use ds4_context_tests::temporary_folder::TemporaryFolder;
use serde_json::Value;

const SESSION: &str = "session";
const LOG: &str = "session.jsonl";

/// A folder with one log of so many turns.
fn world(turns: usize) -> (TemporaryFolder, World) {
    let folder = TemporaryFolder::new().expect("a folder");
    let world = World::new(folder.path());
    fs::write(world.log(LOG), log_with_needle(turns).text()).expect("a log");
    (folder, world)
}

/// The session, read and indexed to its end.
fn indexed(world: &World) -> Session {
    let mut session = world.open(SESSION, LOG).expect("opened");
    session.index().expect("indexed");
    session
}

fn health(session: &mut Session) -> Value {
    let text = session.health(HealthDepth::Deep).expect("examined");
    serde_json::from_str(&text).expect("JSON")
}

/// Everything is indexed, the needle is found, and every page is well. The health document.
fn assert_whole(session: &mut Session, after: &str) -> Value {
    assert!(finds_the_needle(session).expect("searched"), "{after}");
    let health = health(session);
    assert_eq!(health["healthy"], true, "{after}: {health}");
    assert_eq!(health["upToDate"], true, "{after}: {health}");
    health
}
