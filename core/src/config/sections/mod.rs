//! The sections of the configuration, by subject. Each key is declared once, here: its name in files, its type,
//! default, range and description. To add a key, add its line; validation, `to_json` and the README's table follow.

mod compaction;
mod context;
mod knowledge;
mod model;
mod operation;
mod privacy;
mod retrieval;

pub use compaction::{
    CompactionConfig, CompactionMode, CompactionModel, CompactionSummaryConfig,
    CompactionTransportConfig, InputBudget, RebaseMode, SessionRebaseConfig, ThinkingLevel,
};
pub use context::{
    CacheAwareConfig, CacheAwareMode, CondensedBandConfig, ContextConfig, ContextMode,
    SupplementalPlacement,
};
pub use knowledge::{ArtifactsConfig, MemoryConfig, ProjectConfig};
pub use model::{
    LocalKvReuseConfig, ModelAwarenessConfig, ModelOverride, NativeContinuationConfig,
    TokenEstimator,
};
pub use operation::{
    DiagnosticsConfig, EditingConfig, JobsConfig, LogLevel, QualityConfig, RankingConfig,
    RankingMode, ReadingConfig, StorageConfig, StorageScope,
};
pub use privacy::{Classification, PrivacyConfig};
pub use retrieval::{
    EmbeddingConfig, EmbeddingMode, HistoryScope, HistoryToolsConfig, RetrievalConfig,
};

use super::schema::{Kind, section};

section! {
    /// The configuration, `ds4-context-config-v1` (behaviour 3.11): every key with a value.
    ///
    /// [`Default`] gives the defaults; [`super::merge`] is the way from files and flags. Values put in by hand are not
    /// checked.
    struct Config {
        "enabled" enabled: bool = true, Kind::Flag,
            "Switch the engine on; off leaves the host as it is without it.";
        "context" context: ContextConfig = ContextConfig::default(), Kind::Section(ContextConfig::KEYS),
            "What the planner may spend and how it places what it chose.";
        "compaction" compaction: CompactionConfig = CompactionConfig::default(),
            Kind::Section(CompactionConfig::KEYS),
            "How old history becomes summaries.";
        "editing" editing: EditingConfig = EditingConfig::default(), Kind::Section(EditingConfig::KEYS),
            "The portable edit tools.";
        "reading" reading: ReadingConfig = ReadingConfig::default(), Kind::Section(ReadingConfig::KEYS),
            "The portable read tool.";
        "jobs" jobs: JobsConfig = JobsConfig::default(), Kind::Section(JobsConfig::KEYS),
            "Background shell jobs.";
        "sessionRebase" session_rebase: SessionRebaseConfig = SessionRebaseConfig::default(),
            Kind::Section(SessionRebaseConfig::KEYS),
            "Continuing a long session in a fresh one.";
        "historyTools" history_tools: HistoryToolsConfig = HistoryToolsConfig::default(),
            Kind::Section(HistoryToolsConfig::KEYS),
            "The tools with which the model itself recalls history.";
        "retrieval" retrieval: RetrievalConfig = RetrievalConfig::default(), Kind::Section(RetrievalConfig::KEYS),
            "Finding earlier parts of the session again.";
        "project" project: ProjectConfig = ProjectConfig::default(), Kind::Section(ProjectConfig::KEYS),
            "The index of the project's source.";
        "memory" memory: MemoryConfig = MemoryConfig::default(), Kind::Section(MemoryConfig::KEYS),
            "Pins and remembered claims.";
        "artifacts" artifacts: ArtifactsConfig = ArtifactsConfig::default(), Kind::Section(ArtifactsConfig::KEYS),
            "Large tool results kept beside the conversation.";
        "privacy" privacy: PrivacyConfig = PrivacyConfig::default(), Kind::Section(PrivacyConfig::KEYS),
            "Which text may leave the machine.";
        "modelAwareness" model_awareness: ModelAwarenessConfig = ModelAwarenessConfig::default(),
            Kind::Section(ModelAwarenessConfig::KEYS),
            "Calibration and per-model corrections.";
        "nativeContinuation" native_continuation: NativeContinuationConfig = NativeContinuationConfig::default(),
            Kind::Section(NativeContinuationConfig::KEYS),
            "Continuing from state that the provider stores.";
        "localKvReuse" local_kv_reuse: LocalKvReuseConfig = LocalKvReuseConfig::default(),
            Kind::Section(LocalKvReuseConfig::KEYS),
            "Reuse of a local runtime's computed prefixes.";
        "quality" quality: QualityConfig = QualityConfig::default(), Kind::Section(QualityConfig::KEYS),
            "Samples of how well plans served.";
        "ranking" ranking: RankingConfig = RankingConfig::default(), Kind::Section(RankingConfig::KEYS),
            "A learned order of candidates.";
        "diagnostics" diagnostics: DiagnosticsConfig = DiagnosticsConfig::default(),
            Kind::Section(DiagnosticsConfig::KEYS),
            "What is recorded about plans.";
        "storage" storage: StorageConfig = StorageConfig::default(), Kind::Section(StorageConfig::KEYS),
            "The database of derived state.";
    }
}
