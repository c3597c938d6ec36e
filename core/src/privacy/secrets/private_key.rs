//! Private keys in PEM armour and in `PuTTY`'s files, whole or cut off, in JSON strings, in diffs, indented.
//!
//! Certificates and public keys are no secrets. A header that only is spoken about (no body follows) stays.

use std::ops::Range;

use super::bytes::{at, before, has_prefix, is_base64, is_quote, run_end, slice};

/// The longest block, in bytes; what is longer is redacted as far as its lines go.
const MAX_BLOCK: usize = 64 * 1024;
/// The least characters of base64 that make a body.
const MIN_BODY: usize = 24;

/// The parts to redact of the block whose `-----BEGIN` stands at `start`: one span, or one for each line where the block
/// is put together from pieces of source code.
pub(super) fn spans(text: &[u8], start: usize) -> Vec<Range<usize>> {
    let label_end = run_end(text, start + "-----begin".len(), 80, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b' ' | b'_')
    });
    let label = slice(text, start, label_end);
    let private = label
        .windows(11)
        .any(|w| w.eq_ignore_ascii_case(b"PRIVATE KEY"));
    if !private || !has_prefix(text, label_end, "-----") {
        return Vec::new();
    }
    let body = Body::read(text, label_end + 5);
    if body.characters < MIN_BODY {
        return Vec::new();
    }
    if body.in_pieces {
        return body.lines;
    }
    std::iter::once(start..body.end).collect()
}

/// What follows the first line of a block.
struct Body {
    /// Where the block ends: after `-----END …-----`, or after the last line of base64.
    end: usize,
    characters: usize,
    lines: Vec<Range<usize>>,
    in_pieces: bool,
}

impl Body {
    fn read(text: &[u8], start: usize) -> Self {
        let mut body = Self {
            end: start,
            characters: 0,
            lines: Vec::new(),
            in_pieces: false,
        };
        let limit = start.saturating_add(MAX_BLOCK).min(text.len());
        let mut index = start;
        let mut quotes = 0;
        while index < limit {
            let byte = at(text, index);
            if has_prefix(text, index, "-----end") {
                let label = run_end(text, index + 8, 80, |b| {
                    b.is_ascii_alphanumeric() || matches!(b, b' ' | b'_')
                });
                body.in_pieces |= quotes > 0;
                body.end = if has_prefix(text, label, "-----") {
                    label + 5
                } else {
                    label
                };
                break;
            }
            if byte == b'\\' {
                index += if matches!(at(text, index + 1), b'n' | b'r' | b't') {
                    2
                } else {
                    1
                };
            } else if is_base64(byte) && !(byte == b'-' && at(text, index + 1) == b'-') {
                let end = run_end(text, index, limit - index, is_base64);
                if is_header(text, end) {
                    index = run_end(text, end, 200, |b| !matches!(b, b'\n' | b'\\'));
                    continue;
                }
                if end == index + 1 && matches!(byte, b'+' | b'-') {
                    // What joins pieces, or begins a line of a diff or list.
                    index = end;
                    continue;
                }
                if !is_key_line(slice(text, index, end), body.characters) {
                    break;
                }
                body.in_pieces |= quotes > 0;
                body.characters += end - index;
                body.lines.push(index..end);
                body.end = end;
                index = end;
            } else if is_quote(byte) {
                quotes += 1;
                index += 1;
            } else if matches!(
                byte,
                b' ' | b'\t'
                    | b'\r'
                    | b'\n'
                    | b'+'
                    | b','
                    | b'|'
                    | b'>'
                    | b'#'
                    | b'*'
                    | b'.'
                    | b'('
                    | b')'
            ) {
                index += 1;
            } else {
                break;
            }
        }
        body
    }
}

/// `Proc-Type:`, `DEK-Info:`, `Version:`, `Comment:`.
fn is_header(text: &[u8], end: usize) -> bool {
    at(text, end) == b':' && at(text, end + 1) == b' '
}

/// A line of a key: long, or the short last one.
fn is_key_line(line: &[u8], so_far: usize) -> bool {
    line.len() >= 16 || (so_far >= 16 && (line.len() >= 4 || line.starts_with(b"=")))
}

/// The lines of the private part of a `PuTTY` key whose `Private-Lines:` stands at `start`.
pub(super) fn putty(text: &[u8], start: usize) -> Option<Range<usize>> {
    let first = run_end(text, start, 40, |b| !matches!(b, b'\n' | b'\\'));
    let mut end = first;
    let mut index = first;
    while index < text.len().min(first + MAX_BLOCK) {
        match at(text, index) {
            b'\n' | b'\r' | b' ' => index += 1,
            b'\\' if matches!(at(text, index + 1), b'n' | b'r') => index += 2,
            _ => {
                let line = run_end(text, index, 200, is_base64);
                if line - index < 16 && before(text, line, 1) != b'=' || line == index {
                    break;
                }
                end = line;
                index = line;
            }
        }
    }
    let body = run_end(text, first, 8, |b| {
        matches!(b, b'\n' | b'\r' | b'\\' | b'n' | b'r' | b' ')
    });
    (end > body).then_some(body..end)
}
