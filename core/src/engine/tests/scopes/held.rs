//! Slices, shared rows, references and damage.

use super::*;

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
