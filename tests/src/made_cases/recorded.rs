//! The session that real Pi wrote, see `fixtures/sessions/README.md`.

use super::{MadeCase, pi_session, select_model};
use crate::cases::{SessionStep, Step};

/// From a case's folder.
const SESSION: &str = "../../sessions/pi-1.6.0.jsonl";

pub(super) fn all() -> Vec<MadeCase> {
    vec![session_of_pi(), session_of_pi_in_a_small_window()]
}

fn recorded(name: &'static str, about: &str) -> MadeCase {
    let session = SessionStep {
        log: Some(SESSION.to_owned()),
        ..pi_session()
    };
    MadeCase::in_memory(name, about, session).step(Step::Sync)
}

fn session_of_pi() -> MadeCase {
    recorded(
        "session-of-pi",
        "A session that real Pi wrote: its tree, its branches and a plan at its own window.",
    )
    .inspect()
    .step(Step::Status)
    .plan()
}

fn session_of_pi_in_a_small_window() -> MadeCase {
    recorded(
        "session-of-pi-in-a-small-window",
        "The same session where it does not fit, twice: the second plan begins where the first one did.",
    )
    .step(select_model(24_000))
    .plan()
    .manifest()
    .plan()
    .explain()
}
