//! The engine as a component in wasmtime.

use ds4_context_host::{
    CodeCache, ConfigLayer, DataFolder, Engine, EngineOptions, GrantedFolders, MergedConfig, Model,
    Place, PlanRequest, Ports, Session, SessionOptions,
};

use super::failure::Failure;
use super::runner::{Document, OpenedSession, Runner};
use super::session_file::SessionFile;

pub(crate) struct Component {
    engine: Engine,
    /// None: derived state lives in memory.
    data: Option<DataFolder>,
}

impl Component {
    pub(crate) fn load(code_cache: CodeCache, data: Option<DataFolder>) -> Result<Self, Failure> {
        Ok(Self {
            engine: Engine::new(&EngineOptions { code_cache })?,
            data,
        })
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
