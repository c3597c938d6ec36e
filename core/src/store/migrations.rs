//! The schema, as numbered steps.
//!
//! Invariants: a step that was released is never changed, only followed by another; the checksums of those that a
//! database has are compared with ours, and one that differs makes it unusable (behaviour 2.14).

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::error::StoreError;
use crate::message::hex;

/// One step.
#[derive(Debug)]
struct Migration {
    version: i64,
    name: &'static str,
    sql: &'static str,
}

const MIGRATIONS: [Migration; 1] = [Migration {
    version: 1,
    name: "session-index",
    sql: include_str!("migrations/0001-session-index.sql"),
}];

const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, \
    name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT;";

/// The schema that this version writes.
pub(super) const NEWEST: i64 = 1;

impl Migration {
    /// Behaviour 2.14: over version, name and SQL, a line each.
    fn checksum(&self) -> String {
        let text = format!("{}\n{}\n{}", self.version, self.name, self.sql);
        hex(&Sha256::digest(text.as_bytes()))
    }
}

/// What stands in a database.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Schema {
    /// The newest one, now or already.
    Ready,
    /// One that this version does not know.
    Newer(i64),
}

/// Brings the schema up to date.
pub(super) fn migrate(connection: &mut Connection, now_ms: u64) -> Result<Schema, StoreError> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > NEWEST {
        return Ok(Schema::Newer(found));
    }
    if found == NEWEST {
        return check(connection, found).map(|()| Schema::Ready);
    }
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Somebody else may have been faster between the look and the lock.
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > NEWEST {
        return Ok(Schema::Newer(found));
    }
    if found > 0 {
        check(&transaction, found)?;
    }
    transaction.execute_batch(TABLE)?;
    for migration in MIGRATIONS.iter().filter(|step| step.version > found) {
        transaction.execute_batch(migration.sql)?;
        transaction.execute(
            "INSERT INTO schema_migrations (version, name, checksum, applied_at_ms) VALUES (?1, ?2, ?3, ?4)",
            (
                migration.version,
                migration.name,
                migration.checksum(),
                i64::try_from(now_ms).unwrap_or(i64::MAX),
            ),
        )?;
    }
    super::database::tune_full_text(&transaction)?;
    transaction.pragma_update(None, "user_version", NEWEST)?;
    transaction.commit()?;
    Ok(Schema::Ready)
}

fn check(connection: &Connection, found: i64) -> Result<(), StoreError> {
    let mut statement =
        connection.prepare("SELECT version, checksum FROM schema_migrations ORDER BY version")?;
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<Vec<(i64, String)>, _>>()?;
    let ours: Vec<(i64, String)> = MIGRATIONS
        .iter()
        .filter(|step| step.version <= found)
        .map(|step| (step.version, step.checksum()))
        .collect();
    if rows == ours {
        Ok(())
    } else {
        Err(StoreError::Damaged(
            "its schema was made by other steps than this version's".to_owned(),
        ))
    }
}
