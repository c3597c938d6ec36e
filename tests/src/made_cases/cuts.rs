//! Where plans begin: tail, stable cut, band, edge, oversized exchanges and turns (behaviour 2.2).

use serde_json::json;

use super::{MadeCase, select_model, without_band};
use crate::cases::Step;
use crate::pi_log::{PiLog, filler};

pub(super) fn all() -> Vec<MadeCase> {
    vec![
        short_session_whole(),
        tail_and_stable_cut(),
        condensed_band(),
        edge_cut(),
        oversized_newest_exchange(),
        last_turn_larger_than_the_tail(),
        forty_results_in_one_turn(),
        ends_in_an_oversized_result(),
        split_turn(),
        oversized_turn_and_its_predecessor(),
        rescue_of_the_immediate_predecessor(),
        window_shrinks(),
    ]
}

fn short_session_whole() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 300).turn("t2", 300).user("t3u", "And now?");
    MadeCase::new(
        "short-session-whole",
        "A session that fits goes out whole, in its order.",
        &log,
    )
    .plan()
    .manifest()
    .explain()
    .inspect()
    .step(Step::Status)
}

fn tail_and_stable_cut() -> MadeCase {
    let mut log = PiLog::new();
    for turn in 1..=12 {
        log.turn(&format!("t{turn}"), 2_000);
    }
    let mut more = PiLog::continued(log.leaf(), log.entries());
    more.turn("t13", 600);
    let mut much_more = PiLog::continued(more.leaf(), more.entries());
    for turn in 14..=16 {
        much_more.turn(&format!("t{turn}"), 2_000);
    }
    MadeCase::new(
        "tail-and-stable-cut",
        "The tail begins at the same entry while that fits; when it no longer fits the cut moves once and leaves room.",
        &log,
    )
    .config(without_band())
    .window(10_000)
    .plan()
    .manifest()
    .grow("more.jsonl", &more)
    .plan()
    .manifest()
    .grow("much-more.jsonl", &much_more)
    .plan()
    .manifest()
}

fn condensed_band() -> MadeCase {
    let mut log = PiLog::new();
    for turn in 1..=10 {
        log.turn(&format!("t{turn}"), 4_000);
    }
    let mut more = PiLog::continued(log.leaf(), log.entries());
    more.turn("t11", 800);
    MadeCase::new(
        "condensed-band",
        "Between the tail and what is left out stands a band whose tool results are stubs; the same stubs in the next plan.",
        &log,
    )
    .window(12_000)
    .plan()
    .manifest()
    .explain()
    .grow("more.jsonl", &more)
    .plan()
    .manifest()
}

fn edge_cut() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 2_000).turn("t2", 12_000).turn("t3", 2_000);
    MadeCase::new(
        "edge-cut",
        "The exchange at the tail's edge is kept with its result cut to the room that is left.",
        &log,
    )
    .config(without_band())
    .budget(3_000)
    .manifest()
}

fn oversized_newest_exchange() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400)
        .user("t2u", "Read it all")
        .call("t2c", &["one", "two"]);
    log.result("t2r", "one", &filler("one", 60_000))
        .result("t2s", "two", &filler("two", 4_000));
    MadeCase::new(
        "oversized-newest-exchange",
        "The newest exchange alone is larger than the budget: its largest result is cut, with a counted notice.",
        &log,
    )
    .window(12_000)
    .plan()
    .manifest()
}

fn last_turn_larger_than_the_tail() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400).user("t2u", "Read four files");
    log.call("t2c", &["a", "b", "c", "d"]);
    for call in ["a", "b", "c", "d"] {
        log.result(&format!("t2{call}"), call, &filler(call, 16_000));
    }
    MadeCase::new(
        "last-turn-larger-than-the-tail",
        "failures 1: the last response and its four results are larger than everything that the tail may hold.",
        &log,
    )
    .config(json!({"context": {"recentTailTokens": 2_000}}))
    .window(16_000)
    .plan()
    .manifest()
}

fn forty_results_in_one_turn() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400)
        .compaction("s1", "Everything so far, in short.", "t1a")
        .user("t2u", "Read the whole project");
    for call in 1..=40 {
        log.exchange(&format!("x{call}"), 3_200);
    }
    MadeCase::new(
        "forty-results-in-one-turn",
        "failures 2: a compaction, one user message, then forty calls with large results; a plan holds the newest ones.",
        &log,
    )
    .window(16_000)
    .plan()
    .manifest()
    .explain()
}

fn ends_in_an_oversized_result() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400)
        .user("t2u", "One more")
        .exchange("x1", 40_000);
    MadeCase::new(
        "ends-in-an-oversized-result",
        "failures 3: the transcript ends in one result larger than the tail.",
        &log,
    )
    .config(json!({"context": {"recentTailTokens": 1_000}}))
    .window(12_000)
    .plan()
    .manifest()
}

fn split_turn() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400).user("t2u", "Work through all of it");
    for call in 1..=8 {
        log.exchange(&format!("x{call}"), 4_000);
    }
    MadeCase::new(
        "split-turn",
        "A turn of which only the newer exchanges fit keeps its user message, and one line counts what was left out.",
        &log,
    )
    .config(without_band())
    .budget(4_500)
    .manifest()
}

fn oversized_turn_and_its_predecessor() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400)
        .turn("t2", 400)
        .user("t3u", &filler("asked", 80_000))
        .say("t3a", "Understood")
        .user("t4u", "Go on");
    MadeCase::new(
        "oversized-turn-and-its-predecessor",
        "failures 12: an oversized turn that cannot be cut closes the tail; it and its predecessors are reported, with the reason.",
        &log,
    )
    .config(without_band())
    .window(16_000)
    .plan()
    .manifest()
    .explain()
}

fn rescue_of_the_immediate_predecessor() -> MadeCase {
    let mut log = PiLog::new();
    log.turn("t1", 400)
        .user("t2u", "Read")
        .exchange("x1", 8_000)
        .exchange("x2", 400);
    MadeCase::new(
        "rescue-of-the-immediate-predecessor",
        "The exchange right before the tail is kept where only the tail's own limit stands against it.",
        &log,
    )
    .config(json!({"context": {"recentTailTokens": 1_000, "condensedBand": {"enabled": false}}}))
    .window(16_000)
    .plan()
    .manifest()
}

fn window_shrinks() -> MadeCase {
    let mut log = PiLog::new();
    for turn in 1..=10 {
        log.turn(&format!("t{turn}"), 4_000);
    }
    MadeCase::new(
        "window-shrinks",
        "failures 18: the model's window shrinks between two requests, and grows again.",
        &log,
    )
    .window(128_000)
    .plan()
    .step(select_model(9_000))
    .plan()
    .manifest()
    .step(select_model(128_000))
    .plan()
    .manifest()
}
