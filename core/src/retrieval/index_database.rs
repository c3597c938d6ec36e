//! The database that the indexes of one engine session's sessions share.
//!
//! Invariant: it is opened when it is first needed and then held; whoever finds it damaged makes it anew for all.

use std::rc::Rc;

use crate::ports::Storage;
use crate::store::{Database, StoreError};

/// Where the rows of every session are that one opened session searches.
pub struct IndexDatabase {
    storage: Rc<dyn Storage>,
    /// The block file; none keeps it in memory.
    name: Option<String>,
    opened: Option<Database>,
}

impl IndexDatabase {
    /// The database in the block file of that name, or in memory where no name is given. Nothing is opened yet.
    pub fn new(storage: Rc<dyn Storage>, name: Option<String>) -> Self {
        Self {
            storage,
            name,
            opened: None,
        }
    }

    /// The block file; none where it is kept in memory.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The database, once it was opened.
    pub fn get(&self) -> Option<&Database> {
        self.opened.as_ref()
    }

    pub(super) fn get_mut(&mut self) -> Option<&mut Database> {
        self.opened.as_mut()
    }

    /// The database, opened now where it was not yet.
    pub(super) fn open(&mut self, now_ms: u64) -> Result<&mut Database, StoreError> {
        let slot = &mut self.opened;
        if let Some(database) = slot {
            Ok(database)
        } else {
            let opened = Database::open(&self.storage, self.name.as_deref(), now_ms)?;
            Ok(slot.insert(opened))
        }
    }

    /// Puts what `with` makes of the database in its place. Says whether that was made anew; nothing happens where none is open.
    pub(super) fn replace(
        &mut self,
        with: impl FnOnce(Database) -> Result<Database, StoreError>,
    ) -> Result<bool, StoreError> {
        let Some(database) = self.opened.take() else {
            return Ok(false);
        };
        let database = self.opened.insert(with(database)?);
        Ok(database.was_made_anew())
    }
}
