//! The engine as a component in wasmtime.

use ds4_context_host::{
    CodeCache, ConfigLayer, DataFolder, Engine, EngineOptions, GrantedFolders, HealthDepth,
    HistoryAnswer, HistoryQuery, HistoryScope, Limits, MergedConfig, Model, Place, PlanRequest,
    Ports, Redaction, SecretDetector, Session, SessionOptions,
};

use super::failure::Failure;
use super::progress::Notice;
use super::runner::{DetectsSecrets, Document, OpenedSession, Runner};
use super::session_file::SessionFile;

pub(crate) struct Component {
    engine: Engine,
    /// None: derived state lives in memory.
    data: Option<DataFolder>,
}

impl Component {
    pub(crate) fn load(code_cache: CodeCache, data: Option<DataFolder>) -> Result<Self, Failure> {
        let notice = Notice::of(if code_cache == CodeCache::Off {
            "preparing the engine"
        } else {
            "preparing the engine, once"
        });
        let engine = Engine::new(&EngineOptions { code_cache })?;
        drop(notice);
        Ok(Self { engine, data })
    }
}

impl Runner for Component {
    fn merge_config(&self, layers: &[ConfigLayer]) -> Result<MergedConfig, Failure> {
        Ok(self.engine.merge_config(layers)?)
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
        Ok(Box::new(ComponentSession(Session::open(
            &self.engine,
            options,
            Ports::with_storage(files),
        )?)))
    }

    fn secret_detector(&self) -> Box<dyn DetectsSecrets> {
        Box::new(SecretDetector::new(&self.engine, Limits::default()))
    }
}

impl DetectsSecrets for SecretDetector {
    fn find(&mut self, texts: &[String]) -> Result<Vec<Vec<Redaction>>, Failure> {
        Ok(Self::find(self, texts)?)
    }
}

struct ComponentSession(Session);

impl OpenedSession for ComponentSession {
    fn read_log(&mut self, told: &mut dyn FnMut(u64)) -> Result<(), Failure> {
        self.0.sync_with(|progress| told(progress.done))?;
        Ok(())
    }

    fn select_leaf(&mut self, entry_id: &str) -> Result<(), Failure> {
        Ok(self.0.select_leaf(Some(entry_id))?)
    }

    fn select_model(&mut self, model: Model) -> Result<(), Failure> {
        Ok(self.0.select_model(model)?)
    }

    fn plan(&mut self, budget: Option<u32>) -> Result<Option<String>, Failure> {
        let plan = self.0.plan(&PlanRequest {
            budget,
            ..PlanRequest::default()
        })?;
        Ok(plan.fallback)
    }

    fn index(&mut self, told: &mut dyn FnMut(u64, u64)) -> Result<(), Failure> {
        self.0
            .index_with(|progress| told(progress.done, progress.total.unwrap_or(progress.done)))?;
        Ok(())
    }

    fn index_scope(
        &mut self,
        scope: HistoryScope,
        told: &mut dyn FnMut(u64, u64),
    ) -> Result<(), Failure> {
        self.0.index_scope(scope, |progress| {
            told(progress.done, progress.total.unwrap_or(progress.done));
        })?;
        Ok(())
    }

    fn rebuild_index(&mut self) -> Result<(), Failure> {
        Ok(self.0.rebuild_index()?)
    }

    fn search(&mut self, query: &HistoryQuery) -> Result<HistoryAnswer, Failure> {
        Ok(self.0.search_history(query)?)
    }

    fn health(&mut self, depth: HealthDepth) -> Result<String, Failure> {
        Ok(self.0.health(depth)?)
    }

    fn document(&mut self, document: Document) -> Result<String, Failure> {
        Ok(match document {
            Document::Render => self.0.render(None)?,
            Document::Manifest => self.0.manifest(None)?,
            Document::Explain => self.0.explain(None)?,
            Document::Inspect => self.0.inspect()?,
            Document::Status => self.0.status()?,
        })
    }
}
