//! Opening the database, and making it anew where it cannot be used.

use std::rc::Rc;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::error::StoreError;
use super::migrations::{self, Schema};
use super::vfs::Vfs;
use crate::ports::{Storage, StorageError};

/// KiB of pages that SQLite keeps, negative as its pragma wants it.
const CACHE_KIB: i64 = -16 * 1024;
/// The tables of FTS5.
const FULL_TEXT_TABLES: [&str; 2] = ["entry_words", "entry_trigrams"];
/// Bytes of a page, in every version.
const PAGE_BYTES: u64 = 4096;
/// Bytes that FTS5 gathers before it writes a segment. More makes fewer segments, but leaves the processor's caches: 16 MiB took a
/// third longer.
const FTS_HASH_BYTES: i64 = 4 * 1024 * 1024;

/// Where the database lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// In the host's block file of that name.
    Stored(String),
    /// In memory: the host has no place for derived state.
    InMemory,
    /// In memory: the host's place for derived state may not be written.
    NotWritable,
    /// In memory: the block file has a schema that only a newer version knows.
    NewerSchema(i64),
}

/// The database of one session's engine. Others may have the same file open; each transaction takes it for itself.
pub struct Database {
    // Closed before the file system that it uses.
    connection: Connection,
    standing: Standing,
    storage: Rc<dyn Storage>,
    _vfs: Vfs,
    was_made_anew: bool,
}

impl Database {
    /// Opens the block file of that name, or a database in memory where no name is given or the host has no place for it.
    ///
    /// A file that cannot be used is emptied and made anew. One that may not be written is left alone, and the database lives in
    /// memory. [`StoreError::Busy`] where another process holds it.
    pub fn open(
        storage: &Rc<dyn Storage>,
        name: Option<&str>,
        now_ms: u64,
    ) -> Result<Self, StoreError> {
        let Some(name) = name else {
            return Self::in_memory(storage, Standing::InMemory, now_ms);
        };
        let is_whole = match look_at(storage, name)? {
            Look::At { size } => size % PAGE_BYTES == 0,
            Look::No(standing) => return Self::in_memory(storage, standing, now_ms),
        };
        let opened = if is_whole {
            Self::stored(storage, name, now_ms)
        } else {
            Err(StoreError::Damaged("it ends within a page".to_owned()))
        };
        match opened {
            Err(StoreError::Damaged(_)) => {
                empty(storage, name)?;
                let mut made = Self::stored(storage, name, now_ms)?;
                made.was_made_anew = true;
                Ok(made)
            }
            outcome => outcome,
        }
    }

    /// Where it lives.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Whether what was there could not be used and was made anew when it was opened.
    pub fn was_made_anew(&self) -> bool {
        self.was_made_anew
    }

    /// Closes the connection and opens another, and makes the database anew unless that one finds it whole: what one
    /// connection takes for damage can be what it remembers of a database that another process made anew meanwhile.
    pub fn reopen(self, now_ms: u64) -> Result<Self, StoreError> {
        let (storage, standing) = self.close();
        let Standing::Stored(name) = &standing else {
            return Self::anew(&storage, standing, now_ms);
        };
        let examined = Self::stored(&storage, name, now_ms).and_then(|reopened| {
            let problems = reopened.integrity_problems()?;
            Ok((reopened, problems.is_empty()))
        });
        match examined {
            Ok((reopened, true)) => Ok(reopened),
            Ok((_, false)) | Err(StoreError::Damaged(_)) => Self::anew(&storage, standing, now_ms),
            Err(error) => Err(error),
        }
    }

    /// Empties the database and opens it again: what is in it cannot be used.
    pub fn make_anew(self, now_ms: u64) -> Result<Self, StoreError> {
        let (storage, standing) = self.close();
        Self::anew(&storage, standing, now_ms)
    }

    fn close(self) -> (Rc<dyn Storage>, Standing) {
        let Self {
            connection,
            standing,
            storage,
            _vfs: vfs,
            ..
        } = self;
        drop(connection);
        drop(vfs);
        (storage, standing)
    }

    fn anew(
        storage: &Rc<dyn Storage>,
        standing: Standing,
        now_ms: u64,
    ) -> Result<Self, StoreError> {
        let mut made = match standing {
            Standing::Stored(name) => {
                empty(storage, &name)?;
                Self::stored(storage, &name, now_ms)?
            }
            other => Self::in_memory(storage, other, now_ms)?,
        };
        made.was_made_anew = true;
        Ok(made)
    }

    /// Begins a transaction that writes.
    pub fn begin(&mut self) -> Result<Transaction<'_>, StoreError> {
        Ok(self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    /// Begins a transaction that reads.
    pub fn read(&mut self) -> Result<Transaction<'_>, StoreError> {
        Ok(self
            .connection
            .transaction_with_behavior(TransactionBehavior::Deferred)?)
    }

    /// SQLite's own check of every page and row, one line a problem; empty where all is well.
    pub fn integrity_problems(&self) -> Result<Vec<String>, StoreError> {
        let transaction = self.connection.unchecked_transaction()?;
        for table in FULL_TEXT_TABLES {
            // FTS5's own check believes what the connection remembers of its tables; a query forgets what is stale. Three
            // letters are one trigram: more would be a phrase, which that table cannot answer.
            let query = format!("SELECT rowid FROM {table} WHERE {table} MATCH 'abc' LIMIT 1");
            let mut statement = transaction.prepare(&query)?;
            statement.exists([])?;
        }
        let mut statement = transaction.prepare("PRAGMA integrity_check(20)")?;
        let lines = statement
            .query_map([], |row| row.get::<_, String>(0))?
            .collect::<Result<Vec<_>, _>>()?;
        drop(statement);
        transaction.finish()?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// Bytes of the database, and how many of them are free pages.
    pub fn size(&self) -> Result<(u64, u64), StoreError> {
        let number = |pragma: &str| {
            self.connection
                .query_row(pragma, [], |row| row.get::<_, i64>(0))
                .map(|value| u64::try_from(value).unwrap_or(0))
        };
        let page = number("PRAGMA page_size")?;
        Ok((
            number("PRAGMA page_count")? * page,
            number("PRAGMA freelist_count")? * page,
        ))
    }

    fn stored(storage: &Rc<dyn Storage>, name: &str, now_ms: u64) -> Result<Self, StoreError> {
        let vfs = register(storage)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags_and_vfs(name, flags, vfs.name())?;
        // Opening reads a dozen times. Were the file taken for each of them, a busy one would never be opened: it is taken once.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        prepare(&connection)?;
        let schema = migrations::migrate(&mut connection, now_ms)?;
        connection.pragma_update(None, "locking_mode", "NORMAL")?;
        // The mode counts from the next access on, which gives the file back.
        connection.query_row("PRAGMA user_version", [], |_| Ok(()))?;
        match schema {
            Schema::Newer(version) => {
                drop(connection);
                drop(vfs);
                Self::in_memory(storage, Standing::NewerSchema(version), now_ms)
            }
            Schema::Ready => Ok(Self {
                connection,
                standing: Standing::Stored(name.to_owned()),
                storage: Rc::clone(storage),
                _vfs: vfs,
                was_made_anew: false,
            }),
        }
    }

    fn in_memory(
        storage: &Rc<dyn Storage>,
        standing: Standing,
        now_ms: u64,
    ) -> Result<Self, StoreError> {
        let vfs = register(storage)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags_and_vfs(":memory:", flags, vfs.name())?;
        prepare(&connection)?;
        migrations::migrate(&mut connection, now_ms)?;
        Ok(Self {
            connection,
            standing,
            storage: Rc::clone(storage),
            _vfs: vfs,
            was_made_anew: false,
        })
    }
}

/// What a block file is before SQLite has it.
enum Look {
    At { size: u64 },
    No(Standing),
}

/// Takes the block file once: SQLite would say that it cannot be written, but not why, and reads a page that was cut as if the
/// rest of it were zeros.
fn look_at(storage: &Rc<dyn Storage>, name: &str) -> Result<Look, StoreError> {
    let mut file = match storage.open_block_file(name) {
        Ok(file) => file,
        Err(StorageError::AccessDenied) => return Ok(Look::No(Standing::InMemory)),
        Err(error) => return Err(port_error(&error)),
    };
    match file.lock() {
        Ok(_) => {}
        Err(StorageError::AccessDenied) => return Ok(Look::No(Standing::NotWritable)),
        Err(error) => return Err(port_error(&error)),
    }
    let size = file.size();
    file.unlock();
    size.map(|size| Look::At { size })
        .map_err(|error| port_error(&error))
}

fn register(storage: &Rc<dyn Storage>) -> Result<Vfs, StoreError> {
    Vfs::register(Rc::clone(storage))
        .ok_or_else(|| StoreError::Other("SQLite did not take its file system".to_owned()))
}

/// Settings of a connection (behaviour 2.14). The cache never spills: pages of a transaction stay in memory until its commit.
fn prepare(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(&format!(
        "PRAGMA page_size = {PAGE_BYTES};
         PRAGMA cache_size = {CACHE_KIB};
         PRAGMA cache_spill = OFF;
         PRAGMA journal_mode = DELETE;
         PRAGMA synchronous = FULL;
         PRAGMA trusted_schema = OFF;
         PRAGMA secure_delete = FAST;
         PRAGMA temp_store = MEMORY;"
    ))?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// What FTS5 is told once, when its tables are new.
pub(super) fn tune_full_text(connection: &Connection) -> Result<(), StoreError> {
    for table in FULL_TEXT_TABLES {
        connection.execute(
            &format!("INSERT INTO {table} ({table}, rank) VALUES ('hashsize', {FTS_HASH_BYTES})"),
            [],
        )?;
    }
    Ok(())
}

/// Takes away what a block file holds; makes none where there is none. Whoever has it open finds it empty. One that may not be written
/// stays.
pub fn empty_if_there(storage: &Rc<dyn Storage>, name: &str) -> Result<(), StoreError> {
    match storage.block_file_size(name) {
        Ok(None | Some(0)) | Err(StorageError::AccessDenied) => Ok(()),
        Ok(Some(_)) => match look_at(storage, name)? {
            Look::At { .. } => empty(storage, name),
            Look::No(_) => Ok(()),
        },
        Err(error) => Err(port_error(&error)),
    }
}

/// Leaves an empty block file: whoever opens it next makes the schema anew.
fn empty(storage: &Rc<dyn Storage>, name: &str) -> Result<(), StoreError> {
    let mut file = storage
        .open_block_file(name)
        .map_err(|error| port_error(&error))?;
    file.lock().map_err(|error| port_error(&error))?;
    let outcome = file.commit(&[], &[], 0, true);
    file.unlock();
    outcome.map(|_| ()).map_err(|error| port_error(&error))
}

fn port_error(error: &StorageError) -> StoreError {
    match error {
        StorageError::Busy => StoreError::Busy,
        StorageError::Full => StoreError::Full,
        StorageError::Corrupt(text) => StoreError::Damaged(text.clone()),
        other => StoreError::Other(other.to_string()),
    }
}
