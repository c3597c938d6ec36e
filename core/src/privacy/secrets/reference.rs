//! Values that stand for others: variables, expansions, templates, calls, fields. Nothing secret is in them, and code
//! that loses them no longer runs.

use super::bytes::{at, has_prefix, holds, is_word};
use super::density::is_random;
use super::value::Standing;

/// How values begin that say where the secret is kept, in lower case.
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
