//! Values as they are written: in quotes of any depth, behind a prefix or a wrapping call, after a scheme, or bare.

use std::ops::Range;

use super::bytes::{at, before, has_prefix, is_quote, is_word, run_end, skip_blanks, slice};
use super::quoting::Delimiter;
use super::value::Standing;

/// How far an unquoted value is read before it is known to be a secret, in bytes.
pub(super) const MAX_BARE: usize = 256;

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

/// The last words of calls that only wrap a text, in lower case.
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

/// The names of authentication schemes, in lower case.
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

/// The names of authentication schemes that stand before a token.
fn is_scheme(word: &[u8]) -> bool {
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

/// Where a value without quotes ends.
fn bare_end(text: &[u8], start: usize) -> usize {
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
