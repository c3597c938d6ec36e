//! The indexed sessions: which log each was made from, and how far.

use rusqlite::{Connection, OptionalExtension, Row};

use super::entries::EntryKey;
use super::error::StoreError;

/// The part of a log that is in the index, and how to tell that the log still begins with it (behaviour 2.14).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checkpoint {
    /// The log's path in the place `sessions`; empty for a session without a log.
    pub log: String,
    /// SHA-256 of the log's first line.
    pub header_hash: Vec<u8>,
    /// Bytes up to behind the last line feed.
    pub indexed_bytes: u64,
    /// SHA-256 of the last 64 KiB before that, or of all where there are fewer.
    pub tail_hash: Vec<u8>,
    /// Entries that are in.
    pub entries: u32,
    /// A hash over the contents of these entries, each on top of the one before.
    pub chain: u64,
}

/// One indexed session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedSession {
    /// Upper half of its entries' keys.
    pub number: u32,
    /// How far it is indexed.
    pub checkpoint: Checkpoint,
    /// Bytes of indexed text.
    pub text_bytes: u64,
    /// When the index last changed, in milliseconds since 1970.
    pub indexed_at_ms: u64,
    /// How often it was made anew.
    pub rebuilds: u32,
    /// Why it was made anew last.
    pub last_reason: String,
}

const COLUMNS: &str = "number, log, header_hash, indexed_bytes, tail_hash, entries, chain, text_bytes, indexed_at_ms, rebuilds, last_reason";

/// The session of that ID.
pub fn find(
    connection: &Connection,
    session_id: &str,
) -> Result<Option<IndexedSession>, StoreError> {
    Ok(connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM sessions WHERE session_id = ?1"
        ))?
        .query_row([session_id], indexed_session)
        .optional()?)
}

/// The session of that number.
pub fn of_number(
    connection: &Connection,
    number: u32,
) -> Result<Option<IndexedSession>, StoreError> {
    Ok(connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM sessions WHERE number = ?1"))?
        .query_row([number], indexed_session)
        .optional()?)
}

/// Makes room for a session, and takes away what the index had of it.
pub fn start(
    connection: &Connection,
    session_id: &str,
    reason: &str,
) -> Result<IndexedSession, StoreError> {
    let before = find(connection, session_id)?;
    let rebuilds = before
        .as_ref()
        .map_or(0, |session| session.rebuilds.saturating_add(1));
    let number = match before {
        Some(session) => {
            super::entries::remove_all(connection, &session)?;
            session.number
        }
        None => connection.query_row(
            "SELECT coalesce(max(number), 0) + 1 FROM sessions",
            [],
            |row| row.get(0),
        )?,
    };
    let session = IndexedSession {
        number,
        checkpoint: Checkpoint::default(),
        text_bytes: 0,
        indexed_at_ms: 0,
        rebuilds,
        last_reason: reason.to_owned(),
    };
    save(connection, session_id, &session)?;
    Ok(session)
}

/// Writes the session's row.
pub fn save(
    connection: &Connection,
    session_id: &str,
    session: &IndexedSession,
) -> Result<(), StoreError> {
    let checkpoint = &session.checkpoint;
    connection
        .prepare_cached(
            "INSERT INTO sessions (number, session_id, log, header_hash, indexed_bytes, tail_hash, entries, chain, text_bytes, indexed_at_ms, rebuilds, last_reason)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT (number) DO UPDATE SET
               log = excluded.log, header_hash = excluded.header_hash, indexed_bytes = excluded.indexed_bytes,
               tail_hash = excluded.tail_hash, entries = excluded.entries, chain = excluded.chain,
               text_bytes = excluded.text_bytes, indexed_at_ms = excluded.indexed_at_ms,
               rebuilds = excluded.rebuilds, last_reason = excluded.last_reason",
        )?
        .execute(rusqlite::params![
            session.number,
            session_id,
            checkpoint.log,
            checkpoint.header_hash,
            integer(checkpoint.indexed_bytes),
            checkpoint.tail_hash,
            checkpoint.entries,
            checkpoint.chain.cast_signed(),
            integer(session.text_bytes),
            integer(session.indexed_at_ms),
            session.rebuilds,
            session.last_reason,
        ])?;
    Ok(())
}

/// Sessions, entries and bytes of text in the whole database.
pub fn totals(connection: &Connection) -> Result<(u64, u64, u64), StoreError> {
    Ok(connection.query_row(
        "SELECT count(*), coalesce(sum(entries), 0), coalesce(sum(text_bytes), 0) FROM sessions",
        [],
        |row| Ok((unsigned(row, 0)?, unsigned(row, 1)?, unsigned(row, 2)?)),
    )?)
}

impl IndexedSession {
    /// The key of the entry at that position of the log.
    pub fn key(&self, position: u32) -> EntryKey {
        EntryKey::new(self.number, position)
    }
}

fn indexed_session(row: &Row<'_>) -> rusqlite::Result<IndexedSession> {
    Ok(IndexedSession {
        number: row.get(0)?,
        checkpoint: Checkpoint {
            log: row.get(1)?,
            header_hash: row.get(2)?,
            indexed_bytes: unsigned(row, 3)?,
            tail_hash: row.get(4)?,
            entries: row.get(5)?,
            chain: row.get::<_, i64>(6)?.cast_unsigned(),
        },
        text_bytes: unsigned(row, 7)?,
        indexed_at_ms: unsigned(row, 8)?,
        rebuilds: row.get(9)?,
        last_reason: row.get(10)?,
    })
}

/// SQLite's integers are signed; sizes and times beyond that do not occur.
fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column)
        .map(|value| u64::try_from(value).unwrap_or(0))
}
