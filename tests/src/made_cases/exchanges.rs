//! Calls and results in every order that real sessions have (failures 4–10, 13).

use serde_json::json;

use super::{MadeCase, without_band};
use crate::pi_log::{PiLog, assistant, filler};

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        call_summarised_away(),
        compaction_while_a_call_is_in_flight(),
        aborted_call(),
        parallel_calls(),
        repeated_call_ids(),
        displaced_results(),
        empty_messages(),
        no_user_message(),
        only_results_after_the_cut(),
    ]
}

fn call_summarised_away() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400)
        .user("t2u", "Read")
        .call("t2c", &["gone"]);
    log.compaction("s1", "The call was made.", "t2r").at("t2c");
    log.result("t2r", "gone", &filler("gone", 300));
    log.compaction("s2", "The call was made and answered.", "t2r")
        .user("t3u", "Go on");
    MadeCase::new(
        "call-summarised-away",
        "failures 5: the call was summarised away and its result survives.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
}

fn compaction_while_a_call_is_in_flight() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400)
        .user("t2u", "Read")
        .call("t2c", &["slow"]);
    log.compaction("s1", "Up to the question.", "t2u")
        .result("t2r", "slow", &filler("slow", 300))
        .say("t2a", "Read it");
    let mut later = PiLog::continued(log.leaf(), log.entries());
    later.turn("t3", 6_000).user("t4u", "Next");
    MadeCase::new(
        "compaction-while-a-call-is-in-flight",
        "failures 4: call, compaction, result in one chain; a later cut keeps both or neither.",
        &log,
    )
    .plan()
    .grow("later.jsonl", &later)
    .budget(1_900)
    .manifest()
    .inspect()
}

fn aborted_call() -> MadeCase {
    let call = json!([{"type": "text", "text": "I will"}, {"type": "toolCall", "id": "cut", "name": "bash", "arguments": {"command": "ls"}}]);
    let mut log = PiLog::new();
    log.turn("t1", 300)
        .user("t2u", "List")
        .message("t2c", &assistant(&call, "aborted"));
    log.message("t2r", &json!({"role": "toolResult", "toolCallId": "cut", "toolName": "bash", "isError": true, "content": [{"type": "text", "text": "aborted by the user"}]}));
    log.user("t3u", "Again")
        .message("t3c", &assistant(&call, "aborted"))
        .user("t4u", "And again");
    MadeCase::new(
        "aborted-call",
        "failures 5 and 6: an aborted call with a synthetic result, and one without any.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
}

fn parallel_calls() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300)
        .user("t2u", "Three at once")
        .call("t2c", &["a", "b", "c"]);
    log.result("t2b", "b", &filler("b", 300))
        .result("t2a", "a", &filler("a", 300))
        .result("t2z", "c", &filler("c", 300));
    log.user("t3u", "Two at once")
        .call("t3c", &["d", "e"])
        .result("t3d", "d", &filler("d", 300));
    log.user("t4u", "Where is the other one?");
    MadeCase::new(
        "parallel-calls",
        "failures 7: parallel calls with results out of order, and with one result missing.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
}

fn repeated_call_ids() -> MadeCase {
    let mut log = PiLog::new();
    for turn in 1..=4 {
        log.user(&format!("t{turn}u"), &format!("Turn {turn}"))
            .call(&format!("t{turn}c"), &["call_1"]);
        log.result(
            &format!("t{turn}r"),
            "call_1",
            &filler(&format!("t{turn}"), 2_000),
        );
        log.say(&format!("t{turn}a"), "Done");
    }
    log.result("again", "call_1", "a second result of the same call")
        .user("t5u", "Next");
    MadeCase::new(
        "repeated-call-ids",
        "failures 8: one call ID in four turns far apart; a cut between them splits nothing.",
        &log,
    )
    .config(without_band())
    .budget(1_500)
    .manifest()
    .inspect()
}

fn displaced_results() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "Two calls, one after the other")
        .call("t1c", &["first"])
        .call("t1d", &["second"]);
    log.result("t1s", "second", &filler("second", 300))
        .result("t1r", "first", &filler("first", 300))
        .say("t1a", "Both done");
    log.user("t2u", "A call with words between")
        .call("t2c", &["third"]);
    log.entry(
        "t2n",
        "custom_message",
        &json!({"customType": "progress", "content": "half done", "display": true}),
    );
    log.result("t2r", "third", &filler("third", 300))
        .user("t3u", "Next");
    log.result("t3x", "later", "a result before its call")
        .call("t3c", &["later"])
        .result("t3r", "later", "its own");
    MadeCase::new(
        "displaced-results",
        "failures 9: results after later calls, a message between a call and its result.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
}

fn empty_messages() -> MadeCase {
    let mut log = PiLog::new();
    log.user("t1u", "Hello")
        .message("t1a", &assistant(&json!([]), "stop"));
    log.message("t2u", &json!({"role": "user", "content": ""}))
        .message("t2v", &json!({"role": "user"}));
    log.message(
        "t2w",
        &json!({"role": "user", "content": [{"type": "text", "text": "  "}]}),
    );
    log.call("t2c", &["quiet"]).message(
        "t2r",
        &json!({"role": "toolResult", "toolCallId": "quiet", "toolName": "read", "content": []}),
    );
    log.message(
        "t2a",
        &assistant(
            &json!([{"type": "thinking", "thinking": "only thought"}]),
            "stop",
        ),
    );
    log.message(
        "t3x",
        &json!({"role": "narrator", "content": "unknown role"}),
    )
    .user("t3u", "Next");
    MadeCase::new(
        "empty-messages",
        "failures 10: empty content arrays and strings, a result without content, an unknown role.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
}

fn no_user_message() -> MadeCase {
    let mut log = PiLog::new();
    for call in 1..=5 {
        log.exchange(&format!("x{call}"), 3_000);
    }
    MadeCase::new(
        "no-user-message",
        "failures 10: no user message at all; the last exchange is the mandatory one.",
        &log,
    )
    .plan()
    .budget(1_200)
    .manifest()
}

fn only_results_after_the_cut() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400)
        .user("t2u", "Read two")
        .call("t2c", &["a", "b"]);
    log.result("t2r", "a", &filler("a", 300))
        .result("t2s", "b", &filler("b", 300));
    log.compaction("s1", "Everything but the results.", "t2r");
    MadeCase::new(
        "only-results-after-the-cut",
        "failures 10: only tool results follow the cut; the summary is what is left.",
        &log,
    )
    .plan()
    .manifest()
    .inspect()
}
