//! The same core without WebAssembly, for comparison only: no memory limit and no deadline holds here.

use std::cell::RefCell;
use std::rc::Rc;

use ds4_context_core as core;
use ds4_context_host::{
    Clock, ConfigLayer, ConfigProblem, GrantedFolders, LogFormat, MergedConfig, Model, Place,
    SYNC_SLICE_BYTES, SessionOptions, Storage, StorageError,
};

use super::failure::Failure;
use super::runner::{Document, OpenedSession, Runner};
use super::session_file::SessionFile;

/// Seed of a session whose references nobody else can see: they end with the process.
const SEED: [u8; core::engine::MIN_SEED_BYTES] = [0; core::engine::MIN_SEED_BYTES];

pub(crate) struct Native;

impl Runner for Native {
    fn merge_config(&self, layers: &[ConfigLayer]) -> Result<MergedConfig, Failure> {
        let layers: Vec<core::config::Layer<'_>> = layers
            .iter()
            .map(|layer| core::config::Layer {
                source: &layer.source,
                content: layer.content.as_bytes(),
            })
            .collect();
        let merged = core::config::merge(&layers);
        let problem = |problem: core::config::Problem| ConfigProblem {
            ignored_layer: problem.severity == core::config::Severity::Error,
            code: problem.code.as_str().to_owned(),
            source: problem.source,
            path: problem.path,
            message: problem.message,
        };
        Ok(MergedConfig {
            config: core::config::to_json(&merged.config).to_string(),
            problems: merged.problems.into_iter().map(problem).collect(),
        })
    }

    fn open(
        &self,
        file: &SessionFile,
        options: SessionOptions,
    ) -> Result<Box<dyn OpenedSession>, Failure> {
        let files = GrantedFolders::new()
            .grant(Place::Sessions, file.folder())
            .map_err(|error| file.unreadable(&error))?;
        let clock = options.clock;
        let options = core::engine::SessionOptions {
            session_id: options.session_id,
            format: match options.format {
                LogFormat::Pi => core::session::LogFormat::PiSessionV3,
                LogFormat::Runtime => core::session::LogFormat::RuntimeSessionV1,
            },
            log: options.log,
            config: options.config.into_bytes(),
            seed: SEED.to_vec(),
        };
        let session =
            core::engine::Session::open(options, Rc::new(NativeStorage(RefCell::new(files))))?;
        Ok(Box::new(NativeSession { session, clock }))
    }
}

struct NativeSession {
    session: core::engine::Session,
    clock: Clock,
}

impl OpenedSession for NativeSession {
    fn read_log(&mut self, told: &mut dyn FnMut(u64)) -> Result<(), Failure> {
        loop {
            let progress = self.session.sync(SYNC_SLICE_BYTES)?;
            told(progress.done);
            if progress.finished {
                return Ok(());
            }
        }
    }

    fn select_leaf(&mut self, entry_id: &str) -> Result<(), Failure> {
        Ok(self.session.select_leaf(Some(entry_id))?)
    }

    fn select_model(&mut self, model: Model) -> Result<(), Failure> {
        let cost = model.cost.map(|cost| core::model::TokenCost {
            input: cost.input,
            output: cost.output,
            cache_read: cost.cache_read,
            cache_write: cost.cache_write,
        });
        Ok(self.session.select_model(core::model::Model {
            provider: model.provider,
            id: model.id,
            context_window: model.context_window,
            max_output: model.max_output,
            cost,
        })?)
    }

    fn plan(&mut self, budget: Option<u32>) -> Result<Option<String>, Failure> {
        let now_ms = self.clock.now_ms();
        let request = core::engine::PlanRequest {
            budget,
            now_ms,
            ..core::engine::PlanRequest::default()
        };
        Ok(self.session.plan(&request)?.fallback.map(str::to_owned))
    }

    fn document(&mut self, document: Document) -> Result<String, Failure> {
        let document = match document {
            Document::Render => self.session.render(None)?,
            Document::Manifest => self.session.manifest(None)?,
            Document::Explain => self.session.explain(None)?,
            Document::Inspect => self.session.inspect(),
            Document::Status => self.session.status(),
        };
        Ok(document.to_string())
    }
}

/// The core's storage port over the granted folders.
struct NativeStorage(RefCell<GrantedFolders>);

impl core::ports::Storage for NativeStorage {
    fn read_file(
        &self,
        place: core::ports::Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, core::ports::StorageError> {
        let place = match place {
            core::ports::Place::Sessions => Place::Sessions,
            core::ports::Place::Project => Place::Project,
        };
        self.0
            .borrow_mut()
            .read_file(place, path, offset, length)
            .map_err(|error| match error {
                StorageError::NotFound => core::ports::StorageError::NotFound,
                StorageError::AccessDenied => core::ports::StorageError::AccessDenied,
                StorageError::Busy => core::ports::StorageError::Busy,
                StorageError::Full => core::ports::StorageError::Full,
                StorageError::Corrupt(text) => core::ports::StorageError::Corrupt(text),
                StorageError::Other(text) => core::ports::StorageError::Other(text),
            })
    }
}

impl From<core::engine::EngineError> for Failure {
    fn from(error: core::engine::EngineError) -> Self {
        use core::engine::EngineError::{InvalidInput, NotFound};
        match &error {
            InvalidInput(_) | NotFound(_) => Self::BadInput(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}
