//! Keys, tokens and passwords: found, and replaced (behaviour 2.4).
//!
//! There is one detector for every exit: messages, payloads, artifacts, summaries, memory, search results, logs. A text
//! goes in; spans come out, or the text with a placeholder for each.
//!
//! The way of a text: [`keywords`] finds in one pass the words that can belong to a secret → [`scan`] hands each to the
//! reader of its form (a vendor's [`rules`], an [`assignment`] to a telling [`name`], a [`header`], a [`url`], a
//! [`command`] line, a [`private_key`], [`records`]) → [`value`] and [`density`] keep out references, placeholders and
//! names → [`spans`] joins what overlaps.
//!
//! Invariants:
//! - A span begins and ends at a character and never inside an escape, so that a JSON document whose strings are
//!   redacted still parses; quotes around a secret stay.
//! - Redacting twice changes nothing: a placeholder is never found again, and what a first pass uncovers is redacted in
//!   the same call.
//! - Time is linear in the text: every look ahead or back is bounded, and patterns are tried only at keywords, within a
//!   bounded window. A user's rule without keywords is the exception: it reads the whole text.
//! - Nothing is decoded to be searched, only quotes are read at any depth of escaping. Deliberately absent: secrets
//!   split over several texts, and secrets inside base64 or compressed data.

mod assignment;
mod bytes;
mod command;
mod density;
mod header;
mod keywords;
mod literal;
mod name;
mod named_value;
mod placeholder;
mod private_key;
mod quoting;
mod records;
mod reference;
mod rules;
mod scan;
mod separator;
mod spans;
mod url;
mod user_rules;
mod value;
mod vocabulary;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use regex::bytes::Regex;

use command::Program;
use keywords::Keywords;
use rules::{Assigned, Rules, Shape};
use spans::Span;
use user_rules::CompiledRule;
pub use user_rules::{MAX_PATTERN_BYTES, MAX_USER_RULES, RuleError, UserRule, UserRules};

/// How often a redacted text is looked through again. What a replacement uncovers is found in the next round; texts
/// that need more than two are constructed.
const MAX_ROUNDS: usize = 6;
/// The most matches of one user's rule in one text.
const MAX_USER_MATCHES: usize = 10_000;

/// What stands in a text instead of a secret. The order is that of precedence where spans overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Replacement {
    /// A private key.
    PrivateKey,
    /// A key whose form shows its provider.
    Credential,
    /// A bearer token, or a JSON web token.
    Token,
    /// What a name was given, and everything else.
    Secret,
}

impl Replacement {
    /// The placeholder (behaviour 2.4).
    pub const fn placeholder(self) -> &'static str {
        match self {
            Self::PrivateKey => "[DS4 REDACTED PRIVATE KEY]",
            Self::Credential => "[DS4 REDACTED CREDENTIAL]",
            Self::Token => "[DS4 REDACTED TOKEN]",
            Self::Secret => "[DS4 REDACTED SECRET]",
        }
    }
}

/// A secret in a text: a range of UTF-8 bytes at character boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The rule that found it.
    pub rule: Arc<str>,
    /// What stands instead.
    pub replacement: Replacement,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The text; the given one where nothing was found.
    pub text: Cow<'t, str>,
    /// What was replaced, in order, as ranges of the given text. They do not overlap.
    pub redactions: Vec<Redaction>,
}

/// The detector: built once, used for every text. Its patterns are compiled when first needed.
#[derive(Debug)]
pub struct SecretDetector {
    shapes: Vec<Shape>,
    assigned: Vec<Assigned>,
    commands: Vec<Program>,
    user: Vec<CompiledRule>,
    allowed: Vec<Regex>,
    keywords: Keywords,
    /// Names by rule index: shapes, assigned, forms, the user's.
    names: Vec<Arc<str>>,
}

impl Default for SecretDetector {
    fn default() -> Self {
        Self::new(&UserRules::default()).0
    }
}

impl SecretDetector {
    /// The built-in rules and those of the user. A rule that cannot be used is one error; the others work.
    pub fn new(user: &UserRules) -> (Self, Vec<RuleError>) {
        let Rules {
            shapes,
            assigned,
            commands,
        } = Rules::built_in();
        let (user, allowed, errors) = user_rules::compile_rules(user);
        let words: Vec<Vec<String>> = user.iter().map(|rule| rule.keywords.clone()).collect();
        let keywords = Keywords::new(&shapes, &assigned, &commands, &words);
        let names = shapes
            .iter()
            .map(|rule| rule.id.as_str())
            .chain(assigned.iter().map(|rule| rule.id.as_str()))
            .chain(scan::FORM_NAMES)
            .chain(user.iter().map(|rule| rule.name.as_str()))
            .map(Arc::from)
            .collect();
        (
            Self {
                shapes,
                assigned,
                commands,
                user,
                allowed,
                keywords,
                names,
            },
            errors,
        )
    }

    /// The secrets of `text`, in order.
    pub fn find(&self, text: &str) -> Vec<Redaction> {
        self.redact(text).redactions
    }

    /// `text` with a placeholder for each secret.
    pub fn redact<'t>(&self, text: &'t str) -> Redacted<'t> {
        let mut redactions = self.named(&spans::join(text, self.scan(text)));
        if redactions.is_empty() {
            return Redacted {
                text: Cow::Borrowed(text),
                redactions,
            };
        }
        let mut output = spans::replace(text, &redactions);
        for _ in 0..MAX_ROUNDS {
            let more = spans::join(&output, self.scan(&output));
            if more.is_empty() {
                break;
            }
            redactions = spans::carry_back(&redactions, &self.named(&more));
            output = spans::replace(text, &redactions);
        }
        Redacted {
            text: Cow::Owned(output),
            redactions,
        }
    }

    fn scan(&self, text: &str) -> Vec<Span> {
        let mut found = scan::Scan::run(self, text);
        for index in 0..self.user.len() {
            if self
                .user
                .get(index)
                .is_some_and(|rule| rule.keywords.is_empty())
            {
                self.find_user_rule(index, text.as_bytes(), &mut found);
            }
        }
        spans::spare_placeholders(text, &mut found);
        found
    }

    fn named(&self, spans: &[Span]) -> Vec<Redaction> {
        spans
            .iter()
            .map(|span| Redaction {
                start: span.start,
                end: span.end,
                rule: self.names.get(span.rule).cloned().unwrap_or_default(),
                replacement: span.replacement,
            })
            .collect()
    }

    /// Every match of a user's rule, at most once a text.
    fn find_user_rule(&self, index: usize, text: &[u8], found: &mut Vec<Span>) {
        let rule_index = self.form_rule(scan::FORM_NAMES.len()) + index;
        let Some(rule) = self
            .user
            .get(index)
            .filter(|_| !found.iter().any(|span| span.rule == rule_index))
        else {
            return;
        };
        for captures in rule.pattern.captures_iter(text).take(MAX_USER_MATCHES) {
            let Some(secret) = captures.get(1).or_else(|| captures.get(0)) else {
                continue;
            };
            if density::entropy(secret.as_bytes()) >= rule.minimum_entropy
                && !self.is_allowed(secret.as_bytes())
            {
                found.push(Span {
                    start: secret.start(),
                    end: secret.end(),
                    rule: rule_index,
                    replacement: Replacement::Secret,
                });
            }
        }
    }

    fn is_allowed(&self, secret: &[u8]) -> bool {
        self.allowed.iter().any(|allowed| allowed.is_match(secret))
    }

    fn assigned_rule(&self, index: usize) -> usize {
        self.shapes.len() + index
    }

    fn form_rule(&self, form: usize) -> usize {
        self.shapes.len() + self.assigned.len() + form
    }
}
