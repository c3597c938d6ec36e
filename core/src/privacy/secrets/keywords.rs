//! The one pass over a text: which words that can belong to a secret stand where.
//!
//! All keywords of all rules are in one Aho–Corasick automaton. A text without any costs that pass and nothing else.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

use super::command::Program;
use super::rules::{Assigned, Shape};
use super::{command, records};

/// What to look for where a keyword stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// The shape rule of this index.
    Shape(usize),
    /// The vendors' rule of this index, by its name.
    Assigned(usize),
    /// The user's rule of this index.
    User(usize),
    /// A name that promises a secret.
    Name,
    PrivateKey,
    PuttyKey,
    JsonWebToken,
    Bearer,
    Basic,
    Cookie,
    Credentials,
    Signature,
    Command,
    PipedPassword,
    Call,
    PostgresPassword,
    Statement,
    KubernetesSecret,
    SeedPhrase,
}

/// Parts of names that promise a secret.
const NAMES: [&str; 11] = [
    "pass", "pwd", "secret", "token", "key", "auth", "cred", "jwt", "_pw", "-pw", "pepper",
];

const FORMS: [(&str, Trigger); 28] = [
    ("-----begin", Trigger::PrivateKey),
    ("private-lines:", Trigger::PuttyKey),
    ("ey", Trigger::JsonWebToken),
    ("bearer", Trigger::Bearer),
    ("basic", Trigger::Basic),
    ("cookie", Trigger::Cookie),
    ("://", Trigger::Credentials),
    ("?sig=", Trigger::Signature),
    ("&sig=", Trigger::Signature),
    ("amz-signature=", Trigger::Signature),
    ("goog-signature=", Trigger::Signature),
    ("&signature=", Trigger::Signature),
    ("?signature=", Trigger::Signature),
    (":5432:", Trigger::PostgresPassword),
    (":5433:", Trigger::PostgresPassword),
    (":5434:", Trigger::PostgresPassword),
    (":5439:", Trigger::PostgresPassword),
    (":6432:", Trigger::PostgresPassword),
    (":6543:", Trigger::PostgresPassword),
    (":26257:", Trigger::PostgresPassword),
    (":*:", Trigger::PostgresPassword),
    ("identified by", Trigger::Statement),
    ("set password", Trigger::Statement),
    ("kind:", Trigger::KubernetesSecret),
    ("mnemonic", Trigger::SeedPhrase),
    ("seed phrase", Trigger::SeedPhrase),
    ("seed_phrase", Trigger::SeedPhrase),
    ("recovery phrase", Trigger::SeedPhrase),
];

/// Every word of every form that is code.
fn forms() -> impl Iterator<Item = (&'static str, Trigger)> {
    let names = NAMES.iter().map(|word| (*word, Trigger::Name));
    let calls = records::CALLS.iter().map(|word| (*word, Trigger::Call));
    let readers = command::READERS
        .iter()
        .map(|word| (*word, Trigger::PipedPassword));
    FORMS
        .iter()
        .copied()
        .chain(names)
        .chain(calls)
        .chain(readers)
}

/// The words of each rule, with the rule's index.
fn indexed<'r>(
    rules: impl Iterator<Item = &'r Vec<String>>,
) -> impl Iterator<Item = (usize, &'r String)> {
    rules
        .enumerate()
        .flat_map(|(index, words)| words.iter().map(move |word| (index, word)))
}

/// The automaton, and what each of its words triggers.
#[derive(Debug)]
pub(super) struct Keywords {
    automaton: Option<AhoCorasick>,
    triggers: Vec<Vec<Trigger>>,
}

/// A keyword that stands in the text.
pub(super) struct Hit<'k> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) triggers: &'k [Trigger],
}

impl Keywords {
    /// The keywords of the built-in forms and of these rules. `user` holds the users' rules' own words.
    pub(super) fn new(
        shapes: &[Shape],
        assigned: &[Assigned],
        commands: &[Program],
        user: &[Vec<String>],
    ) -> Self {
        let mut words: BTreeMap<String, Vec<Trigger>> = BTreeMap::new();
        let mut add = |word: &str, trigger: Trigger| {
            let triggers = words.entry(word.to_ascii_lowercase()).or_default();
            if !triggers.contains(&trigger) {
                triggers.push(trigger);
            }
        };
        for (index, word) in indexed(shapes.iter().map(|rule| &rule.keywords)) {
            add(word, Trigger::Shape(index));
        }
        for (index, word) in indexed(assigned.iter().map(|rule| &rule.names)) {
            add(word, Trigger::Assigned(index));
        }
        for (index, word) in indexed(user.iter()) {
            add(word, Trigger::User(index));
        }
        for word in commands.iter().flat_map(Program::keywords) {
            add(&word, Trigger::Command);
        }
        for (word, trigger) in forms() {
            add(word, trigger);
        }
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(words.keys())
            .ok();
        let triggers = words.into_values().collect();
        Self {
            automaton,
            triggers,
        }
    }

    /// Every keyword in `text`, also those that overlap, by where they end.
    pub(super) fn hits<'k>(&'k self, text: &'k [u8]) -> impl Iterator<Item = Hit<'k>> {
        self.automaton.iter().flat_map(move |automaton| {
            automaton.find_overlapping_iter(text).filter_map(|found| {
                let triggers = self.triggers.get(found.pattern().as_usize())?;
                Some(Hit {
                    start: found.start(),
                    end: found.end(),
                    triggers,
                })
            })
        })
    }
}
