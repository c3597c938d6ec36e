//! Values whose name stands in a place of its own: `name: DB_PASSWORD` with `value: …` after it, as in Kubernetes, task
//! definitions, XML settings, HAR files; and Terraform's `variable "db_password" { default = "…" }`.

use std::ops::Range;

use super::bytes::{at, before, has_prefix, is_quote, is_word, slice, starts_word};
use super::literal::{Candidate, value_at};

/// How far after the name its value is looked for, in bytes.
const MAX_DISTANCE: usize = 160;

/// The value that belongs to the name in `name`, if the name is itself the value of a `name` or `key`.
pub(super) fn candidate(text: &[u8], name: &Range<usize>) -> Option<Candidate> {
    let word = label_before(text, name.start)?;
    let limit = name.end.saturating_add(MAX_DISTANCE).min(text.len());
    let wanted: &[&str] = if word == Label::Variable {
        &["default"]
    } else {
        &["value", "defaultvalue", "content", "val"]
    };
    let mut index = name.end;
    let mut lines = 0;
    while index < limit {
        if at(text, index) == b'\n' {
            lines += 1;
        }
        if lines > 6 || at(text, index) == b'}' {
            return None;
        }
        if starts_word(text, index)
            && let Some(label) = wanted.iter().find(|label| is_label(text, index, label))
        {
            return value_after_label(text, index + label.len());
        }
        index += 1;
    }
    None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Name,
    Variable,
}

/// The label that the name at `start` is the value of.
fn label_before(text: &[u8], start: usize) -> Option<Label> {
    let mut end = start;
    while end > 0 && start - end < 12 {
        let previous = before(text, end, 1);
        if !(is_quote(previous) || matches!(previous, b'\\' | b' ' | b':' | b'=' | b'>')) {
            break;
        }
        end -= 1;
    }
    if end == start {
        return None;
    }
    let mut begin = end;
    while begin > 0 && end - begin < 12 && before(text, begin, 1).is_ascii_alphabetic() {
        begin -= 1;
    }
    let word = slice(text, begin, end);
    let is = |label: &str| word.eq_ignore_ascii_case(label.as_bytes());
    if is("variable") {
        Some(Label::Variable)
    } else {
        (is("name") || is("key") || is("property") || is("param")).then_some(Label::Name)
    }
}

fn is_label(text: &[u8], index: usize, label: &str) -> bool {
    has_prefix(text, index, label) && !is_word(at(text, index + label.len()))
}

/// The value after `value`: quotes, brackets, a separator.
fn value_after_label(text: &[u8], end: usize) -> Option<Candidate> {
    let mut index = end;
    let mut separated = false;
    while index < end + 16 {
        match at(text, index) {
            b':' | b'=' | b'>' => separated = true,
            b' ' | b'\t' => {}
            b'\\' | b'"' | b'\'' if !separated => {}
            _ => break,
        }
        index += 1;
    }
    if separated {
        value_at(text, index, true, false)
    } else {
        None
    }
}
