//! One opened session: its log, its place in the tree, its configuration and model.
//!
//! Invariants:
//! - A session outlives its component. After a trap, a missed deadline or the memory limit the instance is dropped, the
//!   call fails, and the next call opens the session anew: same options, log read again, leaf and model as selected.
//!   Plans made before are no longer held: `render` and `manifest` answer `NotFound` for them.
//! - What the engine refused ([`HostError::Refused`]) changed nothing, here and there.

mod configuration;
mod conversions;
mod history;
mod history_types;
mod instance;
mod lifecycle;
mod secrets;
mod types;

use std::thread;
use std::time::{Duration, Instant};

use wasmtime::component::ResourceAny;

pub use history::INDEX_SLICE_BYTES;
pub use history_types::{
    EntryLines, HealthDepth, HistoryAnswer, HistoryHit, HistoryQuery, HistoryRelation,
    HistoryScope, SearchStatus, SessionCounts,
};
pub(crate) use instance::HostState;
pub use secrets::{Redaction, SecretDetector};
pub use types::{
    Classification, Clock, ConfigLayer, ConfigProblem, LogFormat, MergedConfig, Model, Plan,
    PlanItem, PlanRequest, Progress, Replacement, Run, SessionOptions, Span, Supplement,
    SupplementKind, TokenCost, Usage,
};

use crate::{Engine, HostError, Limits, Ports};
use conversions::document;
use instance::Instance;

/// Bytes of the log that one call of the component takes in.
pub const SYNC_SLICE_BYTES: u32 = 2 * 1024 * 1024;
/// Bytes of a session's seed from the operating system.
const SEED_BYTES: usize = 32;
/// Pause between two looks at a plan that waits.
const PLAN_POLL_PAUSE: Duration = Duration::from_millis(5);

/// One opened session. Used by one thread at a time; dropping it ends its component.
pub struct Session {
    engine: Engine,
    options: SessionOptions,
    seed: Vec<u8>,
    state: State,
    selected: Selected,
}

/// Where the ports are: with the component while it runs, here while there is none.
#[expect(
    clippy::large_enum_variant,
    reason = "one per session, and never in a list"
)]
enum State {
    Running {
        instance: Instance,
        session: ResourceAny,
    },
    Dropped {
        ports: Ports,
    },
    /// Only while a call is under way; a port that panicked leaves it behind.
    Calling,
}

/// What was selected since the session was opened, to be done again after the component was dropped.
#[derive(Default)]
struct Selected {
    /// Whether the log was read.
    synced: bool,
    leaf: Option<String>,
    model: Option<Model>,
    /// Lines of a session without a log, in the order they were taken in.
    appended: Vec<Vec<u8>>,
}

impl Session {
    /// Opens a session without reading its log.
    ///
    /// # Errors
    /// `Refused` for options that break the contract; otherwise as every call.
    pub fn open(engine: &Engine, options: SessionOptions, ports: Ports) -> Result<Self, HostError> {
        let seed = match &options.seed {
            Some(seed) => seed.clone(),
            None => random_seed()?,
        };
        let state = State::Dropped { ports };
        let mut session = Self {
            engine: engine.clone(),
            options,
            seed,
            state,
            selected: Selected::default(),
        };
        session.reopen()?;
        Ok(session)
    }

    /// Takes in what the log has gained since the last call.
    ///
    /// # Errors
    /// `Refused` with `NotFound` or `Storage` where the log cannot be read; what was read before stays.
    pub fn sync(&mut self) -> Result<Progress, HostError> {
        self.sync_with(|_| {})
    }

    /// As [`Session::sync`], and tells how far it is after each [`SYNC_SLICE_BYTES`].
    ///
    /// # Errors
    /// As [`Session::sync`].
    pub fn sync_with(&mut self, mut told: impl FnMut(Progress)) -> Result<Progress, HostError> {
        self.ensure_running()?;
        loop {
            let slice = self.sync_slice();
            // A component that stopped while it read has to read again; one that refused has read nothing.
            self.selected.synced |= !matches!(slice, Err(HostError::Refused(_)));
            let progress = slice?;
            told(progress);
            if progress.finished {
                return Ok(progress);
            }
        }
    }

    /// Entries of a session without a log, one JSON document a line, at most 8 MiB together. Returns how many were new.
    ///
    /// The lines are also kept here, for the case that the component has to be started again.
    ///
    /// # Errors
    /// `Refused` where the session has a log, or a line contradicts what is known; nothing is taken in then.
    pub fn append(&mut self, lines: impl Into<Vec<u8>>) -> Result<u32, HostError> {
        let lines = lines.into();
        self.ensure_running()?;
        let new = self.append_running(&lines)?;
        if new > 0 {
            self.selected.appended.push(lines);
        }
        Ok(new)
    }

    /// Moves to another leaf of the tree; `None` is the log's own last entry, now and after every `sync`.
    ///
    /// # Errors
    /// `Refused` with `NotFound` where there is no such entry.
    pub fn select_leaf(&mut self, entry_id: Option<&str>) -> Result<(), HostError> {
        self.ensure_running()?;
        self.select_leaf_running(entry_id)?;
        self.selected.leaf = entry_id.map(str::to_owned);
        Ok(())
    }

    /// The model that plans are for. Without it the log's own last model counts.
    ///
    /// # Errors
    /// `Refused` where its limits make no sense.
    pub fn select_model(&mut self, model: Model) -> Result<(), HostError> {
        self.ensure_running()?;
        self.select_model_running(&model)?;
        self.selected.model = Some(model);
        Ok(())
    }

    /// How many messages the active branch projects to; [`Span::Projected`] counts in these.
    ///
    /// # Errors
    /// As every call.
    pub fn projected_messages(&mut self) -> Result<u32, HostError> {
        self.call(|store, exports, session| {
            Ok(Ok(exports
                .ds4_context_sessions()
                .session()
                .call_projected_messages(store, session)?))
        })
    }

    /// What the provider reported for the request that `manifest_id` describes.
    ///
    /// # Errors
    /// `Refused` where the manifest is not known.
    pub fn record_usage(&mut self, manifest_id: &str, usage: Usage) -> Result<(), HostError> {
        let now_ms = self.options.clock.now_ms();
        self.call(|store, exports, session| {
            let session_calls = exports.ds4_context_sessions().session();
            session_calls.call_record_usage(store, session, manifest_id, usage.into(), now_ms)
        })
    }

    /// Decides what the next request holds. A plan whose evidence waits for an index that another process holds is finished
    /// without it after `storage.busyTimeoutMs`, or at the deadline where that is sooner.
    ///
    /// # Errors
    /// `Refused` for a request that breaks the contract. A plan that could not be made is not an error: its `fallback`
    /// says why it is the host's own context.
    pub fn plan(&mut self, request: &PlanRequest) -> Result<Plan, HostError> {
        let request = request.at(self.options.clock.now_ms());
        let job = self.call(|store, exports, session| {
            exports
                .ds4_context_planning()
                .job()
                .call_start(store, session, &request)
        })?;
        let patience = self.busy_timeout().min(self.options.limits.deadline);
        let give_up = Instant::now() + patience;
        let planned = loop {
            let advanced = self.call(|store, exports, _| {
                exports
                    .ds4_context_planning()
                    .job()
                    .call_advance(store, job)
            });
            match advanced {
                Ok(None) if Instant::now() < give_up => thread::sleep(PLAN_POLL_PAUSE),
                Ok(None) => {
                    break self.call(|store, exports, _| {
                        exports
                            .ds4_context_planning()
                            .job()
                            .call_finish_now(store, job)
                    });
                }
                Ok(Some(plan)) => break Ok(plan),
                Err(error) => break Err(error),
            }
        };
        if matches!(self.state, State::Running { .. }) {
            self.call(|store, _, _| job.resource_drop(store).map(Ok))?;
        }
        planned.and_then(Plan::try_from)
    }

    /// The planned request as JSON (`ds4-context-plan-v1`); the newest plan where none is named.
    ///
    /// # Errors
    /// `Refused` with `NotFound` for a plan that is no longer held.
    pub fn render(&mut self, manifest_id: Option<&str>) -> Result<String, HostError> {
        self.call(|store, exports, session| {
            exports
                .ds4_context_planning()
                .call_render(store, session, manifest_id)
        })
        .and_then(document)
    }

    /// A plan's manifest as JSON: every item with its reason, no message text.
    ///
    /// # Errors
    /// As [`Session::render`].
    pub fn manifest(&mut self, manifest_id: Option<&str>) -> Result<String, HostError> {
        self.call(|store, exports, session| {
            exports
                .ds4_context_diagnostics()
                .call_manifest(store, session, manifest_id)
        })
        .and_then(document)
    }

    /// For every item its reason, for every exclusion the smallest change that would have included it, as JSON.
    ///
    /// # Errors
    /// As [`Session::render`].
    pub fn explain(&mut self, manifest_id: Option<&str>) -> Result<String, HostError> {
        self.call(|store, exports, session| {
            exports
                .ds4_context_diagnostics()
                .call_explain(store, session, manifest_id)
        })
        .and_then(document)
    }

    /// The tree, branches, turns, tokens and damage of the log as JSON (`ds4-context-inspect-v1`).
    ///
    /// # Errors
    /// As every call.
    pub fn inspect(&mut self) -> Result<String, HostError> {
        self.call(|store, exports, session| {
            exports
                .ds4_context_diagnostics()
                .call_inspect(store, session)
        })
        .and_then(document)
    }

    /// Session, leaf, model, budgets and the newest plan in a few figures, as JSON.
    ///
    /// # Errors
    /// As every call.
    pub fn status(&mut self) -> Result<String, HostError> {
        self.call(|store, exports, session| {
            exports
                .ds4_context_diagnostics()
                .call_status(store, session)
        })
        .and_then(document)
    }

    /// Other limits, from the next call on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.options.limits = limits;
    }

    /// Whether a component is running for this session; `false` after it stopped, until the next call.
    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Running { .. })
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Session")
            .field("session_id", &self.options.session_id)
            .field("running", &self.is_running())
            .finish_non_exhaustive()
    }
}

fn random_seed() -> Result<Vec<u8>, HostError> {
    let mut seed = vec![0; SEED_BYTES];
    getrandom::fill(&mut seed).map_err(|error| HostError::NoSeed(error.to_string()))?;
    Ok(seed)
}
