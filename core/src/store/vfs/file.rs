//! One open database file: reads through the spans that are kept, writes gathered into one commit, and the lock around both.

use std::cell::{Cell, RefCell};

use rsqlite_vfs::{
    DeviceCharacteristics, LockLevel, SectorSize, SyncOptions, VfsError, VfsErrorCode, VfsFile,
    VfsResult,
};

use super::pending::Pending;
use super::spans::{SPAN_BYTES, Spans};
use crate::ports::{BlockFile, StorageError};

/// What a database begins with, and where its change counter stands.
const HEADER: &[u8] = b"SQLite format 3\0";
const CHANGE_COUNTER_AT: u64 = 24;

/// A database file over a block file.
pub struct DatabaseFile {
    /// Behind a cell because SQLite asks for the size through a shared borrow.
    block: RefCell<Box<dyn BlockFile>>,
    level: LockLevel,
    /// The commit counter that the kept spans belong to.
    counter: Option<u64>,
    /// Size in the block file at that counter, as far as it is known.
    size: Cell<Option<u64>>,
    spans: Spans,
    pending: Pending,
    in_batch: bool,
    read_only: bool,
}

impl DatabaseFile {
    pub(super) fn new(block: Box<dyn BlockFile>, read_only: bool) -> Self {
        Self {
            block: RefCell::new(block),
            level: LockLevel::None,
            counter: None,
            size: Cell::new(None),
            spans: Spans::default(),
            pending: Pending::default(),
            in_batch: false,
            read_only,
        }
    }

    /// Begins to gather a transaction.
    pub(super) fn begin_batch(&mut self) {
        self.pending = Pending::default();
        self.in_batch = true;
    }

    /// Hands the gathered transaction to the port.
    pub(super) fn commit_batch(&mut self) -> VfsResult<()> {
        self.in_batch = false;
        self.flush()
    }

    /// Forgets the gathered transaction.
    pub(super) fn roll_back_batch(&mut self) {
        self.in_batch = false;
        self.pending = Pending::default();
    }

    /// Writes what is pending, under the lock; takes it where nobody has yet.
    pub(super) fn flush(&mut self) -> VfsResult<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if self.level != LockLevel::None {
            return self.commit();
        }
        self.take_lock()?;
        self.level = LockLevel::Exclusive;
        let outcome = self.commit();
        self.release_lock();
        outcome
    }

    fn commit(&mut self) -> VfsResult<()> {
        let stored = self.stored_size()?;
        let pending = std::mem::take(&mut self.pending);
        let new_size = pending.size(stored);
        let counter = pending
            .commit(&mut **self.block.get_mut(), new_size)
            .map_err(|error| failed(&error, VfsErrorCode::IoWrite))?;
        self.counter = Some(counter);
        self.size.set(Some(new_size));
        self.spans.overwrite(&pending, new_size);
        Ok(())
    }

    fn take_lock(&mut self) -> VfsResult<()> {
        let counter = self
            .block
            .get_mut()
            .lock()
            .map_err(|error| failed(&error, VfsErrorCode::IoLock))?;
        if self.counter != Some(counter) {
            self.counter = Some(counter);
            self.spans.clear();
            self.size.set(None);
        }
        Ok(())
    }

    fn release_lock(&mut self) {
        self.block.get_mut().unlock();
        self.level = LockLevel::None;
    }

    /// The block file's size. Without the lock the next call may find another one, so that it is kept under it only.
    fn stored_size(&self) -> VfsResult<u64> {
        let is_locked = self.level != LockLevel::None;
        if let Some(size) = self.size.get().filter(|_| is_locked) {
            return Ok(size);
        }
        let mut block = self.block.borrow_mut();
        // The port answers nothing without its lock. SQLite asks under it; only what opens files asks before.
        if !is_locked {
            block
                .lock()
                .map_err(|error| failed(&error, VfsErrorCode::IoLock))?;
        }
        let size = block.size();
        if !is_locked {
            block.unlock();
        }
        let size = size.map_err(|error| failed(&error, VfsErrorCode::IoStat))?;
        self.size.set(is_locked.then_some(size));
        Ok(size)
    }

    fn stored_bytes(&mut self, target: &mut [u8], offset: u64) -> VfsResult<usize> {
        if self.level != LockLevel::None {
            return self.locked_bytes(target, offset);
        }
        self.take_lock()?;
        let outcome = self.locked_bytes(target, offset);
        self.release_lock();
        outcome
    }

    fn locked_bytes(&mut self, target: &mut [u8], offset: u64) -> VfsResult<usize> {
        let mut done = 0;
        while done < target.len() {
            let at = offset.saturating_add(done as u64);
            let start = at - at % SPAN_BYTES;
            if !self.spans.holds(start) {
                let bytes = self
                    .block
                    .get_mut()
                    .read(start, SPAN_BYTES as u32)
                    .map_err(|error| failed(&error, VfsErrorCode::IoRead))?;
                self.spans.keep(start, bytes);
            }
            let from = usize::try_from(at - start).unwrap_or(usize::MAX);
            let Some(bytes) = self.spans.get(start).and_then(|span| span.get(from..)) else {
                break;
            };
            let Some(rest) = target.get_mut(done..) else {
                break;
            };
            let count = bytes.len().min(rest.len());
            if count == 0 {
                break;
            }
            for (to, byte) in rest.iter_mut().zip(bytes) {
                *to = *byte;
            }
            done += count;
        }
        self.tell_the_counter(target, offset, done);
        Ok(done)
    }

    /// Gives SQLite the port's commit counter as the database's own change counter, by which it tells whether the pages that it
    /// keeps are stale. Its own begins anew with a database that is made anew, and could then be the one that another
    /// connection remembers. Both grow by one with a transaction.
    fn tell_the_counter(&self, target: &mut [u8], offset: u64, done: usize) {
        let is_database = self
            .spans
            .get(0)
            .is_some_and(|start| start.starts_with(HEADER));
        let Some(counter) = self.counter.filter(|_| is_database) else {
            return;
        };
        let bytes = (counter as u32).to_be_bytes();
        let read = target.get_mut(..done).unwrap_or_default();
        for (at, byte) in (CHANGE_COUNTER_AT..).zip(bytes) {
            let place = at
                .checked_sub(offset)
                .and_then(|at| usize::try_from(at).ok());
            if let Some(to) = place.and_then(|place| read.get_mut(place)) {
                *to = byte;
            }
        }
    }
}

impl VfsFile for DatabaseFile {
    fn sector_size(&self) -> SectorSize {
        SectorSize::DEFAULT
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        DeviceCharacteristics::BATCH_ATOMIC.union(DeviceCharacteristics::POWERSAFE_OVERWRITE)
    }

    fn read(&mut self, target: &mut [u8], offset: u64) -> VfsResult<usize> {
        if self.pending.is_empty() {
            return self.stored_bytes(target, offset);
        }
        let stored = self.stored_size()?;
        let size = self.pending.size(stored);
        let wanted = usize::try_from(size.saturating_sub(offset))
            .unwrap_or(usize::MAX)
            .min(target.len());
        let Some(target) = target.get_mut(..wanted) else {
            return Ok(0);
        };
        target.fill(0);
        // What a cut took away is not there any more, even where the file grew again since.
        let kept = usize::try_from(self.pending.kept(stored).saturating_sub(offset))
            .unwrap_or(usize::MAX)
            .min(wanted);
        if let Some(kept) = target.get_mut(..kept) {
            self.stored_bytes(kept, offset)?;
        }
        self.pending.read(target, offset);
        Ok(wanted)
    }

    fn write(&mut self, bytes: &[u8], offset: u64) -> VfsResult<()> {
        if self.read_only {
            return Err(VfsError::new(
                VfsErrorCode::ReadOnly,
                "the database is open for reading".into(),
            ));
        }
        offset.checked_add(bytes.len() as u64).ok_or_else(|| {
            VfsError::new(VfsErrorCode::Full, "the file would be too large".into())
        })?;
        self.pending.write(bytes, offset);
        Ok(())
    }

    fn truncate(&mut self, size: u64) -> VfsResult<()> {
        if self.read_only {
            return Err(VfsError::new(
                VfsErrorCode::ReadOnly,
                "the database is open for reading".into(),
            ));
        }
        let now = self.size()?;
        self.pending.cut(size.min(now));
        Ok(())
    }

    fn sync(&mut self, _options: SyncOptions) -> VfsResult<()> {
        if self.in_batch {
            return Ok(());
        }
        self.flush()
    }

    fn size(&self) -> VfsResult<u64> {
        Ok(self.pending.size(self.stored_size()?))
    }

    fn lock(&mut self, level: LockLevel) -> VfsResult<()> {
        if self.level == LockLevel::None {
            self.take_lock()?;
        }
        self.level = self.level.max(level);
        Ok(())
    }

    fn unlock(&mut self, level: LockLevel) -> VfsResult<()> {
        if level == LockLevel::None && self.level != LockLevel::None {
            self.release_lock();
        }
        self.level = self.level.min(level);
        Ok(())
    }

    fn check_reserved_lock(&self) -> VfsResult<bool> {
        // The port's lock is exclusive: whoever asks holds it, and nobody else can have a stronger one.
        Ok(self.level >= LockLevel::Reserved)
    }
}

/// The port's error as SQLite knows it.
pub(super) fn failed(error: &StorageError, otherwise: VfsErrorCode) -> VfsError {
    let code = match error {
        StorageError::Busy => VfsErrorCode::Busy,
        StorageError::Full => VfsErrorCode::Full,
        StorageError::Corrupt(_) => VfsErrorCode::Corrupt,
        StorageError::NotFound | StorageError::AccessDenied | StorageError::Other(_) => otherwise,
    };
    VfsError::new(code, error.to_string().into())
}
