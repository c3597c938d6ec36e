//! Values that are secrets, and those that only stand where one would.
//!
//! A reference (`$TOKEN`, `${{ secrets.X }}`, `process.env.X`, a call), a placeholder (`<your-key>`, `changeme`,
//! `********`) and a path keep their place: nothing is in them, and code that loses them no longer runs.

use super::bytes::{at, has_prefix, holds, is_word};
use super::density::is_random;
use super::name::Promise;
use super::placeholder::is_placeholder;
use super::reference::is_reference;

/// How a value stands in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// Between quotes: a literal, not code.
    pub(super) quoted: bool,
    /// In a place where only literals stand: an environment file, a command line.
    pub(super) literal: bool,
    /// Only a blank or a comma lies between name and value, as in prose and lists.
    pub(super) loose: bool,
}

/// Whether `value` is a secret, given what its name promises.
pub(super) fn is_secret(value: &[u8], promise: Promise, standing: Standing) -> bool {
    if value.len() < 4
        || is_blank_or_prose(value)
        || is_placeholder(value)
        || is_reference(value, standing)
    {
        return false;
    }
    if is_place(value) || is_numeric(value) || is_address(value) {
        return false;
    }
    if is_uuid(value) {
        return promise != Promise::Qualified && !standing.loose;
    }
    if is_random(value) {
        return !(standing.loose && value.len() < 12 && promise != Promise::Password);
    }
    match promise {
        Promise::Password => is_thought_of(value, standing, 6),
        Promise::Secret => is_thought_of(value, standing, 8) && is_mixed(value),
        Promise::Token | Promise::Qualified => false,
    }
}

/// Whether a person may have thought of the value as a password: letters with digits or signs, not a word alone.
fn is_thought_of(value: &[u8], standing: Standing, least: usize) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let signs = value
        .iter()
        .filter(|b| b.is_ascii_punctuation() && !is_joint(**b))
        .count();
    if value.len() < least || letters == 0 || digits + signs == 0 {
        return false;
    }
    if standing.loose {
        let capitals = value.iter().filter(|b| b.is_ascii_uppercase()).count();
        return digits > 0
            && capitals + signs > 0
            && (standing.quoted || (digits >= 2 && !value.contains(&b'/')));
    }
    if standing.quoted || standing.literal {
        return true;
    }
    let identifier = value.iter().all(|&b| is_word(b) || b == b'.' || b == b'-');
    if identifier {
        return digits >= 2 && !speaks_of_secrets(value);
    }
    !value.iter().any(|b| matches!(b, b'(' | b'[' | b'{' | b'<')) && digits > 0
}

/// Whether a value has more than small letters, joints and a number at the end, as names of resources do.
fn is_mixed(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let capitals = value.iter().filter(|b| b.is_ascii_uppercase()).count();
    let signs = value
        .iter()
        .filter(|b| b.is_ascii_punctuation() && !is_joint(**b))
        .count();
    digits >= 3 || (digits > 0 && capitals + signs > 0)
}

/// Signs that join words in names.
fn is_joint(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.' | b'/' | b':' | b',')
}

/// Nothing but white space and signs, or several words.
fn is_blank_or_prose(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_whitespace) || !value.iter().any(u8::is_ascii_alphanumeric)
}

/// Whether the value names a secret instead of being one.
fn speaks_of_secrets(value: &[u8]) -> bool {
    [
        "password", "passwd", "secret", "token", "key", "pwd", "hash", "auth", "cred",
    ]
    .iter()
    .any(|word| holds(value, word))
}

/// The ends of names of files.
const ENDINGS: [&str; 24] = [
    ".pem", ".key", ".json", ".yaml", ".yml", ".txt", ".env", ".crt", ".cer", ".p12", ".pfx",
    ".jks", ".sh", ".py", ".ts", ".js", ".go", ".rs", ".java", ".rb", ".php", ".md", ".toml",
    ".conf",
];

/// A path, a file or an address without credentials.
fn is_place(value: &[u8]) -> bool {
    let starts_path =
        value.starts_with(b"./") || value.starts_with(b"../") || value.starts_with(b"~/");
    let drive = at(value, 0).is_ascii_alphabetic() && at(value, 1) == b':' && at(value, 2) == b'\\';
    if starts_path
        || drive
        || holds(value, "://")
        || (at(value, 0) == b'/' && !is_random(value.get(1..).unwrap_or_default()))
    {
        return true;
    }
    ENDINGS
        .iter()
        .any(|end| value.len() > end.len() && has_prefix(value, value.len() - end.len(), end))
}

/// A number, a date, a version: at most two letters among digits.
fn is_numeric(value: &[u8]) -> bool {
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    letters <= 2
        && !value.iter().any(|b| {
            matches!(
                b,
                b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'@' | b'~' | b'?'
            )
        })
        && value.iter().filter(|b| b.is_ascii_digit()).count() + letters + 6 > value.len()
        && (letters == 0 || value.len() < 24)
}

/// An e-mail address.
fn is_address(value: &[u8]) -> bool {
    let mut parts = value.split(|&b| b == b'@');
    let (Some(user), Some(host), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let plain = |part: &[u8]| {
        !part.is_empty()
            && part
                .iter()
                .all(|&b| is_word(b) || matches!(b, b'.' | b'-' | b'+'))
    };
    plain(user) && plain(host) && host.contains(&b'.')
}

/// Eight, four, four, four and twelve hexadecimal digits.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
