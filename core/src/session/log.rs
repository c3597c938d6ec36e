//! A session's log as it was read so far: the module's face.
//!
//! Invariants: nothing here depends on how the bytes were cut; what was read is never taken back. What documents come to
//! is [`super::contents`]'s.

use super::contents::Contents;
use super::damage::{Damage, DamageCode, LogError};
use super::entry::{Entry, EntryIndex, Header};
use super::line_reader::{LineReader, MAX_LINE_BYTES};
use super::tree;

/// The format of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogFormat {
    /// The Pi coding agent's JSONL, versions 1 to 3 (behaviour 3.1).
    PiSessionV3,
    /// `ds4-runtime-session-v1`: portable messages of any agent (behaviour 3.7).
    RuntimeSessionV1,
}

impl LogFormat {
    /// The format's name, as the contract spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PiSessionV3 => "pi-session-v3",
            Self::RuntimeSessionV1 => "runtime-session-v1",
        }
    }
}

/// Takes the bytes of a log in the order of the file, whole or in pieces, and holds its entries.
pub struct SessionLog {
    reader: LineReader,
    pub(super) contents: Contents,
    is_torn: bool,
}

impl SessionLog {
    /// An empty log of that format.
    pub fn new(format: LogFormat) -> Self {
        Self::with_line_limit(format, MAX_LINE_BYTES)
    }

    /// An empty log that reads lines up to that length, for tests of what is longer.
    pub(super) fn with_line_limit(format: LogFormat, max_line_bytes: usize) -> Self {
        Self {
            reader: LineReader::new(max_line_bytes),
            contents: Contents::new(format),
            is_torn: false,
        }
    }

    /// Takes further bytes and reads every line that they end. An unfinished last line is held, up to
    /// [`MAX_LINE_BYTES`], until its end comes or [`Self::end_of_file`] finds it complete.
    pub fn push(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.is_torn = false;
        let contents = &mut self.contents;
        self.reader.push(bytes, |line| contents.read_line(line));
        contents.check_size(self.reader.bytes());
    }

    /// Says that the file ends here for now. A last line without a line feed is taken in where it is a complete document;
    /// else it stays pending and counts as torn for as long as nothing follows. Can be called at any time: what follows
    /// later gives the same log.
    pub fn end_of_file(&mut self) {
        let Some(line) = self
            .reader
            .unfinished()
            .filter(|_| self.contents.error().is_none())
        else {
            return;
        };
        let documents = self.contents.documents_of(&line);
        self.is_torn = !documents.are_whole();
        if !self.is_torn {
            let (number, before, count) = (line.number, line.documents_before, documents.count());
            self.contents.take_documents(documents, number, before);
            self.reader.unfinished_was_taken(count);
        }
    }

    /// The format that the log is read as.
    pub fn format(&self) -> LogFormat {
        self.contents.format
    }

    /// The header; none where the log has none, or not yet.
    pub fn header(&self) -> Option<&Header> {
        self.contents.header()
    }

    /// All bytes taken so far, those of an unfinished line and of what was not read included: the offset at which the
    /// next piece of the file starts.
    pub fn bytes(&self) -> u64 {
        self.reader.bytes()
    }

    /// Bytes up to behind the last line feed: what the log will still begin with when it has grown.
    pub fn ended_bytes(&self) -> u64 {
        self.reader.ended_bytes()
    }

    /// Lines read so far, empty ones included.
    pub fn lines(&self) -> u64 {
        self.reader.lines()
    }

    /// The last bytes taken, at most 256: a file that has other bytes before [`Self::bytes`] is not the file that was read.
    pub fn tail(&self) -> &[u8] {
        self.reader.tail()
    }

    /// All entries in the order of the file, also those that a later entry of the same ID replaced.
    pub fn entries(&self) -> &[Entry] {
        &self.contents.entries
    }

    /// The entry at that index.
    pub fn get(&self, index: EntryIndex) -> Option<&Entry> {
        self.contents.entries.get(index.position())
    }

    /// The entry that counts for that ID.
    pub fn entry(&self, id: &str) -> Option<EntryIndex> {
        self.contents.slots.entry(self.contents.slots.find(id)?)
    }

    /// The parent that counts for an entry; none for a root and where the parent is not in the log.
    pub fn parent(&self, index: EntryIndex) -> Option<EntryIndex> {
        self.contents.slots.entry(self.get(index)?.parent_slot?)
    }

    /// Whether the entry counts for its ID: no later one replaced it.
    pub fn is_current(&self, index: EntryIndex) -> bool {
        self.get(index)
            .and_then(|entry| self.contents.slots.entry(entry.slot))
            == Some(index)
    }

    /// The entry of the log's last line, which an agent that opens the log goes on from.
    pub fn last_leaf(&self) -> Option<EntryIndex> {
        self.contents.last_leaf()
    }

    /// The label of an entry: the last one in the order of the file, where that did not take it away.
    pub fn label(&self, entry: EntryIndex) -> Option<&str> {
        self.contents.label(self.get(entry)?)
    }

    /// Why the rest of the log was not read.
    pub fn error(&self) -> Option<LogError> {
        self.contents.error()
    }

    /// What was wrong so far, in the order of the codes. Parents are looked up anew, so a parent that came later than
    /// its child is not missed.
    pub fn damage(&self) -> Vec<Damage> {
        let mut counts = self.contents.damage_counts();
        let line = self.reader.current_line();
        if self.is_torn {
            counts.add(DamageCode::TornTail, Some(line));
        }
        if self.reader.is_in_too_long_line() {
            counts.add(DamageCode::LineTooLong, Some(line));
        }
        tree::count_damage(self, &mut counts);
        counts.list()
    }

    /// Counts a line that did not come from a file.
    pub(super) fn count_document(&mut self, line: &[u8]) -> u64 {
        self.reader.push_document(line);
        self.reader.lines()
    }
}
