//! The test suite of `rsqlite-vfs` over the core's file system for SQLite, in wasmtime: another component in the engine of this
//! library, with its imports and a real data folder.

use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use wasmtime::Store;

use super::code_cache::NamedComponent;
use super::{CodeCache, HostState, code_cache, config, linker};
use crate::{DataFolder, GrantedFolders, Limits, Ports};

/// A folder of `target/`.
fn built(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../target")
        .join(name)
}

#[test]
fn the_suite_of_rsqlite_vfs_is_green_over_the_storage_port() {
    let file = built("component").join("vfs-suite.wasm");
    let bytes = fs::read(&file).unwrap_or_else(|error| {
        panic!("{}: {error}; `cargo xtask test` builds it", file.display())
    });
    let engine = wasmtime::Engine::new(&config()).expect("an engine");
    let cache = CodeCache::Folder(built("tmp").join("vfs-suite-code"));
    let hash = Sha256::digest(&bytes);
    let named = NamedComponent {
        bytes: &bytes,
        sha256: &hash
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>(),
    };
    let (component, _) = code_cache::load(&engine, &named, &cache).expect("it loads");

    let folder = std::env::temp_dir().join(format!("ds4-vfs-suite-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let data = DataFolder::new(&folder).expect("a path");
    let files = GrantedFolders::new().with_data_folder(data);
    let state = HostState::new(Ports::with_storage(files), Limits::default());
    let mut store = Store::new(&engine, state);
    store.set_hostcall_fuel(Limits::default().bytes_per_call);
    // Nothing advances the epoch: the suite is not under a deadline.
    store.set_epoch_deadline(1);

    let instance = linker(&engine, &component)
        .expect("every import is known")
        .instantiate(&mut store, &component)
        .expect("it starts");
    let run = instance
        .get_typed_func::<(), (Result<(), String>,)>(&mut store, "run")
        .expect("its export");
    let (outcome,) = run.call(&mut store, ()).expect("no trap");
    assert_eq!(outcome, Ok(()));

    let pages = |name: &str| fs::metadata(folder.join(name)).map(|found| found.len());
    for name in [
        "___test_vfs_store_reopen___",
        "___test_vfs_store_recreate___",
    ] {
        // A deleted database is an emptied block file; its name and its commits stay.
        assert_eq!(pages(name).ok(), Some(0), "{name}");
    }
    let _ = fs::remove_dir_all(&folder);
}
