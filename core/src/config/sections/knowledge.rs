//! `project`, `memory` and `artifacts`: what the engine keeps beside the conversation (behaviour 2.5, 2.7, 2.8).

use crate::config::limits::{MAX_BYTES, MAX_CHARS, MAX_PROJECT_SESSIONS, MAX_RESULTS};
use crate::config::schema::{Kind, section};

const BYTES: Kind = Kind::integer(1, MAX_BYTES, "bytes");
const RESULTS: Kind = Kind::integer(1, MAX_RESULTS, "results");

/// Files of one project (behaviour 3.11).
const MAX_FILES: u64 = 100_000;
/// Lines of one snippet (behaviour 3.11).
const MAX_SNIPPET_LINES: u64 = 500;
/// Characters of one pin or claim (behaviour 3.11).
const MAX_ITEM_CHARS: u64 = 20_000;
/// Characters below which a tool result is never moved out of the conversation (behaviour 3.11).
const MIN_INLINE_CHARS: u64 = 1_000;

section! {
    /// `project`: the index of the project's source.
    struct ProjectConfig {
        "enabled" enabled: bool = true, Kind::Flag,
            "Index a trusted project and bring the right lines into the plan.";
        "maxFiles" max_files: u64 = 10_000, Kind::integer(1, MAX_FILES, "files"),
            "Files that are indexed, at most.";
        "maxFileBytes" max_file_bytes: u64 = 512_000, BYTES,
            "Size above which a file is not indexed.";
        "maxTotalBytes" max_total_bytes: u64 = 50_000_000, BYTES,
            "Size of all indexed files together, at most.";
        "snippetLines" snippet_lines: u64 = 80, Kind::integer(1, MAX_SNIPPET_LINES, "lines"),
            "Lines of one snippet of plain text.";
        "snippetOverlapLines" snippet_overlap_lines: u64 = 12, Kind::integer(0, MAX_SNIPPET_LINES - 1, "lines"),
            "Lines that a snippet shares with the next.";
        "maxResults" max_results: u64 = 8, RESULTS,
            "Snippets in one plan, at most.";
    }
}

section! {
    /// `memory`: pins and remembered claims.
    struct MemoryConfig {
        "enabled" enabled: bool = true, Kind::Flag,
            "Keep pins and remembered claims, and bring them into the plan.";
        "crossSession" cross_session: bool = false, Kind::Flag,
            "Read project memory from the project's other sessions.";
        "maxProjectSessions" max_project_sessions: u64 = 250,
            Kind::integer(1, MAX_PROJECT_SESSIONS, "sessions"),
            "Other sessions that are read, newest first.";
        "maxPinChars" max_pin_chars: u64 = 4_000, Kind::integer(1, MAX_ITEM_CHARS, "characters"),
            "Length of one pin, at most.";
        "maxClaimChars" max_claim_chars: u64 = 2_000, Kind::integer(1, MAX_ITEM_CHARS, "characters"),
            "Length of one claim, at most.";
        "maxResults" max_results: u64 = 12, RESULTS,
            "Claims in one plan, at most.";
    }
}

section! {
    /// `artifacts`: large tool results that are kept beside the conversation.
    struct ArtifactsConfig {
        "enabled" enabled: bool = true, Kind::Flag,
            "Move large tool results out of the conversation.";
        "adaptiveBudget" adaptive_budget: bool = false, Kind::Flag,
            "Lower the inline limit when the remaining budget is small.";
        "maxInlineToolResultChars" max_inline_tool_result_chars: u64 = 12_000,
            Kind::integer(MIN_INLINE_CHARS, MAX_CHARS, "characters"),
            "Length above which a tool result is moved out.";
        "maxArtifactBytes" max_artifact_bytes: u64 = 100_000_000, BYTES,
            "Size above which a tool result stays inline.";
        "maxSearchBytes" max_search_bytes: u64 = 50_000_000, BYTES,
            "Size above which a stored result is not searched.";
        "excerptChars" excerpt_chars: u64 = 6_000, Kind::integer(0, MAX_CHARS, "characters"),
            "Excerpt that stays in the conversation, at most.";
        "maxSearchMatches" max_search_matches: u64 = 12, Kind::integer(1, MAX_RESULTS, "matches"),
            "Matches of one search in a stored result, at most.";
        "storeLargeOutputs" store_large_outputs: bool = true, Kind::Flag,
            "Write moved results to disk, so that they can be recalled.";
    }
}
