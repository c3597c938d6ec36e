//! The JSON documents on one line, with the repairs that real logs need.
//!
//! Invariants:
//! - A line that is one sound document is parsed once and copied nowhere.
//! - What JavaScript reads is read: half a surrogate pair becomes U+FFFD, a document nested too deep for the parser
//!   gives its place in the tree. What no parser reads is left out, and a sound entry behind it on the same line is not.
//! - The number of repairs of a line is bounded, so the time is linear in its length.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

use serde_json::Value;

use super::damage::DamageCode;
use super::document_value::DocumentValue;
use super::shallow_scan::{ShallowFields, ShallowScan};
use super::surrogates::lone_surrogates_replaced;

/// Nesting that `serde_json` follows.
const MAX_DEPTH: u64 = 127;

/// How an entry starts in a log, before its type.
const ENTRY_START: &str = "{\"type\":\"";

/// Places of one line at which a sound entry behind a broken one is looked for.
const MAX_RECOVERY_ATTEMPTS: usize = 16;

/// Documents of one line that are read; what is behind them counts as malformed.
const MAX_DOCUMENTS_ON_A_LINE: usize = 10_000;

/// Something that was found on a line.
#[derive(Debug)]
pub(super) enum Found {
    /// A sound document, with the fingerprint of its text.
    Document(Value, u64),
    /// A document that is JSON but nested too deep.
    TooDeep(ShallowFields, u64),
    /// Something that is no JSON and whose start may still say what it was.
    Broken(ShallowFields),
}

/// All that a line holds.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// In the order of the line.
    pub found: Vec<Found>,
    /// What was wrong; a code can come twice.
    pub damage: Vec<DamageCode>,
}

impl Documents {
    /// Whether the line is made of whole objects and nothing else: nothing that follows could still belong to them.
    pub fn are_whole(&self) -> bool {
        let is_object = |found: &Found| match found {
            Found::Document(value, _) => value.is_object(),
            Found::TooDeep(..) => true,
            Found::Broken(_) => false,
        };
        let is_read_whole = !self.damage.contains(&DamageCode::MalformedLine);
        is_read_whole && !self.found.is_empty() && self.found.iter().all(is_object)
    }

    /// How many documents were found.
    pub fn count(&self) -> u32 {
        self.found
            .iter()
            .filter(|found| !matches!(found, Found::Broken(_)))
            .count() as u32
    }
}

/// Reads a line without its line feed. `documents_before` were found on the same line earlier; `is_start_of_log` says
/// that a byte order mark may stand here.
pub(super) fn read_documents(
    line: &[u8],
    documents_before: u32,
    is_start_of_log: bool,
) -> Documents {
    let mut documents = Documents::default();
    let line = match line.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) if is_start_of_log => {
            documents.damage.push(DamageCode::ByteOrderMark);
            rest
        }
        _ => line,
    };
    let text = String::from_utf8_lossy(line);
    if matches!(text, Cow::Owned(_)) {
        documents.damage.push(DamageCode::InvalidUtf8);
    }
    read_text(&text, documents_before, &mut documents);
    documents
}

fn read_text(text: &str, documents_before: u32, documents: &mut Documents) {
    let mut text = Cow::Borrowed(text);
    let mut position = 0;
    let mut repaired = false;
    let mut attempts = MAX_RECOVERY_ATTEMPTS;
    loop {
        let rest = text.get(position..).unwrap_or_default().trim_start();
        if rest.is_empty() {
            break;
        }
        if documents.found.len() >= MAX_DOCUMENTS_ON_A_LINE {
            documents.damage.push(DamageCode::MalformedLine);
            break;
        }
        position = text.len() - rest.len();
        if let Ok((value, length)) = first_document(rest) {
            let print = fingerprint(rest.get(..length).unwrap_or_default());
            documents.found.push(Found::Document(value, print));
            position += length;
            continue;
        }
        if !repaired {
            repaired = true;
            if let Some(sound) = repair(rest, &mut documents.damage) {
                text = Cow::Owned(sound);
                position = 0;
                continue;
            }
        }
        position += read_unparsable(rest, documents, &mut attempts);
    }
    if documents_before < 2 && documents_before + documents.count() >= 2 {
        documents.damage.push(DamageCode::SeveralDocumentsOnALine);
    }
}

/// The document at the start of a text and its length.
fn first_document(text: &str) -> Result<(Value, usize), ()> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<DocumentValue>();
    match stream.next() {
        Some(Ok(value)) => Ok((value.0, stream.byte_offset())),
        _ => Err(()),
    }
}

/// Reads what can be read without a parser; says how much of the text is done with.
fn read_unparsable(text: &str, documents: &mut Documents, attempts: &mut usize) -> usize {
    let mut scan = ShallowScan::default();
    let end = scan.feed(text.as_bytes());
    let fields = scan.finish();
    if let Some(end) = end.filter(|_| fields.max_depth > MAX_DEPTH) {
        documents.damage.push(DamageCode::NestedTooDeep);
        let print = fingerprint(text.get(..end).unwrap_or_default());
        documents.found.push(Found::TooDeep(fields, print));
        return end;
    }
    documents.damage.push(DamageCode::MalformedLine);
    documents.found.push(Found::Broken(fields));
    recoverable_entry(text, attempts).unwrap_or(text.len())
}

/// Where a sound entry starts behind a broken one: a line that was cut and then written on.
fn recoverable_entry(text: &str, attempts: &mut usize) -> Option<usize> {
    let limit = *attempts;
    let is_whole_entry = |&start: &usize| {
        *attempts = attempts.saturating_sub(1);
        let candidate = text.get(start..).unwrap_or_default();
        first_document(candidate).is_ok_and(|(value, length)| {
            let behind = candidate.get(length..).unwrap_or_default().trim_start();
            value.get("id").is_some_and(Value::is_string)
                && (behind.is_empty() || behind.starts_with(ENTRY_START))
        })
    };
    text.match_indices(ENTRY_START)
        .map(|(start, _)| start)
        .filter(|start| *start > 0)
        .filter(|start| {
            text.get(start + ENTRY_START.len()..)
                .is_some_and(super::pi_codec::starts_with_known_type)
        })
        .take(limit)
        .find(is_whole_entry)
}

/// The text without NUL bytes and with every half of a surrogate pair replaced, where it has any.
fn repair(text: &str, damage: &mut Vec<DamageCode>) -> Option<String> {
    let without_nul = text.contains('\0').then(|| text.replace('\0', ""));
    if without_nul.is_some() {
        damage.push(DamageCode::NulBytes);
    }
    let paired = lone_surrogates_replaced(without_nul.as_deref().unwrap_or(text));
    if paired.is_some() {
        damage.push(DamageCode::LoneSurrogate);
    }
    paired.or(without_nul)
}

fn fingerprint(text: &str) -> u64 {
    // Fixed keys: the same text gives the same number on every host.
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}
