//! Compiled code kept between runs: compiling the component takes seconds, loading it takes milliseconds.
//!
//! Invariants:
//! - Compiled code is run as native code. It is only taken from a folder that belongs to this user and that nobody else
//!   can write to, and only when its SHA-256 is the one written in front of it. Anything else is compiled anew.
//! - The file's name holds the component's SHA-256 and wasmtime's own hash of version, settings and processor, so
//!   another build never meets it.
//! - A file appears whole or not at all: written under another name, then renamed.
//! - No failure here is an error: without a usable cache the component is compiled.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use wasmtime::component::Component;

use super::private_folder::PrivateFolder;
use crate::HostError;

/// Starts every cached file; the number changes with the layout.
const MAGIC: &[u8; 16] = b"ds4-context-cw1\n";
/// Bytes in front of the code: magic and SHA-256.
const HEADER_BYTES: usize = MAGIC.len() + 32;
/// Cached files that stay when a new one is written; the oldest are removed.
const MAX_CACHED_FILES: usize = 4;
/// No write takes this long; an older temporary file belongs to a process that died.
const LONGEST_WRITE: Duration = Duration::from_secs(60 * 60);

/// Where compiled code is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CodeCache {
    /// The folder `ds4-context/code` in the platform's cache folder.
    #[default]
    Platform,
    /// A folder of the embedder's. It is made, for this user only, where it is not there.
    Folder(PathBuf),
    /// Compile on every start and write nothing.
    Off,
}

/// Where an engine's code came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeSource {
    /// Loaded from the cache.
    Cached,
    /// Compiled, and kept for the next start.
    Compiled,
    /// Compiled and not kept, with the reason in a line for people.
    CompiledUncached(String),
}

/// A component and its SHA-256 in lower-case hex, by which its code is found.
pub(super) struct NamedComponent<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) sha256: &'a str,
}

pub(super) fn load(
    engine: &wasmtime::Engine,
    component: &NamedComponent<'_>,
    cache: &CodeCache,
) -> Result<(Component, CodeSource), HostError> {
    let folder = match open_folder(cache) {
        Ok(folder) => folder,
        Err(reason) => {
            return Ok((
                compile(engine, component.bytes)?,
                CodeSource::CompiledUncached(reason),
            ));
        }
    };
    let name = file_name(engine, component.sha256);
    if let Some(cached) = read(&folder, &name).and_then(|code| deserialize(engine, &code)) {
        return Ok((cached, CodeSource::Cached));
    }
    let compiled = compile(engine, component.bytes)?;
    let kept = compiled
        .serialize()
        .map_err(|error| error.to_string())
        .and_then(|code| {
            write(&folder, &name, &code)
                .map_err(|error| format!("{}: {error}", folder.path().display()))
        });
    match kept {
        Ok(()) => Ok((compiled, CodeSource::Compiled)),
        Err(reason) => Ok((compiled, CodeSource::CompiledUncached(reason))),
    }
}

fn open_folder(cache: &CodeCache) -> Result<PrivateFolder, String> {
    let path = match cache {
        CodeCache::Off => return Err("the cache is off".to_owned()),
        CodeCache::Folder(path) => path.clone(),
        CodeCache::Platform => match directories::ProjectDirs::from("", "", "ds4-context") {
            Some(folders) => folders.cache_dir().join("code"),
            None => return Err("this user has no home folder".to_owned()),
        },
    };
    PrivateFolder::open_or_create(&path).map_err(|error| format!("{}: {error}", path.display()))
}

fn compile(engine: &wasmtime::Engine, component: &[u8]) -> Result<Component, HostError> {
    Component::new(engine, component).map_err(|error| HostError::Load(format!("{error:#}")))
}

fn file_name(engine: &wasmtime::Engine, sha256: &str) -> String {
    let mut compatibility = StableHasher(Sha256::new());
    engine
        .precompile_compatibility_hash()
        .hash(&mut compatibility);
    format!("{sha256}-{:016x}.cwasm", compatibility.finish())
}

/// std's default hasher may change with every release of Rust.
struct StableHasher(Sha256);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        self.0
            .clone()
            .finalize()
            .iter()
            .take(8)
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

/// The code of a whole and unchanged file.
fn read(folder: &PrivateFolder, name: &str) -> Option<Vec<u8>> {
    let mut file = folder.open_file(name).ok()?;
    let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let mut header = [0; HEADER_BYTES];
    file.read_exact(&mut header).ok()?;
    let (magic, hash) = header.split_at(MAGIC.len());
    // The code has megabytes: it is read to where it stays.
    let mut code = Vec::with_capacity(length.saturating_sub(HEADER_BYTES) + 1);
    file.read_to_end(&mut code).ok()?;
    (magic == MAGIC && hash == Sha256::digest(&code).as_slice()).then_some(code)
}

/// The only unsafe code of this crate.
#[allow(unsafe_code)]
fn deserialize(engine: &wasmtime::Engine, code: &[u8]) -> Option<Component> {
    // SAFETY: `deserialize` requires bytes that `Component::serialize` made. They come from `read`: a regular file of
    // ours in a folder that only this user can write to, whole by its SHA-256, read into memory before it was checked.
    // wasmtime checks version, settings and processor itself and answers with an error.
    unsafe { Component::deserialize(engine, code) }.ok()
}

fn write(folder: &PrivateFolder, name: &str, code: &[u8]) -> io::Result<()> {
    let temporary = format!("{name}.{}.tmp", std::process::id());
    let written = folder.create_file(&temporary).and_then(|mut file| {
        file.write_all(MAGIC)?;
        file.write_all(&Sha256::digest(code))?;
        file.write_all(code)
    });
    let renamed =
        written.and_then(|()| fs::rename(folder.path().join(&temporary), folder.path().join(name)));
    if renamed.is_err() {
        // What is left of it is of no use; where even this fails, the next write under this name replaces it.
        let _ = fs::remove_file(folder.path().join(&temporary));
    } else {
        remove_oldest(folder.path());
    }
    renamed
}

/// Keeps the newest files; code of older builds is never asked for again. Half-written files of processes that died are
/// removed too.
fn remove_oldest(folder: &Path) {
    let mut cached = files_with_extension(folder, "cwasm");
    cached.sort_by(|first, second| second.cmp(first));
    let abandoned = files_with_extension(folder, "tmp")
        .into_iter()
        .filter(|(modified, _)| modified.elapsed().is_ok_and(|age| age > LONGEST_WRITE));
    for (_, path) in cached.into_iter().skip(MAX_CACHED_FILES).chain(abandoned) {
        // Another process may have removed it already.
        let _ = fs::remove_file(path);
    }
}

/// The folder's files of one kind, each with the time of its last change.
fn files_with_extension(folder: &Path, wanted: &str) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            let path = entry.path();
            path.extension()
                .is_some_and(|extension| extension == wanted)
        })
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_being_written_stays() {
        let folder = std::env::temp_dir().join(format!("ds4-code-cache-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = |name: &str, age: Duration| {
            let file = fs::File::create(folder.join(name)).expect("a file");
            file.set_modified(SystemTime::now() - age).expect("a time");
        };
        file("a.cwasm.1.tmp", LONGEST_WRITE * 2);
        file("a.cwasm.2.tmp", Duration::ZERO);
        file("a.cwasm", LONGEST_WRITE * 2);
        file("other", LONGEST_WRITE * 2);
        remove_oldest(&folder);
        let mut left: Vec<_> = fs::read_dir(&folder)
            .expect("the folder")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        left.sort();
        fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(left, ["a.cwasm", "a.cwasm.2.tmp", "other"]);
    }
}
