//! A block file: transactions under its lock, commits by way of a record, recovery.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use super::failure::storage_error;
use super::folder::Folder;
use super::lock::Lock;
use super::names::BlockFileName;
use super::record::{self, Record, RecordWriter};
use super::{DataFolder, MAX_BLOCK_FILE_BYTES, counter, pages, positioned};
use crate::ports::{BlockFile, Extent, StorageError, within_call_limit};

/// One handle of a block file. Dropping it ends its transaction.
#[derive(Debug)]
pub(super) struct StoredBlockFile {
    data: DataFolder,
    names: BlockFileName,
    pub(super) transaction: Option<Transaction>,
}

impl StoredBlockFile {
    pub(super) fn new(data: DataFolder, names: BlockFileName) -> Self {
        Self {
            data,
            names,
            transaction: None,
        }
    }

    /// Removes the file, see [`DataFolder::remove_block_file`].
    pub(super) fn remove(self) -> Result<(), StorageError> {
        // Nothing is made for the sake of removing.
        let folder = self
            .data
            .open(self.names.folders())
            .map_err(storage_error)?;
        let transaction = Transaction::begin(folder, &self.names)?;
        if transaction.pages.is_none() {
            return Err(StorageError::NotFound);
        }
        let next = transaction.counter.saturating_add(1);
        let folder = &transaction.folder;
        counter::write(folder, &self.names.state, next)
            .and_then(|()| folder.remove(&self.names.pages))
            .and_then(|()| folder.sync())
            .map_err(storage_error)
    }

    fn transaction(&mut self) -> Result<&mut Transaction, StorageError> {
        let transaction = self
            .transaction
            .as_mut()
            .ok_or_else(|| StorageError::Other("the block file is not locked".to_owned()))?;
        transaction.keep()?;
        Ok(transaction)
    }
}

impl BlockFile for StoredBlockFile {
    fn lock(&mut self) -> Result<u64, StorageError> {
        if self.transaction.is_some() {
            return Err(StorageError::Busy);
        }
        let folder = self
            .data
            .open_or_create(self.names.folders())
            .map_err(storage_error)?;
        let transaction = Transaction::begin(folder, &self.names)?;
        let counter = transaction.counter;
        self.transaction = Some(transaction);
        Ok(counter)
    }

    fn unlock(&mut self) {
        self.transaction = None;
    }

    fn size(&mut self) -> Result<u64, StorageError> {
        self.transaction()?.size()
    }

    fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, StorageError> {
        within_call_limit(u64::from(length))?;
        match &self.transaction()?.pages {
            Some(pages) => positioned::read_span(pages, offset, length).map_err(storage_error),
            None => Ok(Vec::new()),
        }
    }

    fn commit(
        &mut self,
        extents: &[Extent],
        data: &[u8],
        new_size: u64,
        last: bool,
    ) -> Result<u64, StorageError> {
        let transaction = self.transaction()?;
        let part = CommitPart {
            extents,
            data,
            new_size,
        };
        if last {
            transaction.commit(&part)?;
        } else {
            transaction.append(&part)?;
        }
        Ok(transaction.counter)
    }
}

/// What one `commit` call carries.
struct CommitPart<'a> {
    extents: &'a [Extent],
    data: &'a [u8],
    new_size: u64,
}

impl CommitPart<'_> {
    /// What was accepted can be applied: a complete record that cannot be would close the file for everybody.
    fn check(&self) -> Result<(), StorageError> {
        within_call_limit(self.data.len() as u64)?;
        let too_large = || {
            StorageError::Other(format!(
                "a block file has at most {MAX_BLOCK_FILE_BYTES} bytes"
            ))
        };
        if self.new_size > MAX_BLOCK_FILE_BYTES {
            return Err(too_large());
        }
        let mut bytes: u64 = 0;
        for extent in self.extents {
            let length = u64::from(extent.length);
            let end = extent.offset.checked_add(length).ok_or_else(too_large)?;
            if end > MAX_BLOCK_FILE_BYTES {
                return Err(too_large());
            }
            bytes = bytes.saturating_add(length);
        }
        if bytes == self.data.len() as u64 {
            Ok(())
        } else {
            Err(StorageError::Other(format!(
                "the extents are {bytes} bytes long and the data {}",
                self.data.len()
            )))
        }
    }
}

/// The time between lock and unlock. Dropping it discards what was not committed and gives the lock back.
#[derive(Debug)]
pub(super) struct Transaction {
    folder: Arc<Folder>,
    names: BlockFileName,
    pub(super) lock: Lock,
    counter: u64,
    /// None while there is no such file.
    pages: Option<File>,
    /// Parts before the last.
    parts: Option<RecordWriter>,
    /// Set where the pages may be a mixture or the lock is lost: nothing can be done but unlock.
    failed: Option<StorageError>,
}

impl Transaction {
    fn begin(folder: Folder, names: &BlockFileName) -> Result<Self, StorageError> {
        let folder = Arc::new(folder);
        let mut lock = Lock::take(&folder, names)?;
        recover(&folder, names, &mut lock)?;
        let pages = open_if_there(&folder, &names.pages).map_err(storage_error)?;
        let is_empty = match &pages {
            Some(pages) => pages.metadata().map_err(storage_error)?.len() == 0,
            None => true,
        };
        let counter = match counter::read(&folder, &names.state).map_err(storage_error)? {
            // The pages were deleted by hand: whoever knows them must see another counter.
            Some(counter) if pages.is_none() && counter > 0 => {
                let next = counter.wrapping_add(1);
                counter::write(&folder, &names.state, next).map_err(storage_error)?;
                next
            }
            Some(counter) => counter,
            None if is_empty => 0,
            None => {
                let unseen = counter::unseen();
                counter::write(&folder, &names.state, unseen).map_err(storage_error)?;
                unseen
            }
        };
        Ok(Self {
            folder,
            names: names.clone(),
            lock,
            counter,
            pages,
            parts: None,
            failed: None,
        })
    }

    /// Every call begins with this.
    fn keep(&mut self) -> Result<(), StorageError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let kept = self.lock.keep();
        self.fail_with(kept)
    }

    fn fail_with<T>(&mut self, outcome: Result<T, StorageError>) -> Result<T, StorageError> {
        if let Err(error) = &outcome {
            self.failed = Some(error.clone());
        }
        outcome
    }

    fn size(&self) -> Result<u64, StorageError> {
        match &self.pages {
            Some(pages) => Ok(pages.metadata().map_err(storage_error)?.len()),
            None => Ok(0),
        }
    }

    /// Takes a part that is not the last.
    fn append(&mut self, part: &CommitPart<'_>) -> Result<(), StorageError> {
        let record = self.record_with(part)?;
        self.parts = Some(record);
        Ok(())
    }

    /// Step 1 without its end. A failure discards what came before it too.
    fn record_with(&mut self, part: &CommitPart<'_>) -> Result<RecordWriter, StorageError> {
        let begun = self.parts.take();
        if let Err(error) = part.check() {
            self.discard(begun.as_ref());
            return Err(error);
        }
        let mut record = match begun {
            Some(record) => record,
            None => self.begin_record()?,
        };
        match record.append(part.extents, part.data) {
            Ok(()) => Ok(record),
            Err(error) => {
                self.discard(Some(&record));
                Err(storage_error(error))
            }
        }
    }

    fn begin_record(&mut self) -> Result<RecordWriter, StorageError> {
        let file = match self.folder.create_new(&self.names.commit) {
            Ok(file) => file,
            // Under the lock there is none after recovery. Somebody else holds the lock by now.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return self.fail_with(Err(StorageError::Busy));
            }
            Err(error) => return Err(storage_error(error)),
        };
        let begun = RecordWriter::begin(file);
        if begun.is_err() {
            // Nothing was written to the block file; what is left is incomplete.
            let _ = self.folder.remove(&self.names.commit);
        }
        begun.map_err(storage_error)
    }

    /// The whole of a commit with its last part.
    fn commit(&mut self, part: &CommitPart<'_>) -> Result<(), StorageError> {
        let mut record = self.record_with(part)?;
        let counter = self.counter.saturating_add(1);
        let durable = record
            .finish(counter, part.new_size)
            .and_then(|()| self.folder.sync());
        if let Err(error) = durable {
            self.discard(Some(&record));
            return Err(storage_error(error));
        }
        if !self.lock.is_held() {
            self.discard(Some(&record));
            return self.fail_with(Err(StorageError::Busy));
        }
        // From here on the commit is done, by us or by whoever takes the lock next.
        let applied = self.apply(&record);
        self.fail_with(applied)
    }

    /// Steps 3 to 5.
    fn apply(&mut self, record: &RecordWriter) -> Result<(), StorageError> {
        let commit = record.commit();
        let pages = pages::apply(
            commit,
            record.file(),
            &self.folder,
            &self.names.pages,
            &mut self.lock,
        )?;
        let done = counter::write(&self.folder, &self.names.state, commit.counter)
            .and_then(|()| self.folder.remove(&self.names.commit));
        done.map_err(storage_error)?;
        self.counter = commit.counter;
        self.pages = Some(pages);
        Ok(())
    }

    /// Removes a record that is not to be applied, unless the name stands for another process's by now.
    fn discard(&self, record: Option<&RecordWriter>) {
        if let Some(record) = record
            && self.folder.still_names(&self.names.commit, record.file())
        {
            // Where it cannot be removed: it is incomplete, and the next recovery removes it.
            let _ = self.folder.remove(&self.names.commit);
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let parts = self.parts.take();
        self.discard(parts.as_ref());
    }
}

/// Finishes the commit of a process that died, or removes what is left of one that never was.
fn recover(folder: &Folder, names: &BlockFileName, lock: &mut Lock) -> Result<(), StorageError> {
    let Some(file) = open_if_there(folder, &names.commit).map_err(storage_error)? else {
        return Ok(());
    };
    match record::read(&file).map_err(storage_error)? {
        Record::Complete(commit) => {
            if !lock.is_held() {
                return Err(StorageError::Busy);
            }
            pages::apply(&commit, &file, folder, &names.pages, lock)?;
            counter::write(folder, &names.state, commit.counter)
                // The process that died may have made the file without making its name durable.
                .and_then(|()| folder.sync())
                .and_then(|()| folder.remove(&names.commit))
                .map_err(storage_error)
        }
        Record::Incomplete => folder.remove(&names.commit).map_err(storage_error),
        Record::OtherVersion(version) => Err(StorageError::Other(format!(
            "an unfinished commit is in format version {version}, which this program does not know"
        ))),
    }
}

fn open_if_there(folder: &Folder, name: &str) -> io::Result<Option<File>> {
    match folder.open_to_read(name) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
