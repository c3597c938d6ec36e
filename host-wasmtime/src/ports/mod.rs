//! What an embedder gives the engine: four ports, each a plain Rust trait.
//!
//! Invariants:
//! - No port call waits for the network. Embedding and completion are started and then polled.
//! - An error of a port is an answer of a closed set and reaches the component as such; it never ends the session.
//! - A port that the embedder does not have is answered truthfully: [`NoEmbedding`], [`NoCompletion`], [`NoLocalKv`]
//!   and, for a session without files, [`NoStorage`] say that they are not available.

mod completion;
mod embedding;
mod granted_folders;
mod imports;
mod local_kv;
mod storage;

pub use completion::{
    Completion, CompletionCall, CompletionError, CompletionProfile, CompletionRequest,
    CompletionResponse, CompletionUnavailable, NoCompletion,
};
pub use embedding::{Embedding, EmbeddingBatch, EmbeddingError, EmbeddingProfile, NoEmbedding};
pub use granted_folders::GrantedFolders;
pub use local_kv::{KvFingerprint, KvIdentity, KvReplay, KvReuse, LocalKv, NoLocalKv};
pub(crate) use storage::within_call_limit;
pub use storage::{
    BlockFile, Extent, MAX_BYTES_PER_READ, NoStorage, ObjectStat, ObjectWriter, Place, Storage,
    StorageError,
};

// `bindgen!` exports the resources' types again, which needs `pub`; nothing outside this crate sees them.
pub use imports::{BatchHandle, BlockFileHandle, CallHandle, ObjectWriterHandle, ReplayHandle};

/// The four ports of one session.
pub struct Ports {
    /// Canonical files, and the derived state where it is kept.
    pub storage: Box<dyn Storage>,
    /// Vectors for texts.
    pub embedding: Box<dyn Embedding>,
    /// A language model for summaries.
    pub completion: Box<dyn Completion>,
    /// A local runtime's key-value cache.
    pub local_kv: Box<dyn LocalKv>,
}

impl Ports {
    /// No port at all: a session in memory, fed by `Session::append`.
    #[must_use]
    pub fn none() -> Self {
        Self::with_storage(NoStorage)
    }

    /// Storage and nothing else.
    #[must_use]
    pub fn with_storage(storage: impl Storage + 'static) -> Self {
        Self {
            storage: Box::new(storage),
            embedding: Box::new(NoEmbedding),
            completion: Box::new(NoCompletion),
            local_kv: Box::new(NoLocalKv),
        }
    }
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Ports").finish_non_exhaustive()
    }
}
