//! The engine's own running: `editing`, `reading`, `jobs` (behaviour 2.17), `quality` (2.12), `ranking` (2.13),
//! `diagnostics` (2.3) and `storage` (2.14).

use crate::config::schema::{Kind, LowerEnd, choice, section};
use crate::config::text_form::TextForm;

/// Quality samples kept (behaviour 3.11).
const MAX_QUALITY_SAMPLES: u64 = 100_000;
/// Labels needed for training: with one label there is nothing to tell apart.
const MIN_TRAINING_SAMPLES: u64 = 2;
/// Labels needed for training.
const MAX_NEEDED_TRAINING_SAMPLES: u64 = 100_000;
/// Labels read for one training.
const MAX_READ_TRAINING_SAMPLES: u64 = 1_000_000;
/// Milliseconds that ranking may add to one plan.
const MAX_RANKING_LATENCY_MS: f64 = 1_000.0;
/// Milliseconds that one access waits for another process (behaviour 3.11).
const MAX_BUSY_TIMEOUT_MS: u64 = 60_000;
/// Milliseconds that one write is tried again (behaviour 3.11).
const MAX_WRITE_RETRY_MS: u64 = 300_000;
/// Milliseconds of an indexer's lease (behaviour 3.11).
const MIN_LEASE_MS: u64 = 10_000;
/// Milliseconds of an indexer's lease: an hour (behaviour 3.11).
const MAX_LEASE_MS: u64 = 3_600_000;

choice! {
    /// Whether a learned order ranks candidates.
    enum RankingMode {
        /// The static order.
        Off = "off",
        /// The static order; the learned one is computed and compared.
        Shadow = "shadow",
        /// The learned order, where a promoted model is present.
        Active = "active",
    }
}

choice! {
    /// How much is logged. A log never holds the text of a prompt.
    enum LogLevel {
        /// What failed.
        Error = "error",
        /// And what looks wrong.
        Warn = "warn",
        /// And what was done.
        Info = "info",
        /// And why.
        Debug = "debug",
        /// And each step.
        Trace = "trace",
    }
}

choice! {
    /// What shares one database.
    enum StorageScope {
        /// Each trusted project has its own.
        Project = "project",
        /// All projects of the agent share one.
        Agent = "agent",
    }
}

section! {
    /// `editing`: the portable edit tools.
    struct EditingConfig {
        "anchored" anchored: bool = false, Kind::Flag,
            "Let an edit name a range by its first and last lines.";
        "postEditReport" post_edit_report: bool = false, Kind::Flag,
            "Show the model the regions that an edit changed.";
    }
}

section! {
    /// `reading`: the portable read tool.
    struct ReadingConfig {
        "adaptive" adaptive: bool = false, Kind::Flag,
            "Read fewer lines at once where the model's window is small.";
    }
}

section! {
    /// `jobs`: background shell jobs.
    struct JobsConfig {
        "enabled" enabled: bool = false, Kind::Flag,
            "Offer the model background shell jobs, each confirmed by the user.";
    }
}

section! {
    /// `quality`: samples of how well plans served.
    struct QualityConfig {
        "enabled" enabled: bool = false, Kind::Flag,
            "Sample how well plans served; metadata only.";
        "maxSamples" max_samples: u64 = 1_000, Kind::integer(1, MAX_QUALITY_SAMPLES, "samples"),
            "Samples that are kept.";
    }
}

section! {
    /// `ranking`: a learned order of candidates.
    struct RankingConfig {
        "mode" mode: RankingMode = RankingMode::Off, Kind::Choice(RankingMode::NAMES),
            "Whether a learned order ranks candidates.";
        "modelPath" model_path: String = "ds4-context/ranking-model.json".to_owned(), Kind::Text(TextForm::Path),
            "File of the learned weights.";
        "minimumTrainingSamples" minimum_training_samples: u64 = 20,
            Kind::integer(MIN_TRAINING_SAMPLES, MAX_NEEDED_TRAINING_SAMPLES, "labels"),
            "Labels needed before training.";
        "maxTrainingSamples" max_training_samples: u64 = 10_000,
            Kind::integer(MIN_TRAINING_SAMPLES, MAX_READ_TRAINING_SAMPLES, "labels"),
            "Labels read for one training, newest first.";
        "maxLatencyMs" max_latency_ms: f64 = 10.0,
            Kind::Number { min: LowerEnd::Above(0.0), max: MAX_RANKING_LATENCY_MS, unit: "ms" },
            "Time that ranking may add to a plan (95th percentile) for a model to be promoted.";
    }
}

section! {
    /// `diagnostics`: what is recorded about plans.
    struct DiagnosticsConfig {
        "storeContextManifest" store_context_manifest: bool = true, Kind::Flag,
            "Keep each plan's manifest: metadata only.";
        "storeFullRenderedContext" store_full_rendered_context: bool = false, Kind::Flag,
            "Keep each plan's full text as well.";
        "logLevel" log_level: LogLevel = LogLevel::Info, Kind::Choice(LogLevel::NAMES),
            "How much is logged where the host writes a log.";
    }
}

section! {
    /// `storage`: the database of derived state.
    struct StorageConfig {
        "scope" scope: StorageScope = StorageScope::Project, Kind::Choice(StorageScope::NAMES),
            "Whether each project has its own database or all share the agent's.";
        "databasePath" database_path: String = "ds4-context/context.db".to_owned(), Kind::Text(TextForm::Path),
            "File of the agent's database.";
        "busyTimeoutMs" busy_timeout_ms: u64 = 5_000, Kind::integer(1, MAX_BUSY_TIMEOUT_MS, "ms"),
            "Wait of one access while another process holds the database.";
        "writeRetryTimeoutMs" write_retry_timeout_ms: u64 = 30_000, Kind::integer(1, MAX_WRITE_RETRY_MS, "ms"),
            "Time for which one write is tried again.";
        "projectIndexLeaseMs" project_index_lease_ms: u64 = 120_000,
            Kind::integer(MIN_LEASE_MS, MAX_LEASE_MS, "ms"),
            "Time for which one process indexes a project before another may take over.";
    }
}
