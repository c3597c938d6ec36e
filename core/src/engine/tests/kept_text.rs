//! What the index keeps of a session: words and runs of characters, and no running text.

use std::rc::Rc;

use serde_json::json;

use super::super::*;
use super::{line, options};
use crate::store::memory::MemoryStorage;

const ALL: u32 = u32::MAX;
const SENTENCE: &str = "the retry budget of the parser is seven";
const LABEL: &str = "before the seventh retry";

#[test]
fn no_page_of_the_database_holds_a_sentence_or_a_label() {
    let text = json!({"type": "session", "version": 3, "id": "s", "cwd": "/w"}).to_string()
        + "\n"
        + &line("u", None, json!({"role": "user", "content": SENTENCE}))
        + &json!({"type": "label", "id": "l", "parentId": "u", "targetId": "u", "label": LABEL})
            .to_string()
        + "\n";
    let storage = Rc::new(MemoryStorage::default());
    let mut files = storage.files.borrow_mut();
    files.insert("log.jsonl".to_owned(), text.into_bytes());
    drop(files);
    let port: Rc<dyn Storage> = Rc::<MemoryStorage>::clone(&storage);
    let mut session = Session::open(options(Some("log.jsonl")), port).unwrap();
    while !session.sync(ALL).unwrap().finished {}
    while !session.index(ALL, 1).unwrap().finished {}

    let blocks = storage.blocks.borrow();
    let pages: Vec<u8> = blocks
        .values()
        .flat_map(|block| block.borrow().bytes.clone())
        .collect();
    let holds = |text: &str| {
        pages
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    assert!(holds("retri"), "the words are there, as stems");
    for text in [SENTENCE, LABEL, "retry budget", "seventh retry"] {
        assert!(!holds(text), "{text}");
    }
}
