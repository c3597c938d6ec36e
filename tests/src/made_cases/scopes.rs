//! Searches beyond the session (behaviour 2.16): the sessions that it was forked from, and those of the project.

use serde_json::json;

use super::MadeCase;
use super::search::search_in;
use crate::cases::Step;
use crate::pi_log::PiLog;

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        fork(),
        begun_anew(),
        broken_lineage(),
        project(),
        project_of_forks(),
        references(),
    ]
}

const LINEAGE: &str = "current-lineage";
const PROJECT: &str = "project";
/// A path as Pi writes it into a header; only its end is of use.
const SESSIONS: &str = "/home/user/.pi/agent/sessions/--work-project--";

fn index(scope: &str) -> Step {
    Step::IndexScope {
        scope: scope.to_owned(),
    }
}

fn read(hit: usize) -> Step {
    Step::ReadHistory {
        hit,
        first_line: 1,
        count: 5,
    }
}

/// The log of a session of that ID, forked from the one in that file.
fn child(id: &str, parent: &str) -> PiLog {
    PiLog::with_header(&json!({"id": id, "parentSession": format!("{SESSIONS}/{parent}")}))
}

fn session(id: &str) -> PiLog {
    PiLog::with_header(&json!({"id": id}))
}

/// A session with two branches from `t1a`: `t2`, then `t3`.
fn parent() -> PiLog {
    let mut log = session("parent");
    log.user("t1u", "Which colour has the beacon?")
        .say("t1a", "The beacon is amber.")
        .user("t2u", "Try a violet beacon")
        .say("t2a", "The violet beacon is too dark.")
        .at("t1a")
        .user("t3u", "Try a green beacon")
        .say("t3a", "The green beacon is seen from afar.")
        .user("t4u", "Now the beacon of the harbour")
        .say("t4a", "The harbour has a white beacon.");
    log
}

fn fork() -> MadeCase {
    let parent = parent();
    let mut log =
        child("fork", "parent.jsonl").with_entries_of(&parent, &["t1u", "t1a", "t3u", "t3a"]);
    log.user("f1u", "Keep the green beacon")
        .say("f1a", "The green beacon stays.");
    MadeCase::new(
        "search-scope-lineage-of-a-fork",
        "What a fork copied is found once, as its own; what its parent did on other branches and later is no history of it.",
        &log,
    )
    .beside("parent.jsonl", &parent)
    .config(json!({"historyTools": {"allowProjectScope": true}}))
    .step(index(LINEAGE))
    .step(search_in(LINEAGE, "beacon"))
    .step(search_in(LINEAGE, "harbour"))
    .step(index(PROJECT))
    .step(search_in(PROJECT, "beacon harbour violet"))
}

fn begun_anew() -> MadeCase {
    let mut log = child("third", "second.jsonl");
    log.user("u1", "Go on with the beacon");
    let mut second = child("second", "first.jsonl");
    second
        .user("s1u", "And the lamp of the beacon?")
        .say("s1a", "The lamp is an LED of forty watts.");
    let mut first = session("first");
    first
        .user("s1u", "Which glass does the beacon have?")
        .say("s1a", "A Fresnel lens of borosilicate glass.");
    MadeCase::new(
        "search-scope-lineage-begun-anew",
        "A session that began with nothing of its parent's has all of it as history, generation by generation; an ID counts within its session.",
        &log,
    )
    .beside("first.jsonl", &first)
    .beside("second.jsonl", &second)
    .step(search_in(LINEAGE, "borosilicate"))
    .step(index(LINEAGE))
    .step(search_in(LINEAGE, "borosilicate"))
    .step(read(0))
    .step(search_in(LINEAGE, "forty watts"))
    .step(read(0))
    .step(search_in("current-session", "borosilicate"))
    .step(search_in(LINEAGE, "what glass and which lamp has the beacon"))
}

fn broken_lineage() -> MadeCase {
    let mut log = child("own", "damaged.jsonl");
    log.user("u1", "Go on with the beacon");
    let mut damaged = child("damaged", "gone.jsonl");
    damaged
        .line("{\"type\":\"message\",\"id\":\"d1\",\"parentId\":nul")
        .user("d2", "The beacon stands on the damaged pier.");
    MadeCase::new(
        "search-scope-broken-lineage",
        "A damaged parent gives what can be read of it; the one behind it that is not there is left out and counted.",
        &log,
    )
    .beside("damaged.jsonl", &damaged)
    .step(index(LINEAGE))
    .step(search_in(LINEAGE, "beacon pier"))
    .step(Step::RemoveLog {
        file: "damaged.jsonl".to_owned(),
    })
    .step(read(0))
    .step(index(LINEAGE))
    .step(search_in(LINEAGE, "beacon pier"))
}

fn project() -> MadeCase {
    let mut log = session("own");
    log.turn("o1", 300)
        .turn("o2", 300)
        .turn("o3", 300)
        .user("u1", "What do we know of the beacon?");
    let mut older = session("older");
    older.user("a1", "The beacon flashes twice a minute.");
    let mut newer = session("newer");
    newer.user("a1", "The beacon has a horn for fog.");
    let mut elsewhere = PiLog::with_header(&json!({"id": "elsewhere", "cwd": "/work/other"}));
    elsewhere.user("a1", "The beacon of another project.");
    let mut copy = session("own");
    copy.user("c1", "The beacon in a copy of this session.");
    let mut no_log = PiLog::continued("x", 0);
    no_log.line("beacon").line("no session");
    MadeCase::new(
        "search-scope-project",
        "The sessions of the same folder, where the configuration allows it; another folder's are none of them, and what is no session, or the same one again, is left out.",
        &log,
    )
    .beside("2026-01-01_older.jsonl", &older)
    .beside("2026-02-01_newer.jsonl", &newer)
    .beside("2026-03-01_elsewhere.jsonl", &elsewhere)
    .beside("2026-04-01_copy.jsonl", &copy)
    .beside("2026-05-01_none.jsonl", &no_log)
    .config(json!({"historyTools": {"allowProjectScope": true}}))
    .step(index(PROJECT))
    .step(search_in(PROJECT, "what flashes or has a horn: the beacon?"))
    .step(read(0))
    .step(search_in(LINEAGE, "beacon horn"))
    .step(search_in("current-session", "beacon horn"))
}

fn project_of_forks() -> MadeCase {
    let parent = parent();
    let copied = ["t1u", "t1a"];
    let mut log = child("own", "2026-01-01_parent.jsonl").with_entries_of(&parent, &copied);
    log.user("u1", "A beacon of my own");
    let mut sibling = child("sibling", "2026-01-01_parent.jsonl")
        .with_entries_of(&parent, &["t1u", "t1a", "t3u"]);
    sibling.say("s1", "The sibling takes the green beacon.");
    MadeCase::new(
        "search-scope-project-of-forks",
        "What forks of one session have in common is found once: in the session itself, else in the one it was forked from. Two of three are taken in.",
        &log,
    )
    .beside("2026-01-01_parent.jsonl", &parent)
    .beside("2026-02-01_sibling.jsonl", &sibling)
    .beside("2026-01-15_left-out.jsonl", &session("left-out"))
    .config(json!({"historyTools": {"allowProjectScope": true, "maxProjectSessions": 1}}))
    .step(index(PROJECT))
    .step(search_in(PROJECT, "beacon amber green sibling own"))
}

fn references() -> MadeCase {
    let mut log = session("own");
    log.user("t1u", "Which colour has the beacon?")
        .say("t1a", "The beacon is amber.")
        .user("t2u", "And the violet one?")
        .say("t2a", "The violet beacon is too dark.");
    MadeCase::new(
        "search-scope-of-references",
        "A reference opens its entry as long as the scope in which it was given holds it: one of the branch not from another branch.",
        &log,
    )
    .step(Step::Index)
    .step(search_in("current-branch", "violet dark"))
    .step(Step::SelectLeaf {
        entry_id: Some("t1a".to_owned()),
    })
    .step(read(0))
    .step(search_in("current-session", "violet dark"))
    .step(read(0))
    .step(Step::SelectLeaf {
        entry_id: Some("t2a".to_owned()),
    })
    .step(read(0))
}
