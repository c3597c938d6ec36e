//! The names that SQLite can open: block files of the storage port, and scratch files in memory.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use rsqlite_vfs::{
    AccessMode, DeviceCharacteristics, FileKind, LockLevel, MemChunksFile, OpenAccess, OpenOptions,
    OpenRequest, OpenedFile, OsCallback, SectorSize, SyncOptions, VfsError, VfsErrorCode, VfsFile,
    VfsResult, VfsStore,
};

use super::file::{DatabaseFile, failed};
use crate::ports::Storage;

/// What one registration of the file system works on.
pub struct Files {
    storage: Rc<dyn Storage>,
    /// Block files that were made here, so that an empty one counts as there.
    made: RefCell<BTreeSet<String>>,
    scratch: RefCell<BTreeMap<String, Rc<RefCell<MemChunksFile>>>>,
    system: NoSystem,
}

impl Files {
    /// The names of a storage port; nothing is opened yet.
    pub fn new(storage: Rc<dyn Storage>) -> Self {
        Self {
            storage,
            made: RefCell::default(),
            scratch: RefCell::default(),
            system: NoSystem,
        }
    }

    pub(super) fn system(&self) -> &NoSystem {
        &self.system
    }

    fn database(&self, name: &str, read_only: bool) -> VfsResult<DatabaseFile> {
        let block = self
            .storage
            .open_block_file(name)
            .map_err(|error| failed(&error, VfsErrorCode::CantOpen))?;
        Ok(DatabaseFile::new(block, read_only))
    }

    fn is_there(&self, name: &str) -> VfsResult<bool> {
        if self.scratch.borrow().contains_key(name) || self.made.borrow().contains(name) {
            return Ok(true);
        }
        // SQLite asks for journals of its own before it opens a database; the port has none.
        if is_journal(name) {
            return Ok(false);
        }
        Ok(self.database(name, true)?.size()? > 0)
    }
}

/// Whether SQLite means the name for a journal and not for a database.
fn is_journal(name: &str) -> bool {
    name.ends_with("-journal") || name.ends_with("-wal")
}

/// A file that SQLite has open.
pub enum File {
    /// A block file.
    Database(Box<DatabaseFile>),
    /// A file in memory, gone with its last handle or its name.
    Scratch {
        /// What it holds.
        content: Rc<RefCell<MemChunksFile>>,
        /// Whether writing is refused.
        read_only: bool,
    },
}

/// Chooses the names and opens the files.
pub struct Store;

impl VfsStore for Store {
    type File = File;
    type AppData = Files;

    fn open_file(files: &Files, request: OpenRequest<'_>) -> VfsResult<OpenedFile<File>> {
        let options = request.options;
        let read_only = options.access() == OpenAccess::ReadOnly;
        let opened = |file| OpenedFile {
            file,
            access: options.access(),
        };
        let Some(name) = request.filename.map(rsqlite_vfs::VfsFilename::path) else {
            return Ok(opened(File::Scratch {
                content: Rc::default(),
                read_only,
            }));
        };
        let is_there = files.is_there(name)?;
        if is_there && options.exclusive() {
            return Err(cannot_open(name, "is there already"));
        }
        if !is_there && !options.create() {
            return Err(cannot_open(name, "is not there"));
        }
        if options.kind() == Some(FileKind::MainDb) {
            let file = files.database(name, read_only)?;
            files.made.borrow_mut().insert(name.to_owned());
            return Ok(opened(File::Database(Box::new(file))));
        }
        let mut scratch = files.scratch.borrow_mut();
        let content = scratch.entry(name.to_owned()).or_default();
        Ok(opened(File::Scratch {
            content: Rc::clone(content),
            read_only,
        }))
    }

    fn close_file(
        files: &Files,
        name: Option<&str>,
        mut file: File,
        options: OpenOptions,
    ) -> VfsResult<()> {
        let flushed = match &mut file {
            File::Database(file) => file.flush(),
            File::Scratch { .. } => Ok(()),
        };
        drop(file);
        if options.delete_on_close()
            && let Some(name) = name
        {
            Self::delete_file(files, name, false)?;
        }
        flushed
    }

    fn access(files: &Files, name: &str, _mode: AccessMode) -> VfsResult<bool> {
        files.is_there(name)
    }

    fn full_pathname(_files: &Files, name: &str) -> VfsResult<String> {
        Ok(name.to_owned())
    }

    /// A block file is emptied: only its host can remove it, and an empty one is no database.
    fn delete_file(files: &Files, name: &str, _sync_dir: bool) -> VfsResult<()> {
        if files.scratch.borrow_mut().remove(name).is_some() {
            return Ok(());
        }
        if !files.is_there(name)? {
            return Err(VfsError::new(
                VfsErrorCode::IoDeleteNoEntry,
                format!("{name} is not there").into(),
            ));
        }
        let mut file = files.database(name, false)?;
        file.truncate(0)?;
        file.flush()?;
        files.made.borrow_mut().remove(name);
        Ok(())
    }
}

fn cannot_open(name: &str, why: &str) -> VfsError {
    VfsError::new(VfsErrorCode::CantOpen, format!("{name} {why}").into())
}

impl File {
    fn either<T>(
        &mut self,
        database: impl FnOnce(&mut DatabaseFile) -> VfsResult<T>,
        scratch: impl FnOnce(&mut MemChunksFile) -> VfsResult<T>,
    ) -> VfsResult<T> {
        match self {
            Self::Database(file) => database(file),
            Self::Scratch { content, .. } => scratch(&mut content.borrow_mut()),
        }
    }

    fn check_writable(&self) -> VfsResult<()> {
        match self {
            Self::Scratch {
                read_only: true, ..
            } => Err(VfsError::new(
                VfsErrorCode::ReadOnly,
                "the file is open for reading".into(),
            )),
            _ => Ok(()),
        }
    }
}

impl VfsFile for File {
    fn sector_size(&self) -> SectorSize {
        SectorSize::DEFAULT
    }

    fn device_characteristics(&self) -> DeviceCharacteristics {
        match self {
            Self::Database(file) => file.device_characteristics(),
            Self::Scratch { .. } => DeviceCharacteristics::NONE,
        }
    }

    fn read(&mut self, target: &mut [u8], offset: u64) -> VfsResult<usize> {
        match self {
            Self::Database(file) => file.read(target, offset),
            Self::Scratch { content, .. } => content.borrow_mut().read(target, offset),
        }
    }

    fn write(&mut self, bytes: &[u8], offset: u64) -> VfsResult<()> {
        self.check_writable()?;
        self.either(
            |file| file.write(bytes, offset),
            |file| file.write(bytes, offset),
        )
    }

    fn truncate(&mut self, size: u64) -> VfsResult<()> {
        self.check_writable()?;
        self.either(|file| file.truncate(size), |file| file.truncate(size))
    }

    fn sync(&mut self, options: SyncOptions) -> VfsResult<()> {
        self.either(|file| file.sync(options), |file| file.sync(options))
    }

    fn size(&self) -> VfsResult<u64> {
        match self {
            Self::Database(file) => file.size(),
            Self::Scratch { content, .. } => content.borrow().size(),
        }
    }

    fn lock(&mut self, level: LockLevel) -> VfsResult<()> {
        self.either(|file| file.lock(level), |file| file.lock(level))
    }

    fn unlock(&mut self, level: LockLevel) -> VfsResult<()> {
        self.either(|file| file.unlock(level), |file| file.unlock(level))
    }

    fn check_reserved_lock(&self) -> VfsResult<bool> {
        match self {
            Self::Database(file) => file.check_reserved_lock(),
            Self::Scratch { .. } => Ok(false),
        }
    }
}

/// The services of an operating system that there are not: no clock, no randomness, no sleep (decision 1).
pub struct NoSystem;

impl OsCallback for NoSystem {
    fn sleep(&self, _duration: Duration) {}

    fn random(&self, _target: &mut [u8]) -> usize {
        0
    }

    fn epoch_timestamp_in_ms(&self) -> VfsResult<i64> {
        Err(VfsError::new(
            VfsErrorCode::Error,
            "the engine has no clock: times come in as arguments".into(),
        ))
    }
}
