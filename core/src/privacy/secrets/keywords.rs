//! The one pass over a text: which words that can belong to a secret stand where.
//!
//! All keywords of all rules are in one Aho–Corasick automaton. A text without any costs that pass and nothing else.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

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

/// The automaton, and what each of its words triggers.
#[derive(Debug)]
pub(super) struct Keywords {
    automaton: Option<AhoCorasick>,
    triggers: Vec<(usize, Vec<Trigger>)>,
}

/// A keyword that stands in the text.
pub(super) struct Hit<'k> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) triggers: &'k [Trigger],
}

impl Keywords {
    /// The keywords of the built-in forms and of these rules. `user` holds the users' rules' own words.
    pub(super) fn new(shapes: &[Shape], assigned: &[Assigned], user: &[Vec<String>]) -> Self {
        let mut words: BTreeMap<String, Vec<Trigger>> = BTreeMap::new();
        let mut add = |word: &str, trigger: Trigger| {
            if !word.is_empty() {
                words
                    .entry(word.to_ascii_lowercase())
                    .or_default()
                    .push(trigger);
            }
        };
        for (index, rule) in shapes.iter().enumerate() {
            rule.keywords
                .iter()
                .for_each(|word| add(word, Trigger::Shape(index)));
        }
        for (index, rule) in assigned.iter().enumerate() {
            rule.names
                .iter()
                .for_each(|word| add(word, Trigger::Assigned(index)));
        }
        for (index, rule) in user.iter().enumerate() {
            rule.iter().for_each(|word| add(word, Trigger::User(index)));
        }
        NAMES.iter().for_each(|word| add(word, Trigger::Name));
        FORMS.iter().for_each(|(word, trigger)| add(word, *trigger));
        command::keywords().for_each(|word| add(word, Trigger::Command));
        records::CALLS
            .iter()
            .for_each(|word| add(word, Trigger::Call));
        words.values_mut().for_each(|triggers| triggers.dedup());
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(words.keys())
            .ok();
        let triggers = words
            .into_iter()
            .map(|(word, triggers)| (word.len(), triggers))
            .collect();
        Self {
            automaton,
            triggers,
        }
    }

    /// Every keyword in `text`, also those that overlap, by where they end.
    pub(super) fn hits<'k>(&'k self, text: &'k [u8]) -> impl Iterator<Item = Hit<'k>> {
        self.automaton.iter().flat_map(move |automaton| {
            automaton.find_overlapping_iter(text).filter_map(|found| {
                let (_, triggers) = self.triggers.get(found.pattern().as_usize())?;
                Some(Hit {
                    start: found.start(),
                    end: found.end(),
                    triggers,
                })
            })
        })
    }
}
