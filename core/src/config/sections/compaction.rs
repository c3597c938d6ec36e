//! `compaction` and `sessionRebase`: how old history becomes summaries (behaviour 2.9) and how a session is
//! continued in a fresh one (behaviour 2.16).

use crate::config::limits::MAX_TOKENS;
use crate::config::schema::{Kind, choice, section};
use crate::config::text_form::TextForm;

/// A size in tokens that cannot be nothing.
const POSITIVE_TOKENS: Kind = Kind::integer(1, MAX_TOKENS, "tokens");

/// Segments summarised at the same time (behaviour 2.9 and 3.11).
const MAX_CONCURRENT_SEGMENTS: u64 = 2;
/// Attempts of one request, the first included (behaviour 3.11).
const MAX_TRANSPORT_ATTEMPTS: u64 = 10;
/// Milliseconds before the second attempt (behaviour 3.11).
const MAX_TRANSPORT_DELAY_MS: u64 = 60_000;
/// Compactions after which a rebase may be suggested.
const MAX_SUGGEST_COMPACTIONS: u64 = 10_000;
/// MiB of a session's log above which a rebase may be suggested.
const MAX_SUGGEST_MIB: u64 = 1_048_576;
/// Tokens of a rebase checkpoint (behaviour 2.16).
const MIN_CHECKPOINT_TOKENS: u64 = 512;
/// Tokens of a rebase checkpoint (behaviour 2.16).
const MAX_CHECKPOINT_TOKENS: u64 = 24_000;

choice! {
    /// How summaries are built.
    enum CompactionMode {
        /// Segments, their aggregates, and direct updates of one task state.
        Hierarchical = "hierarchical",
    }
}

choice! {
    /// What bounds the input of a summary request.
    enum InputBudget {
        /// The active input budget of ordinary requests.
        Context = "context",
        /// The hard limit.
        Summary = "summary",
    }
}

choice! {
    /// How long the model may think before it writes a summary.
    enum ThinkingLevel {
        /// Not at all.
        Off = "off",
        /// As little as the provider offers.
        Minimal = "minimal",
        /// A little.
        Low = "low",
        /// A middling amount.
        Medium = "medium",
        /// Much.
        High = "high",
        /// Very much.
        Xhigh = "xhigh",
        /// As much as the provider offers.
        Max = "max",
    }
}

choice! {
    /// Who starts a rebase.
    enum RebaseMode {
        /// The user, with `/context rebase`.
        Manual = "manual",
    }
}

section! {
    /// `compaction`: how old history becomes summaries.
    #[allow(clippy::struct_excessive_bools)] // Independent switches of the file format, not states.
    struct CompactionConfig {
        "enabled" enabled: bool = true, Kind::Flag,
            "Supply the summary when the host compacts.";
        "mode" mode: CompactionMode = CompactionMode::Hierarchical, Kind::Choice(CompactionMode::NAMES),
            "How summaries are built.";
        "validate" validate: bool = true, Kind::Flag,
            "Check each summary's sections, files and exact values against its evidence.";
        "segmentTargetTokens" segment_target_tokens: u64 = 30_000, POSITIVE_TOKENS,
            "History that one segment summary covers.";
        "maxRequestInputTokens" max_request_input_tokens: u64 = 64_000, POSITIVE_TOKENS,
            "Estimated input of one summary request, at most.";
        "maxOperationInputTokens" max_operation_input_tokens: u64 = 2_000_000, POSITIVE_TOKENS,
            "Estimated input of one whole compaction, retries included, at most.";
        "preserveRecentVerbatim" preserve_recent_verbatim: bool = true, Kind::AlwaysTrue,
            "Recent messages are never summarised away.";
        "directUpdate" direct_update: bool = true, Kind::Flag,
            "Extend a valid earlier summary in one request where both fit.";
        "inputBudget" input_budget: InputBudget = InputBudget::Context, Kind::Choice(InputBudget::NAMES),
            "Whether a summary request is bound by the active input budget or by the hard limit.";
        "maxConcurrentSegments" max_concurrent_segments: u64 = 2,
            Kind::integer(1, MAX_CONCURRENT_SEGMENTS, "segments"),
            "Segments summarised at the same time.";
        "transport" transport: CompactionTransportConfig = CompactionTransportConfig::default(),
            Kind::Section(CompactionTransportConfig::KEYS),
            "Retries of summary requests.";
        #[serde(default, skip_serializing_if = "Option::is_none")]
        "model" model: Option<CompactionModel> = None, Kind::Section(CompactionModel::KEYS),
            "Another model for summaries than the active one.";
        "summary" summary: CompactionSummaryConfig = CompactionSummaryConfig::default(),
            Kind::Section(CompactionSummaryConfig::KEYS),
            "Options of summary requests.";
    }
}

section! {
    /// `compaction.transport`: retries of summary requests; only failures of transport are retried.
    struct CompactionTransportConfig {
        "maxAttempts" max_attempts: u64 = 4, Kind::integer(1, MAX_TRANSPORT_ATTEMPTS, "attempts"),
            "Attempts of one request, the first included.";
        "baseDelayMs" base_delay_ms: u64 = 2_000, Kind::integer(0, MAX_TRANSPORT_DELAY_MS, "ms"),
            "Wait before the second attempt; it doubles with each further one.";
    }
}

section! {
    /// `compaction.model`: another model for summaries. Both keys or neither.
    struct CompactionModel {
        #[serde(default)]
        "provider" provider: String = String::new(), Kind::Text(TextForm::Provider),
            "Provider of the model that writes summaries.";
        #[serde(default)]
        "id" id: String = String::new(), Kind::Text(TextForm::Model),
            "ID of the model that writes summaries.";
    }
}

section! {
    /// `compaction.summary`: options of summary requests.
    struct CompactionSummaryConfig {
        "thinking" thinking: ThinkingLevel = ThinkingLevel::Off, Kind::Choice(ThinkingLevel::NAMES),
            "How long the model may think before it writes a summary.";
    }
}

section! {
    /// `sessionRebase`: continuing a long session in a fresh one.
    struct SessionRebaseConfig {
        "enabled" enabled: bool = true, Kind::Flag,
            "Offer the rebase of a session.";
        "mode" mode: RebaseMode = RebaseMode::Manual, Kind::Choice(RebaseMode::NAMES),
            "Who starts a rebase.";
        "suggestAfterCompactions" suggest_after_compactions: u64 = 6,
            Kind::integer(1, MAX_SUGGEST_COMPACTIONS, "compactions"),
            "Compactions after which a rebase is suggested.";
        "suggestAboveSessionMiB" suggest_above_session_mib: u64 = 50, Kind::integer(1, MAX_SUGGEST_MIB, "MiB"),
            "Size of the session's log above which a rebase is suggested.";
        "checkpointTargetTokens" checkpoint_target_tokens: u64 = 8_000,
            Kind::integer(MIN_CHECKPOINT_TOKENS, MAX_CHECKPOINT_TOKENS, "tokens"),
            "Size of the checkpoint that the fresh session starts from.";
        "preserveSource" preserve_source: bool = true, Kind::AlwaysTrue,
            "The session that was left is never changed.";
    }
}
