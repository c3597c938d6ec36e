//! SQLite's C callbacks, and the registration that keeps them alive.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use rsqlite_vfs::ffi::{SQLITE_NOTFOUND, SQLITE_OK, sqlite3_file};
use rsqlite_vfs::{SQLiteIoMethods, SQLiteVfs, SQLiteVfsFile, VfsRegistration, register_vfs};

use super::store::{File, Files, NoSystem, Store};
use crate::ports::Storage;

/// `sqlite3.h`: what SQLite tells a file about a batch of writes.
const BEGIN_ATOMIC_WRITE: c_int = 31;
const COMMIT_ATOMIC_WRITE: c_int = 32;
const ROLLBACK_ATOMIC_WRITE: c_int = 33;

/// A file system registered with SQLite, under a name of its own. Connections that use it must be closed before it is
/// dropped; whoever holds both puts the connection first.
pub struct Vfs {
    name: String,
    registration: Option<VfsRegistration<Files>>,
}

impl Vfs {
    /// Registers a file system over the port. None where SQLite refuses, which it does only without memory.
    pub fn register(storage: Rc<dyn Storage>) -> Option<Self> {
        /// SQLite keeps one list of file systems for all threads; each registration needs a name that no other has.
        static REGISTERED: AtomicU64 = AtomicU64::new(0);
        let name = format!("ds4-{}", REGISTERED.fetch_add(1, Ordering::Relaxed));
        // SAFETY: the callbacks below are the crate's defaults over `Store`, with the file type and application data that
        // belong to it; the data lives until `drop` unregisters it, and no connection outlives that (see the type's
        // promise). The name is new, so there is no race for it. `Files` is used by the connection's thread only.
        let registration =
            unsafe { register_vfs::<Methods, Callbacks>(&name, Files::new(storage), false) };
        Some(Self {
            name,
            registration: Some(registration.ok()?),
        })
    }

    /// The name to open connections with.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Vfs {
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take() {
            // SAFETY: no connection uses it any more, by the type's promise. Where SQLite still lists it, what it points at
            // stays: a registration that was not taken back frees nothing.
            let _ = unsafe { registration.unregister() };
        }
    }
}

struct Methods;

impl SQLiteIoMethods for Methods {
    type Store = Store;

    unsafe extern "C" fn xFileControl(
        file: *mut sqlite3_file,
        operation: c_int,
        _argument: *mut c_void,
    ) -> c_int {
        // SAFETY: SQLite calls this with a file that `xOpen` made, from the connection's thread, and holds no other
        // borrow of it meanwhile.
        let file = unsafe { (*SQLiteVfsFile::from_file(file)).handle_mut::<File>() };
        let File::Database(database) = file else {
            return SQLITE_NOTFOUND;
        };
        let outcome = match operation {
            BEGIN_ATOMIC_WRITE => {
                database.begin_batch();
                Ok(())
            }
            COMMIT_ATOMIC_WRITE => database.commit_batch(),
            ROLLBACK_ATOMIC_WRITE => {
                database.roll_back_batch();
                Ok(())
            }
            _ => return SQLITE_NOTFOUND,
        };
        outcome.map_or_else(|error| error.raw_code(), |()| SQLITE_OK)
    }
}

struct Callbacks;

impl SQLiteVfs<Methods> for Callbacks {
    type Os = NoSystem;

    fn os(files: &Files) -> &NoSystem {
        files.system()
    }
}

/// SQLite without an operating system asks for its file systems here, and must find one before it takes others. This one
/// opens nothing: every database names the file system of its own.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
extern "C" fn sqlite3_os_init() -> c_int {
    struct Nothing;
    impl Storage for Nothing {
        fn read_file(
            &self,
            _: crate::ports::Place,
            _: &str,
            _: u64,
            _: u32,
        ) -> Result<Vec<u8>, crate::ports::StorageError> {
            Err(crate::ports::StorageError::AccessDenied)
        }
    }
    // SAFETY: as in `Vfs::register`; it is never unregistered, and what it points at is leaked for that.
    let registered = unsafe {
        register_vfs::<Methods, Callbacks>("ds4-nothing", Files::new(Rc::new(Nothing)), true)
    };
    match registered {
        Ok(registration) => {
            registration.into_raw();
            SQLITE_OK
        }
        Err(_) => rsqlite_vfs::ffi::SQLITE_ERROR,
    }
}

/// The counterpart of [`sqlite3_os_init`].
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
extern "C" fn sqlite3_os_end() -> c_int {
    SQLITE_OK
}
