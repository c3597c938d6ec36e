//! The exports about sessions: opening, planning, retrieval, diagnostics.

use std::cell::RefCell;
use std::rc::Rc;

use ds4_context_core::config::{Layer, merge, to_json};
use ds4_context_core::engine::{EngineError, Plan, PlanRequest, Session};

use crate::Component;
use crate::bindings::ds4::context::types::{Error, Json, Model, Progress, Usage};
use crate::bindings::exports::ds4::context::{diagnostics, planning, retrieval, sessions};
use crate::convert;
use crate::storage::ImportedStorage;

/// An exported session. A component has one thread, and no call of the core calls back into it.
pub(crate) struct OpenSession(Rc<RefCell<Session>>);

impl OpenSession {
    fn with<T>(
        &self,
        call: impl FnOnce(&mut Session) -> Result<T, EngineError>,
    ) -> Result<T, Error> {
        call(&mut self.0.borrow_mut()).map_err(convert::error)
    }

    fn document(
        &self,
        call: impl FnOnce(&mut Session) -> Result<serde_json::Value, EngineError>,
    ) -> Result<Json, Error> {
        self.with(call)
            .map(|document| document.to_string().into_bytes())
    }
}

impl sessions::Guest for Component {
    type Session = OpenSession;

    fn merge_config(layers: Vec<sessions::ConfigLayer>) -> sessions::MergedConfig {
        let layers: Vec<Layer<'_>> = layers
            .iter()
            .map(|layer| Layer {
                source: &layer.source,
                content: &layer.content,
            })
            .collect();
        let merged = merge(&layers);
        sessions::MergedConfig {
            config: to_json(&merged.config).to_string().into_bytes(),
            problems: merged.problems.into_iter().map(convert::problem).collect(),
        }
    }
}

impl sessions::GuestSession for OpenSession {
    fn open(options: sessions::Options) -> Result<sessions::Session, Error> {
        let session = Session::open(convert::session_options(options), Rc::new(ImportedStorage))
            .map_err(convert::error)?;
        Ok(sessions::Session::new(Self(Rc::new(RefCell::new(session)))))
    }

    fn sync(&self, max_bytes: u32, _now_ms: u64) -> Result<Progress, Error> {
        self.with(|session| session.sync(max_bytes))
            .map(convert::progress)
    }

    fn index(&self, max_bytes: u32, now_ms: u64) -> Result<Progress, Error> {
        self.with(|session| session.index(max_bytes, now_ms))
            .map(convert::progress)
    }

    fn rebuild_index(&self) {
        self.0.borrow_mut().rebuild_index();
    }

    fn append(&self, lines: Vec<u8>, _now_ms: u64) -> Result<u32, Error> {
        self.with(|session| session.append(&lines))
    }

    fn select_leaf(&self, entry_id: Option<String>) -> Result<(), Error> {
        self.with(|session| session.select_leaf(entry_id.as_deref()))
    }

    fn select_model(&self, model: Model) -> Result<(), Error> {
        self.with(|session| session.select_model(convert::model(model)))
    }

    fn projected_messages(&self) -> u32 {
        self.0.borrow_mut().projected_messages()
    }

    fn record_usage(&self, manifest_id: String, usage: Usage, _now_ms: u64) -> Result<(), Error> {
        self.with(|session| session.record_usage(&manifest_id, convert::usage(usage)))
    }
}

/// A plan under way. It is made at the start, unless another process holds the index, and handed out once.
pub(crate) struct PlanJob {
    session: Rc<RefCell<Session>>,
    state: RefCell<PlanState>,
}

enum PlanState {
    Made(Plan),
    /// Evidence waits for the index.
    Waiting(PlanRequest),
    HandedOut,
}

impl PlanJob {
    /// Hands out the plan, which `make` makes where it is not there yet; none where it makes none.
    fn hand_out(
        &self,
        make: impl FnOnce(&mut Session, &PlanRequest) -> Result<Option<Plan>, EngineError>,
    ) -> Result<Option<planning::Plan>, Error> {
        let mut state = self.state.borrow_mut();
        let plan = match std::mem::replace(&mut *state, PlanState::HandedOut) {
            PlanState::Made(plan) => plan,
            PlanState::Waiting(request) => {
                let made = make(&mut self.session.borrow_mut(), &request);
                let Ok(Some(plan)) = made else {
                    *state = PlanState::Waiting(request);
                    return made.map(|_| None).map_err(convert::error);
                };
                plan
            }
            PlanState::HandedOut => {
                return Err(Error::InvalidInput(
                    "the plan of this job was returned already".to_owned(),
                ));
            }
        };
        Ok(Some(convert::plan(plan)))
    }
}

impl planning::Guest for Component {
    type Job = PlanJob;

    fn render(
        session: sessions::SessionBorrow<'_>,
        manifest_id: Option<String>,
    ) -> Result<Json, Error> {
        session
            .get::<OpenSession>()
            .document(|session| session.render(manifest_id.as_deref()))
    }
}

impl planning::GuestJob for PlanJob {
    fn start(
        session: sessions::SessionBorrow<'_>,
        request: planning::Request,
    ) -> Result<planning::Job, Error> {
        let session = session.get::<OpenSession>();
        let request = convert::plan_request(request);
        let state = match session.with(|session| session.plan_with_evidence(&request))? {
            Some(plan) => PlanState::Made(plan),
            None => PlanState::Waiting(request),
        };
        Ok(planning::Job::new(Self {
            session: Rc::clone(&session.0),
            state: RefCell::new(state),
        }))
    }

    fn advance(&self) -> Result<Option<planning::Plan>, Error> {
        self.hand_out(Session::plan_with_evidence)
    }

    fn finish_now(&self) -> Result<planning::Plan, Error> {
        let plan = self.hand_out(|session, request| session.plan(request).map(Some))?;
        plan.ok_or(Error::Busy)
    }
}

impl diagnostics::Guest for Component {
    fn inspect(session: sessions::SessionBorrow<'_>) -> Result<Json, Error> {
        session
            .get::<OpenSession>()
            .document(|session| Ok(session.inspect()))
    }

    fn manifest(session: sessions::SessionBorrow<'_>, id: Option<String>) -> Result<Json, Error> {
        session
            .get::<OpenSession>()
            .document(|session| session.manifest(id.as_deref()))
    }

    fn explain(session: sessions::SessionBorrow<'_>, id: Option<String>) -> Result<Json, Error> {
        session
            .get::<OpenSession>()
            .document(|session| session.explain(id.as_deref()))
    }

    fn status(session: sessions::SessionBorrow<'_>) -> Result<Json, Error> {
        session
            .get::<OpenSession>()
            .document(|session| Ok(session.status()))
    }

    fn health(
        session: sessions::SessionBorrow<'_>,
        depth: diagnostics::HealthDepth,
        now_ms: u64,
    ) -> Result<Json, Error> {
        session
            .get::<OpenSession>()
            .document(|session| session.health(convert::health_depth(depth), now_ms))
    }
}

impl retrieval::Guest for Component {
    fn index_scope(
        session: sessions::SessionBorrow<'_>,
        scope: retrieval::Scope,
        max_bytes: u32,
        now_ms: u64,
    ) -> Result<Progress, Error> {
        session
            .get::<OpenSession>()
            .with(|session| session.index_scope(convert::scope(scope), max_bytes, now_ms))
            .map(convert::progress)
    }

    fn search_history(
        session: sessions::SessionBorrow<'_>,
        query: retrieval::Query,
    ) -> Result<retrieval::Answer, Error> {
        let query = convert::history_query(query);
        session
            .get::<OpenSession>()
            .with(|session| session.search_history(&query))
            .map(convert::history_answer)
    }

    fn read(
        session: sessions::SessionBorrow<'_>,
        reference: String,
        first_line: u32,
        count: u32,
        now_ms: u64,
    ) -> Result<retrieval::EntryLines, Error> {
        session
            .get::<OpenSession>()
            .with(|session| session.read_history(&reference, first_line, count, now_ms))
            .map(convert::entry_lines)
    }
}
