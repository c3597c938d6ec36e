//! Files and calls with a place for the secret: `.pgpass`, Kubernetes secrets, SQL, `connect(url, "user", "password")`.

use std::ops::Range;

use super::bytes::{at, before, has_prefix, is_word, run_end, skip_blanks, slice};
use super::density::is_random;
use super::literal::value_at;
use super::name::Promise;
use super::placeholder::is_placeholder;
use super::quoting::Delimiter;
use super::value::{Standing, is_secret};

/// The largest manifest that is read for one `kind: Secret`, in bytes, to either side.
const MAX_MANIFEST: usize = 32 * 1024;

const IN_RECORD: Standing = Standing {
    quoted: true,
    literal: true,
    loose: false,
};

/// Calls whose last text is a password, in lower case and with their parenthesis.
pub(super) const CALLS: [&str; 19] = [
    "getconnection(",
    "httpbasicauth(",
    "basicauth(",
    "basic_auth(",
    "setbasicauth(",
    "withbasicauth(",
    "usernamepasswordcredentials(",
    "networkcredential(",
    "passwordauthentication(",
    "plainauth(",
    ".login(",
    ".authenticate(",
    "convertto-securestring",
    "auth=(",
    "credentials(",
    "usernamepassword(",
    "pdo(",
    "mysqli(",
    "mysqli_connect(",
];

/// The passwords among the texts that the call in `name` is given: from the second on, or the only one where the call
/// takes no user's name.
pub(super) fn call(text: &[u8], name: Range<usize>) -> Vec<Range<usize>> {
    let called = slice(text, name.start, name.end);
    let is = |call: &str| called.eq_ignore_ascii_case(call.as_bytes());
    let converts = is("convertto-securestring");
    let alone = converts || is(".login(") || is(".authenticate(");
    let mut found = Vec::new();
    let mut arguments = 0;
    let mut index = name.end;
    let limit = index.saturating_add(300).min(text.len());
    while index < limit && !matches!(at(text, index), b')' | b'\n' | b';') {
        let Some((delimiter, content)) = Delimiter::opening(text, index) else {
            arguments += usize::from(at(text, index) == b',');
            index += 1;
            continue;
        };
        let Some(end) = delimiter.content_end(text, content) else {
            break;
        };
        let promise = if arguments > 0 || converts {
            Promise::Password
        } else {
            Promise::Token
        };
        if (arguments > 0 || alone) && is_secret(slice(text, content, end), promise, IN_RECORD) {
            found.push(content..end);
        }
        index = end + delimiter.width();
    }
    found
}

/// The password of a `.pgpass` line (`host:port:database:user:password`) whose port and colons stand at `start`.
pub(super) fn pgpass(text: &[u8], start: usize) -> Option<Range<usize>> {
    let mut line = start;
    while line > 0 && start - line < 128 && !before(text, line, 1).is_ascii_whitespace() {
        line -= 1;
    }
    let host = slice(text, line, start);
    if host.is_empty()
        || host
            .iter()
            .any(|&b| matches!(b, b':' | b'/' | b'@' | b'"' | b'\''))
    {
        return None;
    }
    let mut index = start + 1;
    for _ in 0..3 {
        let end = run_end(text, index, 96, |b| {
            is_word(b) || matches!(b, b'-' | b'*' | b'.')
        });
        if end == index || at(text, end) != b':' {
            return None;
        }
        index = end + 1;
    }
    let end = run_end(text, index, 256, |b| {
        !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'')
    });
    let value = slice(text, index, end);
    is_secret(value, Promise::Password, IN_RECORD).then_some(index..end)
}

/// The password in SQL's `IDENTIFIED BY '…'` or `SET PASSWORD FOR … = '…'`, the words of which end at `end`.
pub(super) fn in_statement(text: &[u8], end: usize) -> Option<Range<usize>> {
    let mut index = skip_blanks(text, end, 8);
    if has_prefix(text, index, "password ") {
        index += "password ".len();
    } else if has_prefix(text, index, "for ") {
        index = run_end(text, index, 96, |b| b != b'=' && b != b'\n');
        index = skip_blanks(text, index + 1, 8);
    }
    let candidate = value_at(text, index, true, false)?;
    let bytes = slice(text, candidate.value.start, candidate.value.end);
    (candidate.quoted && is_secret(bytes, Promise::Password, IN_RECORD)).then_some(candidate.value)
}

/// The words of a seed phrase that follow its name, at most one line of lower-case words.
pub(super) fn seed_phrase(text: &[u8], start: usize) -> Option<Range<usize>> {
    let name = run_end(text, start, 40, |b| is_word(b) || b == b'-' || b == b' ');
    let begin = run_end(text, name, 12, |b| {
        matches!(b, b'"' | b'\'' | b'\\' | b':' | b'=' | b' ' | b'`')
    });
    let end = run_end(text, begin, 400, |b| b.is_ascii_lowercase() || b == b' ');
    let phrase = slice(text, begin, end);
    let words: Vec<&[u8]> = phrase
        .split(|&b| b == b' ')
        .filter(|word| !word.is_empty())
        .collect();
    let plausible = matches!(words.len(), 12 | 15 | 18 | 21 | 24)
        && words.iter().all(|word| (3..=8).contains(&word.len()));
    (begin > name && plausible && !is_placeholder(phrase)).then_some(begin..end)
}

/// The base64 values of the Kubernetes secret whose `kind:` stands at `start`, and where its manifest ends.
pub(super) fn kubernetes_secret(text: &[u8], start: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let kind = run_end(text, start + "kind:".len(), 4, |b| {
        matches!(b, b' ' | b'"' | b'\'')
    });
    if !has_prefix(text, kind, "secret") || is_word(at(text, kind + "secret".len())) {
        return None;
    }
    let manifest = manifest_around(text, start);
    let mut found = Vec::new();
    let mut index = manifest.start;
    let mut in_data = None;
    while index < manifest.end {
        let line = index..run_end(text, index, manifest.end - index, |b| b != b'\n');
        index = line.end + 1;
        let content = skip_blanks(text, line.start, 64);
        let indent = content - line.start;
        if content == line.end {
            continue;
        }
        match in_data {
            Some(outer) if indent > outer => found.extend(data_value(text, content, line.end)),
            _ => in_data = has_prefix(text, content, "data:").then_some(indent),
        }
    }
    Some((found, manifest.end))
}

/// The YAML document around `start`, within limits.
fn manifest_around(text: &[u8], start: usize) -> Range<usize> {
    let from = start.saturating_sub(MAX_MANIFEST);
    let to = start.saturating_add(MAX_MANIFEST).min(text.len());
    let begin = slice(text, from, start)
        .windows(4)
        .rposition(|w| w == b"\n---")
        .map_or(from, |found| from + found + 4);
    let end = slice(text, start, to)
        .windows(4)
        .position(|w| w == b"\n---")
        .map_or(to, |found| start + found);
    begin..end
}

/// The base64 value of `key: value`, or of a line of a block.
fn data_value(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let key = run_end(text, start, 128, |b| is_word(b) || matches!(b, b'-' | b'.'));
    let begin = if at(text, key) == b':' {
        skip_blanks(text, key + 1, 8)
    } else {
        start
    };
    let begin = begin + usize::from(matches!(at(text, begin), b'"' | b'\''));
    let stop = run_end(text, begin, end.saturating_sub(begin), |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
    });
    let value = slice(text, begin, stop);
    let alone = matches!(at(text, stop), b' ' | b'\n' | b'\r' | b'"' | b'\'' | 0);
    (value.len() >= 10
        && alone
        && (is_random(value) || value.ends_with(b"=") || value.len().is_multiple_of(4)))
    .then_some(begin..stop)
}
