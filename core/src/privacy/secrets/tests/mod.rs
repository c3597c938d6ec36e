//! Tests of the detector. No line here holds a secret that a scanner would know: what looks like one is drawn when the
//! test runs, from a fixed seed.

mod forms;
mod harmless;
mod properties;
mod user;
mod vendors;

use std::sync::LazyLock;

use super::{SecretDetector, spans};

/// Draws texts, the same each time.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap()
    }

    fn from(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..length)
            .map(|_| alphabet[self.next() % alphabet.len()])
            .collect()
    }

    /// Letters and digits.
    fn token(&mut self, length: usize) -> String {
        self.from(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            length,
        )
    }

    fn hexadecimal(&mut self, length: usize) -> String {
        self.from("0123456789abcdef", length)
    }

    /// What a person may think of.
    fn password(&mut self) -> String {
        format!(
            "Harbor{}candle{}",
            self.from("!_-.", 1),
            1000 + self.next() % 9000
        )
    }

    /// The lines of a key in PEM armour, without its first and last.
    fn key_lines(&mut self, lines: usize) -> String {
        let lines: Vec<String> = (0..lines).map(|_| self.token(64)).collect();
        lines.join("\n")
    }
}

/// One detector for all: building it takes its time without optimisation.
static DETECTOR: LazyLock<SecretDetector> = LazyLock::new(SecretDetector::default);

/// The text without its secrets.
fn redacted(text: &str) -> String {
    DETECTOR.redact(text).text.into_owned()
}

/// Redacting takes `secret` out of `text`, leaves what stands around it, and does not change the result again.
#[track_caller]
fn assert_taken_out(text: &str, secret: &str) {
    let redacted = DETECTOR.redact(text);
    assert!(
        !redacted.text.contains(secret),
        "still there: {}",
        redacted.text
    );
    assert_eq!(
        DETECTOR.redact(&redacted.text).text,
        redacted.text,
        "a second pass changes it"
    );
    assert_eq!(redacted.text, spans::replace(text, &redacted.redactions));
    let rest: usize = text.len()
        - redacted
            .redactions
            .iter()
            .map(|r| r.end - r.start)
            .sum::<usize>();
    assert!(
        rest + 40 + secret.len() >= text.len(),
        "more than the secret is gone: {}",
        redacted.text
    );
}

#[track_caller]
fn assert_left_alone(text: &str) {
    assert_eq!(redacted(text), text);
}
