//! Searches that look into other sessions: which are taken in, what of them counts, and what a reference opens later.

mod entries;
mod held;
mod members;

use std::rc::Rc;

use serde_json::{Value, json};

pub(super) use super::super::*;
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
