//! The embedding port: texts into vectors, where the embedder has a model for it.

/// The embedder in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingProfile {
    /// Who serves the model.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// Numbers per vector.
    pub dimensions: u32,
    /// Whether the texts stay on this machine.
    pub local: bool,
}

/// Why a batch has no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
    /// There is no embedder, or it does not answer.
    #[error("no embedder: {0}")]
    Unavailable(String),
    /// The texts are not what the model takes.
    #[error("{0}")]
    InvalidInput(String),
    /// No answer in time.
    #[error("the embedder did not answer in time")]
    Timeout,
    /// Any other failure, in a line for people.
    #[error("{0}")]
    Other(String),
}

/// One batch under way. Dropping it cancels it.
pub trait EmbeddingBatch: Send {
    /// The vectors in the order of the texts, one after the other; `None` while running. Never blocks.
    fn poll(&mut self) -> Option<Result<Vec<f32>, EmbeddingError>>;
}

/// Turns texts into vectors. Started and polled: the component never waits.
pub trait Embedding: Send {
    /// The embedder in use; `None` where there is none.
    fn profile(&mut self) -> Option<EmbeddingProfile>;
    /// Starts one batch.
    ///
    /// # Errors
    /// Where it cannot be started.
    fn start(&mut self, texts: Vec<String>) -> Result<Box<dyn EmbeddingBatch>, EmbeddingError>;
}

/// No embedder: `profile` is `None` and `start` answers [`EmbeddingError::Unavailable`].
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEmbedding;

impl Embedding for NoEmbedding {
    fn profile(&mut self) -> Option<EmbeddingProfile> {
        None
    }

    fn start(&mut self, _: Vec<String>) -> Result<Box<dyn EmbeddingBatch>, EmbeddingError> {
        Err(EmbeddingError::Unavailable(
            "this host has no embedder".to_owned(),
        ))
    }
}
