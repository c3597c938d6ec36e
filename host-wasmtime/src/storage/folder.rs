//! One folder of the data folder, held open, and what is done to its files.
//!
//! On Unix every name is resolved relative to the open folder and without following links, so that nothing outside can be
//! reached even while somebody exchanges folders. Elsewhere paths are joined and links are looked for first.
//!
//! Folders are made with mode 0700 and files with 0600. Only regular files are opened.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::SystemTime;

#[cfg(not(unix))]
pub(super) use self::other::Folder;
#[cfg(unix)]
pub(super) use self::unix::Folder;

/// One entry of a listing.
pub(super) struct Entry {
    pub(super) name: String,
    /// Bytes.
    pub(super) size: u64,
    pub(super) modified: SystemTime,
}

impl Folder {
    /// The folder at a path. The path itself may be a link: it is the person's choice.
    pub(super) fn open_or_create_root(path: &Path) -> io::Result<Self> {
        match Self::open_root(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                create_folders(path)?;
                Self::open_root(path)
            }
            other => other,
        }
    }

    /// A folder in this one, made where it is not there and then durable.
    pub(super) fn subfolder_or_create(&self, name: &str) -> io::Result<Self> {
        match self.subfolder(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                match self.create_subfolder(name) {
                    Ok(()) => self.sync()?,
                    // Another process was faster.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
                self.subfolder(name)
            }
            other => other,
        }
    }

    /// A file that may be there already, and whether it was made here.
    pub(super) fn open_or_create(&self, name: &str) -> io::Result<(File, bool)> {
        match self.open_to_write(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok((self.create_new(name)?, true)),
            other => other.map(|file| (file, false)),
        }
    }

    /// Gives a file a second name, unless something has it. A link never replaces what stands there.
    pub(super) fn link_unless_there(&self, name: &str, second: &str) -> io::Result<()> {
        match self.link(name, second) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }

    /// Whether the name still stands for this very file.
    pub(super) fn still_names(&self, name: &str, file: &File) -> bool {
        self.open_to_read(name)
            .is_ok_and(|found| Self::is_same_file(&found, file))
    }

    /// Removes a file that need not be there.
    pub(super) fn remove_if_there(&self, name: &str) -> io::Result<()> {
        match self.remove(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }
}

fn create_folders(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(ErrorKind::PermissionDenied.into())
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use rustix::fs::{
        AtFlags, Dir, Mode, OFlags, linkat, mkdirat, open, openat, renameat, unlinkat,
    };

    use super::{Entry, regular};

    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::CLOEXEC);
    /// NONBLOCK: a fifo must not hold the call; it has no effect on regular files.
    const FILE: OFlags = OFlags::NOFOLLOW
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);

    #[derive(Debug)]
    pub(in crate::storage) struct Folder(File);

    impl Folder {
        pub(in crate::storage) fn open_root(path: &Path) -> io::Result<Self> {
            Ok(Self(File::from(open(path, FOLDER, Mode::empty())?)))
        }

        pub(in crate::storage) fn subfolder(&self, name: &str) -> io::Result<Self> {
            let flags = FOLDER | OFlags::NOFOLLOW;
            let folder = openat(&self.0, name, flags, Mode::empty())?;
            Ok(Self(File::from(folder)))
        }

        pub(super) fn create_subfolder(&self, name: &str) -> io::Result<()> {
            Ok(mkdirat(&self.0, name, Mode::RWXU)?)
        }

        pub(in crate::storage) fn open_to_read(&self, name: &str) -> io::Result<File> {
            self.open_file(name, OFlags::RDONLY)
        }

        pub(in crate::storage) fn open_to_write(&self, name: &str) -> io::Result<File> {
            self.open_file(name, OFlags::RDWR)
        }

        /// A file that must not be there yet, neither as a link.
        pub(in crate::storage) fn create_new(&self, name: &str) -> io::Result<File> {
            self.open_file(name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)
        }

        fn open_file(&self, name: &str, flags: OFlags) -> io::Result<File> {
            let mode = Mode::RUSR | Mode::WUSR;
            regular(File::from(openat(&self.0, name, flags | FILE, mode)?))
        }

        pub(in crate::storage) fn remove(&self, name: &str) -> io::Result<()> {
            Ok(unlinkat(&self.0, name, AtFlags::empty())?)
        }

        /// Moves a file, perhaps to another folder; what stood there is replaced.
        pub(in crate::storage) fn rename(&self, from: &str, to: (&Self, &str)) -> io::Result<()> {
            Ok(renameat(&self.0, from, &to.0.0, to.1)?)
        }

        pub(super) fn link(&self, name: &str, second: &str) -> io::Result<()> {
            Ok(linkat(&self.0, name, &self.0, second, AtFlags::empty())?)
        }

        /// Whether two handles are of one file (device and inode).
        pub(in crate::storage) fn is_same_file(left: &File, right: &File) -> bool {
            match (left.metadata(), right.metadata()) {
                (Ok(left), Ok(right)) => (left.dev(), left.ino()) == (right.dev(), right.ino()),
                _ => false,
            }
        }

        /// Makes new, renamed and removed names durable.
        pub(in crate::storage) fn sync(&self) -> io::Result<()> {
            // std's call reaches the medium on macOS too.
            self.0.sync_all()
        }

        /// The regular files that are there, in no order. What vanishes meanwhile is left out.
        pub(in crate::storage) fn files(&self) -> io::Result<Vec<Entry>> {
            let mut entries = Vec::new();
            for entry in Dir::read_from(&self.0)? {
                let Ok(name) = entry?.file_name().to_str().map(str::to_owned) else {
                    continue;
                };
                let file = self.open_to_read(&name);
                if let Ok(metadata) = file.and_then(|file| file.metadata())
                    && let Ok(modified) = metadata.modified()
                {
                    let size = metadata.len();
                    entries.push(Entry {
                        name,
                        size,
                        modified,
                    });
                }
            }
            Ok(entries)
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::fs::{self, File, OpenOptions};
    use std::io::{self, ErrorKind};
    use std::path::{Path, PathBuf};

    use super::{Entry, regular};

    #[derive(Debug)]
    pub(in crate::storage) struct Folder(PathBuf);

    impl Folder {
        pub(in crate::storage) fn open_root(path: &Path) -> io::Result<Self> {
            if fs::metadata(path)?.is_dir() {
                Ok(Self(path.to_owned()))
            } else {
                Err(ErrorKind::NotADirectory.into())
            }
        }

        pub(in crate::storage) fn subfolder(&self, name: &str) -> io::Result<Self> {
            let path = self.0.join(name);
            if fs::symlink_metadata(&path)?.is_dir() {
                Ok(Self(path))
            } else {
                Err(ErrorKind::NotADirectory.into())
            }
        }

        pub(super) fn create_subfolder(&self, name: &str) -> io::Result<()> {
            fs::create_dir(self.0.join(name))
        }

        pub(in crate::storage) fn open_to_read(&self, name: &str) -> io::Result<File> {
            regular(File::open(self.plain(name)?)?)
        }

        pub(in crate::storage) fn open_to_write(&self, name: &str) -> io::Result<File> {
            let path = self.plain(name)?;
            regular(OpenOptions::new().read(true).write(true).open(path)?)
        }

        pub(in crate::storage) fn create_new(&self, name: &str) -> io::Result<File> {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            options.open(self.0.join(name))
        }

        pub(in crate::storage) fn remove(&self, name: &str) -> io::Result<()> {
            fs::remove_file(self.0.join(name))
        }

        pub(in crate::storage) fn rename(&self, from: &str, to: (&Self, &str)) -> io::Result<()> {
            fs::rename(self.0.join(from), to.0.0.join(to.1))
        }

        pub(super) fn link(&self, name: &str, second: &str) -> io::Result<()> {
            fs::hard_link(self.0.join(name), self.0.join(second))
        }

        /// Files have no identity that std shows here; an open file cannot be replaced under its name.
        pub(in crate::storage) fn is_same_file(_left: &File, _right: &File) -> bool {
            true
        }

        /// Folders cannot be synced here; the file system's journal keeps names in order.
        pub(in crate::storage) fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        pub(in crate::storage) fn files(&self) -> io::Result<Vec<Entry>> {
            let mut entries = Vec::new();
            for entry in fs::read_dir(&self.0)? {
                let entry = entry?;
                if let Ok(name) = entry.file_name().into_string()
                    && let Ok(metadata) = entry.metadata()
                    && metadata.is_file()
                    && let Ok(modified) = metadata.modified()
                {
                    let size = metadata.len();
                    entries.push(Entry {
                        name,
                        size,
                        modified,
                    });
                }
            }
            Ok(entries)
        }

        /// The path of a file that is no link.
        fn plain(&self, name: &str) -> io::Result<PathBuf> {
            let path = self.0.join(name);
            if fs::symlink_metadata(&path)?.is_file() {
                Ok(path)
            } else {
                Err(ErrorKind::PermissionDenied.into())
            }
        }
    }
}
