//! The rules: what the data file holds, and what a user's configuration adds.
//!
//! A *shape* is a key that its own form gives away (`ghp_…`); its pattern is tried only where one of its keywords
//! stands. An *assigned* rule is a value whose form says little and whose name says whose it is (`adafruit_token = …`);
//! its pattern must match the whole value. Patterns are compiled when first needed, without Unicode tables, with limits.
//! Where they come from stands beside the data, in `data/README.md`.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::command::Program;

/// The rules that come with the engine.
const BUILT_IN: &str = include_str!("data/rules.json");

/// The most memory that one compiled pattern may take, in bytes.
const MAX_PATTERN_MEMORY: usize = 1 << 20;

/// A rule of the data file for keys with a form of their own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shape {
    pub(super) id: String,
    /// What must stand in the text, in lower case; the pattern begins with it, or `before` bytes earlier.
    pub(super) keywords: Vec<String>,
    pub(super) pattern: Pattern,
    /// The least Shannon entropy of the secret, in bits per byte.
    #[serde(default)]
    pub(super) entropy: f64,
    /// How many bytes of the pattern may stand before the keyword.
    #[serde(default)]
    pub(super) before: usize,
    /// Longer tokens of this form exist: the secret reaches to the end of the token.
    #[serde(default)]
    pub(super) open: bool,
    /// The form says little: the secret must look random too.
    #[serde(default)]
    pub(super) random: bool,
    /// The least digits in the secret.
    #[serde(default)]
    pub(super) digits: usize,
    /// The secret is the first group, inside of an address.
    #[serde(default)]
    pub(super) inside: bool,
    /// Published samples, each the whole secret.
    #[serde(default)]
    pub(super) allow: Vec<Pattern>,
    /// `gitleaks` or `ours`.
    #[serde(rename = "source")]
    _source: String,
}

/// A rule of the data file for values of a named vendor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Assigned {
    pub(super) id: String,
    /// What the name must hold, in lower case.
    pub(super) names: Vec<String>,
    pub(super) pattern: Pattern,
    /// The least Shannon entropy of the value, in bits per byte.
    #[serde(default)]
    pub(super) entropy: f64,
    #[serde(rename = "source")]
    _source: String,
}

/// Every rule of the data file.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Rules {
    pub(super) shapes: Vec<Shape>,
    pub(super) assigned: Vec<Assigned>,
    pub(super) commands: Vec<Program>,
}

impl Rules {
    /// The rules that come with the engine. A test holds that the file reads; if it ever did not, the structural
    /// detectors would still run.
    pub(super) fn built_in() -> Self {
        serde_json::from_str(BUILT_IN).unwrap_or_default()
    }
}

/// A pattern that is compiled when first used.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(super) struct Pattern {
    source: String,
    at_start: OnceLock<Option<Regex>>,
    anywhere: OnceLock<Option<Regex>>,
    whole: OnceLock<Option<Regex>>,
}

impl From<String> for Pattern {
    fn from(source: String) -> Self {
        Self {
            source,
            at_start: OnceLock::new(),
            anywhere: OnceLock::new(),
            whole: OnceLock::new(),
        }
    }
}

impl Pattern {
    /// The secret at the start of `text`: the first group if there is one, else the match.
    pub(super) fn at_start(&self, text: &[u8]) -> Option<(usize, usize)> {
        let regex = self
            .at_start
            .get_or_init(|| compile(&format!("^(?:{})", self.source)).ok());
        secret_of(regex.as_ref()?, text)
    }

    /// The first secret anywhere in `text`.
    pub(super) fn anywhere(&self, text: &[u8]) -> Option<(usize, usize)> {
        let regex = self.anywhere.get_or_init(|| compile(&self.source).ok());
        secret_of(regex.as_ref()?, text)
    }

    /// Whether all of `text` is such a secret.
    pub(super) fn is_whole(&self, text: &[u8]) -> bool {
        let regex = self
            .whole
            .get_or_init(|| compile(&format!("^(?:{})$", self.source)).ok());
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

#[cfg(test)]
impl Pattern {
    /// The pattern as the data file has it.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Whether the pattern compiles in every way that it is used.
    pub(super) fn compiles(&self) -> bool {
        compile(&format!("^(?:{})$", self.source)).is_ok()
    }
}

fn secret_of(regex: &Regex, text: &[u8]) -> Option<(usize, usize)> {
    if regex.captures_len() == 1 {
        return regex.find(text).map(|found| (found.start(), found.end()));
    }
    let captures = regex.captures(text)?;
    let found = captures.get(1).or_else(|| captures.get(0))?;
    Some((found.start(), found.end()))
}

/// Compiles a pattern: ASCII only, with limits on memory.
pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .unicode(false)
        .size_limit(MAX_PATTERN_MEMORY)
        .dfa_size_limit(MAX_PATTERN_MEMORY)
        .build()
}
