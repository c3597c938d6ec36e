//! Quotation at any depth of escaping.
//!
//! A text that a tool call carries is JSON in JSON: its quotes read `\"`, one level deeper `\\\"`. A delimiter is a
//! quote with the backslashes before it, and its partner is the next quote with exactly as many; more of them mean a
//! quote inside the value. So one reader serves every depth, and what stands between stays valid where it stood.

use super::bytes::{at, is_quote, run_end, slice};

/// How far a closing quote is looked for, in bytes.
const MAX_QUOTED: usize = 4096;

/// An opening quote: its character, the backslashes before it, and how often it is repeated (Python's `"""`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Delimiter {
    quote: u8,
    backslashes: usize,
    repeated: usize,
}

impl Delimiter {
    /// The delimiter that begins at `start`, and where its content begins.
    pub(super) fn opening(text: &[u8], start: usize) -> Option<(Self, usize)> {
        let backslashes = count(text, start, b'\\');
        let quote = at(text, start + backslashes);
        if !is_quote(quote) || backslashes > 15 {
            return None;
        }
        let first = start + backslashes;
        let repeated = if backslashes == 0 && count(text, first, quote) >= 3 {
            3
        } else {
            1
        };
        let delimiter = Self {
            quote,
            backslashes,
            repeated,
        };
        Some((delimiter, first + repeated))
    }

    /// Where the content that begins at `start` ends: at the matching delimiter. None if something else ends first: the
    /// line, the reach of this search, or the string that all this stands in.
    pub(super) fn content_end(self, text: &[u8], start: usize) -> Option<usize> {
        let limit = start.saturating_add(MAX_QUOTED).min(text.len());
        let mut index = start;
        while index < limit {
            match at(text, index) {
                b'\\' => {
                    let run = count(text, index, b'\\');
                    index += run;
                    if at(text, index) == self.quote {
                        if run % (2 * (self.backslashes + 1)) == self.backslashes {
                            return Some(index - self.backslashes);
                        }
                        if run < self.backslashes {
                            return None;
                        }
                        index += 1;
                    }
                }
                b'\n' if self.repeated == 1 && self.quote != b'`' => return None,
                byte if byte == self.quote && self.backslashes == 0 => {
                    if self.repeated == 1 || count(text, index, self.quote) >= 3 {
                        return Some(index);
                    }
                    index += 1;
                }
                byte if byte == self.quote => return None,
                b'"' if ends_string(text, index) => return None,
                _ => index += 1,
            }
        }
        None
    }

    /// The length of the delimiter itself.
    pub(super) fn width(self) -> usize {
        self.backslashes + self.repeated
    }

    /// Whether the delimiter stands alone, without backslashes.
    pub(super) fn is_plain(self) -> bool {
        self.backslashes == 0
    }

    /// The quote's character.
    pub(super) fn quote(self) -> u8 {
        self.quote
    }
}

/// Whether the double quote at `index` ends a string of JSON around the value: a sign of JSON's structure follows.
fn ends_string(text: &[u8], index: usize) -> bool {
    let next = run_end(text, index + 1, 64, |b| b.is_ascii_whitespace());
    matches!(at(text, next), b',' | b':' | b'}' | b']' | 0)
}

/// How often `byte` stands in a row from `start` on.
fn count(text: &[u8], start: usize, byte: u8) -> usize {
    slice(text, start, start.saturating_add(64))
        .iter()
        .take_while(|&&b| b == byte)
        .count()
}
