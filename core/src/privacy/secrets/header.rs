//! Tokens of HTTP: `Bearer …`, `Basic …`, cookies, JSON web tokens wherever they stand.

use std::ops::Range;

use super::bytes::{
    at, has_prefix, is_base64, is_token, is_word, run_end, skip_blanks, slice, starts_word,
};
use super::density::is_random;
use super::placeholder::is_placeholder;
use super::reference::is_reference;
use super::value::{Standing, is_uuid};

/// The longest token, in bytes.
const MAX_TOKEN: usize = 16 * 1024;
/// The longest cookie header, in bytes.
const MAX_COOKIES: usize = 8 * 1024;

const IN_HEADER: Standing = Standing {
    quoted: true,
    literal: true,
    loose: false,
};

/// The token after `Bearer ` that stands at `start`.
pub(super) fn bearer(text: &[u8], start: usize) -> Option<Range<usize>> {
    let token = after_scheme(text, start, "bearer")?;
    let value = slice(text, token.start, token.end);
    let dense = is_random(value) || is_uuid(value);
    (value.len() >= 12 && dense && !is_placeholder(value) && !is_reference(value, IN_HEADER))
        .then_some(token)
}

/// The credentials after `Basic ` that stands at `start`: base64 of `user:password`.
pub(super) fn basic(text: &[u8], start: usize) -> Option<Range<usize>> {
    let token = after_scheme(text, start, "basic")?;
    let value = slice(text, token.start, token.end);
    let decoded = decode_base64(value)?;
    let colon = decoded.iter().position(|&b| b == b':')?;
    let password = decoded.get(colon + 1..)?;
    let printable = decoded.iter().all(|b| b.is_ascii_graphic() || *b == b' ');
    let sample = is_placeholder(value) || is_placeholder(password);
    (value.len() >= 8 && printable && !password.is_empty() && !sample).then_some(token)
}

fn after_scheme(text: &[u8], start: usize, scheme: &str) -> Option<Range<usize>> {
    if !starts_word(text, start) {
        return None;
    }
    let end = start + scheme.len();
    let begin = if has_prefix(text, end, "%20") {
        end + 3
    } else {
        skip_blanks(text, end, 4)
    };
    let stop = run_end(text, begin, MAX_TOKEN, is_token);
    (begin > end && stop > begin).then_some(begin..stop)
}

/// The random values of a `Cookie:` or `Set-Cookie:` header whose name stands at `start`.
pub(super) fn cookies(text: &[u8], start: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let name = run_end(text, start, 12, |b| b.is_ascii_alphabetic() || b == b'-');
    let mut index = run_end(text, name, 8, |b| {
        matches!(b, b'"' | b'\'' | b'\\' | b' ' | b':' | b',' | b'=')
    });
    if index == name {
        return found;
    }
    let limit = start.saturating_add(MAX_COOKIES).min(text.len());
    while index < limit {
        let end = run_end(text, index, 64, |b| is_word(b) || matches!(b, b'-' | b'.'));
        if end == index || at(text, end) != b'=' {
            break;
        }
        let value = end + 1..run_end(text, end + 1, 4096, |b| {
            is_token(b) || matches!(b, b'%' | b'|' | b':' | b'!' | b'*')
        });
        let bytes = slice(text, value.start, value.end);
        if bytes.len() >= 12
            && (is_random(bytes) || is_uuid(bytes))
            && !is_placeholder(bytes)
            && !is_public_cookie(slice(text, index, end))
        {
            found.push(value.clone());
        }
        index = run_end(text, value.end, 8, |b| b == b';' || b == b' ');
        if index == value.end {
            break;
        }
    }
    found
}

/// Cookies that name a visitor to a statistics service, and nothing else.
fn is_public_cookie(name: &[u8]) -> bool {
    name.starts_with(b"_ga")
        || name.starts_with(b"_gid")
        || name.starts_with(b"_fbp")
        || name.starts_with(b"__utm")
}

/// The JSON web token that begins at `start` (`ey`): two or three parts, the first two JSON objects in base64.
pub(super) fn json_web_token(text: &[u8], start: usize) -> Option<Range<usize>> {
    if !starts_word(text, start) {
        return None;
    }
    let part = |from: usize| {
        run_end(text, from, MAX_TOKEN, |b| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'=' | b'/' | b'+')
        })
    };
    let header = part(start);
    if header - start < 12 || at(text, header) != b'.' {
        return None;
    }
    let claims = part(header + 1);
    let encrypted =
        has_prefix(text, start, "eyJhbGciOiJSU0") || has_prefix(text, start, "eyJhbGciOiJkaXI");
    if claims - header < 12 || !(has_prefix(text, header + 1, "ey") || encrypted) {
        return None;
    }
    let mut end = claims;
    for _ in 0..3 {
        if at(text, end) != b'.' {
            break;
        }
        let slash = usize::from(
            at(text, end + 1) == b'\\'
                && !matches!(at(text, end + 2), b'n' | b'r' | b't' | b'"' | b'\\'),
        );
        let next = part(end + 1 + slash);
        if next < end + 8 {
            break;
        }
        end = next;
    }
    let value = slice(text, start, end);
    (is_random(value) && !is_placeholder(value)).then_some(start..end)
}

/// Decodes base64 of either alphabet, padding optional; None if it is none. For short texts.
pub(super) fn decode_base64(value: &[u8]) -> Option<Vec<u8>> {
    let mut output = Vec::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    let trimmed = value
        .iter()
        .rposition(|&b| b != b'=')
        .map_or(0, |last| last + 1);
    for &byte in value.get(..trimmed)?.iter().take(4096) {
        if !is_base64(byte) {
            return None;
        }
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            output.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(output)
}
