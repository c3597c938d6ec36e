//! The façade: one opened session with everything a host can ask of it. The component and the native tests use this and
//! nothing else of the crate.
//!
//! Invariants:
//! - A session's answers are a pure function of the calls made on it and of what the storage port returned.
//! - A failed call leaves the session as it was.
//! - Plans are remembered only as far as manifests, explanations and the stable cut need: the newest [`HELD_PLANS`].

mod derived_state;
mod error;
mod evidence;
mod fixed_overhead;
mod history;
mod inspect;
mod memory;
mod plan;
mod planning;
mod render;
mod request;
mod scope;
mod status;
mod sync;
mod view;

pub use crate::retrieval::{Relation, Scope};
pub use derived_state::HealthDepth;
pub use error::EngineError;
pub use history::{
    HistoryAnswer, HistoryLines, HistoryQuery, Hit, MAX_HITS, MAX_READ_LINES, SearchStatus,
    SessionCounts,
};
pub use request::{Plan, PlanItem, PlanRequest, Run, Span, Supplement, SupplementKind};
pub use sync::Progress;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;

use crate::config::{Config, Layer, Severity};
use crate::manifest::{PlanRecord, Usage};
use crate::model::{Model, ModelProfile};
use crate::planner::{Candidate, condense};
use crate::ports::Storage;
use crate::retrieval::{IndexDatabase, References, SessionIndex};
use crate::session::{AppendError, LogFormat, SessionLog};
use derived_state::DatabasePlace;
use evidence::RememberedEvidence;
use fixed_overhead::FixedOverhead;
use memory::{CondensedForms, NewestPlan, PlanMemory};
use scope::OtherSessions;
use sync::{Change, LogReader};
use view::{TokenCounts, View};

pub use memory::HELD_PLANS;

/// Bytes of lines that one `append` may bring.
pub const MAX_APPEND_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of seed that a session needs at least.
pub const MIN_SEED_BYTES: usize = 32;
/// Reported ÷ estimated tokens, as long as there is no calibration.
const UNCALIBRATED: f64 = 1.0;

/// How a session is opened.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Names the session in manifests.
    pub session_id: String,
    /// The log's format.
    pub format: LogFormat,
    /// The log's path in the place `sessions`; none for a session that lives in memory only.
    pub log: Option<String>,
    /// The log's folder as an absolute path, where the ID is taken from the file's name and logs of other folders may have the
    /// same one: it keeps their rows in the index apart. Only its hash is kept.
    pub log_folder: Option<String>,
    /// A configuration document; `{}` means the defaults.
    pub config: Vec<u8>,
    /// The root of the project that the session is about, as an absolute path, where it is trusted and neither a home folder
    /// nor the root of a file system. It names the project's own database.
    pub project_root: Option<String>,
    /// At least [`MIN_SEED_BYTES`] unguessable bytes.
    pub seed: Vec<u8>,
}

/// One opened session.
pub struct Session {
    session_id: String,
    format: LogFormat,
    storage: Rc<dyn Storage>,
    reader: Option<LogReader>,
    log: SessionLog,
    config: Config,
    model: Option<Model>,
    /// The leaf that the host chose; none follows the log's last entry.
    chosen_leaf: Option<String>,
    view: Option<Rc<View>>,
    counts: TokenCounts,
    overhead: Option<FixedOverhead>,
    plans: PlanMemory,
    forms: CondensedForms,
    /// Names the session's rows in the index.
    index_key: String,
    database: IndexDatabase,
    /// The database that must not stay now that privacy is on, until it is gone.
    withdrawn_database: Option<String>,
    session_index: SessionIndex,
    /// Whether a slice was indexed: rows that are not known any more were lost since.
    was_indexed: bool,
    others: OtherSessions,
    references: References,
    evidence: RememberedEvidence,
}

impl Session {
    /// Opens a session without reading its log.
    pub fn open(options: SessionOptions, storage: Rc<dyn Storage>) -> Result<Self, EngineError> {
        if options.session_id.is_empty() {
            return Err(EngineError::InvalidInput(
                "the session has no ID".to_owned(),
            ));
        }
        if options.seed.len() < MIN_SEED_BYTES {
            return Err(EngineError::InvalidInput(format!(
                "the seed needs at least {MIN_SEED_BYTES} bytes"
            )));
        }
        let config = valid_config(&options.config)?;
        let place = DatabasePlace::of(
            &config,
            options.log.is_some(),
            options.project_root.as_deref(),
        );
        let index_key =
            derived_state::index_key(&options.session_id, options.log_folder.as_deref());
        let references = References::new(&options.seed, &options.session_id);
        Ok(Self {
            session_id: options.session_id,
            format: options.format,
            database: IndexDatabase::new(Rc::clone(&storage), place.stored),
            storage,
            reader: options.log.map(|path| LogReader::new(path, options.format)),
            log: SessionLog::new(options.format),
            config,
            model: None,
            chosen_leaf: None,
            view: None,
            counts: TokenCounts::default(),
            overhead: None,
            plans: PlanMemory::default(),
            forms: CondensedForms::default(),
            index_key,
            withdrawn_database: place.withdrawn,
            session_index: SessionIndex::default(),
            was_indexed: false,
            others: OtherSessions::default(),
            references,
            evidence: RememberedEvidence::default(),
        })
    }

    /// The session's ID.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// Takes in up to `max_bytes` of what the log has gained.
    pub fn sync(&mut self, max_bytes: u32) -> Result<Progress, EngineError> {
        let Some(reader) = &mut self.reader else {
            return Err(EngineError::InvalidInput(
                "the session was opened without a log; use append".to_owned(),
            ));
        };
        let outcome = reader.read(&*self.storage, &mut self.log, max_bytes);
        let (progress, change) =
            outcome.map_err(|error| EngineError::reading(reader.path(), &error))?;
        match change {
            Change::Nothing => {}
            Change::Grown => self.view = None,
            Change::Restarted => {
                self.view = None;
                self.counts = TokenCounts::default();
                self.forms = CondensedForms::default();
                self.plans.forget_positions();
                self.session_index.log_restarted();
                self.others.log_restarted();
                self.evidence = RememberedEvidence::default();
            }
        }
        Ok(progress)
    }

    /// Takes in entries of a session without a log, one JSON document a line. Returns how many lines were new.
    pub fn append(&mut self, lines: &[u8]) -> Result<u32, EngineError> {
        if self.reader.is_some() {
            return Err(EngineError::InvalidInput(
                "the session reads its own log; use sync".to_owned(),
            ));
        }
        if lines.len() > MAX_APPEND_BYTES {
            return Err(EngineError::Limit(format!(
                "one append takes at most {MAX_APPEND_BYTES} bytes"
            )));
        }
        let new = self
            .log
            .append_documents(lines)
            .map_err(|error: AppendError| EngineError::InvalidInput(error.to_string()))?;
        if new > 0 {
            self.view = None;
        }
        Ok(new)
    }

    /// Moves to another leaf; none follows the log's last entry.
    pub fn select_leaf(&mut self, entry_id: Option<&str>) -> Result<(), EngineError> {
        if let Some(id) = entry_id
            && self.log.entry(id).is_none()
        {
            return Err(EngineError::NotFound(format!(
                "the session has no entry {id}"
            )));
        }
        if self.chosen_leaf.as_deref() != entry_id {
            self.chosen_leaf = entry_id.map(str::to_owned);
            self.view = None;
        }
        Ok(())
    }

    /// The model that plans are for.
    pub fn select_model(&mut self, model: Model) -> Result<(), EngineError> {
        if model.provider.is_empty() || model.id.is_empty() {
            return Err(EngineError::InvalidInput(
                "a model needs a provider and an ID".to_owned(),
            ));
        }
        if model.context_window == 0 {
            return Err(EngineError::InvalidInput(format!(
                "the window of {}/{} is 0 tokens",
                model.provider, model.id
            )));
        }
        self.model = Some(model);
        Ok(())
    }

    /// How many messages the active branch projects to.
    pub fn projected_messages(&mut self) -> u32 {
        u32::try_from(self.view().len()).unwrap_or(u32::MAX)
    }

    /// What the provider reported for the request that the manifest describes.
    pub fn record_usage(&mut self, manifest_id: &str, usage: Usage) -> Result<(), EngineError> {
        let record = self
            .plans
            .record_mut(manifest_id)
            .ok_or_else(|| no_such_plan(Some(manifest_id)))?;
        record.usage = Some(usage);
        Ok(())
    }

    /// A plan's manifest, the newest where no ID is given.
    pub fn manifest(&self, id: Option<&str>) -> Result<Value, EngineError> {
        self.plans
            .record(id)
            .map(PlanRecord::manifest)
            .ok_or_else(|| no_such_plan(id))
    }

    /// Reasons and smallest changes.
    pub fn explain(&mut self, id: Option<&str>) -> Result<Value, EngineError> {
        let forms = RefCell::new(std::mem::take(&mut self.forms));
        let explanation = self.plans.record(id).map(|record| {
            let newest = self.plans.newest(&record.id);
            record.explanation(&|place| {
                let NewestPlan { view, context, .. } = newest?;
                let message = record.messages.get(place)?;
                let candidate = Candidate {
                    message: context.message(&self.log, view, place)?,
                    tokens: message.tokens,
                    entry_id: message.entry_id.as_deref(),
                    pinned: false,
                };
                let identity = context.identity(&self.log, view, place);
                let make = || condense(&candidate, record.estimator);
                forms
                    .borrow_mut()
                    .form(record.estimator, identity, make)
                    .map(|form| form.tokens)
            })
        });
        self.forms = forms.into_inner();
        explanation.ok_or_else(|| no_such_plan(id))
    }

    /// The planned request itself, of the newest plan only.
    pub fn render(&self, id: Option<&str>) -> Result<Value, EngineError> {
        let record = self.plans.record(id).ok_or_else(|| no_such_plan(id))?;
        let newest = self
            .plans
            .newest(&record.id)
            .ok_or_else(|| no_such_plan(id))?;
        Ok(render::document(record, newest, &self.log))
    }

    /// The tree, branches, turns, tokens and the damage found in the log.
    pub fn inspect(&mut self) -> Value {
        let view = self.view();
        let profile = self.profile(&view);
        inspect::document(
            &self.session_id,
            &self.log,
            &view,
            &profile,
            &mut self.counts,
        )
    }

    /// Session, leaf, model, budgets and the newest plan in a few figures.
    pub fn status(&mut self) -> Value {
        let view = self.view();
        let profile = self.profile(&view);
        let tokens = inspect::projection_tokens(&self.log, &view, &profile, &mut self.counts);
        status::document(&status::Facts {
            session_id: &self.session_id,
            leaf_id: view.leaf_id(&self.log),
            format: self.format,
            config: &self.config,
            profile: &profile,
            messages: view.len(),
            tokens,
            last: self.plans.record(None),
        })
    }

    fn view(&mut self) -> Rc<View> {
        if let Some(view) = &self.view {
            return Rc::clone(view);
        }
        let chosen = self
            .chosen_leaf
            .as_deref()
            .and_then(|id| self.log.entry(id));
        let view = Rc::new(View::new(&self.log, chosen.or(self.log.last_leaf())));
        self.view = Some(Rc::clone(&view));
        view
    }

    /// The model that the host chose, else the log's own, else one without a name.
    fn profile(&self, view: &View) -> ModelProfile {
        let from_log = || {
            view.model(&self.log)
                .map(|(provider, id)| Model::named(provider, id))
        };
        let model = self
            .model
            .clone()
            .or_else(from_log)
            .unwrap_or_else(|| Model::named("unknown", "unknown"));
        ModelProfile::resolve(&model, &self.config)
    }

    fn overhead(
        &mut self,
        request: &PlanRequest,
        view: &View,
        profile: &ModelProfile,
    ) -> Result<FixedOverhead, EngineError> {
        let from_log = view.system(&self.log);
        let prompt = request
            .system_prompt
            .as_deref()
            .or(from_log.map(|system| system.text.as_str()))
            .unwrap_or_default();
        let log_tools = match (&request.tools, from_log) {
            (None, Some(system)) => {
                Some(Value::Array(system.tools.clone()).to_string().into_bytes())
            }
            _ => None,
        };
        let tools = request
            .tools
            .as_deref()
            .or(log_tools.as_deref())
            .unwrap_or(b"[]");
        match self.overhead.take() {
            Some(known) if known.is_of(profile.estimator, prompt, tools) => Ok(known),
            _ => FixedOverhead::new(profile.estimator, prompt, tools),
        }
    }
}

/// The configuration in a document that must be valid as a whole: hosts merge and report before they open.
fn valid_config(document: &[u8]) -> Result<Config, EngineError> {
    let merged = crate::config::merge(&[Layer {
        source: "configuration",
        content: document,
    }]);
    match merged
        .problems
        .iter()
        .find(|problem| problem.severity == Severity::Error)
    {
        Some(problem) => Err(EngineError::InvalidInput(problem.to_string())),
        None => Ok(merged.config),
    }
}

fn no_such_plan(id: Option<&str>) -> EngineError {
    EngineError::NotFound(match id {
        Some(id) => format!("the plan {id} is not held any more, or never was"),
        None => "there is no plan yet".to_owned(),
    })
}

#[cfg(test)]
mod tests;
