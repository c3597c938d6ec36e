//! The file system by itself: the test suite of `rsqlite-vfs`, a model, and SQLite's own checks.

use std::rc::Rc;

use rsqlite_vfs::{VfsAppData, test_suite};

use super::store::{Files, Store};
use crate::store::memory::MemoryStorage;

#[test]
fn the_suite_of_rsqlite_vfs_is_green() {
    let files = Files::new(Rc::new(MemoryStorage::default()));
    test_suite::test_vfs_store::<Store>(VfsAppData::new(files)).unwrap();
}

/// Two connections on one file, each with its own registration, as two processes have.
#[test]
fn a_commit_of_one_connection_is_seen_by_the_other() {
    let storage: Rc<dyn crate::ports::Storage> = Rc::new(MemoryStorage::default());
    let mut one = crate::store::Database::open(&storage, Some("a.db"), 1).unwrap();
    let mut two = crate::store::Database::open(&storage, Some("a.db"), 1).unwrap();
    for round in 0..20 {
        let transaction = one.begin().unwrap();
        crate::store::sessions::start(&transaction, &format!("s{round}"), "initial").unwrap();
        transaction.commit().unwrap();
        let reading = two.read().unwrap();
        let (sessions, _, _) = crate::store::sessions::totals(&reading).unwrap();
        assert_eq!(sessions, round + 1);
        reading.commit().unwrap();
        std::mem::swap(&mut one, &mut two);
    }
    assert_eq!(one.integrity_problems().unwrap(), Vec::<String>::new());
}
