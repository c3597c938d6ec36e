//! Taking in entries that a host hands over, for sessions that have no log file.
//!
//! Invariant: all or nothing. Every document is judged before the first one is taken in, so a refused call leaves the log
//! as it was. What a file may contain a host may not: here every fault is an error and none is damage.

use std::collections::BTreeMap;

use super::contents::Place;
use super::damage::{DamageCode, LogError};
use super::document::{Documents, Found, read_documents};
use super::entry::EntryIndex;
use super::log::{LogFormat, SessionLog};
use super::pi_codec::Decoded;
use super::runtime_codec::{MAX_RUNTIME_LOG_BYTES, MAX_RUNTIME_LOG_MESSAGES};
use super::shallow_scan::ShallowFields;
use super::version_one::IdSource;

/// What became of an appended document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It was taken in.
    New,
    /// The log has it already.
    Known,
}

/// Why nothing was taken in. Lines are counted from 1 within the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The line is not exactly one JSON document.
    #[error("line {line} is not one JSON document; hand over one entry a line")]
    NotJson {
        /// The line.
        line: u64,
    },
    /// The entry has no ID.
    #[error("line {line}: the entry has no `id`")]
    MissingId {
        /// The line.
        line: u64,
    },
    /// The document lacks what its type needs.
    #[error("line {line}: the entry lacks what its type needs")]
    InvalidRecord {
        /// The line.
        line: u64,
    },
    /// The log has the ID with other content.
    #[error(
        "line {line}: the ID {id:?} is taken by an entry with other content; give the new entry its own ID"
    )]
    IdTaken {
        /// The line.
        line: u64,
        /// The ID.
        id: String,
    },
    /// The log has another header.
    #[error("line {line}: the session has another header already")]
    SecondHeader {
        /// The line.
        line: u64,
    },
    /// The log would become larger than its format allows.
    #[error(transparent)]
    TooLarge(#[from] LogError),
}

/// A document that was judged.
struct Judged<'a> {
    text: &'a [u8],
    content: Content,
    fingerprint: u64,
    appended: Appended,
}

enum Content {
    Decoded(Decoded),
    /// JSON that is nested too deep to be read: the entry keeps its place in the tree.
    TooDeep(ShallowFields),
}

impl SessionLog {
    /// Takes in one document. The leaf becomes its entry, also where that is known. Content is the document's text
    /// without the space around it.
    pub fn append_document(&mut self, line: &str) -> Result<Appended, AppendError> {
        let new = self.append_documents(line.replace(['\r', '\n'], " ").as_bytes())?;
        Ok(if new > 0 {
            Appended::New
        } else {
            Appended::Known
        })
    }

    /// Takes in one document a line, all or none; empty lines are passed over. Says how many were new.
    pub fn append_documents(&mut self, lines: &[u8]) -> Result<u32, AppendError> {
        if let Some(error) = self.error() {
            return Err(error.into());
        }
        let mut judged: Vec<Judged<'_>> = Vec::new();
        // IDs of this call, by which a document is known to the ones behind it; the header is the empty ID.
        let mut fingerprints: BTreeMap<String, u64> = BTreeMap::new();
        for (position, text) in lines.split(|byte| *byte == b'\n').enumerate() {
            if !text.iter().all(u8::is_ascii_whitespace) {
                judged.push(self.judge(text, position as u64 + 1, &mut fingerprints)?);
            }
        }
        self.check_size(&judged)?;
        let mut new = 0;
        for document in judged {
            let line = self.count_document(document.text);
            let place = Place { line, document: 1 };
            new += u32::from(match document.content {
                Content::Decoded(decoded) => {
                    self.contents.take(decoded, place, document.fingerprint)
                }
                Content::TooDeep(fields) => {
                    self.contents
                        .take_unreadable(fields, place, document.fingerprint, false)
                }
            });
        }
        Ok(new)
    }

    fn judge<'a>(
        &self,
        text: &'a [u8],
        line: u64,
        fingerprints: &mut BTreeMap<String, u64>,
    ) -> Result<Judged<'a>, AppendError> {
        let Documents { mut found, .. } = read_documents(text, 0, false);
        let (content, fingerprint) = match (found.pop(), found.is_empty()) {
            (Some(Found::Document(value, fingerprint)), true) => {
                (Content::Decoded(self.contents.decode(&value)), fingerprint)
            }
            (Some(Found::TooDeep(fields, fingerprint)), true) => {
                (Content::TooDeep(fields), fingerprint)
            }
            _ => return Err(AppendError::NotJson { line }),
        };
        let id = match &content {
            Content::Decoded(Decoded::Header(..)) => String::new(),
            Content::Decoded(Decoded::Entry(draft))
                if draft.damage == Some(DamageCode::InvalidRecord) =>
            {
                return Err(AppendError::InvalidRecord { line });
            }
            // A log of version 1 names the entry itself.
            _ if self.contents.id_source == IdSource::Lines => format!("\0{line}"),
            Content::Decoded(Decoded::Entry(draft)) => {
                draft.id.clone().ok_or(AppendError::MissingId { line })?
            }
            Content::TooDeep(fields) => fields.id.clone().ok_or(AppendError::MissingId { line })?,
        };
        let known = fingerprints
            .get(&id)
            .copied()
            .or_else(|| self.known_fingerprint(&id));
        let appended = match known {
            None => Appended::New,
            Some(known) if known == fingerprint => Appended::Known,
            Some(_) if id.is_empty() => return Err(AppendError::SecondHeader { line }),
            Some(_) => return Err(AppendError::IdTaken { line, id }),
        };
        fingerprints.insert(id, fingerprint);
        Ok(Judged {
            text,
            content,
            fingerprint,
            appended,
        })
    }

    fn known_fingerprint(&self, id: &str) -> Option<u64> {
        if id.is_empty() {
            return self
                .contents
                .header
                .as_ref()
                .map(|(_, fingerprint)| *fingerprint);
        }
        let known: EntryIndex = self.entry(id)?;
        self.get(known).map(|entry| entry.fingerprint)
    }

    fn check_size(&self, judged: &[Judged<'_>]) -> Result<(), LogError> {
        if self.contents.format != LogFormat::RuntimeSessionV1 {
            return Ok(());
        }
        let bytes: usize = judged.iter().map(|document| document.text.len() + 1).sum();
        let new = judged
            .iter()
            .filter(|document| document.appended == Appended::New)
            .count();
        if self.bytes() + bytes as u64 > MAX_RUNTIME_LOG_BYTES {
            return Err(LogError::TooManyBytes {
                limit: MAX_RUNTIME_LOG_BYTES,
            });
        }
        if self.entries().len() as u64 + new as u64 > MAX_RUNTIME_LOG_MESSAGES {
            return Err(LogError::TooManyMessages {
                limit: MAX_RUNTIME_LOG_MESSAGES,
            });
        }
        Ok(())
    }
}
