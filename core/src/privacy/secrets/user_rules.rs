//! What a user's configuration adds: rules, and values that are to be left alone.

use regex::bytes::Regex;

use super::rules::compile;

/// The most rules that a configuration may add, and the most values that it may allow.
pub const MAX_USER_RULES: usize = 100;
/// The longest pattern, in bytes.
pub const MAX_PATTERN_BYTES: usize = 1000;

/// A rule of the user's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UserRule {
    /// The rule's name, as redactions and errors give it: 1 to 64 letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// A regular expression in the syntax of the `regex` crate, over ASCII. The secret is its first group, or the whole
    /// match where it has none.
    pub pattern: String,
    /// The pattern is tried only where one of these words stands in the text, whatever the case. None: always.
    pub keywords: Vec<String>,
    /// The least Shannon entropy of the secret, in bits per byte; 0 for no limit.
    pub minimum_entropy: f64,
}

/// What a configuration says about secrets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UserRules {
    /// Rules beside those that come with the engine.
    pub rules: Vec<UserRule>,
    /// Regular expressions; a secret that one of them matches as a whole is left alone.
    pub allowed: Vec<String>,
}

/// Why a rule of the user's is not used. The other rules are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The name is empty, too long, or has other characters.
    #[error("secret rule {0:?}: a name has 1 to 64 letters, digits, '-', '_' or '.'; rename it")]
    Name(String),
    /// The pattern is not a regular expression, or needs more memory than a rule may take.
    #[error(
        "secret rule {name:?}: the pattern does not compile ({reason}); correct it or take the rule out"
    )]
    Pattern {
        /// The rule's name; for an allowed value, the pattern.
        name: String,
        /// What the compiler of patterns says, on one line.
        reason: String,
    },
    /// The pattern is longer than `MAX_PATTERN_BYTES`.
    #[error(
        "secret rule {0:?}: the pattern is longer than {MAX_PATTERN_BYTES} bytes; shorten or split it"
    )]
    TooLong(String),
    /// The pattern matches the empty text, and so everywhere.
    #[error(
        "secret rule {0:?}: the pattern matches the empty text; ask for at least one character"
    )]
    MatchesNothing(String),
    /// There are more than `MAX_USER_RULES`.
    #[error("secret rule {0:?}: more than {MAX_USER_RULES} rules; take some out")]
    TooMany(String),
}

/// A rule of the user's, compiled.
#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) name: String,
    pub(super) pattern: Regex,
    pub(super) keywords: Vec<String>,
    pub(super) minimum_entropy: f64,
}

/// Compiles what is good and says what is not.
pub(super) fn compile_rules(user: &UserRules) -> (Vec<CompiledRule>, Vec<Regex>, Vec<RuleError>) {
    let (mut rules, mut allowed, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for (index, rule) in user.rules.iter().enumerate() {
        match compile_rule(rule, index) {
            Ok(rule) => rules.push(rule),
            Err(error) => errors.push(error),
        }
    }
    for (index, pattern) in user.allowed.iter().enumerate() {
        match compile_pattern(pattern, &format!("^(?:{pattern})$"), pattern, index) {
            Ok(pattern) => allowed.push(pattern),
            Err(error) => errors.push(error),
        }
    }
    (rules, allowed, errors)
}

fn compile_rule(rule: &UserRule, index: usize) -> Result<CompiledRule, RuleError> {
    let named = (1..=64).contains(&rule.name.len())
        && rule
            .name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if !named {
        return Err(RuleError::Name(rule.name.chars().take(64).collect()));
    }
    let pattern = compile_pattern(&rule.name, &rule.pattern, &rule.pattern, index)?;
    if pattern.is_match(b"") {
        return Err(RuleError::MatchesNothing(rule.name.clone()));
    }
    let keywords = rule
        .keywords
        .iter()
        .filter(|word| !word.is_empty())
        .cloned()
        .collect();
    Ok(CompiledRule {
        name: rule.name.clone(),
        pattern,
        keywords,
        minimum_entropy: rule.minimum_entropy,
    })
}

fn compile_pattern(
    name: &str,
    pattern: &str,
    given: &str,
    index: usize,
) -> Result<Regex, RuleError> {
    let shown: String = name.chars().take(64).collect();
    if index >= MAX_USER_RULES {
        return Err(RuleError::TooMany(shown));
    }
    if given.len() > MAX_PATTERN_BYTES {
        return Err(RuleError::TooLong(shown));
    }
    compile(pattern).map_err(|error| RuleError::Pattern {
        name: shown,
        reason: last_line(&error.to_string()),
    })
}

/// The last line of a report of the `regex` crate, which says what is wrong; the lines before show where.
fn last_line(report: &str) -> String {
    report
        .lines()
        .last()
        .unwrap_or_default()
        .trim_start_matches("error: ")
        .to_owned()
}
