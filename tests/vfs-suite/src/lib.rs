//! A component that runs the test suite of `rsqlite-vfs` over the core's file system for SQLite, inside a host.
//!
//! It imports what the engine's component imports for its database, the contract's `storage`, through the same adapter; it
//! exports one function. `cargo xtask test` builds it (`target/component/vfs-suite.wasm`); the test that runs it stands beside
//! the storage port of `host-wasmtime`. Nothing that is shipped holds it.
#![cfg(target_family = "wasm")]

/// The adapter that ships, and no copy of it.
#[path = "../../../component/src/storage.rs"]
mod storage;

#[allow(missing_docs, clippy::all, clippy::pedantic)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../wit",
        inline: r"
            package ds4:vfs-suite;

            world vfs-suite {
                import ds4:context/storage@0.1.0;

                /// Runs the whole suite. An error says which case failed, and how.
                export run: func() -> result<_, string>;
            }
        ",
        world: "ds4:vfs-suite/vfs-suite",
        generate_all,
    });
}

use std::rc::Rc;

use ds4_context_core::ports::{BlockFile, Place, Storage, StorageError};
use ds4_context_core::store::vfs::{Files, Store};
use rsqlite_vfs::VfsAppData;
use rsqlite_vfs::test_suite::test_vfs_store;

struct Suite;

/// The imported storage with names that it takes: the suite's have a `#`, which no block file may have.
struct SuiteStorage(storage::ImportedStorage);

impl Storage for SuiteStorage {
    fn read_file(
        &self,
        place: Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        self.0.read_file(place, path, offset, length)
    }

    fn open_block_file(&self, name: &str) -> Result<Box<dyn BlockFile>, StorageError> {
        self.0.open_block_file(&name.replace('#', "-"))
    }
}

impl bindings::Guest for Suite {
    fn run() -> Result<(), String> {
        let files = Files::new(Rc::new(SuiteStorage(storage::ImportedStorage)));
        test_vfs_store::<Store>(VfsAppData::new(files)).map_err(|error| error.to_string())
    }
}

bindings::export!(Suite with_types_in bindings);
