//! A plan after one new turn, reading a log from nothing, and the crossings that a plan costs.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ds4_context_host::{
    Clock, GrantedFolders, Place, Ports, Session, SessionOptions, Storage, StorageError,
};
use ds4_context_tests::cases::{LOG_NAME, ModelStep, PlanStep, RunStep, SessionStep, SpanStep};
use ds4_context_tests::figures::{Figure, Target, timed};
use ds4_context_tests::hosts::{
    Host, HostedSession, NativeHost, WasmtimeHost, WasmtimeSession, wasmtime_engine,
};
use ds4_context_tests::{NOW_MS, SEED};
use serde_json::{Value, json};

use crate::Outcome;
use crate::log::GrowingLog;

pub const WINDOW: u32 = 200_000;
const WARM_UP_RUNS: usize = 10;
const RUNS: usize = 60;
const READING_RUNS: usize = 5;
/// A plan's own calls into the component beside `sync`: start, advance, drop.
const CALLS_PER_PLAN: u32 = 3;

/// The figures of this file; the native ones are what the others are compared with.
pub struct Planning {
    pub native: Figure,
    pub native_read: Figure,
    others: Vec<Figure>,
}

impl Planning {
    pub fn into_figures(self) -> Vec<Figure> {
        [vec![self.native, self.native_read], self.others].concat()
    }
}

pub fn measure() -> Outcome<Planning> {
    let native_read = reading(&NativeHost, "read a log, native")?.target(Target::AtLeast(40.0));
    let wasmtime_read = reading(&WasmtimeHost, "read a log, wasmtime")?.against(&native_read);
    let native = planning(&NativeHost, "plan after one turn, native")?.target(Target::AtMost(5.0));
    let wasmtime = planning(&WasmtimeHost, "plan after one turn, wasmtime")?
        .target(Target::AtMost(8.0))
        .against(&native);
    Ok(Planning {
        native,
        native_read,
        others: vec![wasmtime_read, wasmtime, crossings()?],
    })
}

pub fn options() -> SessionStep {
    SessionStep {
        id: "bench".to_owned(),
        format: "pi-session-v3".to_owned(),
        log: Some(LOG_NAME.to_owned()),
        ..SessionStep::default()
    }
}

pub fn model() -> ModelStep {
    ModelStep {
        provider: "bench".to_owned(),
        id: "bench-1".to_owned(),
        context_window: WINDOW,
        max_output: Some(32_000),
    }
}

/// The whole branch as the host's context, with a system prompt and twelve tools, as an agent hands them over.
pub fn request(messages: u32) -> PlanStep {
    let tool = |place: u32| {
        json!({
            "name": format!("tool_{place}"),
            "description": "Does one thing well. ".repeat(10),
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
        })
    };
    PlanStep {
        messages: vec![SpanStep::Projected(RunStep {
            first: 0,
            count: messages,
        })],
        system_prompt: Some("You are a coding agent. ".repeat(400)),
        tools: Some((0..12).map(tool).collect()),
        ..PlanStep::default()
    }
}

/// The time of one call, in milliseconds; a refused one ends the benchmark.
fn measured<T>(
    total: &Cell<f64>,
    work: impl FnOnce() -> Result<T, ds4_context_tests::cases::Failure>,
) -> Outcome<T> {
    let (milliseconds, answer) = timed(work);
    total.set(total.get() + milliseconds);
    answer.map_err(|failure| format!("{}: {}", failure.code, failure.message).into())
}

fn planning<H: Host>(host: &H, name: &str) -> Outcome<Figure> {
    let mut log = GrowingLog::new()?;
    let ignored = Cell::new(0.0);
    let mut session = measured(&ignored, || host.open(&options(), log.folder.path()))?;
    measured(&ignored, || session.sync())?;
    measured(&ignored, || session.select_model(&model()))?;
    let mut readings = Vec::with_capacity(RUNS);
    let mut tokens = Value::Null;
    for run in 0..WARM_UP_RUNS + RUNS {
        log.grow()?;
        let total = Cell::new(0.0);
        measured(&total, || session.sync())?;
        let messages = measured(&total, || session.projected_messages())?;
        let request = request(messages);
        let plan = measured(&total, || session.plan(&request))?;
        tokens = plan["estimatedTokens"].clone();
        if run >= WARM_UP_RUNS {
            readings.push(total.get());
        }
    }
    Ok(Figure::of(name, "ms", readings).note(format!("the plan has {tokens} tokens")))
}

fn reading<H: Host>(host: &H, name: &str) -> Outcome<Figure> {
    let log = GrowingLog::new()?;
    let bytes = log.bytes()?;
    let mut readings = Vec::with_capacity(READING_RUNS);
    for _ in 0..READING_RUNS {
        let total = Cell::new(0.0);
        let mut session = measured(&Cell::new(0.0), || host.open(&options(), log.folder.path()))?;
        measured(&total, || session.sync())?;
        #[allow(clippy::cast_precision_loss)] // a few megabytes
        readings.push(bytes as f64 / 1_000.0 / total.get());
    }
    Ok(Figure::of(name, "MB/s", readings).note(format!("a log of {:.1} MB", megabytes(bytes))))
}

#[allow(clippy::cast_precision_loss)] // a few megabytes
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Files of one folder, and how often they were read.
struct CountingStorage {
    files: GrantedFolders,
    reads: Arc<AtomicU32>,
}

impl Storage for CountingStorage {
    fn read_file(
        &mut self,
        place: Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.files.read_file(place, path, offset, length)
    }

    fn list_files(
        &mut self,
        place: Place,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<u8>, StorageError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.files.list_files(place, after, limit)
    }
}

/// How often a plan after one new turn crosses between host and component, in both directions.
fn crossings() -> Outcome<Figure> {
    let mut log = GrowingLog::new()?;
    let reads = Arc::new(AtomicU32::new(0));
    let folder: PathBuf = log.folder.path().to_path_buf();
    let files = GrantedFolders::new().grant(Place::Sessions, folder)?;
    let storage = CountingStorage {
        files,
        reads: Arc::clone(&reads),
    };
    let options = SessionOptions {
        project_root: None,
        seed: Some(SEED.to_vec()),
        clock: Clock::Fixed(NOW_MS),
        ..SessionOptions::of_log(LOG_NAME)
    };
    let mut session = Session::open(wasmtime_engine(), options, Ports::with_storage(storage))?;
    session.sync()?;
    log.grow()?;
    reads.store(0, Ordering::Relaxed);
    let mut slices = 0;
    session.sync_with(|_| slices += 1)?;
    let mut session = WasmtimeSession(session);
    let messages = session
        .projected_messages()
        .map_err(|failure| failure.message)?;
    session
        .plan(&request(messages))
        .map_err(|failure| failure.message)?;
    let counted = slices + 1 + CALLS_PER_PLAN + reads.load(Ordering::Relaxed);
    Ok(Figure::of(
        "crossings of a plan after one turn",
        "calls",
        vec![f64::from(counted)],
    )
    .note("sync, reading the file, counting, start, advance, drop"))
}
