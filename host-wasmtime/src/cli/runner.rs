//! The engine as the command line uses it: the component, or the same core without WebAssembly.

use ds4_context_host::{
    ConfigLayer, HealthDepth, HistoryAnswer, HistoryQuery, HistoryScope, MergedConfig, Model,
    Redaction, SessionOptions,
};

use super::failure::Failure;
use super::session_file::SessionFile;

/// Makes sessions.
pub(crate) trait Runner {
    /// As `Engine::merge_config`.
    fn merge_config(&self, layers: &[ConfigLayer]) -> Result<MergedConfig, Failure>;
    /// Opens a session on a log without reading it.
    fn open(
        &self,
        file: &SessionFile,
        options: SessionOptions,
    ) -> Result<Box<dyn OpenedSession>, Failure>;
    /// Finds secrets, with rules that are prepared once.
    fn secret_detector(&self) -> Box<dyn DetectsSecrets>;
}

/// The detector of secrets.
pub(crate) trait DetectsSecrets {
    /// As `SecretDetector::find`.
    fn find(&mut self, texts: &[String]) -> Result<Vec<Vec<Redaction>>, Failure>;
}

/// One opened session.
pub(crate) trait OpenedSession {
    /// Reads the log to its end and tells after each slice how many bytes it has.
    fn read_log(&mut self, told: &mut dyn FnMut(u64)) -> Result<(), Failure>;
    fn select_leaf(&mut self, entry_id: &str) -> Result<(), Failure>;
    fn select_model(&mut self, model: Model) -> Result<(), Failure>;
    /// Plans everything that the active branch projects to. The answer is the reason for a fallback.
    fn plan(&mut self, budget: Option<u32>) -> Result<Option<String>, Failure>;
    /// Indexes what is new and tells after each slice how many entries of how many are in.
    fn index(&mut self, told: &mut dyn FnMut(u64, u64)) -> Result<(), Failure>;
    /// Reads and indexes what the scope covers, as [`OpenedSession::index`].
    fn index_scope(
        &mut self,
        scope: HistoryScope,
        told: &mut dyn FnMut(u64, u64),
    ) -> Result<(), Failure>;
    /// Lets the next [`OpenedSession::index`] make the session's part of the index anew.
    fn rebuild_index(&mut self) -> Result<(), Failure>;
    /// The entries that answer a question best.
    fn search(&mut self, query: &HistoryQuery) -> Result<HistoryAnswer, Failure>;
    /// How the derived state is, as the engine's document.
    fn health(&mut self, depth: HealthDepth) -> Result<String, Failure>;
    /// One of the engine's documents, byte for byte.
    fn document(&mut self, document: Document) -> Result<String, Failure>;
}

/// The engine's documents; those of a plan are the newest plan's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Document {
    Render,
    Manifest,
    Explain,
    Inspect,
    Status,
}
