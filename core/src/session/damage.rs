//! What was wrong with a log: a closed set of codes, each counted with the first line it was seen on.

use std::collections::BTreeMap;

/// One kind of damage, or of content that this version does not understand. None is fatal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DamageCode {
    /// The file starts with a byte order mark.
    ByteOrderMark,
    /// Lines end with CR LF.
    CarriageReturn,
    /// NUL bytes stand in a line; they were taken out.
    NulBytes,
    /// Bytes that are no UTF-8; each was read as U+FFFD.
    InvalidUtf8,
    /// Half of a surrogate pair stands alone in a string, as JavaScript may write it; it was read as U+FFFD.
    LoneSurrogate,
    /// A line, or the rest of one, is no JSON.
    MalformedLine,
    /// The file ends within a line.
    TornTail,
    /// Several JSON documents stand on one line; each was read.
    SeveralDocumentsOnALine,
    /// A line is longer than [`super::MAX_LINE_BYTES`]; its content was not read.
    LineTooLong,
    /// A document is nested deeper than the parser follows; its content was not read.
    NestedTooDeep,
    /// A document is no object or lacks what its type needs; its content was not read.
    InvalidRecord,
    /// A second header; the first one counts.
    SecondHeader,
    /// The header's version is newer than 3; the log was read as version 3.
    NewerVersion,
    /// An entry of a type that this version does not know. It keeps its place in the tree.
    UnknownEntryType,
    /// An entry without an ID; it has no place in the tree.
    EntryWithoutId,
    /// The same ID with other content; the later entry counts.
    DuplicateId,
    /// An entry names a parent that is not in the log.
    MissingParent,
    /// Entries are each other's ancestors.
    ParentCycle,
    /// A message of a role that agents do not send.
    UnknownRole,
    /// A message without anything that a model could read.
    EmptyMessage,
    /// The log is larger than its format allows; the rest was not read.
    LogTooLarge,
}

impl DamageCode {
    /// Every code.
    pub const ALL: [Self; 21] = [
        Self::ByteOrderMark,
        Self::CarriageReturn,
        Self::NulBytes,
        Self::InvalidUtf8,
        Self::LoneSurrogate,
        Self::MalformedLine,
        Self::TornTail,
        Self::SeveralDocumentsOnALine,
        Self::LineTooLong,
        Self::NestedTooDeep,
        Self::InvalidRecord,
        Self::SecondHeader,
        Self::NewerVersion,
        Self::UnknownEntryType,
        Self::EntryWithoutId,
        Self::DuplicateId,
        Self::MissingParent,
        Self::ParentCycle,
        Self::UnknownRole,
        Self::EmptyMessage,
        Self::LogTooLarge,
    ];

    /// The stable name, in kebab case.
    pub const fn name(self) -> &'static str {
        self.description().0
    }

    /// One line for a person.
    pub const fn text(self) -> &'static str {
        self.description().1
    }

    const fn description(self) -> (&'static str, &'static str) {
        match self {
            Self::ByteOrderMark => ("byte-order-mark", "the file starts with a byte order mark"),
            Self::CarriageReturn => (
                "carriage-return",
                "lines end with a carriage return and a line feed",
            ),
            Self::NulBytes => ("nul-bytes", "NUL bytes were taken out of a line"),
            Self::InvalidUtf8 => (
                "invalid-utf8",
                "bytes that are not UTF-8 were read as U+FFFD",
            ),
            Self::LoneSurrogate => (
                "lone-surrogate",
                "half of a surrogate pair was read as U+FFFD",
            ),
            Self::MalformedLine => (
                "malformed-line",
                "a line or its rest is not JSON and was left out",
            ),
            Self::TornTail => (
                "torn-tail",
                "the file ends within a line, which is left out until it is complete",
            ),
            Self::SeveralDocumentsOnALine => (
                "several-documents-on-a-line",
                "several documents on one line, each was read",
            ),
            Self::LineTooLong => (
                "line-too-long",
                "a line is too long and its content was left out",
            ),
            Self::NestedTooDeep => (
                "nested-too-deep",
                "a document is nested too deep and its content was left out",
            ),
            Self::InvalidRecord => (
                "invalid-record",
                "a document lacks what its type needs and its content was left out",
            ),
            Self::SecondHeader => ("second-header", "a second header was ignored"),
            Self::NewerVersion => (
                "newer-version",
                "the session format is newer than 3 and was read as version 3",
            ),
            Self::UnknownEntryType => (
                "unknown-entry-type",
                "an entry of an unknown type keeps its place and adds no message",
            ),
            Self::EntryWithoutId => (
                "entry-without-id",
                "an entry without an ID has no place in the tree",
            ),
            Self::DuplicateId => (
                "duplicate-id",
                "an ID came again with other content, the later entry counts",
            ),
            Self::MissingParent => (
                "missing-parent",
                "an entry's parent is not in the log, its branch starts there",
            ),
            Self::ParentCycle => ("parent-cycle", "entries are each other's ancestors"),
            Self::UnknownRole => ("unknown-role", "a message of an unknown role is never sent"),
            Self::EmptyMessage => ("empty-message", "a message without content is never sent"),
            Self::LogTooLarge => (
                "log-too-large",
                "the log is larger than its format allows and the rest was not read",
            ),
        }
    }
}

/// How often one kind of damage was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// What it is.
    pub code: DamageCode,
    /// How often: lines, documents or entries, as the code says.
    pub count: u64,
    /// The first line it was seen on, counted from 1; none where it is of the log as a whole.
    pub first_line: Option<u64>,
}

/// Why the rest of a log was not read. Only the runtime format has such limits (behaviour 3.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// More than [`super::MAX_RUNTIME_LOG_BYTES`].
    #[error("the log has more than {limit} bytes; start a new session")]
    TooManyBytes {
        /// What is allowed.
        limit: u64,
    },
    /// More than [`super::MAX_RUNTIME_LOG_MESSAGES`].
    #[error("the log has more than {limit} messages; start a new session")]
    TooManyMessages {
        /// What is allowed.
        limit: u64,
    },
}

/// Counts by code.
#[derive(Debug, Clone, Default)]
pub(super) struct DamageCounts(BTreeMap<DamageCode, (u64, Option<u64>)>);

impl DamageCounts {
    /// Counts one more, seen on that line.
    pub fn add(&mut self, code: DamageCode, line: Option<u64>) {
        let (count, first_line) = self.0.entry(code).or_insert((0, line));
        *count += 1;
        *first_line = match (*first_line, line) {
            (Some(first), Some(line)) => Some(first.min(line)),
            (first, line) => first.or(line),
        };
    }

    /// All counts, in the order of the codes.
    pub fn list(&self) -> Vec<Damage> {
        let damage = |(&code, &(count, first_line)): (&DamageCode, &(u64, Option<u64>))| Damage {
            code,
            count,
            first_line,
        };
        self.0.iter().map(damage).collect()
    }
}
