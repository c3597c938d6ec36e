//! Credentials in addresses: `scheme://user:password@host`, `https://token@host`, signed links.

use std::ops::Range;

use super::bytes::{before, is_word, run_end, slice};
use super::density::is_random;
use super::placeholder::is_placeholder;
use super::reference::is_reference;
use super::value::{Standing, is_uuid};

/// The longest authority that is looked at, in bytes.
const MAX_AUTHORITY: usize = 512;

const IN_URL: Standing = Standing {
    quoted: true,
    literal: true,
    loose: false,
};

/// The password, or the token in its place, in the address whose `://` stands at `start`.
pub(super) fn credentials(text: &[u8], start: usize) -> Option<Range<usize>> {
    if !is_word(before(text, start, 1)) {
        return None;
    }
    let begin = start + 3;
    let stop = run_end(text, begin, MAX_AUTHORITY, |b| !ends_authority(b));
    let authority = slice(text, begin, stop);
    let at_sign = authority.iter().rposition(|&b| b == b'@')?;
    let user_information = authority.get(..at_sign)?;
    if let Some(colon) = user_information.iter().position(|&b| b == b':') {
        let (user, password) = (
            user_information.get(..colon)?,
            user_information.get(colon + 1..)?,
        );
        return is_password(user, password).then_some(begin + colon + 1..begin + at_sign);
    }
    let token =
        user_information.len() >= 16 && (is_random(user_information) || is_uuid(user_information));
    (token && !is_placeholder(user_information) && !is_reference(user_information, IN_URL))
        .then_some(begin..begin + at_sign)
}

fn ends_authority(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || byte < 0x20
        || matches!(
            byte,
            b'/' | b'?' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|' | b'^' | b'(' | b')'
        )
}

/// Whether what stands after the user's name is a password, not a variable and not the word for one.
fn is_password(user: &[u8], password: &[u8]) -> bool {
    if password.len() < 4
        || is_placeholder(password)
        || is_reference(password, IN_URL)
        || password.eq_ignore_ascii_case(user)
    {
        return false;
    }
    let shouted = password
        .iter()
        .all(|b| b.is_ascii_uppercase() || matches!(b, b'_' | b'-'));
    let port = password.iter().all(u8::is_ascii_digit) && password.len() < 6;
    let spoken = String::from_utf8_lossy(password).to_ascii_lowercase();
    let word = spoken
        .bytes()
        .all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'-'))
        && ["pass", "secret", "token", "pwd", "key", "postgres", "user"]
            .iter()
            .any(|part| spoken.contains(part));
    !shouted && !port && !word
}

/// The signature of a signed link whose parameter name ends at `start`: `…&sig=`, `X-Amz-Signature=`.
pub(super) fn signature(text: &[u8], start: usize) -> Option<Range<usize>> {
    let end = run_end(text, start, 2048, |b| {
        b.is_ascii_alphanumeric()
            || matches!(b, b'%' | b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=')
    });
    let value = slice(text, start, end);
    (value.len() >= 16 && is_random(value) && !is_placeholder(value)).then_some(start..end)
}
