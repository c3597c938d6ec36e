//! Names that promise a secret: `DB_PASSWORD`, `"apiKey"`, `x-api-key`, `--client-secret`.
//!
//! A name is taken apart into words (`_`, `-`, `.`, camel case). What counts is the last word that carries meaning:
//! `password_hash`, `token_type` and `secret_name` name something else. How sure a name is decides how much its value
//! has to look like a secret ([`super::value`]).

use std::ops::Range;

use super::bytes::{at, before, ends_escape, is_word, run_end, slice};
use super::vocabulary::{Role, has_role};

/// How far a name reaches to either side of what was found, in bytes.
const MAX_REACH: usize = 64;

/// What a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// A password: the value may be a word that a person thought of.
    Password,
    /// A secret of some other kind: mostly random, sometimes thought of.
    Secret,
    /// A key or token: always drawn at random.
    Token,
    /// A password, secret or token with something after it that says which: only a random value counts.
    Qualified,
}

/// The whole identifier around a found part of it.
pub(super) fn extent(text: &[u8], found: Range<usize>) -> Range<usize> {
    let mut start = found.start;
    while start > 0 && found.start - start < MAX_REACH {
        let previous = before(text, start, 1);
        let belongs = is_word(previous) || matches!(previous, b'.' | b'-');
        if !belongs || ends_escape(text, start) {
            break;
        }
        start -= 1;
    }
    let mut end = run_end(text, found.end, MAX_REACH, |b| {
        is_word(b) || b == b'-' || b == b'.'
    });
    while end > found.end && matches!(before(text, end, 1), b'-' | b'.') {
        end -= 1;
    }
    start..end
}

/// The words of an identifier, in lower case.
pub(super) struct Words {
    lower: String,
    words: Vec<Range<usize>>,
}

impl Words {
    /// Takes `identifier` apart.
    pub(super) fn of(identifier: &[u8]) -> Self {
        let lower = String::from_utf8_lossy(identifier).to_ascii_lowercase();
        let mut words = Vec::new();
        let mut start = 0;
        for index in 0..identifier.len() {
            let byte = at(identifier, index);
            if !byte.is_ascii_alphanumeric() {
                push(&mut words, start..index);
                start = index + 1;
            } else if index > start && begins_camel_word(identifier, index) {
                push(&mut words, start..index);
                start = index;
            }
        }
        push(&mut words, start..identifier.len());
        Self { lower, words }
    }

    fn word(&self, index: usize) -> &str {
        let range = self.words.get(index).cloned().unwrap_or(0..0);
        self.lower.get(range).unwrap_or_default()
    }

    /// What the name promises, if anything. `previous` is the word that stands before it in prose (`API Key:`).
    pub(super) fn promise(&self, previous: &str) -> Option<Promise> {
        let mut count = self.words.len();
        while count > 1 && is_decoration(self.word(count - 1)) {
            count -= 1;
        }
        let last = count.checked_sub(1)?;
        if count > 1 && has_role(self.word(0), Role::First) {
            return None;
        }
        if (0..count).any(|i| has_role(self.word(i), Role::Public)) {
            return None;
        }
        let qualifier = |i: usize| if i == 0 { previous } else { self.word(i - 1) };
        if let Some(promise) = promise_of(self.word(last), qualifier(last)) {
            return Some(promise);
        }
        let named = (0..last)
            .rev()
            .find(|&i| promise_of(self.word(i), qualifier(i)).is_some())?;
        let about_itself = (named + 1..count).any(|i| has_role(self.word(i), Role::SomethingElse));
        (!about_itself).then_some(Promise::Qualified)
    }
}

fn push(words: &mut Vec<Range<usize>>, word: Range<usize>) {
    if !word.is_empty() {
        words.push(word);
    }
}

/// Whether a word begins inside `apiKey` (small then capital) or `HTTPKey` (capital before a small one).
fn begins_camel_word(identifier: &[u8], index: usize) -> bool {
    let (previous, this, next) = (
        before(identifier, index, 1),
        at(identifier, index),
        at(identifier, index + 1),
    );
    this.is_ascii_uppercase()
        && (previous.is_ascii_lowercase()
            || previous.is_ascii_digit()
            || (previous.is_ascii_uppercase() && next.is_ascii_lowercase()))
}

/// The word before `start`, if only one space lies between: `API Key`, `client secret`.
pub(super) fn previous_word(text: &[u8], start: usize) -> String {
    if before(text, start, 1) != b' ' {
        return String::new();
    }
    let end = start - 1;
    let mut begin = end;
    while begin > 0 && end - begin < 16 && before(text, begin, 1).is_ascii_alphabetic() {
        begin -= 1;
    }
    String::from_utf8_lossy(slice(text, begin, end)).to_ascii_lowercase()
}

/// A word at the end of a name that says nothing about what it is: a number, a letter, `value`, `prod`.
fn is_decoration(word: &str) -> bool {
    word.len() == 1 || word.bytes().all(|b| b.is_ascii_digit()) || has_role(word, Role::Decoration)
}

/// What one word promises, with the word before it.
fn promise_of(word: &str, qualifier: &str) -> Option<Promise> {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let ends_with = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    if word == "key" {
        return (has_role(qualifier, Role::SecretKey) || qualifier.ends_with("api"))
            .then_some(Promise::Token);
    }
    if word == "token" {
        return (!has_role(qualifier, Role::OtherToken)).then_some(Promise::Token);
    }
    if has_role(word, Role::Password) || ends_with(&["password", "passwd", "passphrase"]) {
        Some(Promise::Password)
    } else if has_role(word, Role::Secret) || ends_with(&["secret", "secretkey"]) {
        Some(Promise::Secret)
    } else if has_role(word, Role::Token) || ends_with(&["token", "apikey", "accesskey"]) {
        Some(Promise::Token)
    } else {
        None
    }
}
