//! The engine's stable names in words. A name that is not known here is shown as it is.

/// A kind of item in a plan.
pub(super) fn kind_text(kind: &str) -> &str {
    match kind {
        "system" => "system prompt",
        "tool" => "tools",
        "pin" => "pinned",
        "summary" => "summaries",
        "notice" => "notices",
        "condensed" => "condensed history",
        "recent" => "recent history",
        "current" => "current request",
        "memory" => "memory",
        "retrieval" | "history" => "found in the history",
        "project" => "project source",
        other => other,
    }
}

/// Why something is in a plan.
pub(super) fn included_text(reason: &str) -> &str {
    match reason {
        "always" => "always sent",
        "current-request" => "the current request",
        "pinned" => "labelled ds4:pin",
        "recent-tail" => "recent history",
        "rescued-immediate-predecessor" => "last exchange before it",
        "condensed-band" => "older, results condensed",
        "turn-head" => "begins a shortened turn",
        "summary" => "summary of older history",
        "earlier-messages-left-out" => "tells what is left out",
        "superseded-result" => "made stale by a later call",
        "result-shortened" => "long result, shortened",
        "unanswered-calls-removed" => "calls without result cut",
        "retrieval" => "found in the history",
        other => other,
    }
}

/// Why something is not in a plan.
pub(super) fn excluded_text(reason: &str) -> &str {
    match reason {
        "recent-tail-limit" => "over the recent tail",
        "input-budget" => "over the input budget",
        "recent-tail-and-input-budget" => "over tail and budget",
        "recent-tail-closed" => "older than the tail",
        "background-without-retrieval" => "before the first request",
        "summary-policy-or-budget" => "no room for summaries",
        "condensed-band-limit" => "condensed band is full",
        "before-stable-cut" => "before the stable cut",
        "orphan-result" => "result without its call",
        "surplus-result" => "second result of a call",
        "unanswered-call" => "call without a result",
        "aborted-response" => "aborted response",
        "result-of-aborted-response" => "of an aborted response",
        "empty-message" => "empty message",
        "excluded-from-context" => "kept out by the user",
        "unknown-role" => "unknown role",
        "supplement-without-source" => "names no source",
        "category-limit" => "its category is full",
        "no-user-message" => "no request to stand before",
        other => other,
    }
}

/// A setting that would include more, with its flag where there is one.
pub(super) fn setting_text(setting: &str) -> &str {
    match setting {
        "budget" => "a larger budget of input (--budget)",
        "contextWindow" => {
            "a model with a larger window, and at most this budget (--window, --budget)"
        }
        "none" => "nothing would",
        other => other,
    }
}

/// Whether more room would have included it; what has another reason could not be sent at all.
pub(super) fn is_budget(reason: &str) -> bool {
    matches!(
        reason,
        "recent-tail-limit"
            | "input-budget"
            | "recent-tail-and-input-budget"
            | "recent-tail-closed"
            | "background-without-retrieval"
            | "summary-policy-or-budget"
            | "condensed-band-limit"
            | "before-stable-cut"
    )
}

/// Why there is no plan.
pub(crate) fn fallback_text(reason: &str) -> String {
    let text = match reason {
        "fixed-over-hard-limit" => {
            "the system prompt and the tools alone are over the window's hard limit"
        }
        "pins-over-cap" => "the pinned messages are over context.maxPinnedTokens",
        "mandatory-over-limit" => {
            "the current request alone is over the budget, even with its results shortened"
        }
        "atomic-error" => "a tool exchange would have been split",
        "current-user-not-selected" => "the newest user message would have been left out",
        "selection-over-hard-limit" => "the selection is over the window's hard limit",
        "no-messages" => "the session has no message that could be sent",
        other => return other.to_owned(),
    };
    format!("{text} ({reason})")
}

/// Why an index was made anew.
pub(super) fn rebuild_text(reason: &str) -> &str {
    match reason {
        "initial" => "it was new",
        "forced" => "somebody asked for it",
        "path-changed" => "the log was moved",
        "header-changed" => "the log got another header",
        "truncated" => "the log was cut",
        "changed-in-place" => "the log was written over",
        "entry-changed" => "an entry was changed",
        "database-damaged" => "the database was damaged",
        other => other,
    }
}

/// What can be searched for, said where a question asks for nothing that can.
pub(super) const SEARCHABLE: &str = "name a word, a file, an identifier or a date";

/// Why a plan brings nothing back from the history; none where it only found nothing.
pub(super) fn no_evidence_text(status: &str) -> Option<String> {
    match status {
        "no-query" => Some(format!(
            "the request has nothing to search for; {SEARCHABLE}"
        )),
        "failed" => Some("the search failed; --manifest says why".to_owned()),
        _ => None,
    }
}

/// Whether a hit holds nothing of the question itself: it stands beside an entry that does.
pub(super) fn is_beside(reason: &str) -> bool {
    reason == "beside an entry that matches"
}

/// What a warning says.
pub(super) fn warning_text(code: &str, count: usize) -> String {
    match code {
        "context.excluded_oversized_turn" if count == 1 => {
            "1 exchange is larger than the whole recent tail and was left out".to_owned()
        }
        "context.excluded_oversized_turn" => {
            format!("{count} exchanges are larger than the whole recent tail and were left out")
        }
        other => other.to_owned(),
    }
}

/// Milliseconds since 1970 as `2026-01-31 23:59`, by the proleptic Gregorian calendar.
pub(super) fn date_and_time(ms: u64) -> String {
    let minutes = ms / 60_000;
    let (days, minute) = (minutes / 1440, minutes % 1440);
    // Years are counted from March, so that the leap day is the last of its year.
    let day = days + 719_468;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day_of_month:02} {:02}:{:02}",
        minute / 60,
        minute % 60
    )
}

#[cfg(test)]
mod tests {
    use super::date_and_time;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date_and_time(0), "1970-01-01 00:00");
        assert_eq!(date_and_time(951_782_399_000), "2000-02-28 23:59");
        assert_eq!(date_and_time(951_782_400_000), "2000-02-29 00:00");
        assert_eq!(date_and_time(1_767_225_600_000), "2026-01-01 00:00");
        assert_eq!(date_and_time(253_402_300_799_000), "9999-12-31 23:59");
    }
}
