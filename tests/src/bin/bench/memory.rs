//! Memory of the component: the smallest limit under which it reads the log and plans.
//!
//! Found by trying, so it is the most that the component ever had at once, to within [`STEP_BYTES`].

use ds4_context_host::{
    Clock, GrantedFolders, HostError, Limits, Model, Place, Ports, Session, SessionOptions,
};
use ds4_context_tests::cases::LOG_NAME;
use ds4_context_tests::figures::{Figure, Target};
use ds4_context_tests::hosts::{HostedSession, WasmtimeSession, wasmtime_engine};
use ds4_context_tests::{NOW_MS, SEED};

use crate::Outcome;
use crate::log::GrowingLog;
use crate::plans::{WINDOW, request};

const MIB: u64 = 1024 * 1024;
const STEP_BYTES: u64 = MIB / 2;
const MOST_BYTES: u64 = 1024 * MIB;

pub fn measure() -> Outcome<Figure> {
    let log = GrowingLog::new()?;
    let (mut too_small, mut enough) = (0, MOST_BYTES);
    if !is_enough(&log, enough)? {
        return Err("a GiB of memory is not enough".into());
    }
    while enough - too_small > STEP_BYTES {
        let middle = too_small + (enough - too_small) / 2;
        if is_enough(&log, middle)? {
            enough = middle
        } else {
            too_small = middle
        }
    }
    let bytes = log.bytes()?;
    let allowed = 48.0 + 4.0 * mib(bytes);
    Ok(
        Figure::of("memory of the component", "MiB", vec![mib(enough)])
            .target(Target::AtMost((allowed * 10.0).round() / 10.0))
            .note(format!("a log of {:.1} MiB read and planned", mib(bytes))),
    )
}

fn is_enough(log: &GrowingLog, memory_bytes: u64) -> Outcome<bool> {
    match read_and_plan(log, memory_bytes) {
        Ok(()) => Ok(true),
        Err(HostError::MemoryLimit { .. } | HostError::Trapped { .. }) => Ok(false),
        // The smallest limits do not even hold the component's own data.
        Err(HostError::Load(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn read_and_plan(log: &GrowingLog, memory_bytes: u64) -> Result<(), HostError> {
    let limits = Limits {
        memory_bytes: usize::try_from(memory_bytes).unwrap_or(usize::MAX),
        ..Limits::default()
    };
    let files = GrantedFolders::new()
        .grant(Place::Sessions, log.folder.path())
        .map_err(|error| HostError::NoSeed(error.to_string()))?;
    let options = SessionOptions {
        project_root: None,
        seed: Some(SEED.to_vec()),
        clock: Clock::Fixed(NOW_MS),
        limits,
        ..SessionOptions::of_log(LOG_NAME)
    };
    let mut session = Session::open(wasmtime_engine(), options, Ports::with_storage(files))?;
    session.sync()?;
    session.select_model(Model {
        provider: "bench".to_owned(),
        id: "bench-1".to_owned(),
        context_window: WINDOW,
        max_output: None,
        cost: None,
    })?;
    let messages = session.projected_messages()?;
    let mut session = WasmtimeSession(session);
    // A plan that ran out of memory is told by the next look at the session.
    if session.plan(&request(messages)).is_err() {
        return Err(HostError::MemoryLimit {
            limit_bytes: limits.memory_bytes,
        });
    }
    Ok(())
}

#[allow(clippy::cast_precision_loss)] // far below 2^53
fn mib(bytes: u64) -> f64 {
    bytes as f64 / MIB as f64
}
