//! Deadlines of running calls: one thread that advances wasmtime's epoch when the earliest of them has passed.
//!
//! Invariants:
//! - The thread sleeps while nothing is due; there is no tick. An advance reaches every running store of the engine,
//!   and each looks at its own deadline: only the late one stops.
//! - The thread ends with the engine and is joined.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use wasmtime::EngineWeak;

/// The deadlines of one engine.
pub(crate) struct Deadlines {
    shared: Arc<Shared>,
    watcher: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Running calls, the earliest deadline first; the number tells apart calls with the same deadline.
    armed: BTreeSet<(Instant, u64)>,
    next_call: u64,
    /// When the watcher wakes by itself; it is only woken for something earlier.
    wakes_at: Option<Instant>,
    stopped: bool,
}

/// A call's deadline; dropped when the call returns.
pub(crate) struct Armed<'a> {
    deadlines: &'a Deadlines,
    key: (Instant, u64),
}

impl Deadlines {
    pub(crate) fn start(engine: EngineWeak) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let watched = Arc::clone(&shared);
        let watcher = thread::Builder::new()
            .name("ds4-context deadlines".to_owned())
            .spawn(move || watch(&watched, &engine))?;
        Ok(Self {
            shared,
            watcher: Some(watcher),
        })
    }

    pub(crate) fn arm(&self, deadline: Instant) -> Armed<'_> {
        let mut state = self.shared.lock();
        let key = (deadline, state.next_call);
        state.next_call += 1;
        state.armed.insert(key);
        if state.wakes_at.is_none_or(|wakes_at| deadline < wakes_at) {
            self.shared.changed.notify_one();
        }
        Armed {
            deadlines: self,
            key,
        }
    }
}

impl Drop for Armed<'_> {
    fn drop(&mut self) {
        self.deadlines.shared.lock().armed.remove(&self.key);
    }
}

impl Drop for Deadlines {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_one();
        if let Some(watcher) = self.watcher.take() {
            // It holds no lock while it can fail, so there is nothing to learn from its end.
            let _ = watcher.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change of the state is a single step, so a poisoned lock still guards a valid one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn watch(shared: &Shared, engine: &EngineWeak) {
    let mut state = shared.lock();
    while !state.stopped {
        let now = Instant::now();
        let earliest = state.armed.first().map(|(deadline, _)| *deadline);
        if earliest.is_some_and(|deadline| deadline <= now) {
            while state
                .armed
                .first()
                .is_some_and(|(deadline, _)| *deadline <= now)
            {
                state.armed.pop_first();
            }
            let Some(engine) = engine.upgrade() else {
                return;
            };
            engine.increment_epoch();
            continue;
        }
        state.wakes_at = earliest;
        state = match earliest {
            Some(deadline) => {
                let waited = shared
                    .changed
                    .wait_timeout(state, deadline.saturating_duration_since(now));
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => shared
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner),
        };
    }
}
