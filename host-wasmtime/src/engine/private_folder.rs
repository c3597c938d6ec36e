//! A folder that belongs to this user and that nobody else can write to.
//!
//! On Unix the folder is opened once, examined through that handle, and its files are opened relative to it, so that it
//! cannot be exchanged between the check and the use. Elsewhere the platform's own per-user folders are relied on.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

pub(super) struct PrivateFolder {
    path: PathBuf,
    #[cfg(unix)]
    handle: File,
}

impl PrivateFolder {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Write permission of the group and of others.
#[cfg(unix)]
const WRITABLE_BY_OTHERS: u32 = 0o022;

#[cfg(unix)]
impl PrivateFolder {
    /// Opens the folder, made with mode 0700 where it is not there. A folder of another user, one that others can write
    /// to, or a link is an error.
    pub(super) fn open_or_create(path: &Path) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags, open};
        use std::os::unix::fs::DirBuilderExt;

        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = File::from(open(path, flags, Mode::empty())?);
        require_private(&handle)?;
        Ok(Self {
            path: path.to_owned(),
            handle,
        })
    }

    /// Opens a regular file of this user that others cannot write to.
    pub(super) fn open_file(&self, name: &str) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};

        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&self.handle, name, flags, Mode::empty())?);
        require_private(&file)?;
        Ok(file)
    }

    /// Creates a file with mode 0600; what stood under the name is emptied.
    pub(super) fn create_file(&self, name: &str) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};

        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(
            &self.handle,
            name,
            flags,
            Mode::RUSR | Mode::WUSR,
        )?))
    }
}

#[cfg(unix)]
fn require_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;

    let metadata = file.metadata()?;
    if metadata.uid() != this_user()? {
        return Err(io::Error::other("belongs to another user"));
    }
    if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(io::Error::other("other users can write to it"));
    }
    Ok(())
}

/// The effective user. std offers it only by way of what a new pipe belongs to.
#[cfg(unix)]
fn this_user() -> io::Result<u32> {
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::MetadataExt;

    let (reader, _writer) = io::pipe()?;
    Ok(File::from(OwnedFd::from(reader)).metadata()?.uid())
}

#[cfg(not(unix))]
impl PrivateFolder {
    pub(super) fn open_or_create(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self {
            path: path.to_owned(),
        })
    }

    pub(super) fn open_file(&self, name: &str) -> io::Result<File> {
        File::open(self.path.join(name))
    }

    pub(super) fn create_file(&self, name: &str) -> io::Result<File> {
        File::create(self.path.join(name))
    }
}
