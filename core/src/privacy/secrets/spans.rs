//! Spans: joining what overlaps, keeping escapes whole, and putting placeholders in.

use super::bytes::{at, before, slice};
use super::{Redaction, Replacement};

/// A span as a detector found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Index of the rule's name in the detector's list.
    pub(super) rule: usize,
    pub(super) replacement: Replacement,
}

/// Sorts spans, widens each to whole characters and escapes, and joins those that overlap. A joined span bears the name
/// of the first of its parts, the longest where two begin together.
pub(super) fn join(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    for span in &mut spans {
        widen(text, span);
    }
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.rule));
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                last.replacement = last.replacement.min(span.replacement);
            }
            _ => joined.push(span),
        }
    }
    joined
}

/// Moves the ends of a span off the inside of characters and of escapes (`\n`, `\u00e9`), so that a JSON string stays
/// one: an escape goes whole or stays whole.
fn widen(text: &str, span: &mut Span) {
    let bytes = text.as_bytes();
    span.end = span.end.min(bytes.len());
    if backslashes_before(bytes, span.start) % 2 == 1 {
        span.start -= 1;
    } else if let Some(start) = unicode_escape_around(bytes, span.start) {
        span.start = start;
    }
    while span.end > span.start && before(bytes, span.end, 1) == b'\\' {
        span.end -= 1;
    }
    if let Some(start) = unicode_escape_around(bytes, span.end) {
        span.end = start + 6;
    }
    while span.start > 0 && !text.is_char_boundary(span.start) {
        span.start -= 1;
    }
    while span.end < bytes.len() && !text.is_char_boundary(span.end) {
        span.end += 1;
    }
}

fn backslashes_before(text: &[u8], index: usize) -> usize {
    (1..=index.min(64))
        .take_while(|&back| before(text, index, back) == b'\\')
        .count()
}

/// Where the `\uXXXX` begins that `index` lies inside of.
fn unicode_escape_around(text: &[u8], index: usize) -> Option<usize> {
    (1..6)
        .filter_map(|back| index.checked_sub(back))
        .find(|&start| {
            at(text, start) == b'\\'
                && at(text, start + 1) == b'u'
                && backslashes_before(text, start).is_multiple_of(2)
                && slice(text, start + 2, start + 6)
                    .iter()
                    .filter(|b| b.is_ascii_hexdigit())
                    .count()
                    == 4
        })
}

/// The text with a placeholder for each redaction.
pub(super) fn replace(text: &str, redactions: &[Redaction]) -> String {
    let mut output = String::with_capacity(text.len());
    let mut from = 0;
    for redaction in redactions {
        output.push_str(text.get(from..redaction.start).unwrap_or_default());
        output.push_str(redaction.replacement.placeholder());
        from = redaction.end;
    }
    output.push_str(text.get(from..).unwrap_or_default());
    output
}

/// Cuts spans off at placeholders that are in the text already: what stands there is not looked at again.
pub(super) fn spare_placeholders(text: &str, found: &mut Vec<Span>) {
    const OPENING: &str = "[DS4 ";
    if found.is_empty() || !text.contains(OPENING) {
        return;
    }
    let placeholders: Vec<(usize, usize)> = text
        .match_indices(OPENING)
        .filter_map(|(start, _)| {
            let rest = slice(text.as_bytes(), start, start + 80);
            rest.iter()
                .position(|&b| b == b']')
                .map(|length| (start, start + length + 1))
        })
        .collect();
    let mut kept = Vec::with_capacity(found.len());
    for span in found.drain(..) {
        let first = placeholders.partition_point(|&(_, end)| end <= span.start);
        let mut from = span.start;
        for &(start, end) in placeholders
            .iter()
            .skip(first)
            .take_while(|&&(start, _)| start < span.end)
        {
            kept.push(Span {
                start: from,
                end: start.max(from),
                ..span
            });
            from = end.min(span.end);
        }
        kept.push(Span {
            start: from,
            ..span
        });
    }
    kept.retain(|span| span.start < span.end);
    *found = kept;
}

/// Brings redactions of a redacted text back to ranges of the text it was made from, and joins them with the earlier.
pub(super) fn carry_back(earlier: &[Redaction], later: &[Redaction]) -> Vec<Redaction> {
    let mut all: Vec<Redaction> = earlier.to_vec();
    for redaction in later {
        all.push(Redaction {
            start: position_before(earlier, redaction.start, false),
            end: position_before(earlier, redaction.end, true),
            ..redaction.clone()
        });
    }
    all.sort_by_key(|redaction| (redaction.start, redaction.end));
    let mut joined: Vec<Redaction> = Vec::with_capacity(all.len());
    for redaction in all {
        match joined.last_mut() {
            Some(last) if redaction.start < last.end => last.end = last.end.max(redaction.end),
            _ => joined.push(redaction),
        }
    }
    joined
}

/// Where `position` of the redacted text was before. Inside a placeholder it is the near end of what that replaced.
fn position_before(earlier: &[Redaction], position: usize, is_end: bool) -> usize {
    let (mut original, mut redacted) = (0, 0);
    for redaction in earlier {
        let start = redacted + (redaction.start - original);
        if position <= start {
            break;
        }
        let end = start + redaction.replacement.placeholder().len();
        if position < end {
            return if is_end {
                redaction.end
            } else {
                redaction.start
            };
        }
        original = redaction.end;
        redacted = end;
    }
    original + (position - redacted)
}
