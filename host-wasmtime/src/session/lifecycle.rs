//! Starting the component, calling it, and starting it again after it stopped.

use wasmtime::Store;
use wasmtime::component::ResourceAny;

use super::instance::{HostState, Instance};
use super::types::{Model, Progress};
use super::{SYNC_SLICE_BYTES, Session, State};
use crate::bindings::ContextEngine;
use crate::bindings::ds4::context::types::Error as ContractError;
use crate::bindings::exports::ds4::context::sessions;
use crate::{EngineError, HostError, Ports};

/// What the contract's functions return inside wasmtime's own result.
type Answer<R> = wasmtime::Result<Result<R, ContractError>>;

impl Session {
    /// One call of the running component, which is started first where there is none.
    pub(super) fn call<R>(
        &mut self,
        entry: impl FnOnce(&mut Store<HostState>, &ContextEngine, ResourceAny) -> Answer<R>,
    ) -> Result<R, HostError> {
        self.ensure_running()?;
        self.call_running(entry)
    }

    pub(super) fn ensure_running(&mut self) -> Result<(), HostError> {
        if self.is_running() {
            Ok(())
        } else {
            self.reopen()
        }
    }

    fn call_running<R>(
        &mut self,
        entry: impl FnOnce(&mut Store<HostState>, &ContextEngine, ResourceAny) -> Answer<R>,
    ) -> Result<R, HostError> {
        let (instance, session) = match std::mem::replace(&mut self.state, State::Calling) {
            State::Running { instance, session } => (instance, session),
            other => {
                self.state = other;
                return Err(HostError::BrokenAnswer(
                    "a call without a component".to_owned(),
                ));
            }
        };
        let limits = self.options.limits;
        match instance.call(&self.engine, limits, |store, exports| {
            entry(store, exports, session)
        }) {
            Ok((instance, answer)) => {
                self.state = State::Running { instance, session };
                answer.map_err(|error| HostError::Refused(error.into()))
            }
            Err((error, ports)) => {
                self.state = State::Dropped { ports };
                Err(error)
            }
        }
    }

    /// Starts a component and brings it to where the last one was.
    pub(super) fn reopen(&mut self) -> Result<(), HostError> {
        let ports = match std::mem::replace(&mut self.state, State::Calling) {
            State::Dropped { ports } => ports,
            State::Running { instance, .. } => instance.into_ports(),
            State::Calling => {
                return Err(HostError::Load(
                    "a port panicked in an earlier call".to_owned(),
                ));
            }
        };
        self.start(ports)
            .and_then(|()| self.replay())
            .inspect_err(|_| self.drop_component())
    }

    /// A component that is not where the last one was must not answer.
    fn drop_component(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Calling) {
            State::Running { instance, .. } => State::Dropped {
                ports: instance.into_ports(),
            },
            other => other,
        };
    }

    fn start(&mut self, ports: Ports) -> Result<(), HostError> {
        let limits = self.options.limits;
        let options = sessions::Options {
            session_id: self.options.session_id.clone(),
            format: self.options.format.into(),
            log: self.options.log.clone(),
            log_folder: self.options.log_folder.clone(),
            config: self.options.config.clone().into_bytes(),
            project_trusted: self.options.project_trusted,
            project_root: self.options.project_root.clone(),
            seed: self.seed.clone(),
            now_ms: self.options.clock.now_ms(),
        };
        let opened = Instance::start(&self.engine, ports, limits).and_then(|instance| {
            instance.call(&self.engine, limits, |store, exports| {
                exports
                    .ds4_context_sessions()
                    .session()
                    .call_open(store, &options)
            })
        });
        match opened {
            Ok((instance, Ok(session))) => {
                self.state = State::Running { instance, session };
                Ok(())
            }
            Ok((instance, Err(refused))) => {
                self.state = State::Dropped {
                    ports: instance.into_ports(),
                };
                Err(HostError::Refused(EngineError::from(refused)))
            }
            Err((error, ports)) => {
                self.state = State::Dropped { ports };
                Err(error)
            }
        }
    }

    fn replay(&mut self) -> Result<(), HostError> {
        for index in 0..self.selected.appended.len() {
            let lines = std::mem::take(&mut self.selected.appended[index]);
            let taken_in = self.append_running(&lines);
            self.selected.appended[index] = lines;
            taken_in?;
        }
        while self.selected.synced && !self.sync_slice()?.finished {}
        if let Some(leaf) = self.selected.leaf.clone() {
            self.select_leaf_running(Some(&leaf))?;
        }
        if let Some(model) = self.selected.model.clone() {
            self.select_model_running(&model)?;
        }
        Ok(())
    }

    pub(super) fn append_running(&mut self, lines: &[u8]) -> Result<u32, HostError> {
        let now_ms = self.options.clock.now_ms();
        self.call_running(|store, exports, session| {
            exports
                .ds4_context_sessions()
                .session()
                .call_append(store, session, lines, now_ms)
        })
    }

    pub(super) fn select_leaf_running(&mut self, entry_id: Option<&str>) -> Result<(), HostError> {
        self.call_running(|store, exports, session| {
            exports
                .ds4_context_sessions()
                .session()
                .call_select_leaf(store, session, entry_id)
        })
    }

    pub(super) fn select_model_running(&mut self, model: &Model) -> Result<(), HostError> {
        let model = model.clone().into();
        self.call_running(|store, exports, session| {
            exports
                .ds4_context_sessions()
                .session()
                .call_select_model(store, session, &model)
        })
    }

    pub(super) fn sync_slice(&mut self) -> Result<Progress, HostError> {
        let now_ms = self.options.clock.now_ms();
        self.call_running(|store, exports, session| {
            exports.ds4_context_sessions().session().call_sync(
                store,
                session,
                SYNC_SLICE_BYTES,
                now_ms,
            )
        })
        .map(Progress::from)
    }
}
