//! `retrieval` and `historyTools`: finding earlier parts of the session again (behaviour 2.6 and 2.16).

use crate::config::limits::{MAX_PROJECT_SESSIONS, MAX_RESULTS};
use crate::config::schema::{Kind, choice, section};
use crate::config::text_form::TextForm;

/// Numbers in one embedding (behaviour 3.11).
const MIN_DIMENSIONS: u64 = 16;
/// Numbers in one embedding (behaviour 3.11).
const MAX_DIMENSIONS: u64 = 4_096;
/// Texts with an embedding (behaviour 3.11).
const MAX_SOURCES: u64 = 100_000;
/// Nearest texts that are ranked (behaviour 3.11).
const MAX_CANDIDATE_POOL: u64 = 500;
/// Texts of one embedding request (behaviour 3.11).
const MAX_BATCH_SIZE: u64 = 512;
/// Embedded queries kept (behaviour 3.11).
const MAX_QUERY_CACHE: u64 = 1_000;
/// Milliseconds that one search waits for an embedding (behaviour 3.11).
const MAX_TIMEOUT_MS: u64 = 120_000;
/// Results of one recall (behaviour 2.16).
const MAX_RECALL_RESULTS: u64 = 12;
/// Tokens of one recall's answer (behaviour 2.16).
const MIN_RECALL_TOKENS: u64 = 256;
/// Tokens of one recall's answer (behaviour 2.16).
const MAX_RECALL_TOKENS: u64 = 6_000;

choice! {
    /// Where embeddings are computed.
    enum EmbeddingMode {
        /// On this machine.
        Local = "local",
        /// At a provider; needs privacy and an exact profile in `remoteProfiles`.
        Remote = "remote",
    }
}

choice! {
    /// How far a recall looks.
    enum HistoryScope {
        /// The active branch.
        CurrentBranch = "current-branch",
        /// Every branch of the session.
        CurrentSession = "current-session",
        /// The session and those it was forked from.
        CurrentLineage = "current-lineage",
    }
}

section! {
    /// `retrieval`: finding earlier parts of the session again.
    struct RetrievalConfig {
        "exact" exact: bool = true, Kind::Flag,
            "Search for exact names, paths and phrases.";
        "fts" fts: bool = true, Kind::Flag,
            "Search by words.";
        "semantic" semantic: bool = false, Kind::Flag,
            "Search by embeddings.";
        "maxResults" max_results: u64 = 12, Kind::integer(1, MAX_RESULTS, "results"),
            "Pieces of evidence in one plan, at most.";
        "embedding" embedding: EmbeddingConfig = EmbeddingConfig::default(), Kind::Section(EmbeddingConfig::KEYS),
            "Which embeddings, and how many.";
    }
}

section! {
    /// `retrieval.embedding`: which embeddings, and how many.
    struct EmbeddingConfig {
        "mode" mode: EmbeddingMode = EmbeddingMode::Local, Kind::Choice(EmbeddingMode::NAMES),
            "Where embeddings are computed.";
        "provider" provider: String = "ds4-local".to_owned(), Kind::Text(TextForm::Provider),
            "Provider of the embedding model.";
        "model" model: String = "feature-hash-v1".to_owned(), Kind::Text(TextForm::Model),
            "ID of the embedding model.";
        "dimensions" dimensions: u64 = 256, Kind::integer(MIN_DIMENSIONS, MAX_DIMENSIONS, "dimensions"),
            "Numbers in one embedding.";
        "remoteProfiles" remote_profiles: Vec<String> = Vec::new(),
            Kind::list(&Kind::Text(TextForm::ExactProfile)),
            "Remote models to which text may be sent for embedding.";
        "maxSources" max_sources: u64 = 50_000, Kind::integer(1, MAX_SOURCES, "sources"),
            "Texts that have an embedding, at most.";
        "candidatePool" candidate_pool: u64 = 80, Kind::integer(1, MAX_CANDIDATE_POOL, "candidates"),
            "Nearest texts that are ranked.";
        "batchSize" batch_size: u64 = 64, Kind::integer(1, MAX_BATCH_SIZE, "texts"),
            "Texts of one embedding request, at most.";
        "queryCacheSize" query_cache_size: u64 = 64, Kind::integer(1, MAX_QUERY_CACHE, "queries"),
            "Embedded queries that are kept.";
        "timeoutMs" timeout_ms: u64 = 2_000, Kind::integer(1, MAX_TIMEOUT_MS, "ms"),
            "Wait for a query's embedding, after which the search goes on without.";
    }
}

section! {
    /// `historyTools`: the tools with which the model itself recalls history.
    struct HistoryToolsConfig {
        "enabled" enabled: bool = true, Kind::Flag,
            "Offer the model tools to recall earlier history.";
        "defaultScope" default_scope: HistoryScope = HistoryScope::CurrentBranch,
            Kind::Choice(HistoryScope::NAMES),
            "How far a recall looks when the model names no scope.";
        "maxResults" max_results: u64 = 6, Kind::integer(1, MAX_RECALL_RESULTS, "results"),
            "Results of one recall, at most.";
        "maxOutputTokens" max_output_tokens: u64 = 3_000,
            Kind::integer(MIN_RECALL_TOKENS, MAX_RECALL_TOKENS, "tokens"),
            "Size of one recall's answer, at most.";
        "allowProjectScope" allow_project_scope: bool = false, Kind::Flag,
            "Let a recall look into other sessions of the project.";
        "includeSummaries" include_summaries: bool = false, Kind::Flag,
            "Let a recall return summaries beside what was really said.";
        "maxProjectSessions" max_project_sessions: u64 = 100,
            Kind::integer(1, MAX_PROJECT_SESSIONS, "sessions"),
            "Other sessions that a recall in project scope looks into, newest first.";
    }
}
