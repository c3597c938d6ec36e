//! Cuts bytes into lines, in pieces of any size.
//!
//! Invariants: a line that arrives in one piece is handed on without a copy; an unfinished line is held up to
//! [`MAX_LINE_BYTES`] and no further, what is longer is only scanned for its place in the tree.

use super::shallow_scan::{ShallowFields, ShallowScan};

/// The longest line whose content is read, without its line feed: 64 MiB.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// How many of the last bytes are kept, by which a grown file is known to be the same file.
pub(super) const TAIL_BYTES: usize = 256;

/// A larger buffer is given back once its line was read.
const KEPT_CAPACITY: usize = 1024 * 1024;

/// One line, or what follows on a line of which the start was taken in at an earlier end of the file.
pub(super) struct Line<'a> {
    /// The line's number, counted from 1.
    pub number: u64,
    /// Documents that were taken in from the start of the line.
    pub documents_before: u32,
    /// Bytes of the log up to the end of this line, its line feed included.
    pub end_offset: u64,
    /// What it holds.
    pub content: LineContent<'a>,
}

/// What a line holds.
pub(super) enum LineContent<'a> {
    /// Its bytes, without the line feed.
    Bytes(&'a [u8]),
    /// It was too long.
    TooLong(ShallowFields),
}

/// The state between two pieces.
pub(super) struct LineReader {
    max_line_bytes: usize,
    pending: Vec<u8>,
    too_long: Option<ShallowScan>,
    documents_before: u32,
    bytes: u64,
    /// Bytes up to behind the last line feed.
    ended_bytes: u64,
    lines: u64,
    tail: Vec<u8>,
}

impl LineReader {
    /// A reader at the start of a log.
    pub fn new(max_line_bytes: usize) -> Self {
        Self {
            max_line_bytes,
            pending: Vec::new(),
            too_long: None,
            documents_before: 0,
            bytes: 0,
            ended_bytes: 0,
            lines: 0,
            tail: Vec::new(),
        }
    }

    /// All bytes taken, the unfinished line's included.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes up to behind the last line feed.
    pub fn ended_bytes(&self) -> u64 {
        self.ended_bytes
    }

    /// Lines that ended, and the last one where it was taken in without its end.
    pub fn lines(&self) -> u64 {
        self.lines + u64::from(self.documents_before > 0)
    }

    /// The last bytes taken, at most [`TAIL_BYTES`].
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Whether the line in progress is longer than a line may be.
    pub fn is_in_too_long_line(&self) -> bool {
        self.too_long.is_some()
    }

    /// The number of the line in progress.
    pub fn current_line(&self) -> u64 {
        self.lines + 1
    }

    /// The unfinished line as a line, where it has content.
    pub fn unfinished(&self) -> Option<Line<'_>> {
        let has_content = self.pending.iter().any(|byte| !byte.is_ascii_whitespace());
        has_content.then(|| self.line(LineContent::Bytes(&self.pending), self.bytes))
    }

    /// The unfinished line was taken in with that many documents; what follows on it continues it.
    pub fn unfinished_was_taken(&mut self, documents: u32) {
        self.documents_before += documents;
        // A carriage return is part of the line's end, which is still to come.
        let is_before_line_feed = self.pending.last() == Some(&b'\r');
        self.pending.clear();
        self.pending.extend(is_before_line_feed.then_some(b'\r'));
        self.pending.shrink_to(KEPT_CAPACITY);
    }

    /// Takes further bytes and hands on every line that they end.
    pub fn push(&mut self, bytes: &[u8], mut sink: impl FnMut(Line<'_>)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (head, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            rest = behind.get(1..).unwrap_or_default();
            self.bytes += end as u64 + 1;
            self.ended_bytes = self.bytes;
            self.end_line(head, &mut sink);
        }
        self.bytes += rest.len() as u64;
        self.hold(rest);
        self.keep_tail(bytes);
    }

    /// Takes one whole line that did not come from a file.
    pub fn push_document(&mut self, line: &[u8]) {
        self.bytes += line.len() as u64 + 1;
        self.ended_bytes = self.bytes;
        self.lines += 1;
        self.keep_tail(line);
        self.keep_tail(b"\n");
    }

    fn line<'a>(&self, content: LineContent<'a>, end_offset: u64) -> Line<'a> {
        Line {
            number: self.lines + 1,
            documents_before: self.documents_before,
            end_offset,
            content,
        }
    }

    fn end_line(&mut self, head: &[u8], sink: &mut impl FnMut(Line<'_>)) {
        let offset = self.bytes;
        if self.too_long.is_some() || self.pending.len() + head.len() > self.max_line_bytes {
            self.skip(head);
            let fields = self.too_long.take().unwrap_or_default().finish();
            sink(self.line(LineContent::TooLong(fields), offset));
        } else if self.pending.is_empty() {
            sink(self.line(LineContent::Bytes(head), offset));
        } else {
            self.pending.extend_from_slice(head);
            let line = std::mem::take(&mut self.pending);
            sink(self.line(LineContent::Bytes(&line), offset));
            self.pending = line;
            self.pending.clear();
            self.pending.shrink_to(KEPT_CAPACITY);
        }
        self.documents_before = 0;
        self.lines += 1;
    }

    fn hold(&mut self, rest: &[u8]) {
        if self.too_long.is_some() || self.pending.len() + rest.len() > self.max_line_bytes {
            self.skip(rest);
        } else {
            self.pending.extend_from_slice(rest);
        }
    }

    /// Scans what was held of the line, gives it back, and scans the piece.
    fn skip(&mut self, piece: &[u8]) {
        let pending = std::mem::take(&mut self.pending);
        let scan = self.too_long.get_or_insert_default();
        scan.feed(&pending);
        scan.feed(piece);
    }

    fn keep_tail(&mut self, bytes: &[u8]) {
        let new = bytes
            .get(bytes.len().saturating_sub(TAIL_BYTES)..)
            .unwrap_or_default();
        let surplus = (self.tail.len() + new.len()).saturating_sub(TAIL_BYTES);
        self.tail.drain(..surplus.min(self.tail.len()));
        self.tail.extend_from_slice(new);
    }
}
