//! What can be wrong with a configuration source: a closed set of codes, and one line for people.

use std::fmt;

use super::limits::MAX_QUOTED_CHARS;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The key is ignored, the rest of its source applies.
    Warning,
    /// The source is ignored as a whole (behaviour 3.11).
    Error,
}

/// What is wrong. Programs compare this or its text; people read [`Problem::message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemCode {
    /// `too-large`: the source has more bytes than a configuration may have.
    TooLarge,
    /// `not-json`: the source cannot be read as JSON.
    NotJson,
    /// `not-object`: the source, or a section in it, is not an object.
    NotObject,
    /// `duplicate-key`: an object names the same key twice, so that one of the two would be lost.
    DuplicateKey,
    /// `unknown-key`: the format has no such key. The only warning.
    UnknownKey,
    /// `wrong-type`: a value of another type than the key takes.
    WrongType,
    /// `out-of-range`: a number outside the key's range, or a list or object with too few or too many entries.
    OutOfRange,
    /// `not-a-choice`: a text that is not among the closed choices.
    NotAChoice,
    /// `malformed-text`: a name, profile or path that does not have the key's form.
    MalformedText,
    /// `duplicate-item`: a list names the same item twice.
    DuplicateItem,
    /// `rule-broken`: keys that are valid one by one and not together.
    RuleBroken,
    /// `more-problems`: the source has more problems than are listed.
    MoreProblems,
}

impl ProblemCode {
    /// The code's text, stable across versions.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TooLarge => "too-large",
            Self::NotJson => "not-json",
            Self::NotObject => "not-object",
            Self::DuplicateKey => "duplicate-key",
            Self::UnknownKey => "unknown-key",
            Self::WrongType => "wrong-type",
            Self::OutOfRange => "out-of-range",
            Self::NotAChoice => "not-a-choice",
            Self::MalformedText => "malformed-text",
            Self::DuplicateItem => "duplicate-item",
            Self::RuleBroken => "rule-broken",
            Self::MoreProblems => "more-problems",
        }
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One thing that is wrong with one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The source's name as its layer gave it, for example the file's path.
    pub source: String,
    /// Whether the key or the whole source is ignored.
    pub severity: Severity,
    /// What is wrong, for programs.
    pub code: ProblemCode,
    /// The key, for example `context.targetFillRatio`; empty where the source itself is meant.
    pub path: String,
    /// What is wrong and what is allowed: one line without the source's name.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let consequence = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error, source ignored",
        };
        write!(
            formatter,
            "{}: {consequence}: {}",
            self.source, self.message
        )
    }
}

/// A place in a configuration, linked to its parents so that a path is only written when a problem is reported.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    name: &'a str,
}

impl<'a> Place<'a> {
    /// The source as a whole.
    pub(crate) const ROOT: Place<'static> = Place {
        parent: None,
        name: "",
    };

    /// The key `name` in this place.
    pub(crate) const fn key(&'a self, name: &'a str) -> Place<'a> {
        Place {
            parent: Some(self),
            name,
        }
    }

    /// The dotted path, its names cut and escaped so that it stays one short line whatever a file holds.
    pub(crate) fn path(&self) -> String {
        let Some(parent) = self.parent else {
            return String::new();
        };
        let prefix = parent.path();
        let name = one_line(self.name);
        if prefix.is_empty() {
            name
        } else {
            format!("{prefix}.{name}")
        }
    }
}

/// A text of a file as a message may quote it: control characters escaped, cut after `MAX_QUOTED_CHARS`.
pub(crate) fn one_line(text: &str) -> String {
    let mut quoted = String::new();
    for (count, character) in text.chars().enumerate() {
        if count >= MAX_QUOTED_CHARS {
            quoted.push('…');
            break;
        }
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            quoted.extend(character.escape_default());
        } else {
            quoted.push(character);
        }
    }
    quoted
}
