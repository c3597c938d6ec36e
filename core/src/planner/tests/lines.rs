//! Telling lines: what stubs and the outline keep of a session that is too long.

use serde_json::json;

use super::fixture::*;
use crate::message::{Message, from_native};
use crate::planner::{Decision, Fate, RecallTools};

fn shown(id: &str, text: &str) -> [Message; 2] {
    [
        call(&[id]),
        from_native(
            &json!({"role": "toolResult", "toolCallId": id, "toolName": "bash",
            "content": [{"type": "text", "text": text}]}),
        ),
    ]
}

/// A session of 40 long results, one of which holds the lines among plain ones.
fn session(at: usize, lines: &str, last: &str) -> Planner {
    let mut messages = vec![user("begin")];
    for n in 0..40 {
        let plain = "nothing to see here at all\n".repeat(150);
        let text = if n == at {
            format!("{plain}{lines}\n{plain}")
        } else {
            plain
        };
        messages.extend(shown(&n.to_string(), &text));
    }
    messages.push(say(last));
    let mut planner = Planner::new(messages);
    planner.target = 10_000;
    planner.tail = 10_000;
    planner.explicit = true;
    planner.band = Some(0.3);
    planner
}

/// Everything that goes out.
fn text_of(planner: &Planner, decision: &Decision) -> String {
    assert_eq!(decision.fallback, None);
    let mut text = decision
        .notice
        .as_ref()
        .map_or("", |notice| &notice.text)
        .to_owned();
    for (message, fate) in planner.messages.iter().zip(&decision.fates) {
        match fate {
            Fate::Keep(_) => text.push_str(&message.reading().text),
            Fate::Replace(_, form) => text.push_str(&form.message.reading().text),
            Fate::Out(_) => {}
        }
        text.push('\n');
    }
    text
}

#[test]
fn a_line_that_names_what_the_agent_works_with_survives_wherever_it_stands() {
    for at in [3, 33] {
        let lines = "fn open_store(path) -> StoreHandle";
        let planner = session(at, lines, "I call open_store next.");
        let decision = planner.plan();
        assert!(text_of(&planner, &decision).contains(lines), "{at}");
    }
}

#[test]
fn a_line_that_reports_something_wrong_survives() {
    let lines = "error: the disk is full\nassertion of commit_store failed";
    let planner = session(3, lines, "Done.");
    assert!(text_of(&planner, &planner.plan()).contains("assertion of commit_store failed"));
}

#[test]
fn a_name_that_nothing_speaks_for_gives_way() {
    let planner = session(3, "SomeThing other_thing", "Done.");
    assert!(!text_of(&planner, &planner.plan()).contains("SomeThing"));
}

#[test]
fn the_notice_counts_names_the_entries_and_only_tools_that_are_there() {
    let mut planner = session(3, "", "Done.");
    let without = planner.plan().notice.unwrap().text;
    let line = without.lines().next().unwrap();
    assert!(line.contains("earlier messages (about "), "{line}");
    assert!(line.contains("as entries e1 to e"), "{line}");
    assert!(!line.contains("context_history"), "{line}");
    planner.recall = Some(RecallTools {
        search: "context_history_recall",
        read: "context_history_read",
    });
    let with = planner.plan().notice.unwrap().text;
    assert!(
        with.contains("context_history_recall finds what they say"),
        "{with}"
    );
}

#[test]
fn lines_are_kept_word_for_word_while_the_cut_stays() {
    let mut planner = session(
        3,
        "open_store(path) in src/store.rs",
        "I call open_store next.",
    );
    let first = planner.plan();
    planner.keep(&first);
    planner.target += 500;
    planner.tail += 500;
    planner
        .messages
        .extend([user("and now"), say("close_store follows open_store")]);
    planner.ids.extend(["x".to_owned(), "y".to_owned()]);
    let second = planner.plan();
    assert!(!second.cut_moved);
    assert_eq!(second.condensed, first.condensed);
    assert_eq!(
        second
            .notice
            .unwrap()
            .text
            .lines()
            .skip(1)
            .collect::<Vec<_>>(),
        first
            .notice
            .unwrap()
            .text
            .lines()
            .skip(1)
            .collect::<Vec<_>>()
    );
}
