//! The commit record, `NAME.commit`: one commit in full, durable before the first page is written.
//!
//! ```text
//! "DS4BLOCK"  u32 version
//! u8 1  u32 extents  { u64 offset  u32 length } …  the extents' bytes      one part for each `commit` call
//! u8 0  u64 counter  u64 new size  32 bytes SHA-256 of all before
//! ```
//!
//! Written and read in pieces: a record may be larger than memory.

use std::fs::File;
use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::positioned::read_at;
use crate::ports::Extent;

const MAGIC: &[u8; 8] = b"DS4BLOCK";
const VERSION: u32 = 1;
/// Starts a part.
const PART: u8 = 1;
/// Starts the end of the record.
const END: u8 = 0;
/// Bytes that name one extent.
const EXTENT_BYTES: u64 = 12;
const HASH_BYTES: usize = 32;
/// Bytes that are read at once.
const PIECE_BYTES: usize = 256 * 1024;

/// Where the bytes for a span of the block file stand in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// First byte in the block file.
    pub(super) offset: u64,
    /// First byte in the record.
    pub(super) position: u64,
    pub(super) length: u64,
}

/// What a record says, without the pages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Commit {
    /// In the order in which they are written; a later one wins.
    pub(super) spans: Vec<Span>,
    /// The counter after the commit.
    pub(super) counter: u64,
    /// Bytes of the block file after the commit.
    pub(super) new_size: u64,
}

impl Commit {
    /// Adds a span; neighbours become one write.
    fn add(&mut self, span: Span) {
        if span.length == 0 {
            return;
        }
        match self.spans.last_mut() {
            Some(last)
                if last.offset + last.length == span.offset
                    && last.position + last.length == span.position =>
            {
                last.length += span.length;
            }
            _ => self.spans.push(span),
        }
    }
}

/// A record in the making.
#[derive(Debug)]
pub(super) struct RecordWriter {
    file: File,
    hash: Sha256,
    position: u64,
    commit: Commit,
}

impl RecordWriter {
    /// Begins a record in an empty file.
    pub(super) fn begin(file: File) -> io::Result<Self> {
        let mut record = Self {
            file,
            hash: Sha256::new(),
            position: 0,
            commit: Commit::default(),
        };
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&VERSION.to_le_bytes());
        record.write(&header)?;
        Ok(record)
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Adds a part. The extents have been checked against the data.
    pub(super) fn append(&mut self, extents: &[Extent], data: &[u8]) -> io::Result<()> {
        let count = u32::try_from(extents.len()).map_err(io::Error::other)?;
        let mut table = vec![PART];
        table.extend_from_slice(&count.to_le_bytes());
        for extent in extents {
            table.extend_from_slice(&extent.offset.to_le_bytes());
            table.extend_from_slice(&extent.length.to_le_bytes());
        }
        self.write(&table)?;
        let mut position = self.position;
        self.write(data)?;
        for extent in extents {
            let length = u64::from(extent.length);
            self.commit.add(Span {
                offset: extent.offset,
                position,
                length,
            });
            position += length;
        }
        Ok(())
    }

    /// Writes the end and makes the record's bytes durable; its name is not yet.
    pub(super) fn finish(&mut self, counter: u64, new_size: u64) -> io::Result<()> {
        self.commit.counter = counter;
        self.commit.new_size = new_size;
        let mut end = vec![END];
        end.extend_from_slice(&counter.to_le_bytes());
        end.extend_from_slice(&new_size.to_le_bytes());
        self.write(&end)?;
        let hash = self.hash.clone().finalize();
        self.file.write_all(&hash)?;
        self.file.sync_data()
    }

    pub(super) fn commit(&self) -> &Commit {
        &self.commit
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        self.position += bytes.len() as u64;
        Ok(())
    }
}

/// What a file under a record's name is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// A whole record.
    Complete(Commit),
    /// Cut, changed or something else. Nothing of it was ever written to the block file.
    Incomplete,
    /// Of another format version, to be left for the program that wrote it.
    OtherVersion(u32),
}

/// Reads a record to its end and checks its hash.
pub(super) fn read(file: &File) -> io::Result<Record> {
    let mut reader = RecordReader {
        file,
        size: file.metadata()?.len(),
        position: 0,
        hash: Sha256::new(),
    };
    match reader.record() {
        Ok(record) => Ok(record),
        Err(Stop::Incomplete) => Ok(Record::Incomplete),
        Err(Stop::Failed(error)) => Err(error),
    }
}

enum Stop {
    Incomplete,
    Failed(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

struct RecordReader<'a> {
    file: &'a File,
    size: u64,
    position: u64,
    hash: Sha256,
}

impl RecordReader<'_> {
    fn record(&mut self) -> Result<Record, Stop> {
        if &self.array::<8>()? != MAGIC {
            return Err(Stop::Incomplete);
        }
        let version = u32::from_le_bytes(self.array()?);
        if version != VERSION {
            return Ok(Record::OtherVersion(version));
        }
        let mut commit = Commit::default();
        loop {
            match self.array()? {
                [PART] => self.part(&mut commit)?,
                [END] => break,
                _ => return Err(Stop::Incomplete),
            }
        }
        commit.counter = u64::from_le_bytes(self.array()?);
        commit.new_size = u64::from_le_bytes(self.array()?);
        let own = self.hash.clone().finalize();
        let written: [u8; HASH_BYTES] = self.array()?;
        if own.as_slice() == written && self.left() == 0 {
            Ok(Record::Complete(commit))
        } else {
            Err(Stop::Incomplete)
        }
    }

    fn part(&mut self, commit: &mut Commit) -> Result<(), Stop> {
        let count = u32::from_le_bytes(self.array()?);
        // Before the table is read: a damaged number must not make it fill the memory.
        if u64::from(count) * EXTENT_BYTES > self.left() {
            return Err(Stop::Incomplete);
        }
        let mut extents = Vec::new();
        for _ in 0..count {
            let offset = u64::from_le_bytes(self.array()?);
            let length = u32::from_le_bytes(self.array()?);
            extents.push(Extent { offset, length });
        }
        for extent in extents {
            let length = u64::from(extent.length);
            if length > self.left() || extent.offset.checked_add(length).is_none() {
                return Err(Stop::Incomplete);
            }
            commit.add(Span {
                offset: extent.offset,
                position: self.position,
                length,
            });
            self.skip(length)?;
        }
        Ok(())
    }

    fn left(&self) -> u64 {
        self.size.saturating_sub(self.position)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// Takes bytes into the hash only.
    fn skip(&mut self, length: u64) -> Result<(), Stop> {
        let mut left = length;
        let mut piece = vec![0; PIECE_BYTES.min(usize::try_from(length).unwrap_or(PIECE_BYTES))];
        while left > 0 {
            let wanted = piece
                .len()
                .min(usize::try_from(left).unwrap_or(piece.len()));
            let (bytes, _) = piece.split_at_mut(wanted);
            self.fill(bytes)?;
            left -= wanted as u64;
        }
        Ok(())
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Stop> {
        if read_at(self.file, bytes, self.position)? != bytes.len() {
            return Err(Stop::Incomplete);
        }
        self.hash.update(&*bytes);
        self.position += bytes.len() as u64;
        Ok(())
    }
}
