//! A folder that is gone when its owner is.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io};

/// A folder of this process, by default in the system's temporary folder.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Makes an empty one.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn new() -> io::Result<Self> {
        Self::below(&std::env::temp_dir())
    }

    /// Makes an empty one in another folder, for a test that needs another file system.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn below(parent: &Path) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("ds4-context-tests-{}-{number}", std::process::id()));
        fs::create_dir_all(&path)?;
        path.canonicalize().map(Self)
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = fs::remove_dir_all(&self.0);
    }
}
