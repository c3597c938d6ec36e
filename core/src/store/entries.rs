//! The indexed entries and the two full-text tables over them.
//!
//! Invariants: no text of an entry is stored, only its words and runs of three characters; a full-text row is deleted by its
//! rowid, which is the entry's key; every search is bounded by a session's range of keys before anything is counted.

use rusqlite::Connection;

use super::error::StoreError;
use super::sessions::IndexedSession;

/// Names an entry in every table: the session's number and the entry's position in its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryKey(i64);

impl EntryKey {
    /// The key of that session's entry.
    pub fn new(session: u32, position: u32) -> Self {
        Self((i64::from(session) << 32) | i64::from(position))
    }

    /// The entry's position in its log.
    pub fn position(self) -> u32 {
        self.0.cast_unsigned() as u32
    }
}

/// What the index holds of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRow<'a> {
    /// Its ID.
    pub entry_id: &'a str,
    /// Its parent's.
    pub parent_id: Option<&'a str>,
    /// Its `type` in the log.
    pub kind: &'a str,
    /// The role of its message; empty where it has none.
    pub role: &'a str,
    /// Milliseconds since 1970.
    pub timestamp_ms: Option<u64>,
    /// The line it stands on.
    pub line: u64,
    /// How many words its text has, repetitions counted.
    pub word_count: u32,
    /// Its words, each once, parted by spaces; empty where it has no text.
    pub words: &'a str,
    /// The text for exact search; empty where it has none.
    pub text: &'a str,
}

/// Adds an entry.
pub fn insert(
    connection: &Connection,
    key: EntryKey,
    row: &EntryRow<'_>,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO entries (key, entry_id, parent_id, kind, role, timestamp_ms, line, words)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(rusqlite::params![
            key.0,
            row.entry_id,
            row.parent_id,
            row.kind,
            row.role,
            row.timestamp_ms.and_then(|ms| i64::try_from(ms).ok()),
            i64::try_from(row.line).unwrap_or(i64::MAX),
            row.word_count,
        ])?;
    if !row.words.is_empty() {
        connection
            .prepare_cached("INSERT INTO entry_words (rowid, words) VALUES (?1, ?2)")?
            .execute((key.0, row.words))?;
    }
    if !row.text.is_empty() {
        connection
            .prepare_cached("INSERT INTO entry_trigrams (rowid, text) VALUES (?1, ?2)")?
            .execute((key.0, row.text))?;
    }
    Ok(())
}

/// Takes away everything of a session but its row.
pub(super) fn remove_all(
    connection: &Connection,
    session: &IndexedSession,
) -> Result<(), StoreError> {
    let range = range(session);
    // What is made anew may be so because somebody took something out of the log: nothing of it stays, in no page.
    connection.pragma_update(None, "secure_delete", "ON")?;
    let has_others: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sessions WHERE number <> ?1)",
        [session.number],
        |row| row.get(0),
    )?;
    for table in ["entry_words", "entry_trigrams"] {
        if has_others {
            // By rowid, one by one: FTS5 has no other way that does not look at every row. A deleted row's words stay in their
            // segment until it is merged.
            connection.execute(
                &format!(
                    "DELETE FROM {table} WHERE rowid IN (SELECT key FROM entries WHERE key BETWEEN ?1 AND ?2)"
                ),
                range,
            )?;
            connection.execute(
                &format!("INSERT INTO {table} ({table}) VALUES ('optimize')"),
                [],
            )?;
        } else {
            connection.execute(
                &format!("INSERT INTO {table} ({table}) VALUES ('delete-all')"),
                [],
            )?;
        }
    }
    connection.execute("DELETE FROM entries WHERE key BETWEEN ?1 AND ?2", range)?;
    Ok(())
}

/// How the last of several words is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastWord {
    /// As it stands.
    Whole,
    /// As the beginning of a word.
    Beginning,
}

/// The positions of entries that hold all these words, newest first, until `keep_on` says no. A word is one token of
/// [`crate::retrieval::words`]; FTS5 brings it to its stem as it did with those of the entries. No word finds nothing.
pub fn with_words(
    connection: &Connection,
    session: &IndexedSession,
    words: &[&str],
    last: LastWord,
    keep_on: impl FnMut(u32) -> bool,
) -> Result<(), StoreError> {
    if words.is_empty() {
        return Ok(());
    }
    let mut asked = words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" AND ");
    if last == LastWord::Beginning {
        asked.push('*');
    }
    let sql = "SELECT rowid FROM entry_words WHERE entry_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC";
    positions(connection, sql, (&asked, range(session)), keep_on)
}

/// The positions from `oldest` on of entries that hold all these runs of three characters, in any case of letters, newest first,
/// until `keep_on` says no. No run finds nothing.
pub fn with_trigrams(
    connection: &Connection,
    session: &IndexedSession,
    runs: &[String],
    oldest: u32,
    keep_on: impl FnMut(u32) -> bool,
) -> Result<(), StoreError> {
    if runs.is_empty() {
        return Ok(());
    }
    let runs: Vec<String> = runs.iter().map(|run| quoted(run)).collect();
    let sql = "SELECT rowid FROM entry_trigrams WHERE entry_trigrams MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC";
    let (_, last) = range(session);
    let range = (session.key(oldest).0, last);
    positions(connection, sql, (&runs.join(" AND "), range), keep_on)
}

/// The word counts of a session's entries from a position on, in order.
pub fn word_counts(
    connection: &Connection,
    session: &IndexedSession,
    from: u32,
) -> Result<Vec<u32>, StoreError> {
    let (_, last) = range(session);
    let mut statement = connection
        .prepare_cached("SELECT words FROM entries WHERE key BETWEEN ?1 AND ?2 ORDER BY key")?;
    let counts = statement
        .query_map((EntryKey::new(session.number, from).0, last), |row| {
            row.get(0)
        })?
        .collect::<Result<_, _>>()?;
    Ok(counts)
}

/// Words of the index that begin with `prefix` and are at most `longer` characters longer, of every session, in order. Stems, as FTS5
/// keeps them.
pub fn words_from(
    connection: &Connection,
    prefix: &str,
    longer: usize,
) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT term FROM entry_vocabulary WHERE term >= ?1 AND term < ?2 AND length(term) <= ?3",
    )?;
    let end = format!("{prefix}\u{10FFFF}");
    let most = i64::try_from(prefix.chars().count() + longer).unwrap_or(i64::MAX);
    let words = statement
        .query_map((prefix, end, most), |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(words)
}

/// A string of FTS5's query language; a quotation mark in it is doubled.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn range(session: &IndexedSession) -> (i64, i64) {
    (
        EntryKey::new(session.number, 0).0,
        EntryKey::new(session.number, u32::MAX).0,
    )
}

/// The next row; none as well where FTS5 cannot ask for what was asked: a word that it cuts in two would need positions.
fn next<'a>(rows: &'a mut rusqlite::Rows<'_>) -> Result<Option<&'a rusqlite::Row<'a>>, StoreError> {
    match rows.next() {
        Err(rusqlite::Error::SqliteFailure(_, Some(message))) if message.starts_with("fts5: ") => {
            Ok(None)
        }
        row => Ok(row?),
    }
}

fn positions(
    connection: &Connection,
    sql: &str,
    (query, (first, last)): (&str, (i64, i64)),
    mut keep_on: impl FnMut(u32) -> bool,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query((query, first, last))?;
    while let Some(row) = next(&mut rows)? {
        if !keep_on(EntryKey(row.get(0)?).position()) {
            break;
        }
    }
    Ok(())
}
