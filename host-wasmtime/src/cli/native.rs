//! The same core without WebAssembly, for comparison only: no memory limit and no deadline holds here.

use std::cell::RefCell;
use std::rc::Rc;

use ds4_context_core as core;
use ds4_context_host::{
    BlockFile, Classification, Clock, ConfigLayer, ConfigProblem, DataFolder, Extent,
    GrantedFolders, HealthDepth, HistoryAnswer, HistoryHit, HistoryQuery, HistoryRelation,
    HistoryScope, INDEX_SLICE_BYTES, LogFormat, MergedConfig, Model, Place, Redaction,
    SYNC_SLICE_BYTES, SearchStatus, SessionCounts, SessionOptions, Storage, StorageError,
};

use super::failure::Failure;
use super::runner::{DetectsSecrets, Document, OpenedSession, Runner};
use super::session_file::SessionFile;

/// Seed of a session whose references nobody else can see: they end with the process.
const SEED: [u8; core::engine::MIN_SEED_BYTES] = [0; core::engine::MIN_SEED_BYTES];

/// The core, with derived state in a data folder or in memory.
pub(crate) struct Native {
    pub(crate) data: Option<DataFolder>,
}

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
        let mut files = GrantedFolders::new()
            .grant(Place::Sessions, file.folder())
            .map_err(|error| file.unreadable(&error))?;
        if let Some(data) = &self.data {
            files = files.with_data_folder(data.clone());
        }
        let clock = options.clock;
        let options = core::engine::SessionOptions {
            session_id: options.session_id,
            format: match options.format {
                LogFormat::Pi => core::session::LogFormat::PiSessionV3,
                LogFormat::Runtime => core::session::LogFormat::RuntimeSessionV1,
            },
            log: options.log,
            log_folder: options.log_folder,
            config: options.config.into_bytes(),
            project_root: options.project_root,
            seed: SEED.to_vec(),
        };
        let session =
            core::engine::Session::open(options, Rc::new(NativeStorage(RefCell::new(files))))?;
        Ok(Box::new(NativeSession { session, clock }))
    }

    fn secret_detector(&self) -> Box<dyn DetectsSecrets> {
        Box::new(core::privacy::secrets::SecretDetector::default())
    }
}

impl DetectsSecrets for core::privacy::secrets::SecretDetector {
    fn find(&mut self, texts: &[String]) -> Result<Vec<Vec<Redaction>>, Failure> {
        let redaction = |found: core::privacy::secrets::Redaction| Redaction {
            start: found.start,
            end: found.end,
            rule: found.rule.to_string(),
            placeholder: found.replacement.placeholder().to_owned(),
        };
        let secrets = |text: &String| Self::find(self, text).into_iter().map(redaction).collect();
        Ok(texts.iter().map(secrets).collect())
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

    fn index(&mut self, told: &mut dyn FnMut(u64, u64)) -> Result<(), Failure> {
        loop {
            let progress = self.session.index(INDEX_SLICE_BYTES, self.clock.now_ms())?;
            told(progress.done, progress.total.unwrap_or(progress.done));
            if progress.finished {
                return Ok(());
            }
        }
    }

    fn index_scope(
        &mut self,
        scope: HistoryScope,
        told: &mut dyn FnMut(u64, u64),
    ) -> Result<(), Failure> {
        loop {
            let now_ms = self.clock.now_ms();
            let progress =
                self.session
                    .index_scope(core_scope(scope), INDEX_SLICE_BYTES, now_ms)?;
            told(progress.done, progress.total.unwrap_or(progress.done));
            if progress.finished {
                return Ok(());
            }
        }
    }

    fn rebuild_index(&mut self) -> Result<(), Failure> {
        self.session.rebuild_index();
        Ok(())
    }

    fn search(&mut self, query: &HistoryQuery) -> Result<HistoryAnswer, Failure> {
        let query = core::engine::HistoryQuery {
            text: query.text.clone(),
            scope: core_scope(query.scope),
            limit: query.limit,
            max_tokens: query.max_tokens,
            now_ms: self.clock.now_ms(),
        };
        let answer = self.session.search_history(&query)?;
        let hit = |hit: core::engine::Hit| HistoryHit {
            entry_id: hit.entry_id,
            session_id: hit.session_id,
            relation: match hit.relation {
                core::engine::Relation::Ancestor => HistoryRelation::Ancestor,
                core::engine::Relation::LineageAncestor => HistoryRelation::LineageAncestor,
                core::engine::Relation::OtherBranch => HistoryRelation::OtherBranch,
                core::engine::Relation::OtherSession => HistoryRelation::OtherSession,
            },
            role: hit.role,
            timestamp_ms: hit.timestamp_ms,
            score: hit.score,
            reason: hit.reason,
            excerpt: hit.excerpt,
            classification: Classification::Normal,
            reference: hit.reference,
        };
        Ok(HistoryAnswer {
            status: match answer.status {
                core::engine::SearchStatus::Disabled => SearchStatus::Disabled,
                core::engine::SearchStatus::NoQuery => SearchStatus::NoQuery,
                core::engine::SearchStatus::Complete => SearchStatus::Complete,
            },
            hits: answer.hits.into_iter().map(hit).collect(),
            indexed_entries: answer.indexed_entries,
            log_entries: answer.log_entries,
            sessions: SessionCounts {
                up_to_date: answer.sessions.up_to_date,
                pending: answer.sessions.pending,
                left_out: answer.sessions.left_out,
            },
        })
    }

    fn health(&mut self, depth: HealthDepth) -> Result<String, Failure> {
        let depth = match depth {
            HealthDepth::Quick => core::engine::HealthDepth::Quick,
            HealthDepth::Deep => core::engine::HealthDepth::Deep,
        };
        Ok(self.session.health(depth, self.clock.now_ms())?.to_string())
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
        self.0
            .borrow_mut()
            .read_file(granted(place), path, offset, length)
            .map_err(port_error)
    }

    fn list_files(
        &self,
        place: core::ports::Place,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<u8>, core::ports::StorageError> {
        self.0
            .borrow_mut()
            .list_files(granted(place), after, limit)
            .map_err(port_error)
    }

    fn open_block_file(
        &self,
        name: &str,
    ) -> Result<Box<dyn core::ports::BlockFile>, core::ports::StorageError> {
        let file = self.0.borrow_mut().open_block_file(name);
        Ok(Box::new(NativeBlockFile(file.map_err(port_error)?)))
    }

    fn block_file_size(&self, name: &str) -> Result<Option<u64>, core::ports::StorageError> {
        let size = self.0.borrow_mut().block_file_size(name);
        size.map_err(port_error)
    }
}

fn granted(place: core::ports::Place) -> Place {
    match place {
        core::ports::Place::Sessions => Place::Sessions,
        core::ports::Place::Project => Place::Project,
    }
}

fn core_scope(scope: HistoryScope) -> core::engine::Scope {
    match scope {
        HistoryScope::CurrentBranch => core::engine::Scope::CurrentBranch,
        HistoryScope::CurrentSession => core::engine::Scope::CurrentSession,
        HistoryScope::CurrentLineage => core::engine::Scope::CurrentLineage,
        HistoryScope::Project => core::engine::Scope::Project,
    }
}

struct NativeBlockFile(Box<dyn BlockFile>);

impl core::ports::BlockFile for NativeBlockFile {
    fn lock(&mut self) -> Result<u64, core::ports::StorageError> {
        self.0.lock().map_err(port_error)
    }

    fn unlock(&mut self) {
        self.0.unlock();
    }

    fn size(&mut self) -> Result<u64, core::ports::StorageError> {
        self.0.size().map_err(port_error)
    }

    fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, core::ports::StorageError> {
        self.0.read(offset, length).map_err(port_error)
    }

    fn commit(
        &mut self,
        extents: &[core::ports::Extent],
        data: &[u8],
        new_size: u64,
        is_final: bool,
    ) -> Result<u64, core::ports::StorageError> {
        let extents: Vec<Extent> = extents
            .iter()
            .map(|extent| Extent {
                offset: extent.offset,
                length: extent.length,
            })
            .collect();
        self.0
            .commit(&extents, data, new_size, is_final)
            .map_err(port_error)
    }
}

fn port_error(error: StorageError) -> core::ports::StorageError {
    match error {
        StorageError::NotFound => core::ports::StorageError::NotFound,
        StorageError::AccessDenied => core::ports::StorageError::AccessDenied,
        StorageError::Busy => core::ports::StorageError::Busy,
        StorageError::Full => core::ports::StorageError::Full,
        StorageError::Corrupt(text) => core::ports::StorageError::Corrupt(text),
        StorageError::Other(text) => core::ports::StorageError::Other(text),
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
