//! Searches that look into other sessions: which are taken in, what of them counts, and what a reference opens later.

use std::rc::Rc;

use serde_json::{Value, json};

use super::super::*;
use super::{line, options};
use crate::store::memory::MemoryStorage;

const NOW_MS: u64 = 1_767_225_700_000;
const SLICE: u32 = 1 << 20;
const OWN_LOG: &str = "2026-03_own.jsonl";

/// A log: its header's fields beside type and version, and its messages as `(id, parent, text)`.
fn log(header: Value, messages: &[(&str, Option<&str>, &str)]) -> Vec<u8> {
    let mut fields = json!({"type": "session", "version": 3, "cwd": "/w"});
    fields
        .as_object_mut()
        .unwrap()
        .extend(header.as_object().unwrap().clone());
    let lines = messages
        .iter()
        .map(|(id, parent, text)| line(id, *parent, json!({"role": "user", "content": text})));
    (fields.to_string() + "\n" + &lines.collect::<String>()).into_bytes()
}

fn child_of(parent: &str) -> Value {
    json!({"id": "own", "parentSession": format!("/elsewhere/sessions/{parent}")})
}

struct World {
    storage: Rc<MemoryStorage>,
    session: Session,
}

impl World {
    /// A session on [`OWN_LOG`] among those files, with everything read.
    fn new(files: Vec<(&str, Vec<u8>)>) -> Self {
        Self::with_config(files, &json!({"historyTools": {"allowProjectScope": true}}))
    }

    fn with_config(files: Vec<(&str, Vec<u8>)>, config: &Value) -> Self {
        let storage = Rc::new(MemoryStorage::default());
        let named = files
            .into_iter()
            .map(|(name, content)| (name.to_owned(), content));
        storage.files.borrow_mut().extend(named);
        let options = SessionOptions {
            session_id: "own".to_owned(),
            config: config.to_string().into_bytes(),
            ..options(Some(OWN_LOG))
        };
        let port: Rc<dyn Storage> = Rc::<MemoryStorage>::clone(&storage);
        let mut session = Session::open(options, port).unwrap();
        while !session.sync(SLICE).unwrap().finished {}
        Self { storage, session }
    }

    fn index(&mut self, scope: Scope) -> Progress {
        loop {
            let progress = self.session.index_scope(scope, SLICE, NOW_MS).unwrap();
            if progress.finished {
                return progress;
            }
        }
    }

    fn search(&mut self, scope: Scope, text: &str) -> HistoryAnswer {
        let query = HistoryQuery {
            text: text.to_owned(),
            scope,
            limit: 10,
            max_tokens: Some(1_000),
            now_ms: NOW_MS,
        };
        self.session.search_history(&query).unwrap()
    }

    /// What a search finds that says the word when all is indexed, as `session/entry relation`, in byte order.
    fn found(&mut self, scope: Scope, text: &str) -> Vec<String> {
        self.index(scope);
        let hits = self.search(scope, text).hits.into_iter();
        let hits = hits.filter(|hit| hit.excerpt.contains(text));
        let mut found: Vec<String> = hits
            .map(|hit| {
                format!(
                    "{}/{} {}",
                    hit.session_id,
                    hit.entry_id,
                    hit.relation.name()
                )
            })
            .collect();
        found.sort();
        found
    }

    fn reference(&mut self, scope: Scope, text: &str) -> String {
        self.index(scope);
        self.search(scope, text).hits.remove(0).reference
    }

    fn read(&mut self, reference: &str) -> Result<String, EngineError> {
        let lines = self.session.read_history(reference, 1, 10, NOW_MS)?;
        Ok(format!("{}: {}", lines.session_id, lines.text.trim_end()))
    }

    fn write(&self, name: &str, content: Vec<u8>) {
        self.storage
            .files
            .borrow_mut()
            .insert(name.to_owned(), content);
    }
}

/// A fork at `p2` of a session that went on with `p3`, whose other branch is `p9`.
fn fork() -> Vec<(&'static str, Vec<u8>)> {
    let shared = [
        ("p1", None, "the beacon is amber"),
        ("p2", Some("p1"), "then fork"),
    ];
    let parent = [
        ("p9", Some("p1"), "the beacon was violet once"),
        ("p3", Some("p2"), "the beacon turned green later"),
    ];
    vec![
        (
            OWN_LOG,
            log(
                child_of("parent.jsonl"),
                &[&shared[..], &[("o1", Some("p2"), "the beacon of the fork")]].concat(),
            ),
        ),
        (
            "parent.jsonl",
            log(
                json!({"id": "parent"}),
                &[&shared[..], &parent[..]].concat(),
            ),
        ),
    ]
}

#[test]
fn what_a_fork_copied_counts_once_and_what_came_later_in_its_parent_not_at_all() {
    let mut world = World::new(fork());
    let own = ["own/o1 ancestor", "own/p1 ancestor"];
    assert_eq!(world.found(Scope::CurrentSession, "beacon"), own);
    assert_eq!(world.found(Scope::CurrentLineage, "beacon"), own);
    let mut all = own.to_vec();
    all.extend(["parent/p3 other-branch", "parent/p9 other-branch"]);
    assert_eq!(world.found(Scope::Project, "beacon"), all);
}

#[test]
fn a_session_that_was_begun_anew_has_all_of_its_parent_as_history() {
    let parent = [
        ("p1", None, "the beacon is amber"),
        ("p9", Some("p1"), "the beacon was violet once"),
        ("p3", Some("p1"), "the beacon turned green later"),
    ];
    let mut world = World::new(vec![
        (
            OWN_LOG,
            log(child_of("parent.jsonl"), &[("o1", None, "hand-over")]),
        ),
        ("parent.jsonl", log(json!({"id": "parent"}), &parent)),
    ]);
    assert_eq!(
        world.found(Scope::CurrentLineage, "beacon"),
        [
            "parent/p1 lineage-ancestor",
            "parent/p3 lineage-ancestor",
            "parent/p9 other-branch"
        ]
    );
    assert!(world.found(Scope::CurrentSession, "beacon").is_empty());
}

#[test]
fn a_fork_that_copied_only_the_end_has_the_way_before_it() {
    let parent = [
        ("p1", None, "the beacon is amber"),
        ("p9", Some("p1"), "the beacon was violet once"),
        ("p2", Some("p1"), "then fork"),
    ];
    let mut world = World::new(vec![
        (
            OWN_LOG,
            log(child_of("parent.jsonl"), &[("p2", None, "then fork")]),
        ),
        ("parent.jsonl", log(json!({"id": "parent"}), &parent)),
    ]);
    assert_eq!(
        world.found(Scope::CurrentLineage, "beacon"),
        ["parent/p1 lineage-ancestor"]
    );
}

#[test]
fn a_lineage_is_followed_for_sixteen_generations_and_around_no_circle() {
    let names: Vec<String> = (0..20)
        .map(|number| format!("g{number:02}.jsonl"))
        .collect();
    let mut files = vec![(OWN_LOG, log(child_of("g00.jsonl"), &[("o1", None, "own")]))];
    for (number, name) in names.iter().enumerate() {
        let next = names.get(number + 1).map_or("g00.jsonl", String::as_str);
        let header = json!({"id": format!("s{number:02}"), "parentSession": format!("C:\\sessions\\{next}")});
        files.push((
            name,
            log(header, &[(&format!("e{number}"), None, "the beacon")]),
        ));
    }
    let mut world = World::new(files.clone());
    world.index(Scope::CurrentLineage);
    let sessions = world.search(Scope::CurrentLineage, "beacon").sessions;
    let counts = |up_to_date, left_out| SessionCounts {
        up_to_date,
        pending: 0,
        left_out,
    };
    assert_eq!(sessions, counts(17, 1));

    // Three generations in a circle, then a session that names itself, then one that names a file that is not there.
    files.truncate(4);
    for next in [
        "g00.jsonl",
        "g02.jsonl",
        OWN_LOG,
        "gone.jsonl",
        "/etc/passwd",
    ] {
        let header = json!({"id": "s02", "parentSession": next});
        files[3].1 = log(header, &[("e2", None, "the beacon")]);
        let mut world = World::new(files.clone());
        world.index(Scope::CurrentLineage);
        assert_eq!(
            world.search(Scope::CurrentLineage, "beacon").sessions,
            counts(4, 1),
            "{next}"
        );
    }
}

#[test]
fn parents_in_another_folder_and_what_is_no_session_are_left_out() {
    for (parent, content) in [
        (
            "sub/parent.jsonl",
            log(json!({"id": "parent"}), &[("p1", None, "the beacon")]),
        ),
        ("parent.jsonl", b"the beacon, and no log\n".to_vec()),
        (
            "parent.jsonl",
            log(json!({}), &[("p1", None, "the beacon")]),
        ),
        (
            "parent.jsonl",
            log(json!({"id": "own"}), &[("p1", None, "the beacon")]),
        ),
        ("parent.jsonl", Vec::new()),
        (
            "parent.txt",
            log(json!({"id": "parent"}), &[("p1", None, "the beacon")]),
        ),
    ] {
        let mut world = World::new(vec![
            (
                OWN_LOG,
                log(child_of("parent.jsonl"), &[("o1", None, "own")]),
            ),
            (parent, content),
        ]);
        assert!(world.found(Scope::CurrentLineage, "beacon").is_empty());
        let answer = world.search(Scope::CurrentLineage, "beacon");
        assert_eq!(answer.sessions.left_out, 1, "{parent}");
    }
}

#[test]
fn the_project_is_the_logs_of_the_same_folder_and_needs_leave() {
    let beacon = |id: &str| {
        log(
            json!({"id": id}),
            &[(&*format!("{id}1"), None, &*format!("the beacon of {id}"))],
        )
    };
    let elsewhere = log(
        json!({"id": "c", "cwd": "/elsewhere"}),
        &[("c1", None, "the beacon of c")],
    );
    let files = vec![
        (OWN_LOG, log(json!({"id": "own"}), &[("o1", None, "own")])),
        ("2026-01_a.jsonl", beacon("a")),
        ("2026-02_b.jsonl", beacon("b")),
        ("2026-02_c.jsonl", elsewhere),
        ("2026-02_damaged.jsonl", b"{\"type\":\"sess".to_vec()),
        ("notes/2026-02_d.jsonl", beacon("d")),
        ("notes.txt", beacon("e")),
    ];
    let mut world = World::new(files.clone());
    assert_eq!(
        world.found(Scope::Project, "beacon"),
        ["a/a1 other-session", "b/b1 other-session"]
    );
    assert_eq!(world.search(Scope::Project, "beacon").sessions.left_out, 1);

    let mut world = World::with_config(
        files.clone(),
        &json!({"historyTools": {"allowProjectScope": true, "maxProjectSessions": 1}}),
    );
    assert_eq!(
        world.found(Scope::Project, "beacon"),
        ["b/b1 other-session"],
        "the newest"
    );
    assert_eq!(world.search(Scope::Project, "beacon").sessions.left_out, 2);

    let mut world = World::with_config(files, &json!({}));
    let refused = world
        .session
        .index_scope(Scope::Project, SLICE, NOW_MS)
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("historyTools.allowProjectScope"),
        "{refused}"
    );
}

#[test]
fn forks_of_one_session_count_what_they_share_once() {
    let shared = [
        ("p1", None, "the beacon is amber"),
        ("p2", Some("p1"), "then fork"),
    ];
    let fork = |id: &str, own: &str| {
        let header = json!({"id": id, "parentSession": "gone.jsonl"});
        let text = format!("the beacon of {id}");
        log(
            header,
            &[&shared[..], &[(own, Some("p2"), &*text)]].concat(),
        )
    };
    let mut world = World::new(vec![
        (OWN_LOG, log(json!({"id": "own"}), &[("o1", None, "own")])),
        ("1.jsonl", fork("a", "a1")),
        ("2.jsonl", fork("b", "b1")),
    ]);
    assert_eq!(
        world.found(Scope::Project, "beacon"),
        [
            "a/a1 other-session",
            "b/b1 other-session",
            "b/p1 other-session"
        ]
    );
}

#[test]
fn scores_of_a_short_and_of_a_long_session_can_be_compared() {
    let filler: Vec<String> = (0..400)
        .map(|number| format!("plain line {number} about gateways"))
        .collect();
    let ids: Vec<String> = (0..400).map(|number| format!("f{number}")).collect();
    let mut long: Vec<(&str, Option<&str>, &str)> = ids
        .iter()
        .zip(&filler)
        .map(|(id, text)| (&**id, None, &**text))
        .collect();
    long.push(("weak", None, "a handshake is a habit among people who meet"));
    let mut world = World::new(vec![
        (OWN_LOG, log(json!({"id": "own"}), &long)),
        (
            "short.jsonl",
            log(
                json!({"id": "short"}),
                &[(
                    "strong",
                    None,
                    "the gateway closes with a timeout after the handshake",
                )],
            ),
        ),
    ]);
    world.index(Scope::Project);
    let best = &world
        .search(Scope::Project, "gateway handshake timeout")
        .hits[0];
    assert_eq!((&*best.session_id, &*best.entry_id), ("short", "strong"));
}

#[test]
fn slices_stop_where_they_are_told_and_what_is_pending_is_told() {
    let text = "a line of the other session about many things and the beacon ".repeat(20);
    let ids: Vec<String> = (0..200).map(|number| format!("p{number}")).collect();
    let messages: Vec<_> = ids.iter().map(|id| (&**id, None, &*text)).collect();
    let mut world = World::new(vec![
        (OWN_LOG, log(json!({"id": "own"}), &[("o1", None, "own")])),
        ("other.jsonl", log(json!({"id": "other"}), &messages)),
    ]);
    let answer = world.search(Scope::Project, "beacon");
    assert_eq!(
        answer.sessions,
        SessionCounts {
            up_to_date: 0,
            pending: 2,
            left_out: 0
        }
    );
    let mut slices = 0;
    loop {
        let progress = world
            .session
            .index_scope(Scope::Project, 32 * 1024, NOW_MS)
            .unwrap();
        slices += 1;
        if progress.finished {
            assert_eq!((progress.done, progress.total), (201, Some(201)));
            break;
        }
        assert_eq!(progress.total, None);
    }
    assert!(
        (6..=16).contains(&slices),
        "{slices} slices for 246 KB of text in 260 KB of log"
    );
    let answer = world.search(Scope::Project, "beacon");
    assert_eq!((answer.indexed_entries, answer.log_entries), (201, 201));
    assert_eq!(answer.sessions.pending, 0);
}

#[test]
fn other_sessions_grow_go_and_come() {
    let mut world = World::new(fork());
    world.index(Scope::Project);
    let more = log(json!({"id": "more"}), &[("m1", None, "the beacon of more")]);
    world.write("more.jsonl", more.clone());
    let parent = line(
        "p4",
        Some("p3"),
        json!({"role": "user", "content": "a last beacon"}),
    );
    world
        .storage
        .files
        .borrow_mut()
        .get_mut("parent.jsonl")
        .unwrap()
        .extend_from_slice(parent.as_bytes());
    let found = world.found(Scope::Project, "beacon");
    assert!(
        found.contains(&"more/m1 other-session".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"parent/p4 other-branch".to_owned()),
        "{found:?}"
    );

    world.storage.files.borrow_mut().remove("more.jsonl");
    world.write(
        "parent.jsonl",
        log(
            json!({"id": "another"}),
            &[("x1", None, "a beacon of another session")],
        ),
    );
    let found = world.found(Scope::Project, "beacon");
    assert_eq!(
        found,
        [
            "another/x1 lineage-ancestor",
            "own/o1 ancestor",
            "own/p1 ancestor"
        ]
    );
}

#[test]
fn a_session_keeps_its_rows_when_it_is_another_ones() {
    let mut world = World::new(fork());
    world.index(Scope::Project);
    let options = SessionOptions {
        session_id: "parent".to_owned(),
        ..options(Some("parent.jsonl"))
    };
    let port: Rc<dyn Storage> = Rc::<MemoryStorage>::clone(&world.storage);
    let mut parent = Session::open(options, port).unwrap();
    parent.sync(SLICE).unwrap();
    let commits = world.storage.commits.get();
    assert!(parent.index(SLICE, NOW_MS).unwrap().finished);
    let health = parent.health(HealthDepth::Deep, NOW_MS).unwrap();
    assert_eq!(health["session"]["rebuilds"], 0, "{health}");
    assert_eq!(health["sessions"], 2);
    assert!(
        world.storage.commits.get() <= commits + 1,
        "nothing is indexed again"
    );
}

#[test]
fn a_reference_opens_what_its_scope_still_holds() {
    let mut world = World::new(fork());
    let branch = world.reference(Scope::CurrentBranch, "fork beacon");
    let session = world.reference(Scope::CurrentSession, "fork beacon");
    assert_ne!(branch, session);
    assert_eq!(world.read(&branch).unwrap(), "own: the beacon of the fork");
    world.session.select_leaf(Some("p1")).unwrap();
    assert!(
        matches!(world.read(&branch), Err(EngineError::NotFound(_))),
        "off the branch"
    );
    assert_eq!(world.read(&session).unwrap(), "own: the beacon of the fork");

    let other = world.reference(Scope::Project, "green later");
    assert_eq!(
        world.read(&other).unwrap(),
        "parent: the beacon turned green later"
    );
    // The same log says something else under that ID, then belongs to another session, then is gone.
    let changed = String::from_utf8(world.storage.files.borrow()["parent.jsonl"].clone()).unwrap();
    world.write(
        "parent.jsonl",
        changed.replace("\"p3\"", "\"p4\"").into_bytes(),
    );
    assert!(
        matches!(world.read(&other), Err(EngineError::NotFound(_))),
        "gone from the log"
    );
    world.write("parent.jsonl", changed.clone().into_bytes());
    assert!(world.read(&other).is_ok());
    world.write(
        "parent.jsonl",
        changed.replace("\"parent\"", "\"usurper\"").into_bytes(),
    );
    assert!(
        matches!(world.read(&other), Err(EngineError::NotFound(_))),
        "another session's log"
    );
    world.storage.files.borrow_mut().remove("parent.jsonl");
    assert!(
        matches!(world.read(&other), Err(EngineError::NotFound(_))),
        "no log"
    );
}

#[test]
fn damage_of_the_shared_database_costs_no_session_its_rows_for_good() {
    let mut world = World::new(fork());
    let before = world.found(Scope::Project, "beacon");
    let content = world.storage.content("context.db");
    let length = content.borrow().bytes.len();
    content.borrow_mut().bytes[4096..length].fill(0x5a);
    content.borrow_mut().counter += 1;
    // The first search may find the damage; the slices that follow make everything anew.
    let _ = world.session.search_history(&HistoryQuery {
        text: "beacon".to_owned(),
        scope: Scope::Project,
        limit: 10,
        max_tokens: None,
        now_ms: NOW_MS,
    });
    assert_eq!(world.found(Scope::Project, "beacon"), before);
}
