//! The completion port: a language model that writes summaries.

use crate::{Model, Usage};

/// A model that can be asked now, and where its requests go.
#[derive(Debug, Clone, PartialEq)]
pub struct CompletionProfile {
    /// The model with its limits.
    pub model: Model,
    /// Whether the texts stay on this machine.
    pub local: bool,
}

/// Why a model cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CompletionUnavailable {
    /// There is no such model here.
    #[error("no such model")]
    NotFound,
    /// The host has no credentials for it.
    #[error("no credentials for this model")]
    NoAuth,
    /// The model takes no text.
    #[error("the model takes no text")]
    NoTextInput,
    /// The person did not agree to it.
    #[error("no consent for this model")]
    NoConsent,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionRequest {
    /// The model's provider.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// The system prompt.
    pub system: String,
    /// The prompt.
    pub prompt: String,
    /// Most tokens of output.
    pub max_output_tokens: u32,
    /// `off`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`; `None` for the host's own choice.
    pub thinking: Option<String>,
}

/// What the model wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionResponse {
    /// The text.
    pub text: String,
    /// Tokens, where the provider reported them.
    pub usage: Option<Usage>,
    /// Whether the provider gave a reason for the end; a stream that broke off has none.
    pub finished: bool,
}

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompletionError {
    /// The request was cancelled.
    #[error("cancelled")]
    Aborted,
    /// The prompt is too long for the model.
    #[error("the prompt is too long: {0}")]
    InputLimit(String),
    /// The account has used up what it may use.
    #[error("usage limit: {0}")]
    UsageLimit(String),
    /// Too many requests; the value says after how many milliseconds to try again.
    #[error("too many requests")]
    RateLimit(Option<u32>),
    /// The provider refused the credentials.
    #[error("authentication failed: {0}")]
    Authentication(String),
    /// The connection failed; worth another attempt.
    #[error("connection failed: {0}")]
    Transport(String),
    /// Any other answer of the provider.
    #[error("{0}")]
    Provider(String),
}

/// One request under way. Dropping it cancels it.
pub trait CompletionCall: Send {
    /// The outcome; `None` while the model is still working. Never blocks.
    fn poll(&mut self) -> Option<Result<CompletionResponse, CompletionError>>;
}

/// Asks a language model, for summaries only. Started and polled: the component never waits.
pub trait Completion: Send {
    /// The named model, or the session's active one.
    ///
    /// # Errors
    /// Why that model cannot be asked.
    fn profile(
        &mut self,
        provider: Option<&str>,
        id: Option<&str>,
    ) -> Result<CompletionProfile, CompletionUnavailable>;
    /// Starts one request.
    ///
    /// # Errors
    /// Where it cannot be started.
    fn start(
        &mut self,
        request: CompletionRequest,
    ) -> Result<Box<dyn CompletionCall>, CompletionError>;
}

/// No language model: `profile` answers [`CompletionUnavailable::NotFound`] and `start` an error of the provider.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCompletion;

impl Completion for NoCompletion {
    fn profile(
        &mut self,
        _: Option<&str>,
        _: Option<&str>,
    ) -> Result<CompletionProfile, CompletionUnavailable> {
        Err(CompletionUnavailable::NotFound)
    }

    fn start(&mut self, _: CompletionRequest) -> Result<Box<dyn CompletionCall>, CompletionError> {
        Err(CompletionError::Provider(
            "this host has no language model".to_owned(),
        ))
    }
}
