//! Where a session's derived state lives, and what becomes of it when another process holds it or privacy takes it away.

use std::rc::Rc;

use serde_json::json;

use super::super::*;
use super::{line, options};
use crate::store::memory::MemoryStorage;

const DATABASE: &str = "context.db";
const NOW_MS: u64 = 1_767_225_700_000;
/// Far less than the log of [`world`] holds.
const BUDGET: u32 = 4_000;

/// A storage with one log whose first entry alone says `vermilion-seventeen`, which its last entry asks for.
fn world() -> Rc<MemoryStorage> {
    let mut text = json!({"type": "session", "version": 3, "id": "s"}).to_string() + "\n";
    let mut parent: Option<String> = None;
    let mut say = |id: String, role: &str, said: &str| {
        let content = json!([{"type": "text", "text": said}]);
        let message = json!({"role": role, "content": content});
        text += &line(&id, parent.as_deref(), message);
        parent = Some(id);
    };
    say("first".into(), "user", "The key is vermilion-seventeen.");
    for turn in 0..20 {
        let filler = format!("part {turn} of src/answer_{turn}.rs\n").repeat(60);
        say(format!("a{turn}"), "assistant", &filler);
        say(format!("u{turn}"), "user", &format!("Question {turn}"));
    }
    say("last".into(), "user", "Is it vermilion-seventeen?");
    let storage = Rc::new(MemoryStorage::default());
    let mut files = storage.files.borrow_mut();
    files.insert("log.jsonl".to_owned(), text.into_bytes());
    drop(files);
    storage
}

fn opened(storage: &Rc<MemoryStorage>, options: SessionOptions) -> Session {
    let storage: Rc<dyn Storage> = Rc::<MemoryStorage>::clone(storage);
    let mut session = Session::open(options, storage).unwrap();
    while !session.sync(u32::MAX).unwrap().finished {}
    session
}

fn indexed(storage: &Rc<MemoryStorage>, options: SessionOptions) -> Session {
    let mut session = opened(storage, options);
    while !session.index(u32::MAX, NOW_MS).unwrap().finished {}
    session
}

fn stored() -> SessionOptions {
    options(Some("log.jsonl"))
}

fn private() -> SessionOptions {
    SessionOptions {
        config: br#"{"privacy": {"enabled": true}}"#.to_vec(),
        ..stored()
    }
}

fn request() -> PlanRequest {
    PlanRequest {
        budget: Some(BUDGET),
        now_ms: NOW_MS,
        ..PlanRequest::default()
    }
}

fn has_evidence(plan: &Plan) -> bool {
    plan.items.iter().any(|item| {
        matches!(item, PlanItem::Insert(supplement)
            if supplement.kind == SupplementKind::History && supplement.text.contains("vermilion-seventeen"))
    })
}

fn finds(session: &mut Session) -> bool {
    let query = HistoryQuery {
        text: "vermilion-seventeen".to_owned(),
        scope: Scope::CurrentSession,
        limit: 10,
        max_tokens: None,
        now_ms: NOW_MS,
    };
    let answer = session.search_history(&query).unwrap();
    answer.hits.iter().any(|hit| hit.entry_id == "first")
}

#[test]
fn health_makes_nothing_where_nothing_was_indexed() {
    let storage = world();
    let mut session = opened(&storage, stored());
    for depth in [HealthDepth::Quick, HealthDepth::Deep] {
        let health = session.health(depth, NOW_MS).unwrap();
        let expected = json!({"kind": "absent", "name": DATABASE, "madeAnew": false});
        assert_eq!(health["database"], expected);
        assert_eq!(
            (&health["session"], &health["healthy"]),
            (&json!(null), &json!(true))
        );
        assert_eq!(health["logEntries"], 42);
    }
    assert!(storage.blocks.borrow().is_empty());
    assert_eq!(storage.commits.get(), 0);
    session.index(u32::MAX, NOW_MS).unwrap();
    let health = session.health(HealthDepth::Deep, NOW_MS).unwrap();
    assert_eq!(health["database"]["kind"], "stored");
    // What somebody emptied is nothing.
    drop(session);
    storage.content(DATABASE).borrow_mut().bytes.clear();
    let health = opened(&storage, stored())
        .health(HealthDepth::Quick, NOW_MS)
        .unwrap();
    assert_eq!(health["database"]["kind"], "absent");
}

#[test]
fn with_privacy_on_what_was_indexed_before_is_taken_away() {
    let storage = world();
    drop(indexed(&storage, stored()));
    let content = storage.content(DATABASE);
    assert!(!content.borrow().bytes.is_empty());
    // Held by another process: the call is repeated, and nothing is indexed before it is gone.
    content.borrow_mut().is_locked = true;
    let mut session = opened(&storage, private());
    assert_eq!(session.index(u32::MAX, NOW_MS), Err(EngineError::Busy));
    content.borrow_mut().is_locked = false;
    session.index(u32::MAX, NOW_MS).unwrap();
    assert!(content.borrow().bytes.is_empty());
    assert!(finds(&mut session), "from memory");
    let health = session.health(HealthDepth::Quick, NOW_MS).unwrap();
    assert_eq!(health["database"]["reason"], "privacy");
    // Looking is enough, and where nothing is nothing is made.
    drop(indexed(&storage, stored()));
    opened(&storage, private())
        .health(HealthDepth::Quick, NOW_MS)
        .unwrap();
    assert!(content.borrow().bytes.is_empty());
    let untouched = world();
    indexed(&untouched, private());
    assert!(untouched.blocks.borrow().is_empty());
    // A process that had it open sees that it is gone.
    let mut open = indexed(&storage, stored());
    indexed(&storage, private());
    assert!(!finds(&mut open));
    while !open.index(u32::MAX, NOW_MS).unwrap().finished {}
    assert!(finds(&mut open));
}

#[test]
fn logs_of_one_name_in_two_folders_keep_their_rows_apart() {
    let storage = world();
    let in_folder = |folder: Option<&str>| SessionOptions {
        log_folder: folder.map(str::to_owned),
        ..stored()
    };
    for folder in [None, Some("/a"), Some("/b")] {
        drop(indexed(&storage, in_folder(folder)));
    }
    let commits = storage.commits.get();
    for folder in [None, Some("/a"), Some("/b")] {
        let mut session = indexed(&storage, in_folder(folder));
        assert!(finds(&mut session));
        let health = session.health(HealthDepth::Quick, NOW_MS).unwrap();
        assert_eq!(health["sessionId"], "s", "the folder shows nowhere");
        assert_eq!(health["sessions"], 3);
        assert_eq!(health["session"]["rebuilds"], 0);
    }
    assert_eq!(storage.commits.get(), commits, "nothing was indexed again");
}

#[test]
fn a_plan_waits_for_an_index_that_another_process_holds() {
    let storage = world();
    let mut session = indexed(&storage, stored());
    let content = storage.content(DATABASE);
    content.borrow_mut().is_locked = true;
    assert_eq!(session.plan_with_evidence(&request()), Ok(None));
    assert!(session.manifest(None).is_err(), "nothing was decided");
    let without = session.plan(&request()).unwrap();
    assert!(!has_evidence(&without));
    let manifest = session.manifest(None).unwrap();
    assert_eq!(manifest["retrieval"]["status"], "failed");
    assert_eq!(
        manifest["retrieval"]["reason"],
        "another process held the index"
    );
    content.borrow_mut().is_locked = false;
    let with = session.plan_with_evidence(&request()).unwrap().unwrap();
    assert!(has_evidence(&with), "{with:?}");
    // The same task: what was found is remembered, and nobody has to wait for it.
    content.borrow_mut().is_locked = true;
    let again = session.plan_with_evidence(&request()).unwrap().unwrap();
    assert!(has_evidence(&again));
}

/// Damage that a search meets costs that plan its evidence, and the next slice mends it.
#[test]
fn the_next_slice_mends_what_a_plan_found_damaged() {
    let storage = world();
    let mut session = indexed(&storage, stored());
    let content = storage.content(DATABASE);
    {
        let mut content = content.borrow_mut();
        content.bytes[4_096..].fill(0xAA);
        content.counter += 1;
    }
    let plan = session.plan(&request()).unwrap();
    assert!(!has_evidence(&plan));
    assert_eq!(
        session.manifest(None).unwrap()["retrieval"]["status"],
        "failed"
    );
    while !session.index(u32::MAX, NOW_MS).unwrap().finished {}
    let plan = session.plan(&request()).unwrap();
    assert!(has_evidence(&plan));
    let health = session.health(HealthDepth::Deep, NOW_MS).unwrap();
    assert_eq!(
        (&health["healthy"], &health["upToDate"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(health["session"]["lastReason"], "database-damaged");
}

/// Another process makes the rows anew between the last slice and the plan: the plan asks again and finds them.
#[test]
fn a_plan_finds_rows_again_that_another_process_made_anew() {
    let storage = world();
    let mut session = indexed(&storage, stored());
    let mut other = indexed(&storage, stored());
    other.rebuild_index();
    while !other.index(u32::MAX, NOW_MS).unwrap().finished {}
    assert_eq!(session.plan_with_evidence(&request()), Ok(None));
    let plan = session.plan_with_evidence(&request()).unwrap().unwrap();
    assert!(has_evidence(&plan), "{plan:?}");
}

/// Neither a look nor a plan takes rows for whole that somebody wants anew.
#[test]
fn a_plan_between_a_rebuild_and_its_first_slice_does_not_take_it_back() {
    let storage = world();
    let mut session = indexed(&storage, stored());
    session.rebuild_index();
    session.plan_with_evidence(&request()).unwrap().unwrap();
    session.health(HealthDepth::Quick, NOW_MS).unwrap();
    while !session.index(u32::MAX, NOW_MS).unwrap().finished {}
    let health = session.health(HealthDepth::Quick, NOW_MS).unwrap();
    assert_eq!(health["session"]["lastReason"], "forced");
}

/// A process that was started anew, as after a missed deadline, plans before its index was compared with the log.
#[test]
fn the_first_plan_of_a_process_has_the_evidence_that_was_indexed_before() {
    let storage = world();
    assert!(!has_evidence(
        &opened(&storage, stored())
            .plan_with_evidence(&request())
            .unwrap()
            .unwrap()
    ));
    assert!(
        storage.blocks.borrow().is_empty(),
        "a plan makes no database"
    );
    drop(indexed(&storage, stored()));
    let mut session = opened(&storage, stored());
    let plan = session.plan_with_evidence(&request()).unwrap().unwrap();
    assert!(has_evidence(&plan), "{plan:?}");
}
