//! Everything that can go wrong between an embedder and the component.

use std::time::Duration;

/// Why a call of this library failed.
///
/// After [`HostError::Trapped`], [`HostError::DeadlineMissed`] and [`HostError::MemoryLimit`] the component's instance
/// is gone. The session is not: its next call opens it again from its log.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The engine refused the call; its state is unchanged.
    #[error(transparent)]
    Refused(#[from] EngineError),
    /// The component stopped in the middle of the call.
    #[error("the engine stopped: {reason}")]
    Trapped {
        /// wasmtime's name of the trap, in a line for people.
        reason: String,
        /// The last of what the component wrote to its standard streams, at most [`crate::MAX_CAPTURED_OUTPUT_BYTES`].
        output: String,
    },
    /// The call took longer than [`crate::Limits::deadline`].
    #[error("the engine did not answer within {} ms", .limit.as_millis())]
    DeadlineMissed {
        /// The limit in force.
        limit: Duration,
    },
    /// The component wanted more memory than [`crate::Limits::memory_bytes`].
    #[error("the engine needs more than its limit of {} MiB of memory", .limit_bytes / (1024 * 1024))]
    MemoryLimit {
        /// The limit in force, in bytes.
        limit_bytes: usize,
    },
    /// The component cannot be loaded on this machine or by this build.
    #[error("the engine cannot be loaded: {0}")]
    Load(String),
    /// The component answered with bytes that are not what the contract says.
    #[error("the engine answered against its contract: {0}")]
    BrokenAnswer(String),
    /// The operating system gave no random bytes for the session's seed.
    #[error("no random bytes from the operating system: {0}")]
    NoSeed(String),
}

/// The engine's own refusals, the cases of `error` in `wit/types.wit`. The text is for a person; programs decide by the
/// case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The caller passed something that breaks the contract.
    #[error("{0}")]
    InvalidInput(String),
    /// A named session, entry, item or file is not there.
    #[error("{0}")]
    NotFound(String),
    /// A revision or reference is older than the state it points at.
    #[error("{0}")]
    Stale(String),
    /// Another writer holds the resource; the call can be repeated.
    #[error("another process holds the resource; try again")]
    Busy,
    /// A size, count or time limit was reached; nothing was changed.
    #[error("{0}")]
    Limit(String),
    /// The storage port failed or its content is unusable.
    #[error("{0}")]
    Storage(String),
    /// Privacy could not be enforced; the caller must not send anything.
    #[error("{0}")]
    Privacy(String),
    /// The operation was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The contract has this function and this build of the component does not have it yet.
    #[error("{0}")]
    Unsupported(String),
    /// Anything that a later version names: a failure of this one call.
    #[error("{0}")]
    Other(String),
}
