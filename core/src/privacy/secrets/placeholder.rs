//! Values that only show where a secret would stand, and the placeholders that this detector puts in itself.

use super::bytes::holds;
use super::density::entropy;
use super::vocabulary::{Role, has_role};

/// How much of a value is looked at, in bytes.
const MAX_SAMPLE: usize = 128;

/// What gives a placeholder away wherever it stands in the value, in lower case.
const ANYWHERE: [&str; 13] = [
    "example",
    // RFC 7617's own `Aladdin:open sesame`, which every tutorial repeats.
    "qwxhzgrpbjpvcgvuihnlc2ftzq",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "xxxxx",
    "redacted",
    "your_",
    "your-",
    "replace_",
    "replace-",
    "****",
];

/// Whether the value only shows where one would stand: `your-api-key`, `xxxx`, `***`, `...`, `changeme`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.get(..MAX_SAMPLE).unwrap_or(value);
    if value.windows(3).any(|w| w == b"...")
        || holds(value, "\u{2026}")
        || value.starts_with(b"[DS4 ")
    {
        return true;
    }
    if is_repetition(value) || is_sequence(value) {
        return true;
    }
    if ANYWHERE.iter().any(|word| holds(value, word)) {
        return true;
    }
    let plain = String::from_utf8_lossy(value).to_ascii_lowercase();
    has_role(
        plain.trim_end_matches(|c: char| c.is_ascii_digit() || c == '!'),
        Role::Placeholder,
    )
}

/// The same few characters over and over.
fn is_repetition(value: &[u8]) -> bool {
    let word: Vec<u8> = value
        .iter()
        .copied()
        .filter(u8::is_ascii_alphanumeric)
        .collect();
    let Some(first) = word.first() else {
        return true;
    };
    let same = word
        .iter()
        .filter(|b| b.eq_ignore_ascii_case(first))
        .count();
    same == word.len()
        || (value.len() >= 16 && entropy(value) < 2.0)
        || (word.len() >= 12 && longest_run(value) * 2 > value.len())
}

fn longest_run(value: &[u8]) -> usize {
    let (mut longest, mut run, mut previous) = (0, 0, 0);
    for &byte in value {
        run = if byte == previous { run + 1 } else { 1 };
        previous = byte;
        longest = longest.max(run);
    }
    longest
}

/// The alphabet, or the digits in order.
fn is_sequence(value: &[u8]) -> bool {
    holds(value, "abcdefghijklmnop")
        || holds(value, "0123456789abcdef")
        || value.starts_with(b"12345") && value.len() < 11
}
