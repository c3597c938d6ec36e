//! Runs the ds4-context engine in wasmtime: decides what a language model sees of a long session.
//!
//! The engine is one WebAssembly component, embedded in this library. It reads the session's log through a storage port,
//! keeps what it derives in memory or, where a [`DataFolder`] is granted, on disk, and answers with a plan: which messages to
//! keep, replace or insert.
//!
//! # Embed it
//!
//! ```
//! use ds4_context_host::{Engine, EngineOptions, GrantedFolders, Place, PlanRequest, Ports, Session, SessionOptions};
//!
//! # let folder = std::env::temp_dir().join(format!("ds4-context-example-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # std::fs::write(folder.join("session.jsonl"), concat!(
//! #     r#"{"type":"session","version":3,"id":"example","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/work"}"#, "\n",
//! #     r#"{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"Hello","timestamp":1767225601000}}"#, "\n",
//! # ))?;
//! let engine = Engine::new(&EngineOptions::default())?;
//! let files = GrantedFolders::new().grant(Place::Sessions, &folder)?;
//! let options = SessionOptions::of_log("session.jsonl");
//! let mut session = Session::open(&engine, options, Ports::with_storage(files))?;
//! session.sync()?;
//! let plan = session.plan(&PlanRequest::default())?;
//! println!("{} tokens in {} items", plan.estimated_tokens, plan.items.len());
//! let request = session.render(None)?; // the planned messages as JSON
//! # assert!(request.contains("Hello"));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is guaranteed
//!
//! - **A closed world.** The component gets no file, socket, variable, argument, clock or random number but what a port
//!   of [`Ports`] hands it. See [`GrantedFolders`] for what it may read and [`DataFolder`] for where it may write.
//! - **Bounds.** [`Limits`] holds memory, time per call and bytes per call. A call that exceeds one fails with its own
//!   case of [`HostError`]; the session's next call opens it again from its log.
//! - **The same bytes everywhere.** For the same log, request and model the plan is the same as natively and in Node.
//!
//! A [`Session`] is `Send` and used by one thread at a time; an [`Engine`] is shared by all of them.
//!
//! Secrets are found ([`SecretDetector`]); keeping them back at every exit, privacy classes and compaction come with a
//! later version and have no call here yet.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod bindings;
mod engine;
mod error;
mod ports;
mod session;
mod storage;
mod wasi;

pub use engine::{
    CodeCache, CodeSource, DEFAULT_BYTES_PER_CALL, DEFAULT_DEADLINE, DEFAULT_MEMORY_BYTES, Engine,
    EngineOptions, Limits,
};
pub use error::{EngineError, HostError};
pub use ports::{
    BlockFile, Completion, CompletionCall, CompletionError, CompletionProfile, CompletionRequest,
    CompletionResponse, CompletionUnavailable, Embedding, EmbeddingBatch, EmbeddingError,
    EmbeddingProfile, Extent, GrantedFolders, KvFingerprint, KvIdentity, KvReplay, KvReuse,
    LocalKv, MAX_BYTES_PER_READ, NoCompletion, NoEmbedding, NoLocalKv, NoStorage, ObjectStat,
    ObjectWriter, Place, Ports, Storage, StorageError,
};
pub use session::{
    Classification, Clock, ConfigLayer, ConfigProblem, EntryLines, HealthDepth, HistoryAnswer,
    HistoryHit, HistoryQuery, HistoryRelation, HistoryScope, INDEX_SLICE_BYTES, LogFormat,
    MergedConfig, Model, Plan, PlanItem, PlanRequest, Progress, Redaction, Replacement, Run,
    SYNC_SLICE_BYTES, SearchStatus, SecretDetector, Session, SessionCounts, SessionOptions, Span,
    Supplement, SupplementKind, TokenCost, Usage,
};
pub use storage::{DataFolder, MAX_BLOCK_FILE_BYTES, MAX_OBJECTS_PER_LISTING};
pub use wasi::MAX_CAPTURED_OUTPUT_BYTES;
