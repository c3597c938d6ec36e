//! Values that a name is given: `NAME=value`, `"name": "value"`, `name := \`value\``, `<name>value</name>`,
//! `--name value`, `set("NAME", "value")`, `name is: value`.
//!
//! This reader knows the forms, not the languages: what may close a name, what separates, what opens and ends a value.
//! It yields candidates; whether one is a secret is decided by [`super::value`] and by the vendors' rules. Every look
//! ahead is bounded, so the work is linear in the text.

use std::ops::Range;

use super::bytes::{at, before, has_prefix, is_quote, is_word, run_end, skip_blanks, slice};
use super::quoting::Delimiter;
use super::value::Standing;

/// How far an unquoted value is read before it is known to be a secret, in bytes.
const MAX_BARE: usize = 256;
/// How many blanks may stand around a separator.
const MAX_BLANKS: usize = 64;

/// A value that a name may be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) value: Range<usize>,
    pub(super) quoted: bool,
    pub(super) literal: bool,
    pub(super) loose: bool,
}

impl Candidate {
    /// How the value stands in the text.
    pub(super) fn standing(&self) -> Standing {
        Standing {
            quoted: self.quoted,
            literal: self.literal,
            loose: self.loose,
        }
    }
}

/// What stands between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Assign,
    Colon,
    Tag,
    Comma,
    Call,
    Word,
}

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
            tight && is_environment_name(text, name) || tight && begins_line(text, name.start)
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
        if at(text, end) == b']' || (quoted && at(text, end) == b')') {
            end += 1;
        } else if end > name.end
            && !quoted
            && is_quote(at(text, end))
            && before(text, end, 1) == b']'
        {
            end += 1;
        } else {
            break;
        }
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

/// The separator at `start`, and where it ends.
fn separator(
    text: &[u8],
    start: usize,
    closed: usize,
    name: &Range<usize>,
    quoted_name: bool,
) -> Option<(Separator, usize)> {
    let run = slice(text, start, start + 4);
    const SIGNS: [(&[u8], Separator); 21] = [
        (b":::=", Separator::Assign),
        (b"::=", Separator::Assign),
        (b"===", Separator::Assign),
        (b"!==", Separator::Assign),
        (b"??=", Separator::Assign),
        (b"||=", Separator::Assign),
        (b":=", Separator::Assign),
        (b"=>", Separator::Assign),
        (b"==", Separator::Assign),
        (b"!=", Separator::Assign),
        (b"?=", Separator::Assign),
        (b".=", Separator::Assign),
        (b"+=", Separator::Assign),
        (b"||", Separator::Assign),
        (b"??", Separator::Assign),
        (b":-", Separator::Assign),
        (b"=", Separator::Assign),
        (b"%3D", Separator::Assign),
        (b"%3d", Separator::Assign),
        (b"::", Separator::Call),
        (b":", Separator::Colon),
    ];
    for (sign, separator) in SIGNS {
        if run.starts_with(sign) {
            return (sign != b"::").then_some((separator, start + sign.len()));
        }
    }
    if has_prefix(text, start, "\\u003d") || has_prefix(text, start, "\\u003a") {
        return Some((Separator::Assign, start + 6));
    }
    match at(text, start) {
        b'>' if start == closed && before(text, name.start, 1) == b'<' => {
            Some((Separator::Tag, start + 1))
        }
        b'?' if at(text, start + 1) == b':' => Some((Separator::Colon, start + 2)),
        b',' if quoted_name => Some((Separator::Comma, start + 1)),
        b'(' if start == closed && !quoted_name => Some((Separator::Call, start + 1)),
        _ if start > closed => copula(text, start).map(|end| (Separator::Word, end)),
        _ => None,
    }
}

/// `is`, `is:`, `was`, `to`, `will be`: what prose puts between a name and its value.
fn copula(text: &[u8], start: usize) -> Option<usize> {
    ["is", "was", "to", "will be"].iter().find_map(|word| {
        let end = start + word.len();
        let followed = matches!(at(text, end), b' ' | b':');
        (has_prefix(text, start, word) && followed).then(|| run_end(text, end, 2, |b| b == b':'))
    })
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

/// The value that begins at `start`. `strict` wants it in quotes.
pub(super) fn value_at(
    text: &[u8],
    start: usize,
    literal: bool,
    strict: bool,
) -> Option<Candidate> {
    let start = skip_wrapper(text, skip_string_prefix(text, start));
    if let Some((delimiter, content)) = Delimiter::opening(text, start) {
        let closed = delimiter.content_end(text, content);
        let (end, whole) =
            closed.map_or_else(|| (bare_end(text, content), false), |end| (end, true));
        let value = skip_scheme(text, content, end)..end;
        let literal = literal || delimiter.is_plain();
        return (whole || !strict).then_some(Candidate {
            value,
            quoted: whole,
            literal,
            loose: false,
        });
    }
    if strict {
        return None;
    }
    let mut start = start;
    let mut end = bare_end(text, start);
    if is_scheme(slice(text, start, end)) && at(text, end) == b' ' {
        start = skip_blanks(text, end, 4);
        end = bare_end(text, start);
    }
    (end > start).then_some(Candidate {
        value: start..end,
        quoted: false,
        literal,
        loose: false,
    })
}

/// `f"`, `rb'`, `@"`, `$"`: letters that belong to the quote.
fn skip_string_prefix(text: &[u8], start: usize) -> usize {
    let end = run_end(text, start, 2, |b| {
        matches!(
            b,
            b'f' | b'r' | b'b' | b'u' | b'F' | b'R' | b'B' | b'U' | b'@' | b'$' | b'L'
        )
    });
    if end > start && is_quote(at(text, end)) {
        end
    } else {
        start
    }
}

/// `SecretString::from(`, `Some(`, `new Password(`: calls that only wrap their text.
fn skip_wrapper(text: &[u8], start: usize) -> usize {
    let begin = if has_prefix(text, start, "new ") {
        start + 4
    } else {
        start
    };
    let end = run_end(text, begin, 48, |b| is_word(b) || b == b':' || b == b'.');
    if end == begin || at(text, end) != b'(' {
        return start;
    }
    let path = slice(text, begin, end);
    let last = path
        .rsplit(|&b| b == b':' || b == b'.')
        .next()
        .unwrap_or_default();
    const WRAPPERS: [&str; 20] = [
        "some",
        "from",
        "of",
        "new",
        "string",
        "str",
        "bytes",
        "secretstring",
        "secretstr",
        "secret",
        "password",
        "quote",
        "literal",
        "text",
        "sensitive",
        "unquote",
        "tostring",
        "securestring",
        "into",
        "b64decode",
    ];
    let wraps = WRAPPERS
        .iter()
        .any(|word| last.eq_ignore_ascii_case(word.as_bytes()));
    let inside = skip_string_prefix(text, skip_blanks(text, end + 1, 8));
    if wraps && Delimiter::opening(text, inside).is_some() {
        inside
    } else {
        start
    }
}

/// The names of authentication schemes that stand before a token.
fn is_scheme(word: &[u8]) -> bool {
    const SCHEMES: [&str; 14] = [
        "bearer",
        "basic",
        "token",
        "bot",
        "apikey",
        "api-key",
        "key",
        "ssws",
        "splunk",
        "digest",
        "negotiate",
        "oauth",
        "jwt",
        "genie-key",
    ];
    SCHEMES
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme.as_bytes()))
}

/// Where the token begins in `Bearer …`.
fn skip_scheme(text: &[u8], start: usize, end: usize) -> usize {
    let word = run_end(text, start, 12, |b| b.is_ascii_alphabetic() || b == b'-');
    if word < end && at(text, word) == b' ' && is_scheme(slice(text, start, word)) {
        skip_blanks(text, word, 4).min(end)
    } else {
        start
    }
}

/// Whether a closing tag follows, if need be on the next line.
fn closes_tag(text: &[u8], end: usize) -> bool {
    let next = skip_white(text, end);
    at(text, next) == b'<' && at(text, next + 1) == b'/' || has_prefix(text, next, "<\\/")
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

/// Where a value without quotes ends.
pub(super) fn bare_end(text: &[u8], start: usize) -> usize {
    let mut open = 0_i32;
    let mut index = start;
    let limit = start.saturating_add(MAX_BARE).min(text.len());
    while index < limit {
        let byte = at(text, index);
        let ends = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | 0 | b'"' | b'\'' | b'`' | b'<' | b'>' => true,
            b'\\' => matches!(
                at(text, index + 1),
                b'n' | b'r' | b't' | b'u' | b'\\' | b'"' | b'\'' | b'`' | b'\n' | 0
            ),
            b',' | b';' => ends_item(text, index + 1),
            b'&' => begins_pair(text, index + 1),
            b'(' | b'[' | b'{' => {
                open += 1;
                false
            }
            b')' | b']' | b'}' => {
                open -= 1;
                open < 0
            }
            _ => false,
        };
        if ends {
            break;
        }
        index += 1;
    }
    while index > start
        && matches!(before(text, index, 1), b'.' | b',' | b';' | b':')
        && !is_word(at(text, index))
    {
        index -= 1;
    }
    index
}

/// Whether a comma or semicolon before `index` ends the value: the line ends, or another pair begins.
fn ends_item(text: &[u8], index: usize) -> bool {
    let next = at(text, index);
    matches!(
        next,
        b' ' | b'\t' | b'\r' | b'\n' | 0 | b'"' | b'\'' | b'\\' | b'}' | b']' | b')'
    ) || begins_pair(text, index)
}

/// `name=` or `name:` or `name Name=` begins at `index`.
fn begins_pair(text: &[u8], index: usize) -> bool {
    let end = run_end(text, index, 32, |b| {
        is_word(b) || b == b'-' || b == b'.' || b == b' '
    });
    end > index && matches!(at(text, end), b'=' | b':')
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

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}
