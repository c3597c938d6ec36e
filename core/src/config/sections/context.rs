//! `context`: what the planner may spend and how it places what it chose (behaviour 2.1 and 2.2).

use crate::config::limits::{MAX_CHARS, MAX_TOKENS};
use crate::config::schema::{Kind, LowerEnd, choice, section};

const TOKENS: Kind = Kind::integer(0, MAX_TOKENS, "tokens");

/// Samples of reported usage that may be asked for: as many as `modelAwareness.calibrationWindow` can hold.
const MAX_CACHE_SAMPLES: u64 = 200;
/// Price of an uncached token in cached ones.
const MAX_MISS_HIT_RATIO: f64 = 1_000.0;
/// Requests of one turn, turns of one epoch.
const MAX_EPOCH_LENGTH: u64 = 1_000;
/// Losing epochs in a row before an extended tail is given up.
const MAX_STICKINESS_EPOCHS: u64 = 100;
/// Characters of a stub, at least: the tool, its status and the reference need them.
const MIN_STUB_CHARS: u64 = 100;

choice! {
    /// Whether plans are applied.
    enum ContextMode {
        /// Plans and records, and leaves the host's context as it is.
        Observer = "observer",
        /// The plan is what the model receives.
        Managed = "managed",
    }
}

choice! {
    /// Where pins, memory, retrieval and project source go.
    enum SupplementalPlacement {
        /// Directly before the newest user message.
        LatestUser = "latest-user",
        /// Right after the leading system and developer messages.
        StablePrefix = "stable-prefix",
        /// Pins, memory and project at the prefix, retrieval before the newest user message.
        Hybrid = "hybrid",
    }
}

choice! {
    /// Whether prices and reported cache reads may lengthen the recent tail.
    enum CacheAwareMode {
        /// Never.
        Off = "off",
        /// Where the gates of `context.cacheAware` are met.
        Auto = "auto",
    }
}

section! {
    /// `context`: what the planner may spend and how it places what it chose.
    struct ContextConfig {
        "mode" mode: ContextMode = ContextMode::Managed, Kind::Choice(ContextMode::NAMES),
            "Whether plans are applied (managed) or only recorded (observer).";
        "targetFillRatio" target_fill_ratio: f64 = 0.7, Kind::ratio(),
            "Share of the model's window that a plan aims to fill.";
        "softLimitRatio" soft_limit_ratio: f64 = 0.8, Kind::ratio(),
            "Share of the window above which compaction becomes due.";
        "hardLimitRatio" hard_limit_ratio: f64 = 0.9, Kind::ratio(),
            "Share of the window that a plan never exceeds.";
        "minimumOutputReserve" minimum_output_reserve: u64 = 8_192, TOKENS,
            "Room kept for the model's answer at least, where a quarter of the window allows it.";
        "preferredOutputReserve" preferred_output_reserve: u64 = 32_768, TOKENS,
            "Room kept for the model's answer when the window is large enough.";
        "recentTailTokens" recent_tail_tokens: u64 = 64_000, TOKENS,
            "Most recent messages kept word for word, at most.";
        "rescueImmediatePredecessor" rescue_immediate_predecessor: bool = true, Kind::Flag,
            "Keep the exchange right before the tail when only the tail's own limit stands against it.";
        "supplementalPlacement" supplemental_placement: SupplementalPlacement = SupplementalPlacement::LatestUser,
            Kind::Choice(SupplementalPlacement::NAMES),
            "Where pins, memory, retrieval and project source are placed.";
        "maxPinnedTokens" max_pinned_tokens: u64 = 16_000, TOKENS,
            "Pins in one plan; with more selected, the host's own context goes out.";
        "maxMemoryTokens" max_memory_tokens: u64 = 8_000, TOKENS,
            "Remembered claims in one plan, at most.";
        "maxRetrievedHistoryTokens" max_retrieved_history_tokens: u64 = 16_000, TOKENS,
            "Evidence brought back from earlier in the session, at most.";
        "maxProjectTokens" max_project_tokens: u64 = 20_000, TOKENS,
            "Lines of the project's source in one plan, at most.";
        "maxSummaryTokens" max_summary_tokens: u64 = 12_000, TOKENS,
            "Summaries in one plan, at most.";
        "condensedBand" condensed_band: CondensedBandConfig = CondensedBandConfig::default(),
            Kind::Section(CondensedBandConfig::KEYS),
            "Older exchanges whose tool results are replaced by stubs.";
        "condenseSuperseded" condense_superseded: bool = true, Kind::Flag,
            "Replace tool results that a later identical call or write has made stale by stubs.";
        "cacheAware" cache_aware: CacheAwareConfig = CacheAwareConfig::default(),
            Kind::Section(CacheAwareConfig::KEYS),
            "When a longer tail pays because the provider caches it.";
    }
}

section! {
    /// `context.condensedBand`: the band between the verbatim tail and what is left out.
    struct CondensedBandConfig {
        "enabled" enabled: bool = true, Kind::Flag,
            "Keep older exchanges with their tool results as stubs.";
        "maxShare" max_share: f64 = 0.3, Kind::share(),
            "Share of the input budget that stubs and telling lines of older exchanges may fill.";
        "stubChars" stub_chars: u64 = 2_000, Kind::integer(MIN_STUB_CHARS, MAX_CHARS, "characters"),
            "Telling lines of one stub, at most.";
    }
}

section! {
    /// `context.cacheAware`: gates and cost model of the cache-aware tail.
    struct CacheAwareConfig {
        "mode" mode: CacheAwareMode = CacheAwareMode::Off, Kind::Choice(CacheAwareMode::NAMES),
            "Whether the tail may grow where the provider's cache makes that cheaper.";
        "minimumCacheSampleCount" minimum_cache_sample_count: u64 = 3,
            Kind::integer(1, MAX_CACHE_SAMPLES, "samples"),
            "Usage reports needed before the cache's behaviour is trusted.";
        "minimumCacheReadShare" minimum_cache_read_share: f64 = 0.5, Kind::share(),
            "Share of input tokens that the provider must have read from its cache.";
        "minimumMissHitRatio" minimum_miss_hit_ratio: f64 = 20.0,
            Kind::Number { min: LowerEnd::From(1.0), max: MAX_MISS_HIT_RATIO, unit: "" },
            "How many times dearer an uncached token must be than a cached one.";
        "minimumImprovementRatio" minimum_improvement_ratio: f64 = 0.1, Kind::share(),
            "Saving that a longer tail must promise before it is used.";
        "maxTailBudgetShare" max_tail_budget_share: f64 = 0.5, Kind::ratio(),
            "Share of the input budget that a longer tail may fill.";
        "expectedRequestsPerTurn" expected_requests_per_turn: u64 = 4,
            Kind::integer(1, MAX_EPOCH_LENGTH, "requests"),
            "Requests of one turn that the cost model assumes.";
        "expectedTurnsPerEpoch" expected_turns_per_epoch: u64 = 4, Kind::integer(1, MAX_EPOCH_LENGTH, "turns"),
            "Turns between two cold reads that the cost model assumes.";
        "stickinessEpochs" stickiness_epochs: u64 = 2, Kind::integer(0, MAX_STICKINESS_EPOCHS, "epochs"),
            "Losing epochs in a row after which a longer tail is given up.";
    }
}
