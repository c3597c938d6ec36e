//! Values that a name is given: `NAME=value`, `"name": "value"`, ``name := `value` ``, `<name>value</name>`,
//! `--name value`, `set("NAME", "value")`, `name is: value`.
//!
//! This reader knows the forms, not the languages: what may close a name, what separates, what opens and ends a value.
//! It yields candidates; whether one is a secret is decided by [`super::value`] and by the vendors' rules. Every look
//! ahead is bounded, so the work is linear in the text.

use std::ops::Range;

use super::bytes::{at, before, has_prefix, is_quote, is_word, run_end, skip_blanks, slice};
use super::literal::{Candidate, value_at};
use super::quoting::Delimiter;
use super::separator::{Separator, separator};

/// How many blanks may stand around a separator.
const MAX_BLANKS: usize = 64;

/// The values that the name in `name` may be given.
pub(super) fn candidates(text: &[u8], name: &Range<usize>) -> Vec<Candidate> {
    let (closed, quoted_name) = skip_closing(text, name);
    let start = skip_blanks(text, closed, MAX_BLANKS);
    let Some((separator, end)) = separator(text, start, closed, name, quoted_name) else {
        return if start > closed && !quoted_name {
            after_blank(text, name, start)
        } else {
            Vec::new()
        };
    };
    let tight = end - closed <= 1 && !is_blank(at(text, end));
    let literal = match separator {
        Separator::Assign => {
            tight && (is_environment_name(text, name) || begins_line(text, name.start))
        }
        Separator::Colon => !quoted_name && begins_line(text, name.start),
        Separator::Tag => true,
        _ => false,
    };
    let mut start = skip_blanks(text, end, MAX_BLANKS);
    if separator == Separator::Tag || (quoted_name && separator == Separator::Colon) {
        start = skip_white(text, start);
    } else if let Some(block) = block_scalar(text, start) {
        start = block;
    }
    let strict = matches!(separator, Separator::Comma | Separator::Call);
    let mut found = Vec::new();
    if let Some(mut candidate) = value_at(text, start, literal, strict) {
        candidate.loose = separator == Separator::Comma;
        if separator == Separator::Tag && !closes_tag(text, candidate.value.end) {
            return found;
        }
        // A bare word after a quoted key is a number or a name of the language; a JSON document would not survive.
        if candidate.quoted || !quoted_name || separator == Separator::Tag {
            found.push(candidate);
        }
    }
    if separator == Separator::Colon
        && !quoted_name
        && found.iter().all(|candidate| !candidate.quoted)
    {
        found.extend(after_type(
            text,
            &(start..run_end(text, start, 40, is_type)),
        ));
    }
    found
}

/// Skips what closes a name: its own quote, and brackets. True if the name stood in quotes.
fn skip_closing(text: &[u8], name: &Range<usize>) -> (usize, bool) {
    let mut end = name.end;
    let mut quoted = false;
    if let Some((delimiter, after)) = Delimiter::opening(text, end)
        && opens_before(text, name.start, delimiter)
    {
        quoted = true;
        end = end + delimiter.width().min(after - end);
    }
    for _ in 0..3 {
        let after_bracket = end > name.end && before(text, end, 1) == b']';
        let closes = match at(text, end) {
            b']' => true,
            b')' => quoted,
            byte => !quoted && after_bracket && is_quote(byte),
        };
        if !closes {
            break;
        }
        end += 1;
    }
    let bracket = end > name.end && before(text, end, 1) == b']';
    (end, quoted && !bracket)
}

/// Whether the quote of `delimiter` opens the string that the name stands at the beginning or end of.
fn opens_before(text: &[u8], name_start: usize, delimiter: Delimiter) -> bool {
    before(text, name_start, 1) == delimiter.quote()
        || matches!(
            before(text, name_start, 1),
            b'[' | b':' | b'$' | b'@' | b' ' | b'/'
        )
}

/// Values after a blank alone: a command's flag, a table, a `#define`, a netrc file, Go's `name type = value`.
fn after_blank(text: &[u8], name: &Range<usize>, start: usize) -> Vec<Candidate> {
    let flag = at(text, name.start) == b'-';
    if flag {
        let dashed = at(text, start) == b'-';
        return if dashed {
            Vec::new()
        } else {
            value_at(text, start, true, false).into_iter().collect()
        };
    }
    if let Some(typed) = after_type(text, &(start..run_end(text, start, 24, is_type))) {
        return vec![typed];
    }
    let login = follows_login(slice(text, name.start.saturating_sub(96), name.start));
    value_at(text, start, login, false)
        .map(|candidate| Candidate {
            loose: !login,
            ..candidate
        })
        .into_iter()
        .collect()
}

/// Whether `login`, a name and white space come right before, as in a netrc file.
fn follows_login(before: &[u8]) -> bool {
    let mut words = before
        .rsplit(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    before.last().is_some_and(u8::is_ascii_whitespace)
        && words
            .nth(1)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"login"))
}

/// The quoted value after a type: `: &str = "…"`, `string = "…"`.
fn after_type(text: &[u8], annotation: &Range<usize>) -> Option<Candidate> {
    let end = run_end(text, annotation.start, 40, is_type);
    let sign = skip_blanks(text, end, MAX_BLANKS);
    if annotation.is_empty() || at(text, sign) != b'=' || at(text, sign + 1) == b'=' {
        return None;
    }
    value_at(text, skip_blanks(text, sign + 1, MAX_BLANKS), false, true)
}

fn is_type(byte: u8) -> bool {
    is_word(byte)
        || matches!(
            byte,
            b'&' | b'<' | b'>' | b'.' | b'*' | b'[' | b']' | b'?' | b'|' | b':' | b'\''
        )
}

/// Whether a closing tag follows, if need be on the next line.
fn closes_tag(text: &[u8], end: usize) -> bool {
    let next = skip_white(text, end);
    at(text, next) == b'<' && at(text, next + 1) == b'/' || has_prefix(text, next, "<\\/")
}

/// A name in capitals, as environments use.
fn is_environment_name(text: &[u8], name: &Range<usize>) -> bool {
    slice(text, name.start, name.end)
        .iter()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

/// Whether only blanks, a dash or a diff's sign stand before `index` on its line.
fn begins_line(text: &[u8], index: usize) -> bool {
    let mut start = index;
    while start > 0
        && index - start < MAX_BLANKS
        && matches!(before(text, start, 1), b' ' | b'\t' | b'-' | b'+')
    {
        start -= 1;
    }
    let previous = before(text, start, 1);
    start == 0
        || previous == b'\n'
        || previous == b'\r'
        || (previous == b'n' && before(text, start, 2) == b'\\')
}

/// The line after YAML's `|` or `>`.
fn block_scalar(text: &[u8], start: usize) -> Option<usize> {
    let indicator = matches!(at(text, start), b'|' | b'>');
    let end = run_end(text, start + 1, 2, |b| {
        matches!(b, b'-' | b'+') || b.is_ascii_digit()
    });
    let line = skip_blanks(text, end, MAX_BLANKS);
    (indicator && (at(text, line) == b'\n' || at(text, line) == b'\\'))
        .then(|| skip_white(text, line))
}

/// Skips white space over lines, also where a line break is written `\n`.
fn skip_white(text: &[u8], start: usize) -> usize {
    let mut index = start;
    while index < start + 2 * MAX_BLANKS {
        match (at(text, index), at(text, index + 1)) {
            (b' ' | b'\t' | b'\r' | b'\n', _) => index += 1,
            (b'\\', b'n' | b'r' | b't') => index += 2,
            _ => break,
        }
    }
    index
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}
