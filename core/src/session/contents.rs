//! What the documents of a log come to: its header and its entries, each with its place in the tree.
//!
//! Invariants: entries keep the order of the file and are never taken back; what counts for an ID is the latest entry of
//! that ID (see [`super::slots`]); a copy with the same text is not a second entry.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::message::Sendable;

use super::damage::{DamageCode, DamageCounts, LogError};
use super::document::{Documents, Found, read_documents};
use super::entry::{Entry, EntryIndex, EntryKind, Header, ModelName};
use super::line_reader::{Line, LineContent};
use super::log::LogFormat;
use super::pi_codec::{self, Decoded, Draft, Parent};
use super::runtime_codec::{self, MAX_RUNTIME_LOG_BYTES, MAX_RUNTIME_LOG_MESSAGES};
use super::shallow_scan::ShallowFields;
use super::slots::Slots;
use super::version_one::{self, IdSource, Positions};

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
    error: Option<LogError>,
}

/// Where a document stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The line, counted from 1.
    pub line: u64,
    /// The document on that line, counted from 1.
    pub document: u32,
}

impl Contents {
    /// Nothing read yet.
    pub fn new(format: LogFormat) -> Self {
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

    /// Reads a line that ended.
    pub fn read_line(&mut self, line: Line<'_>) {
        self.check_size(line.end_offset);
        if self.error.is_some() {
            return;
        }
        if matches!(line.content, LineContent::Bytes([.., b'\r'])) {
            self.damage
                .add(DamageCode::CarriageReturn, Some(line.number));
        }
        if let LineContent::TooLong(fields) = line.content {
            self.damage.add(DamageCode::LineTooLong, Some(line.number));
            let place = Place {
                line: line.number,
                document: line.documents_before + 1,
            };
            self.take_unreadable(fields, place, 0, false);
        } else {
            let documents = self.documents_of(&line);
            self.take_documents(documents, line.number, line.documents_before);
        }
    }

    /// The documents on a line.
    pub fn documents_of(&self, line: &Line<'_>) -> Documents {
        match line.content {
            LineContent::Bytes(bytes) if self.error.is_none() => read_documents(
                bytes,
                line.documents_before,
                line.number == 1 && line.documents_before == 0,
            ),
            _ => Documents::default(),
        }
    }

    /// Takes in what was found on a line.
    pub fn take_documents(&mut self, documents: Documents, line: u64, documents_before: u32) {
        if self.damage_of_line.0 != line {
            self.damage_of_line = (line, Vec::new());
        }
        for code in documents.damage {
            if !self.damage_of_line.1.contains(&code) {
                self.damage.add(code, Some(line));
                self.damage_of_line.1.push(code);
            }
        }
        let mut place = Place {
            line,
            document: documents_before,
        };
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
                Found::TooDeep(fields, fingerprint) => {
                    self.take_unreadable(fields, place, fingerprint, false);
                }
                Found::Broken(fields) => {
                    self.take_unreadable(fields, place, 0, true);
                    place.document -= 1;
                }
            }
        }
    }

    /// What a document of this log is.
    pub fn decode(&self, document: &serde_json::Value) -> Decoded {
        match self.format {
            LogFormat::PiSessionV3 => pi_codec::decode(
                document,
                self.header.as_ref().map(|(header, _)| header.version),
            ),
            LogFormat::RuntimeSessionV1 => runtime_codec::decode(document),
        }
    }

    /// Gives a document its place. True where it is new.
    pub fn take(&mut self, decoded: Decoded, place: Place, fingerprint: u64) -> bool {
        match decoded {
            Decoded::Header(header, damage) => self.take_header(header, damage, place, fingerprint),
            Decoded::Entry(draft) => self.take_entry(draft, place, fingerprint),
        }
    }

    fn take_header(
        &mut self,
        header: Header,
        damage: Option<DamageCode>,
        place: Place,
        fingerprint: u64,
    ) -> bool {
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
            self.damage
                .add(DamageCode::EntryWithoutId, Some(place.line));
            return false;
        };
        self.place_entry(&id, draft, place, fingerprint, false)
    }

    /// An entry whose content cannot be read keeps its place, where its place can be read. True where it is new.
    pub fn take_unreadable(
        &mut self,
        fields: ShallowFields,
        place: Place,
        fingerprint: u64,
        malformed: bool,
    ) -> bool {
        let is_entry = self.format == LogFormat::PiSessionV3
            && fields.kind.is_some_and(|kind| kind != "session");
        let from_lines = self.id_source == IdSource::Lines;
        if !is_entry || (from_lines && malformed) {
            return false;
        }
        let id = if from_lines {
            Some(version_one::line_id(place.line, place.document))
        } else {
            fields.id
        };
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            return false;
        };
        // A broken copy of an entry does not replace the sound one.
        if malformed
            && self
                .slots
                .find(&id)
                .is_some_and(|slot| self.slots.entry(slot).is_some())
        {
            return false;
        }
        let parent = match fields.parent_id {
            _ if from_lines => Parent::Previous,
            Some(parent) if !parent.is_empty() => Parent::Named(parent),
            _ => Parent::Root,
        };
        self.place_entry(
            &id,
            Draft::unreadable(parent),
            place,
            fingerprint,
            malformed,
        )
    }

    fn place_entry(
        &mut self,
        id: &str,
        draft: Draft,
        place: Place,
        fingerprint: u64,
        malformed: bool,
    ) -> bool {
        let (id, slot) = self.slots.intern(id);
        if let Some((index, known)) = self
            .slots
            .entry(slot)
            .and_then(|index| Some((index, self.entries.get(index.position())?)))
        {
            if known.fingerprint == fingerprint && !known.malformed {
                self.last_leaf = Some(index);
                return false;
            }
            if !known.malformed {
                self.damage.add(DamageCode::DuplicateId, Some(place.line));
            }
        }
        if self.format == LogFormat::RuntimeSessionV1 && self.messages >= MAX_RUNTIME_LOG_MESSAGES {
            self.stop(LogError::TooManyMessages {
                limit: MAX_RUNTIME_LOG_MESSAGES,
            });
            return false;
        }
        let Ok(position) = u32::try_from(self.entries.len()) else {
            return false;
        };
        let index = EntryIndex(position);
        let parent = match draft.parent {
            Parent::Root => None,
            Parent::Named(parent) => Some(self.slots.intern(&parent)),
            Parent::Previous => self
                .entries
                .last()
                .map(|entry| (Arc::clone(&entry.id), entry.slot)),
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
        if let (IdSource::Lines, EntryKind::Compaction(compaction)) =
            (self.id_source, &mut entry.kind)
        {
            compaction.first_kept_entry_id =
                first_kept_index.and_then(|position| self.positions.entry_id(position));
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

    /// Stops reading where the log has more bytes than its format allows.
    pub fn check_size(&mut self, bytes: u64) {
        if self.format == LogFormat::RuntimeSessionV1 && bytes > MAX_RUNTIME_LOG_BYTES {
            self.stop(LogError::TooManyBytes {
                limit: MAX_RUNTIME_LOG_BYTES,
            });
        }
    }

    fn stop(&mut self, error: LogError) {
        if self.error.is_none() {
            self.error = Some(error);
            self.damage.add(DamageCode::LogTooLarge, None);
        }
    }

    /// The header.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref().map(|(header, _)| header)
    }

    /// The entry that agents go on from.
    pub fn last_leaf(&self) -> Option<EntryIndex> {
        self.last_leaf
    }

    /// The label of an entry.
    pub fn label(&self, entry: &Entry) -> Option<&str> {
        self.labels.get(&entry.slot).map(AsRef::as_ref)
    }

    /// Why the rest was not read.
    pub fn error(&self) -> Option<LogError> {
        self.error
    }

    /// What was wrong with the lines and documents.
    pub fn damage_counts(&self) -> DamageCounts {
        self.damage.clone()
    }

    fn shared_model(&mut self, (provider, id): (String, String)) -> Arc<ModelName> {
        match &self.latest_model {
            Some(latest) if *latest.0 == *provider && *latest.1 == *id => Arc::clone(latest),
            _ => Arc::clone(
                self.latest_model
                    .insert(Arc::new((provider.into(), id.into()))),
            ),
        }
    }
}
