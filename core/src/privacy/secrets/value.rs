//! Values that are secrets, and those that only stand where one would.
//!
//! A reference (`$TOKEN`, `${{ secrets.X }}`, `process.env.X`, a call), a placeholder (`<your-key>`, `changeme`,
//! `********`) and a path keep their place: nothing is in them, and code that loses them no longer runs.

use super::bytes::{at, has_prefix, holds, is_word};
use super::density::{entropy, is_random};
use super::name::Promise;

/// How much of a value is looked at for signs of a placeholder, in bytes.
const MAX_SAMPLE: usize = 128;

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

/// Whether the value stands for another: a variable, an expansion, a template, a call, a field.
pub(super) fn is_reference(value: &[u8], standing: Standing) -> bool {
    let first = at(value, 0);
    let last = at(value, value.len().saturating_sub(1));
    if first == b'$'
        && value
            .iter()
            .skip(1)
            .all(|&b| is_word(b) || matches!(b, b':' | b'/' | b'.'))
    {
        return true;
    }
    if holds_template(value) || (first == b'%' && last == b'%') || (first == b'@' && last == b'@') {
        return true;
    }
    if value.starts_with(b"&#")
        || value.starts_with(b"&lt;")
        || (!standing.quoted && holds(value, "[\\"))
    {
        return true;
    }
    if (first == b'<' && last == b'>')
        || (first == b'[' && last == b']')
        || first == b'[' && holds(value, "redacted")
    {
        return true;
    }
    const SOURCES: [&str; 21] = [
        "process.env",
        "os.environ",
        "os.getenv",
        "system.getenv",
        "env.",
        "env[",
        "env(",
        "import.meta",
        "config.",
        "settings.",
        "secrets.",
        "self.",
        "this.",
        "args.",
        "vault:",
        "op://",
        "arn:",
        "ref+",
        "file:",
        "!vault",
        "enc[",
    ];
    if SOURCES.iter().any(|source| has_prefix(value, 0, source)) {
        return true;
    }
    !standing.quoted
        && if standing.literal {
            is_call(value)
        } else {
            is_code(value)
        }
}

/// `${…}`, `$(…)`, `{{…}}`, `#{…}`, `%{…}`, `<%…%>`, `{name}`.
fn holds_template(value: &[u8]) -> bool {
    value
        .windows(2)
        .enumerate()
        .any(|(index, pair)| match pair {
            b"${" | b"$(" | b"{{" | b"#{" | b"%{" | b"<%" | b"%(" => true,
            [b'{', next] => {
                let name = value
                    .iter()
                    .skip(index + 1)
                    .take_while(|b| is_word(**b) || **b == b'.')
                    .count();
                (next.is_ascii_alphabetic() || *next == b'_' || *next == b'}')
                    && at(value, index + 1 + name) == b'}'
            }
            _ => false,
        })
}

/// A call without a doubt, or a list: `Vec::new()`, `f()`, `[1]`.
fn is_call(value: &[u8]) -> bool {
    let last = at(value, value.len().saturating_sub(1));
    let closes = matches!(last, b']' | b')') && at(value, 0).is_ascii_alphabetic();
    !is_random(value)
        && (closes
            || matches!(at(value, 0), b'[' | b'{' | b'(')
            || holds(value, "()")
            || holds(value, "::"))
}

/// An expression: a call, a path through fields, an index.
fn is_code(value: &[u8]) -> bool {
    let name = value.iter().take_while(|b| is_word(**b)).count();
    let starts_like_name = at(value, 0).is_ascii_alphabetic() || at(value, 0) == b'_';
    let rest = value.get(name..).unwrap_or_default();
    let follows = rest.first().copied().unwrap_or(0);
    starts_like_name
        && (matches!(follows, b'(' | b'[')
            || rest.starts_with(b"::")
            || rest.starts_with(b"->")
            || (follows == b'.' && rest.ends_with(b")"))
            || (follows == b'.' && is_field_path(value)))
}

/// Names joined by dots: `config.auth.token`, `var.db_password`.
fn is_field_path(value: &[u8]) -> bool {
    !is_random(value)
        && value
            .split(|&b| b == b'.')
            .all(|field| field.iter().filter(|b| b.is_ascii_digit()).count() < 3)
}

/// Whether the value names a secret instead of being one.
fn speaks_of_secrets(value: &[u8]) -> bool {
    [
        "password", "passwd", "secret", "token", "key", "pwd", "hash", "auth", "cred",
    ]
    .iter()
    .any(|word| holds(value, word))
}

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
    const ANYWHERE: [&str; 12] = [
        "example",
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
    if ANYWHERE.iter().any(|word| holds(value, word)) {
        return true;
    }
    let plain = String::from_utf8_lossy(value).to_ascii_lowercase();
    matches!(
        plain.trim_end_matches(|c: char| c.is_ascii_digit() || c == '!'),
        "password"
            | "passwd"
            | "pass"
            | "passw"
            | "secret"
            | "token"
            | "apikey"
            | "api_key"
            | "mypassword"
            | "my_password"
            | "my-password"
            | "my-secret"
            | "mysecret"
            | "my_secret"
            | "changeit"
            | "dummy"
            | "sample"
            | "test"
            | "testing"
            | "string"
            | "none"
            | "null"
            | "true"
            | "false"
            | "undefined"
            | "foobar"
            | "foo"
            | "bar"
            | "pwd"
            | "user_password"
            | "supersecret"
            | "super_secret"
            | "super-secret"
            | "insecure"
            | "todo"
            | "fixme"
            | "unset"
            | "empty"
            | "abc"
            | "username"
            | "user"
            | "admin"
            | "root"
            | "guest"
            | "default"
            | "required"
            | "optional"
            | "hidden"
            | "fake"
            | "test_password"
            | "test-password"
            | "testpassword"
            | "test_token"
            | "test-token"
            | "fake_token"
            | "fake-token"
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
    const ENDINGS: [&str; 24] = [
        ".pem", ".key", ".json", ".yaml", ".yml", ".txt", ".env", ".crt", ".cer", ".p12", ".pfx",
        ".jks", ".sh", ".py", ".ts", ".js", ".go", ".rs", ".java", ".rb", ".php", ".md", ".toml",
        ".conf",
    ];
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
