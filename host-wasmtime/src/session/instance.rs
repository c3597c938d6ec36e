//! One running component: its memory, its ports, and the call that keeps it inside its limits.
//!
//! Invariants:
//! - Every entry into the component goes through [`Instance::call`], under a deadline.
//! - A call that trapped ends the instance: it is consumed, and the ports come back out of it.

use std::time::Instant;

use wasmtime::component::ResourceTable;
use wasmtime::{Store, Trap, UpdateDeadline};

use crate::bindings::ContextEngine;
use crate::engine::MemoryLimiter;
use crate::wasi::CapturedOutput;
use crate::{Engine, HostError, Limits, Ports};

/// What the component's imports work with.
pub(crate) struct HostState {
    pub(crate) ports: Ports,
    pub(crate) resources: ResourceTable,
    pub(crate) output: CapturedOutput,
    memory: MemoryLimiter,
    deadline: Option<Instant>,
    deadline_missed: bool,
}

impl HostState {
    pub(crate) fn new(ports: Ports, limits: Limits) -> Self {
        Self {
            ports,
            resources: ResourceTable::new(),
            output: CapturedOutput::default(),
            memory: MemoryLimiter {
                limit_bytes: limits.memory_bytes,
                refused: false,
            },
            deadline: None,
            deadline_missed: false,
        }
    }
}

/// A component that can be called.
pub(super) struct Instance {
    store: Store<HostState>,
    exports: ContextEngine,
}

impl Instance {
    /// Starts the component. The ports come back with an error.
    pub(super) fn start(
        engine: &Engine,
        ports: Ports,
        limits: Limits,
    ) -> Result<Self, (HostError, Ports)> {
        let state = HostState::new(ports, limits);
        let mut store = Store::new(engine.wasmtime(), state);
        store.limiter(|state| &mut state.memory);
        store.set_hostcall_fuel(limits.bytes_per_call);
        store.epoch_deadline_callback(|mut store| {
            let state = store.data_mut();
            // Another call's deadline advances the epoch for all; only the late one stops.
            if state
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
            {
                state.deadline_missed = true;
                wasmtime::bail!("deadline");
            }
            Ok(UpdateDeadline::Continue(1))
        });
        let deadline = Instant::now() + limits.deadline;
        let started = under_deadline(engine, &mut store, deadline, |store| {
            engine.prepared().instantiate(store)
        });
        match started {
            Ok(exports) => Ok(Self { store, exports }),
            Err(trap) => Err(why_it_stopped(store, &trap, limits)),
        }
    }

    /// Enters the component once. An error says why the component stopped, and brings back the ports.
    pub(super) fn call<R>(
        mut self,
        engine: &Engine,
        limits: Limits,
        entry: impl FnOnce(&mut Store<HostState>, &ContextEngine) -> wasmtime::Result<R>,
    ) -> Result<(Self, R), (HostError, Ports)> {
        let state = self.store.data_mut();
        state.memory.limit_bytes = limits.memory_bytes;
        state.output.clear();
        self.store.set_hostcall_fuel(limits.bytes_per_call);
        let deadline = Instant::now() + limits.deadline;
        let exports = &self.exports;
        match under_deadline(engine, &mut self.store, deadline, |store| {
            entry(store, exports)
        }) {
            Ok(answer) => Ok((self, answer)),
            Err(trap) => Err(why_it_stopped(self.store, &trap, limits)),
        }
    }

    pub(super) fn into_ports(self) -> Ports {
        self.store.into_data().ports
    }
}

fn under_deadline<R>(
    engine: &Engine,
    store: &mut Store<HostState>,
    deadline: Instant,
    entry: impl FnOnce(&mut Store<HostState>) -> wasmtime::Result<R>,
) -> wasmtime::Result<R> {
    store.data_mut().deadline = Some(deadline);
    // Before the deadline is armed, so that an advance between the two is not lost.
    store.set_epoch_deadline(1);
    let armed = engine.deadlines().arm(deadline);
    let result = entry(store);
    drop(armed);
    result
}

fn why_it_stopped(
    store: Store<HostState>,
    trap: &wasmtime::Error,
    limits: Limits,
) -> (HostError, Ports) {
    let state = store.into_data();
    let error = if state.deadline_missed {
        HostError::DeadlineMissed {
            limit: limits.deadline,
        }
    } else if state.memory.refused {
        HostError::MemoryLimit {
            limit_bytes: state.memory.limit_bytes,
        }
    } else {
        let reason = match trap.downcast_ref::<Trap>() {
            Some(trap) => trap.to_string(),
            None => trap.root_cause().to_string(),
        };
        HostError::Trapped {
            reason,
            output: state.output.text(),
        }
    };
    (error, state.ports)
}
