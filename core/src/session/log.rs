//! A session's log as it was read so far: its header, its entries and where they stand in the tree.
//!
//! Invariants: entries keep the order of the file and are never taken back; what counts for an ID is the latest entry of
//! that ID (see [`super::slots`]); nothing here depends on how the bytes were cut.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::message::Sendable;

use super::damage::{Damage, DamageCode, DamageCounts, LogError};
use super::document::{Documents, Found, read_documents};
use super::entry::{Entry, EntryIndex, EntryKind, Header, ModelName};
use super::line_reader::{Line, LineContent, LineReader, MAX_LINE_BYTES};
use super::pi_codec::{self, Decoded, Draft, Parent};
use super::runtime_codec::{self, MAX_RUNTIME_LOG_BYTES, MAX_RUNTIME_LOG_MESSAGES};
use super::shallow_scan::ShallowFields;
use super::slots::Slots;
use super::tree;
use super::version_one::{self, IdSource, Positions};

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

/// What was read of a log.
pub(super) struct Contents {
    pub(super) format: LogFormat,
    pub(super) header: Option<(Header, u64)>,
    pub(super) entries: Vec<Entry>,
    pub(super) slots: Slots,
    /// The model that was named last, shared by all entries in a row that name it.
    latest_model: Option<Arc<ModelName>>,
    pub(super) id_source: IdSource,
    labels: BTreeMap<u32, Box<str>>,
    positions: Positions,
    last_leaf: Option<EntryIndex>,
    damage: DamageCounts,
    /// What was counted on the latest line: once a line, in how many pieces it ever came.
    damage_of_line: (u64, Vec<DamageCode>),
    messages: u64,
    pub(super) error: Option<LogError>,
}

/// Where a document stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The line, counted from 1.
    pub line: u64,
    /// The document on that line, counted from 1.
    pub document: u32,
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
        let Some(line) = self.reader.unfinished().filter(|_| self.contents.error.is_none()) else { return };
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
        self.contents.header.as_ref().map(|(header, _)| header)
    }

    /// All bytes taken so far, those of an unfinished line and of what was not read included: the offset at which the
    /// next piece of the file starts.
    pub fn bytes(&self) -> u64 {
        self.reader.bytes()
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
        self.get(index).and_then(|entry| self.contents.slots.entry(entry.slot)) == Some(index)
    }

    /// The entry of the log's last line, which an agent that opens the log goes on from.
    pub fn last_leaf(&self) -> Option<EntryIndex> {
        self.contents.last_leaf
    }

    /// The label of an entry: the last one in the order of the file, where that did not take it away.
    pub fn label(&self, entry: EntryIndex) -> Option<&str> {
        self.contents.labels.get(&self.get(entry)?.slot).map(AsRef::as_ref)
    }

    /// Why the rest of the log was not read.
    pub fn error(&self) -> Option<LogError> {
        self.contents.error
    }

    /// What was wrong so far, in the order of the codes. Parents are looked up anew, so a parent that came later than
    /// its child is not missed.
    pub fn damage(&self) -> Vec<Damage> {
        let mut counts = self.contents.damage.clone();
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

impl Contents {
    fn new(format: LogFormat) -> Self {
        Self {
            format,
            header: None,
            entries: Vec::new(),
            slots: Slots::default(),
            latest_model: None,
            id_source: IdSource::Undecided,
            labels: BTreeMap::new(),
            positions: Positions::default(),
            last_leaf: None,
            damage: DamageCounts::default(),
            damage_of_line: (0, Vec::new()),
            messages: 0,
            error: None,
        }
    }

    fn read_line(&mut self, line: Line<'_>) {
        self.check_size(line.end_offset);
        if self.error.is_some() {
            return;
        }
        if matches!(line.content, LineContent::Bytes([.., b'\r'])) {
            self.damage.add(DamageCode::CarriageReturn, Some(line.number));
        }
        if let LineContent::TooLong(fields) = line.content {
            self.damage.add(DamageCode::LineTooLong, Some(line.number));
            let place = Place { line: line.number, document: line.documents_before + 1 };
            self.take_unreadable(fields, place, 0, false);
        } else {
            let documents = self.documents_of(&line);
            self.take_documents(documents, line.number, line.documents_before);
        }
    }

    fn documents_of(&self, line: &Line<'_>) -> Documents {
        match line.content {
            LineContent::Bytes(bytes) if self.error.is_none() => {
                read_documents(bytes, line.documents_before, line.number == 1 && line.documents_before == 0)
            }
            _ => Documents::default(),
        }
    }

    fn take_documents(&mut self, documents: Documents, line: u64, documents_before: u32) {
        if self.damage_of_line.0 != line {
            self.damage_of_line = (line, Vec::new());
        }
        for code in documents.damage {
            if !self.damage_of_line.1.contains(&code) {
                self.damage.add(code, Some(line));
                self.damage_of_line.1.push(code);
            }
        }
        let mut place = Place { line, document: documents_before };
        for found in documents.found {
            if self.error.is_some() {
                return;
            }
            place.document += 1;
            match found {
                Found::Document(value, fingerprint) => {
                    let decoded = self.decode(&value);
                    self.take(decoded, place, fingerprint);
                }
                Found::TooDeep(fields, fingerprint) => self.take_unreadable(fields, place, fingerprint, false),
                Found::Broken(fields) => {
                    self.take_unreadable(fields, place, 0, true);
                    place.document -= 1;
                }
            }
        }
    }

    /// What a document of this log is.
    pub(super) fn decode(&self, document: &serde_json::Value) -> Decoded {
        match self.format {
            LogFormat::PiSessionV3 => pi_codec::decode(document, self.header.as_ref().map(|(header, _)| header.version)),
            LogFormat::RuntimeSessionV1 => runtime_codec::decode(document),
        }
    }

    /// Gives a document its place. True where it is new.
    pub(super) fn take(&mut self, decoded: Decoded, place: Place, fingerprint: u64) -> bool {
        match decoded {
            Decoded::Header(header, damage) => self.take_header(header, damage, place, fingerprint),
            Decoded::Entry(draft) => self.take_entry(draft, place, fingerprint),
        }
    }

    fn take_header(&mut self, header: Header, damage: Option<DamageCode>, place: Place, fingerprint: u64) -> bool {
        self.positions.push(None);
        match &self.header {
            None => {
                self.header = Some((header, fingerprint));
                if let Some(code) = damage {
                    self.damage.add(code, Some(place.line));
                }
                true
            }
            Some((_, known)) if *known == fingerprint => false,
            Some(_) => {
                self.damage.add(DamageCode::SecondHeader, Some(place.line));
                false
            }
        }
    }

    fn take_entry(&mut self, mut draft: Draft, place: Place, fingerprint: u64) -> bool {
        if let Some(code) = draft.damage {
            self.damage.add(code, Some(place.line));
        }
        if self.id_source == IdSource::Undecided && !matches!(draft.kind, EntryKind::Unreadable) {
            self.id_source = match self.format {
                LogFormat::PiSessionV3 => version_one::id_source(self.header(), draft.id.is_some()),
                LogFormat::RuntimeSessionV1 => IdSource::Entries,
            };
        }
        if self.id_source == IdSource::Lines {
            draft.id = Some(version_one::line_id(place.line, place.document));
            draft.parent = Parent::Previous;
        }
        let Some(id) = draft.id.take() else {
            self.damage.add(DamageCode::EntryWithoutId, Some(place.line));
            return false;
        };
        self.place_entry(&id, draft, place, fingerprint, false)
    }

    /// An entry whose content cannot be read keeps its place, where its place can be read.
    fn take_unreadable(&mut self, fields: ShallowFields, place: Place, fingerprint: u64, malformed: bool) {
        let is_pi = self.format == LogFormat::PiSessionV3;
        if !is_pi || fields.kind.is_none() || fields.kind.as_deref() == Some("session") {
            return;
        }
        let from_lines = self.id_source == IdSource::Lines;
        if from_lines && malformed {
            return;
        }
        let id = if from_lines { Some(version_one::line_id(place.line, place.document)) } else { fields.id };
        let Some(id) = id.filter(|id| !id.is_empty()) else { return };
        let draft = Draft {
            id: None,
            parent: match fields.parent_id {
                _ if from_lines => Parent::Previous,
                Some(parent) if !parent.is_empty() => Parent::Named(parent),
                _ => Parent::Root,
            },
            kind: EntryKind::Unreadable,
            timestamp_ms: None,
            model: None,
            first_kept_index: None,
            damage: None,
        };
        // A broken copy of an entry does not replace the sound one.
        let is_known = self.slots.find(&id).is_some_and(|slot| self.slots.entry(slot).is_some());
        if !(malformed && is_known) {
            self.place_entry(&id, draft, place, fingerprint, malformed);
        }
    }

    fn place_entry(&mut self, id: &str, draft: Draft, place: Place, fingerprint: u64, malformed: bool) -> bool {
        let (id, slot) = self.slots.intern(id);
        if let Some((index, known)) = self.slots.entry(slot).and_then(|index| Some((index, self.entries.get(index.position())?))) {
            if known.fingerprint == fingerprint && !known.malformed {
                self.last_leaf = Some(index);
                return false;
            }
            if !known.malformed {
                self.damage.add(DamageCode::DuplicateId, Some(place.line));
            }
        }
        if self.format == LogFormat::RuntimeSessionV1 && self.messages >= MAX_RUNTIME_LOG_MESSAGES {
            self.stop(LogError::TooManyMessages { limit: MAX_RUNTIME_LOG_MESSAGES });
            return false;
        }
        let Ok(position) = u32::try_from(self.entries.len()) else { return false };
        let index = EntryIndex(position);
        let parent = match draft.parent {
            Parent::Root => None,
            Parent::Named(parent) => Some(self.slots.intern(&parent)),
            Parent::Previous => self.entries.last().map(|entry| (Arc::clone(&entry.id), entry.slot)),
        };
        let entry = Entry {
            parent_slot: parent.as_ref().map(|(_, slot)| *slot),
            parent_id: parent.map(|(id, _)| id),
            kind: draft.kind,
            line: place.line,
            timestamp_ms: draft.timestamp_ms,
            slot,
            model: draft.model.map(|model| self.shared_model(model)),
            fingerprint,
            malformed,
            id: Arc::clone(&id),
        };
        let entry = self.with_first_kept(entry, draft.first_kept_index);
        self.observe(&entry, place.line);
        self.entries.push(entry);
        self.slots.set(slot, index);
        if !malformed {
            if self.id_source != IdSource::Entries {
                self.positions.push(Some(id));
            }
            self.last_leaf = Some(index);
        }
        true
    }

    /// Version 1 names the first kept entry by its position.
    fn with_first_kept(&self, mut entry: Entry, first_kept_index: Option<u64>) -> Entry {
        if let (IdSource::Lines, EntryKind::Compaction(compaction)) = (self.id_source, &mut entry.kind) {
            compaction.first_kept_entry_id = first_kept_index.and_then(|position| self.positions.entry_id(position));
        }
        entry
    }

    /// What an entry means for the log as a whole.
    fn observe(&mut self, entry: &Entry, line: u64) {
        if let EntryKind::Label { target_id, label } = &entry.kind {
            let (_, slot) = self.slots.intern(target_id);
            match label {
                Some(label) => self.labels.insert(slot, label.clone()),
                None => self.labels.remove(&slot),
            };
        }
        if let EntryKind::Message(message) = &entry.kind {
            self.messages += 1;
            match message.sendable {
                Sendable::UnknownRole => self.damage.add(DamageCode::UnknownRole, Some(line)),
                Sendable::Empty => self.damage.add(DamageCode::EmptyMessage, Some(line)),
                Sendable::Yes | Sendable::Aborted | Sendable::ExcludedFromContext => {}
            }
        }
    }

    fn check_size(&mut self, bytes: u64) {
        if self.format == LogFormat::RuntimeSessionV1 && bytes > MAX_RUNTIME_LOG_BYTES {
            self.stop(LogError::TooManyBytes { limit: MAX_RUNTIME_LOG_BYTES });
        }
    }

    fn stop(&mut self, error: LogError) {
        if self.error.is_none() {
            self.error = Some(error);
            self.damage.add(DamageCode::LogTooLarge, None);
        }
    }

    fn header(&self) -> Option<&Header> {
        self.header.as_ref().map(|(header, _)| header)
    }

    fn shared_model(&mut self, (provider, id): (String, String)) -> Arc<ModelName> {
        match &self.latest_model {
            Some(latest) if *latest.0 == *provider && *latest.1 == *id => Arc::clone(latest),
            _ => Arc::clone(self.latest_model.insert(Arc::new((provider.into(), id.into())))),
        }
    }
}
