//! Looking at bytes without a panic, and where a word may begin.
//!
//! Everything here answers for positions past either end, so that callers need no bounds of their own.

/// The byte at `index`, or NUL past the end.
pub(super) fn at(text: &[u8], index: usize) -> u8 {
    text.get(index).copied().unwrap_or(0)
}

/// The byte `back` places before `index`, or NUL before the beginning.
pub(super) fn before(text: &[u8], index: usize, back: usize) -> u8 {
    index.checked_sub(back).map_or(0, |i| at(text, i))
}

/// The bytes of a range, clipped to the text.
pub(super) fn slice(text: &[u8], start: usize, end: usize) -> &[u8] {
    let end = end.min(text.len());
    text.get(start.min(end)..end).unwrap_or_default()
}

/// A letter, digit or underscore.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A character of base64 in either alphabet, or its padding.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// A character that a token in a URL or header may hold.
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=')
}

/// A quotation mark of source code.
pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Where a run of bytes that satisfy `belongs` ends, at most `limit` bytes on.
pub(super) fn run_end(
    text: &[u8],
    start: usize,
    limit: usize,
    belongs: impl Fn(u8) -> bool,
) -> usize {
    let run = slice(text, start, start.saturating_add(limit));
    start + run.iter().position(|&b| !belongs(b)).unwrap_or(run.len())
}

/// Skips spaces and tabs, at most `limit` of them.
pub(super) fn skip_blanks(text: &[u8], start: usize, limit: usize) -> usize {
    run_end(text, start, limit, |b| b == b' ' || b == b'\t')
}

/// Whether a word may begin at `index`: the byte before is not part of one, or belongs to an escape (`\n`, `\u003d`,
/// `%20`, a terminal colour) that merely looks like one.
pub(super) fn starts_word(text: &[u8], index: usize) -> bool {
    let previous = before(text, index, 1);
    !is_word(previous) || ends_escape(text, index)
}

/// Whether the bytes right before `index` are the end of an escape sequence.
pub(super) fn ends_escape(text: &[u8], index: usize) -> bool {
    let previous = before(text, index, 1);
    let hexadecimal =
        |from: usize, to: usize| (from..=to).all(|b| before(text, index, b).is_ascii_hexdigit());
    match previous {
        b'n' | b'r' | b't' | b'b' | b'f' if before(text, index, 2) == b'\\' => true,
        b'm' => ends_colour(text, index),
        _ if hexadecimal(1, 2) && before(text, index, 3) == b'%' => true,
        _ => hexadecimal(1, 4) && before(text, index, 5) == b'u' && before(text, index, 6) == b'\\',
    }
}

/// Whether a terminal's colour sequence (`ESC [ 3 1 m`) ends right before `index`.
fn ends_colour(text: &[u8], index: usize) -> bool {
    let mut back = 2;
    while back < 12
        && (before(text, index, back).is_ascii_digit() || before(text, index, back) == b';')
    {
        back += 1;
    }
    before(text, index, back) == b'['
        && matches!(before(text, index, back + 1), 0x1b | b'b' | b'3' | b'e')
}

/// Whether `text` begins with `prefix` at `index`, whatever the case of ASCII letters.
pub(super) fn has_prefix(text: &[u8], index: usize, prefix: &str) -> bool {
    slice(text, index, index.saturating_add(prefix.len())).eq_ignore_ascii_case(prefix.as_bytes())
}

/// Whether `needle`, in lower case, occurs in `text`, whatever the case of ASCII letters. For short texts only.
pub(super) fn holds(text: &[u8], needle: &str) -> bool {
    let first = needle.as_bytes().first().copied().unwrap_or(0);
    let begins = |window: &[u8]| {
        window
            .first()
            .is_some_and(|b| b.to_ascii_lowercase() == first)
    };
    text.windows(needle.len().max(1))
        .any(|w| begins(w) && w.eq_ignore_ascii_case(needle.as_bytes()))
}
