//! The component as it is loaded: its imports, and its compiled code between runs.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::Folder;
use ds4_context_host::{CodeCache, CodeSource, Engine, EngineOptions};

fn load(folder: &Path) -> CodeSource {
    let options = EngineOptions {
        code_cache: CodeCache::Folder(folder.to_owned()),
    };
    Engine::new(&options)
        .expect("the component loads")
        .code_source()
        .clone()
}

fn cached_file(folder: &Path) -> PathBuf {
    let files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(files.len(), 1, "one file and nothing temporary: {files:?}");
    files.into_iter().next().expect("one file")
}

/// Copies what another test compiled, so that this one does not have to.
fn filled_cache(folder: &Folder) -> PathBuf {
    common::engine();
    let cache = folder.path().join("cache");
    private_folder(&cache);
    for entry in fs::read_dir(common::code_cache()).expect("the shared cache") {
        let entry = entry.expect("an entry");
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "cwasm")
        {
            fs::copy(entry.path(), cache.join(entry.file_name())).expect("a copy");
        }
    }
    cache
}

#[cfg(unix)]
fn private_folder(path: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new()
        .mode(0o700)
        .create(path)
        .expect("a private folder");
}

#[cfg(not(unix))]
fn private_folder(path: &Path) {
    fs::create_dir(path).expect("a folder");
}

/// Architecture, decision 8: nothing but the contract and what Rust's standard library links.
#[test]
fn the_component_imports_the_contract_and_the_standard_librarys_wasi() {
    const CONTRACT: [&str; 5] = ["completion", "embedding", "local-kv", "storage", "types"];
    const WASI: [&str; 20] = [
        "cli/environment",
        "cli/exit",
        "cli/stderr",
        "cli/stdin",
        "cli/stdout",
        "cli/terminal-input",
        "cli/terminal-output",
        "cli/terminal-stderr",
        "cli/terminal-stdin",
        "cli/terminal-stdout",
        "clocks/monotonic-clock",
        "clocks/wall-clock",
        "filesystem/preopens",
        "filesystem/types",
        "io/error",
        "io/poll",
        "io/streams",
        "random/insecure",
        "random/insecure-seed",
        "random/random",
    ];
    let imports = common::engine().component_imports();
    assert!(
        imports
            .iter()
            .any(|import| import.starts_with("ds4:context/storage@")),
        "{imports:?}"
    );
    for import in imports {
        let name = import.split('@').next().unwrap_or_default();
        let known = match name.split_once(':') {
            Some(("ds4", rest)) => rest
                .strip_prefix("context/")
                .is_some_and(|name| CONTRACT.contains(&name)),
            Some(("wasi", rest)) => WASI.contains(&rest),
            _ => false,
        };
        assert!(known, "the component imports {import}, which no host has");
    }
}

#[test]
fn compiled_code_is_kept_and_a_broken_file_is_compiled_anew() {
    let folder = Folder::new();
    let cache = folder.path().join("new/code");
    assert_eq!(load(&cache), CodeSource::Compiled);
    let file = cached_file(&cache);
    let whole = fs::read(&file).expect("the file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
        assert_eq!((mode(&cache), mode(&file)), (0o700, 0o600));
    }
    assert_eq!(load(&cache), CodeSource::Cached);

    // One bit in the middle: without the hash it would be run.
    let mut broken = whole.clone();
    let middle = broken.len() / 2;
    broken[middle] ^= 1;
    fs::write(&file, &broken).expect("a broken file");
    assert_eq!(load(&cache), CodeSource::Compiled);
    assert_eq!(cached_file(&cache), file);
    assert_eq!(load(&cache), CodeSource::Cached);
}

#[test]
fn a_cut_or_empty_file_is_compiled_anew() {
    let folder = Folder::new();
    let cache = filled_cache(&folder);
    let file = cached_file(&cache);
    assert_eq!(load(&cache), CodeSource::Cached);
    let whole = fs::read(&file).expect("the file");
    for length in [0, 10, whole.len() - 1] {
        fs::write(&file, &whole[..length]).expect("a cut file");
        assert_eq!(load(&cache), CodeSource::Compiled, "{length} bytes");
        assert_eq!(
            fs::metadata(&file).expect("metadata").len(),
            whole.len() as u64
        );
    }
}

#[test]
fn without_a_cache_nothing_is_written() {
    let engine = Engine::new(&EngineOptions {
        code_cache: CodeCache::Off,
    })
    .expect("the component loads");
    assert!(matches!(
        engine.code_source(),
        CodeSource::CompiledUncached(_)
    ));
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_can_write_to_is_not_used() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new();
    let cache = filled_cache(&folder);
    let used = |cache: &Path| match load(cache) {
        CodeSource::CompiledUncached(reason) => Err(reason),
        _ => Ok(()),
    };
    let link = folder.path().join("link");
    symlink(&cache, &link).expect("a link");
    assert!(used(&link).is_err(), "a link to a folder");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o770)).expect("permissions");
    let reason = used(&cache).expect_err("the group can write to it");
    assert!(reason.contains("other users can write"), "{reason}");
    // Only root can give a folder away; elsewhere this part has nothing to check.
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).expect("permissions");
    if std::os::unix::fs::chown(&cache, Some(12345), None).is_ok() {
        let reason = used(&cache).expect_err("it belongs to somebody else");
        assert!(reason.contains("another user"), "{reason}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_of_another_user_is_not_run() {
    let folder = Folder::new();
    let cache = filled_cache(&folder);
    let file = cached_file(&cache);
    if std::os::unix::fs::chown(&file, Some(12345), None).is_ok() {
        assert_ne!(load(&cache), CodeSource::Cached);
    }
}
