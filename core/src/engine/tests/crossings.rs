//! How often the index crosses the storage port. A crossing costs far more than the bytes it carries, so that each operation has
//! a bound; the figures behind them are what was measured, with some room.

use std::rc::Rc;

use super::super::*;
use super::{line, options};
use crate::store::memory::MemoryStorage;

const TURNS: usize = 1_000;
const ONE_SLICE: u32 = u32::MAX;
const NOW_MS: u64 = 1_767_225_700_000;

/// Turns of a question and some lines that differ, as results of tools do.
fn log(turns: usize) -> String {
    let mut text = "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/w\"}\n".to_owned();
    let mut parent: Option<String> = None;
    for turn in 0..turns {
        let lines: Vec<String> = (0..40)
            .map(|number| {
                format!(
                    "src/part_{}.rs:{number}: value {turn}\n",
                    turn * 40 + number
                )
            })
            .collect();
        for (role, content) in [
            ("user", format!("question {turn} of the turns")),
            ("assistant", lines.concat()),
        ] {
            let id = format!("{role}{turn}");
            let content = serde_json::json!([{"type": "text", "text": content}]);
            let message = serde_json::json!({"role": role, "content": content});
            text += &line(&id, parent.as_deref(), message);
            parent = Some(id);
        }
    }
    text
}

/// Crossings of one operation.
fn cost(storage: &MemoryStorage, operation: impl FnOnce()) -> u64 {
    let before = storage.crossings.get();
    operation();
    storage.crossings.get() - before
}

fn opened(storage: &Rc<MemoryStorage>) -> Session {
    let storage: Rc<dyn Storage> = Rc::<MemoryStorage>::clone(storage);
    Session::open(options(Some("log.jsonl")), storage).unwrap()
}

fn opened_as(storage: &Rc<MemoryStorage>, session_id: &str) -> Session {
    let storage: Rc<dyn Storage> = Rc::<MemoryStorage>::clone(storage);
    let options = SessionOptions {
        session_id: session_id.to_owned(),
        ..options(Some("log.jsonl"))
    };
    Session::open(options, storage).unwrap()
}

fn synced_and_indexed(session: &mut Session) {
    while !session.sync(ONE_SLICE).unwrap().finished {}
    while !session.index(ONE_SLICE, NOW_MS).unwrap().finished {}
}

fn search(session: &mut Session, text: &str) -> usize {
    let query = HistoryQuery {
        text: text.to_owned(),
        scope: Scope::CurrentSession,
        limit: 10,
        max_tokens: Some(1_000),
        now_ms: NOW_MS,
    };
    session.search_history(&query).unwrap().hits.len()
}

#[test]
fn each_operation_crosses_the_port_a_bounded_number_of_times() {
    let storage = Rc::new(MemoryStorage::default());
    let write = |turns: usize| {
        let text = log(turns).into_bytes();
        let mut files = storage.files.borrow_mut();
        files.insert("log.jsonl".to_owned(), text);
    };
    write(TURNS);

    let mut first = opened(&storage);
    let made = cost(&storage, || synced_and_indexed(&mut first));
    drop(first);
    let database_bytes: usize = {
        let blocks = storage.blocks.borrow();
        blocks
            .values()
            .map(|block| block.borrow().bytes.len())
            .sum()
    };

    let mut session = opened(&storage);
    let cold = cost(&storage, || {
        synced_and_indexed(&mut session);
        assert!(search(&mut session, "question 500 of the turns") > 0);
    });
    let warm = cost(&storage, || {
        assert!(search(&mut session, "question 501 of the turns") > 0);
    });
    let unchanged = cost(&storage, || synced_and_indexed(&mut session));
    write(TURNS + 1);
    let commits = storage.commits.get();
    let appended = cost(&storage, || synced_and_indexed(&mut session));
    assert_eq!(storage.commits.get() - commits, 1, "one turn is one commit");

    println!(
        "{TURNS} turns, {database_bytes} of database: made {made}, cold open and search {cold}, warm search {warm}, unchanged {unchanged}, one turn {appended}"
    );
    // The end of the log, and one look at the session's row: lock, header page, unlock.
    assert!(unchanged <= 4, "unchanged: {unchanged}");
    assert!(warm <= 8, "warm search: {warm}");
    assert!(appended <= 24, "one turn: {appended}");
    assert!(cold <= 48, "cold open and search: {cold}");
    assert!(made <= 64, "made: {made}");
}

/// Attack: what was taken out of the log must not stay in the database, in no page, whether or not other sessions share it.
#[test]
fn what_was_taken_out_of_the_log_is_gone_from_the_database_when_it_is_made_anew() {
    for others in [0, 1] {
        let storage = Rc::new(MemoryStorage::default());
        let write = |text: String| {
            let mut files = storage.files.borrow_mut();
            files.insert("log.jsonl".to_owned(), text.into_bytes());
        };
        if others > 0 {
            write(log(20));
            let mut other = opened_as(&storage, "other");
            synced_and_indexed(&mut other);
        }
        let secret = "hunter2swordfish";
        let with_secret = log(200).replace("question 77 of", &format!("question {secret} of"));
        write(with_secret.clone());
        let mut session = opened_as(&storage, "s");
        synced_and_indexed(&mut session);
        drop(session);
        let holds = || {
            let blocks = storage.blocks.borrow();
            blocks.values().any(|block| {
                let bytes = &block.borrow().bytes;
                bytes.windows(6).any(|part| part == b"swordf")
            })
        };
        assert!(holds(), "the word is indexed");
        write(with_secret.replace(secret, "x"));
        let mut session = opened_as(&storage, "s");
        synced_and_indexed(&mut session);
        assert!(search(&mut session, "question 78 of the turns") > 0);
        drop(session);
        assert!(!holds(), "others: {others}");
    }
}
