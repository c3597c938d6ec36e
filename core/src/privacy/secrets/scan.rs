//! One text, scanned: every keyword goes to the reader of its form, and what they find is collected as spans.

use std::ops::Range;

use super::assignment::candidates;
use super::bytes::{at, before, run_end, slice, starts_word};
use super::density::{entropy, is_random};
use super::keywords::{Hit, Trigger};
use super::literal::{Candidate, MAX_BARE};
use super::name::{Promise, Words, extent, previous_word};
use super::placeholder::is_placeholder;
use super::rules::{Assigned, Shape};
use super::spans::Span;
use super::value::is_secret;
use super::{Replacement, SecretDetector, command, header, named_value, private_key, records, url};

/// The reach of a shape's pattern, in bytes; a longer token is followed to its end by its alphabet.
const SHAPE_REACH: usize = 400;
/// The same for patterns that begin before their keyword: all of them are short.
const SHORT_REACH: usize = 96;
/// The longest token, in bytes.
const MAX_TOKEN: usize = 16 * 1024;

/// The names of the rules that are code, not data. The order is that of `Form`.
pub(super) const FORM_NAMES: [&str; 13] = [
    "private-key",
    "json-web-token",
    "authorization-header",
    "cookie",
    "url-credentials",
    "signed-url",
    "command-line",
    "call-argument",
    "pgpass",
    "sql-password",
    "kubernetes-secret",
    "seed-phrase",
    "assigned-secret",
];

/// The rules that are code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    PrivateKey,
    JsonWebToken,
    Authorization,
    Cookie,
    Credentials,
    Signature,
    Command,
    Call,
    Pgpass,
    Statement,
    Kubernetes,
    SeedPhrase,
    Assigned,
}

impl Form {
    fn replacement(self) -> Replacement {
        match self {
            Self::PrivateKey => Replacement::PrivateKey,
            Self::JsonWebToken | Self::Authorization => Replacement::Token,
            _ => Replacement::Secret,
        }
    }
}

/// A scan in progress.
pub(super) struct Scan<'d, 't> {
    detector: &'d SecretDetector,
    text: &'t [u8],
    spans: Vec<Span>,
    /// The identifier that was read last, and the values that it is given.
    last_name: Range<usize>,
    last_candidates: Vec<Candidate>,
    /// Up to where the names, the commands, the private keys and the tokens have been read.
    names_end: usize,
    command_end: usize,
    key_end: usize,
    token_end: usize,
    shape_end: usize,
    manifest_end: usize,
}

impl<'d, 't> Scan<'d, 't> {
    /// Finds every span in `text`, in no order, as they come.
    pub(super) fn run(detector: &'d SecretDetector, text: &'t str) -> Vec<Span> {
        let mut scan = Self {
            detector,
            text: text.as_bytes(),
            spans: Vec::new(),
            last_name: 0..0,
            last_candidates: Vec::new(),
            names_end: 0,
            command_end: 0,
            key_end: 0,
            token_end: 0,
            shape_end: 0,
            manifest_end: 0,
        };
        for hit in detector.keywords.hits(text.as_bytes()) {
            for trigger in hit.triggers {
                scan.look(&hit, *trigger);
            }
        }
        scan.spans
    }

    /// Hands a keyword to the reader of what it triggers.
    fn look(&mut self, hit: &Hit<'_>, trigger: Trigger) {
        let text = self.text;
        match trigger {
            Trigger::Shape(index) => {
                if let Some(rule) = self.detector.shapes.get(index) {
                    self.shape(hit, index, rule);
                }
            }
            Trigger::Assigned(index) => {
                if let Some(rule) = self.detector.assigned.get(index) {
                    self.vendor(hit, index, rule);
                }
            }
            Trigger::User(index) => self.detector.find_user_rule(index, text, &mut self.spans),
            Trigger::Name => self.name(hit),
            Trigger::PrivateKey if hit.start >= self.key_end => {
                let found = private_key::spans(text, hit.start);
                self.key_end = found.last().map_or(hit.start, |span| span.end);
                self.add_all(found, Form::PrivateKey);
            }
            Trigger::JsonWebToken if hit.start >= self.token_end => self.json_web_token(hit.start),
            Trigger::Command if hit.start >= self.command_end => {
                let place = hit.start..hit.end;
                let (found, end) = command::secrets(text, place, &self.detector.commands);
                if !found.is_empty() {
                    self.command_end = end;
                }
                self.add_all(found, Form::Command);
            }
            Trigger::KubernetesSecret if hit.start >= self.manifest_end => {
                if let Some((found, end)) = records::kubernetes_secret(text, hit.start) {
                    self.manifest_end = end;
                    self.add_all(found, Form::Kubernetes);
                }
            }
            _ => self.look_once(hit, trigger),
        }
    }

    /// The same for readers that remember nothing.
    fn look_once(&mut self, hit: &Hit<'_>, trigger: Trigger) {
        let (text, start, end) = (self.text, hit.start, hit.end);
        match trigger {
            Trigger::PuttyKey => self.add_all(private_key::putty(text, start), Form::PrivateKey),
            Trigger::Bearer => self.add_all(header::bearer(text, start), Form::Authorization),
            Trigger::Basic => self.add_all(header::basic(text, start), Form::Authorization),
            Trigger::Cookie => self.add_all(header::cookies(text, start), Form::Cookie),
            Trigger::Credentials => self.add_all(url::credentials(text, start), Form::Credentials),
            Trigger::Signature => self.add_all(url::signature(text, end), Form::Signature),
            Trigger::PipedPassword => self.add_all(command::echoed(text, start), Form::Command),
            Trigger::Call => self.add_all(records::call(text, start..end), Form::Call),
            Trigger::PostgresPassword => self.add_all(records::pgpass(text, start), Form::Pgpass),
            Trigger::Statement => self.add_all(records::in_statement(text, end), Form::Statement),
            Trigger::SeedPhrase => {
                self.add_all(records::seed_phrase(text, start), Form::SeedPhrase)
            }
            _ => {}
        }
    }

    fn json_web_token(&mut self, start: usize) {
        let found = header::json_web_token(self.text, start);
        if let Some(span) = &found {
            self.token_end = span.end;
        } else if starts_word(self.text, start) {
            self.token_end = run_end(self.text, start, MAX_TOKEN, is_joined);
        }
        self.add_all(found, Form::JsonWebToken);
    }

    fn add_all(&mut self, found: impl IntoIterator<Item = Range<usize>>, form: Form) {
        for span in found {
            let rule = self.detector.form_rule(form as usize);
            self.add(span, rule, form.replacement());
        }
    }

    fn add(&mut self, span: Range<usize>, rule: usize, replacement: Replacement) {
        if !self
            .detector
            .is_allowed(slice(self.text, span.start, span.end))
        {
            self.spans.push(Span {
                start: span.start,
                end: span.end,
                rule,
                replacement,
            });
        }
    }

    /// A key with a form of its own.
    fn shape(&mut self, hit: &Hit<'_>, index: usize, rule: &Shape) {
        let text = self.text;
        let from = hit.start.saturating_sub(rule.before);
        let reach = if rule.before == 0 {
            SHAPE_REACH
        } else {
            SHORT_REACH
        };
        let window = slice(text, from, hit.start + reach);
        let inside_found = rule.open && hit.start < self.shape_end;
        if inside_found || (rule.before == 0 && !rule.inside && !starts_word(text, hit.start)) {
            return;
        }
        let found = if rule.before == 0 {
            rule.pattern.at_start(window)
        } else {
            rule.pattern.anywhere(window)
        };
        let Some((start, end)) = found.map(|(start, end)| (from + start, from + end)) else {
            return;
        };
        let secret = slice(text, start, end);
        let whole = rule.inside
            || (rule.open && starts_word(text, start))
            || (starts_word(text, start) && !continues(text, end) && !is_file(text, end));
        if whole
            && start <= hit.start.max(start)
            && entropy(secret) >= rule.entropy
            && !is_placeholder(secret)
            && (!rule.random || is_random(secret))
            && secret.iter().filter(|b| b.is_ascii_digit()).count() >= rule.digits
            && !rule.allow.iter().any(|allowed| allowed.is_whole(secret))
        {
            let end = if rule.open {
                run_end(text, end, MAX_TOKEN, |b| is_joined(b) && b != b'.')
            } else {
                end
            };
            self.shape_end = end;
            self.add(start..end, index, Replacement::Credential);
        }
    }

    /// A value whose name says whose it is.
    fn vendor(&mut self, hit: &Hit<'_>, index: usize, rule: &Assigned) {
        let text = self.text;
        let camel = at(text, hit.start).is_ascii_uppercase()
            && before(text, hit.start, 1).is_ascii_lowercase();
        let crosses = slice(text, hit.start, hit.end)
            .windows(2)
            .any(|w| matches!(w, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
        if !(starts_word(text, hit.start) || before(text, hit.start, 1) == b'_' || camel)
            || (crosses && hit.end - hit.start <= 6)
        {
            return;
        }
        let mut name = extent(text, hit.start..hit.end);
        self.read_candidates(&name);
        if self.last_candidates.iter().all(|candidate| candidate.loose) {
            // `telegram bot: …`: words between the vendor's name and the separator.
            name.end = run_end(text, name.end, 20, |b| {
                b.is_ascii_alphanumeric() || matches!(b, b' ' | b'_' | b'-' | b'.')
            });
            self.read_candidates(&name);
        }
        let secret_name = Words::of(slice(text, name.start, name.end))
            .promise("")
            .is_some();
        for candidate in self.last_candidates.clone() {
            let value = slice(text, candidate.value.start, candidate.value.end);
            let fits = entropy(value) >= rule.entropy
                && !is_placeholder(value)
                && rule.pattern.is_whole(value);
            if fits && (secret_name || is_random(value)) {
                let rule = self.detector.assigned_rule(index);
                self.add(candidate.value, rule, Replacement::Secret);
            }
        }
    }

    /// A name that promises a secret.
    fn name(&mut self, hit: &Hit<'_>) {
        if hit.start < self.names_end {
            return;
        }
        let text = self.text;
        let name = extent(text, hit.start..hit.end);
        self.names_end = name.end;
        let identifier = slice(text, name.start, name.end);
        self.read_candidates(&name);
        let named = named_value::candidate(text, &name);
        if self.last_candidates.is_empty() && named.is_none() {
            return;
        }
        let Some(promise) = Words::of(identifier).promise(&previous_word(text, name.start)) else {
            return;
        };
        if identifier.eq_ignore_ascii_case(b"pass") {
            // The verb: `pass -O2 to the compiler`, "pass `T::new()`".
            self.last_candidates.retain(|candidate| !candidate.loose);
        }
        for candidate in self.last_candidates.clone().into_iter().chain(named) {
            self.judge(&candidate, promise);
        }
    }

    fn judge(&mut self, candidate: &Candidate, promise: Promise) {
        let value = slice(self.text, candidate.value.start, candidate.value.end);
        if is_secret(value, promise, candidate.standing()) {
            let cut_off = !candidate.quoted && value.len() >= MAX_BARE;
            let end = if cut_off {
                run_end(self.text, candidate.value.end, MAX_TOKEN, is_joined)
            } else {
                candidate.value.end
            };
            self.add_all(Some(candidate.value.start..end), Form::Assigned);
        }
    }

    fn read_candidates(&mut self, name: &Range<usize>) {
        if self.last_name != *name {
            self.last_candidates = candidates(self.text, name);
            self.last_name = name.clone();
        }
    }
}

/// Whether a token goes on at `index`.
fn continues(text: &[u8], index: usize) -> bool {
    at(text, index).is_ascii_alphanumeric() || at(text, index) == b'_'
}

/// Whether what ends at `end` is the name of a file: hashes are put into the names of images and scripts.
fn is_file(text: &[u8], end: usize) -> bool {
    const ENDINGS: [&str; 9] = [
        ".png", ".jpg", ".svg", ".gif", ".ico", ".js", ".css", ".woff", ".map",
    ];
    ENDINGS
        .iter()
        .any(|ending| slice(text, end, end + ending.len()).eq_ignore_ascii_case(ending.as_bytes()))
}

fn is_joined(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'=' | b'~')
}
