//! Block files and objects on a real disk. States of the disk that a crash or a power loss leaves are prepared by hand, byte
//! for byte, from what `docs/block-files.md` says. What needs several processes stands in `tests/tests/block_files/`.

mod commits;
mod crashes;
mod input;
mod locks;
mod objects;
mod power_loss;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use super::*;
use crate::ports::Extent;

/// The block file of most tests.
const NAME: &str = "index";

/// A data folder that is removed at the end.
struct Disk(PathBuf);

impl Disk {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("ds4-storage-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn data(&self) -> DataFolder {
        DataFolder::new(&self.0).expect("a path")
    }

    fn open(&self) -> StoredBlockFile {
        self.data().block_file(NAME).expect("opened")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("a file")
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.path(name), content).expect("written");
    }

    fn write_aged(&self, name: &str, content: &[u8], age: Duration) {
        self.write(name, content);
        self.set_modified(name, SystemTime::now() - age);
    }

    fn set_modified(&self, name: &str, time: SystemTime) {
        let file = fs::OpenOptions::new().write(true).open(self.path(name));
        file.and_then(|file| file.set_modified(time))
            .expect("a time");
    }

    fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok()
    }

    fn names(&self) -> Vec<String> {
        names_in(&self.0)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Spans and their bytes, as `commit` takes them.
fn extents(spans: &[(u64, &[u8])]) -> (Vec<Extent>, Vec<u8>) {
    let extents = spans
        .iter()
        .map(|(offset, bytes)| Extent {
            offset: *offset,
            length: u32::try_from(bytes.len()).expect("short"),
        })
        .collect();
    let data = spans
        .iter()
        .flat_map(|(_, bytes)| bytes.iter().copied())
        .collect();
    (extents, data)
}

fn commit(
    file: &mut StoredBlockFile,
    spans: &[(u64, &[u8])],
    new_size: u64,
) -> Result<u64, StorageError> {
    let (extents, data) = extents(spans);
    file.commit(&extents, &data, new_size, true)
}

/// A whole transaction.
fn commit_once(file: &mut StoredBlockFile, spans: &[(u64, &[u8])], new_size: u64) -> u64 {
    file.lock().expect("locked");
    let counter = commit(file, spans, new_size).expect("committed");
    file.unlock();
    counter
}

/// Counter and content, in a transaction of its own.
fn content(file: &mut StoredBlockFile) -> Result<(u64, Vec<u8>), StorageError> {
    let counter = file.lock()?;
    let size = u32::try_from(file.size()?).expect("small");
    let content = file.read(0, size);
    file.unlock();
    Ok((counter, content?))
}

/// A commit record as the contract says, made without the code under test but for the hash.
fn record(spans: &[(u64, &[u8])], counter: u64, new_size: u64) -> Vec<u8> {
    use sha2::{Digest, Sha256};

    let (extents, data) = extents(spans);
    let mut bytes = b"DS4BLOCK".to_vec();
    bytes.extend(1u32.to_le_bytes());
    bytes.push(1);
    bytes.extend(u32::try_from(extents.len()).expect("few").to_le_bytes());
    for extent in &extents {
        bytes.extend(extent.offset.to_le_bytes());
        bytes.extend(extent.length.to_le_bytes());
    }
    bytes.extend(&data);
    bytes.push(0);
    bytes.extend(counter.to_le_bytes());
    bytes.extend(new_size.to_le_bytes());
    let hash = Sha256::digest(&bytes);
    bytes.extend(hash);
    bytes
}

fn state(counter: u64) -> Vec<u8> {
    let mut bytes = b"DS4STATE".to_vec();
    bytes.extend(counter.to_le_bytes());
    bytes
}

/// A lock as a process writes it whose system does not show when it began.
fn lock_of(pid: u32, host: &str) -> Vec<u8> {
    let nonce = "0123456789abcdef0123456789abcdef";
    format!(r#"{{"pid":{pid},"host":"{host}","nonce":"{nonce}"}}"#).into_bytes()
}

/// A lock of a process of this host that began then.
fn lock_since(pid: u32, began: &str) -> Vec<u8> {
    let lock = String::from_utf8(lock_of(pid, &process::host())).expect("text");
    let began = format!(r#","began":"{began}","nonce""#);
    lock.replace(r#","nonce""#, &began).into_bytes()
}

/// The number of a process that has ended.
fn dead_pid() -> u32 {
    let mut child = std::process::Command::new("true").spawn().expect("a child");
    child.wait().expect("it ends");
    child.id()
}

/// The lock of a process of this machine that was killed.
fn dead_lock() -> Vec<u8> {
    lock_of(dead_pid(), &process::host())
}
