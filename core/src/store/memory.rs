//! Block files in memory, for tests: what a host does, with faults on demand.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ports::{BlockFile, Extent, Place, Storage, StorageError};

/// One block file's content, shared by every handle of it.
#[derive(Debug, Default)]
pub struct Content {
    pub bytes: Vec<u8>,
    pub counter: u64,
    pub is_locked: bool,
}

/// Storage whose block files live in memory and whose canonical files are given.
#[derive(Debug, Default)]
pub struct MemoryStorage {
    pub files: RefCell<BTreeMap<String, Vec<u8>>>,
    pub blocks: RefCell<BTreeMap<String, Rc<RefCell<Content>>>>,
    /// Calls of the port so far, those for canonical files among them.
    pub crossings: Rc<Cell<u64>>,
    /// Commits so far.
    pub commits: Rc<Cell<u64>>,
    /// The error that the next commit answers with.
    pub failing_commit: Rc<RefCell<Option<StorageError>>>,
    /// The error that every read of a block file answers with.
    pub failing_read: Rc<RefCell<Option<StorageError>>>,
}

impl MemoryStorage {
    pub fn content(&self, name: &str) -> Rc<RefCell<Content>> {
        Rc::clone(self.blocks.borrow_mut().entry(name.to_owned()).or_default())
    }
}

impl Storage for MemoryStorage {
    fn read_file(
        &self,
        _place: Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        self.crossings.set(self.crossings.get() + 1);
        let files = self.files.borrow();
        let content = files.get(path).ok_or(StorageError::NotFound)?;
        let from = (offset as usize).min(content.len());
        let to = (from + length as usize).min(content.len());
        Ok(content[from..to].to_vec())
    }

    fn list_files(
        &self,
        _place: Place,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<u8>, StorageError> {
        self.crossings.set(self.crossings.get() + 1);
        let files = self.files.borrow();
        let listed = files
            .iter()
            .filter(|(path, _)| after.is_none_or(|after| path.as_str() > after))
            .take(limit as usize);
        let line = |(path, content): (&String, &Vec<u8>)| {
            serde_json::json!({"path": path, "size": content.len(), "modifiedMs": 0}).to_string()
                + "\n"
        };
        Ok(listed.map(line).collect::<String>().into_bytes())
    }

    fn open_block_file(&self, name: &str) -> Result<Box<dyn BlockFile>, StorageError> {
        self.crossings.set(self.crossings.get() + 1);
        Ok(Box::new(MemoryBlock {
            content: self.content(name),
            holds_lock: false,
            parts: Vec::new(),
            crossings: Rc::clone(&self.crossings),
            commits: Rc::clone(&self.commits),
            failing_commit: Rc::clone(&self.failing_commit),
            failing_read: Rc::clone(&self.failing_read),
        }))
    }

    fn block_file_size(&self, name: &str) -> Result<Option<u64>, StorageError> {
        self.crossings.set(self.crossings.get() + 1);
        let blocks = self.blocks.borrow();
        Ok(blocks
            .get(name)
            .map(|content| content.borrow().bytes.len() as u64))
    }
}

struct MemoryBlock {
    content: Rc<RefCell<Content>>,
    holds_lock: bool,
    parts: Vec<(Vec<Extent>, Vec<u8>)>,
    crossings: Rc<Cell<u64>>,
    commits: Rc<Cell<u64>>,
    failing_commit: Rc<RefCell<Option<StorageError>>>,
    failing_read: Rc<RefCell<Option<StorageError>>>,
}

impl MemoryBlock {
    fn cross(&self) {
        self.crossings.set(self.crossings.get() + 1);
    }
}

impl BlockFile for MemoryBlock {
    fn lock(&mut self) -> Result<u64, StorageError> {
        self.cross();
        let mut content = self.content.borrow_mut();
        if content.is_locked {
            return Err(StorageError::Busy);
        }
        content.is_locked = true;
        self.holds_lock = true;
        Ok(content.counter)
    }

    fn unlock(&mut self) {
        self.cross();
        if std::mem::take(&mut self.holds_lock) {
            self.content.borrow_mut().is_locked = false;
            self.parts.clear();
        }
    }

    fn size(&mut self) -> Result<u64, StorageError> {
        self.cross();
        assert!(self.holds_lock, "the size without the lock");
        Ok(self.content.borrow().bytes.len() as u64)
    }

    fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, StorageError> {
        self.cross();
        assert!(self.holds_lock, "a read without the lock");
        if let Some(error) = self.failing_read.borrow().clone() {
            return Err(error);
        }
        let content = self.content.borrow();
        let from = (offset as usize).min(content.bytes.len());
        let to = (from + length as usize).min(content.bytes.len());
        Ok(content.bytes[from..to].to_vec())
    }

    fn commit(
        &mut self,
        extents: &[Extent],
        data: &[u8],
        new_size: u64,
        is_final: bool,
    ) -> Result<u64, StorageError> {
        self.cross();
        assert!(self.holds_lock, "a commit without the lock");
        self.parts.push((extents.to_vec(), data.to_vec()));
        if !is_final {
            return Ok(self.content.borrow().counter);
        }
        let parts = std::mem::take(&mut self.parts);
        if let Some(error) = self.failing_commit.borrow_mut().take() {
            return Err(error);
        }
        let mut content = self.content.borrow_mut();
        for (extents, data) in parts {
            let mut data = data.as_slice();
            for extent in extents {
                let (bytes, rest) = data.split_at(extent.length as usize);
                let end = extent.offset as usize + bytes.len();
                if content.bytes.len() < end {
                    content.bytes.resize(end, 0);
                }
                content.bytes[extent.offset as usize..end].copy_from_slice(bytes);
                data = rest;
            }
            assert!(data.is_empty(), "bytes without an extent");
        }
        content.bytes.resize(new_size as usize, 0);
        content.counter += 1;
        self.commits.set(self.commits.get() + 1);
        Ok(content.counter)
    }
}

impl Drop for MemoryBlock {
    fn drop(&mut self) {
        self.unlock();
    }
}
