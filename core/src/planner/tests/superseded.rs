//! Superseded results: what a later call makes stale becomes a stub when the cut moves, and only then.

use serde_json::{Value, json};

use super::fixture::*;
use crate::message::{Message, from_native};
use crate::planner::{Cut, Decision, Fate, ReplacementKind};

fn exchange(id: &str, tool: &str, arguments: &Value, failed: bool) -> [Message; 2] {
    let text = "some words of a file\n".repeat(60);
    [
        from_native(&json!({"role": "assistant", "content": [
            {"type": "toolCall", "id": id, "name": tool, "arguments": arguments}]})),
        from_native(
            &json!({"role": "toolResult", "toolCallId": id, "toolName": tool, "isError": failed,
            "content": [{"type": "text", "text": text}]}),
        ),
    ]
}

/// A session that begins with those exchanges and no longer fits.
fn session(exchanges: &[(&str, Value, bool)]) -> Planner {
    let mut messages = vec![user("begin")];
    for n in 0..20 {
        let id = format!("old{n}");
        messages.extend([call(&[&id]), result(&id, 1_000)]);
    }
    for (n, (tool, arguments, failed)) in exchanges.iter().enumerate() {
        messages.extend(exchange(&n.to_string(), tool, arguments, *failed));
    }
    messages.extend([call(&["newest"]), result("newest", 10)]);
    let mut planner = Planner::new(messages);
    planner.target = 12_000;
    planner.tail = 12_000;
    planner.explicit = true;
    planner.band = Some(0.3);
    planner.condense_superseded = true;
    planner
}

/// Which of the exchanges' results go out as superseded ones.
fn stale(decision: &Decision, exchanges: usize) -> Vec<usize> {
    assert_eq!(decision.fallback, None);
    (0..exchanges)
        .filter(|exchange| {
            let result = &decision.fates[1 + 40 + exchange * 2 + 1];
            matches!(result, Fate::Replace(_, form) if form.what == ReplacementKind::Superseded)
        })
        .collect()
}

fn stale_of(exchanges: &[(&str, Value, bool)]) -> Vec<usize> {
    stale(&session(exchanges).plan(), exchanges.len())
}

#[test]
fn of_identical_calls_only_the_newest_result_stays_whole() {
    let test = || ("bash", json!({"command": "make test"}), false);
    let other = ("bash", json!({"command": "make lint"}), false);
    assert_eq!(stale_of(&[test(), other, test(), test()]), [0, 2]);
}

#[test]
fn a_file_that_was_read_edited_or_written_again_makes_older_readings_stale() {
    let read = |path: &str| ("read", json!({"path": path}), false);
    assert_eq!(stale_of(&[read("a"), read("b"), read("a")]), [0]);
    let edit = ("edit", json!({"path": "a", "edits": []}), false);
    assert_eq!(stale_of(&[read("a"), read("b"), edit]), [0]);
    let write = ("Write", json!({"file_path": "a", "content": ""}), false);
    assert_eq!(
        stale_of(&[("Read", json!({"file_path": "a"}), false), write]),
        [0]
    );
}

#[test]
fn a_part_read_later_and_a_failed_edit_make_nothing_stale() {
    let read = || ("read", json!({"path": "a"}), false);
    let part = (
        "read",
        json!({"path": "a", "offset": 10, "limit": 5}),
        false,
    );
    assert_eq!(stale_of(&[read(), part]), [] as [usize; 0]);
    let failed = ("edit", json!({"path": "a", "edits": []}), true);
    assert_eq!(stale_of(&[read(), failed]), [] as [usize; 0]);
}

#[test]
fn a_failed_call_that_was_made_again_gives_up_its_long_arguments() {
    let edit = |text: &str, failed: bool| {
        let edits = json!({"path": "a", "edits": [{"oldText": text.repeat(300), "newText": "x"}]});
        ("edit", edits, failed)
    };
    let decision = session(&[edit("wrong ", true), edit("right ", false)]).plan();
    let Fate::Replace(_, form) = &decision.fates[41] else {
        panic!("the failed call is whole")
    };
    assert!(!content(form).to_string().contains("wrong wrong"));
    assert!(matches!(decision.fates[43], Fate::Keep(_)));
}

#[test]
fn while_the_cut_stays_a_newly_stale_result_stays_whole() {
    let read = || ("read", json!({"path": "a"}), false);
    let mut planner = session(&[read()]);
    let first = planner.plan();
    assert_eq!(stale(&first, 1), [] as [usize; 0]);
    planner.keep(&first);
    planner.target += 1_000;
    planner.tail += 1_000;
    planner
        .messages
        .extend(exchange("again", "read", &json!({"path": "a"}), false));
    planner
        .messages
        .extend([call(&["last"]), result("last", 10)]);
    planner.ids.extend((0..4).map(|n| format!("n{n}")));
    let stayed = planner.plan();
    assert!(!stayed.cut_moved);
    assert_eq!(stale(&stayed, 1), [] as [usize; 0]);
    planner.cut = Some(Cut { tail: 1, band: 1 });
    planner.forms.clear();
    let moved = planner.plan();
    assert!(moved.cut_moved);
    assert_eq!(stale(&moved, 1), [0]);
}

#[test]
fn what_fits_whole_stays_whole() {
    let read = || ("read", json!({"path": "a"}), false);
    let mut planner = session(&[read(), read()]);
    planner.target = 60_000;
    planner.tail = 60_000;
    assert_eq!(stale(&planner.plan(), 2), [] as [usize; 0]);
}
