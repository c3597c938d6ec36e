//! A process dies in the middle of a commit: the disk is as the process left it, and the lock is still there.

use super::*;

const OLD: &[u8] = b"old page 0|old page 1|old page 2|";
const SPANS: [(u64, &[u8]); 3] = [
    (22, b"NEW page 2|"),
    (0, b"NEW page 0|"),
    (33, b"NEW page 3|"),
];
const NEW: &[u8] = b"NEW page 0|old page 1|NEW page 2|NEW page 3|";
const COUNTER: u64 = 5;

/// The old commit, and a lock of a process that died.
fn disk_after_crash() -> Disk {
    let disk = Disk::new();
    disk.write("index", OLD);
    disk.write("index.state", &state(COUNTER));
    disk.write("index.lock", &dead_lock());
    disk
}

fn new_record() -> Vec<u8> {
    record(&SPANS, COUNTER + 1, NEW.len() as u64)
}

fn assert_old(disk: &Disk, what: &str) {
    assert_eq!(
        content(&mut disk.open()),
        Ok((COUNTER, OLD.to_vec())),
        "{what}"
    );
    assert_eq!(disk.names(), ["index", "index.state"], "{what}");
}

fn assert_new(disk: &Disk, what: &str) {
    assert_eq!(
        content(&mut disk.open()),
        Ok((COUNTER + 1, NEW.to_vec())),
        "{what}"
    );
    assert_eq!(disk.names(), ["index", "index.state"], "{what}");
    assert_eq!(disk.read("index.state"), state(COUNTER + 1), "{what}");
}

#[test]
fn a_record_cut_at_any_byte_is_removed() {
    let record = new_record();
    let lock = dead_lock();
    let disk = disk_after_crash();
    for length in 0..record.len() {
        disk.write("index.lock", &lock);
        disk.write("index.commit", &record[..length]);
        assert_old(&disk, &format!("cut to {length}"));
    }
    disk.write("index.lock", &lock);
    disk.write("index.commit", &record);
    assert_new(&disk, "whole");
}

#[test]
fn a_record_of_several_parts_cut_at_any_byte_is_removed() {
    let disk = disk_after_crash();
    let mut file = disk.open();
    file.lock().expect("locked");
    for (offset, bytes) in &SPANS {
        let (extents, data) = extents(&[(*offset, bytes)]);
        file.commit(&extents, &data, 0, false).expect("a part");
    }
    let parts = disk.read("index.commit");
    drop(file);
    // The end of a record is the same in a single part.
    let mut whole = parts.clone();
    whole.push(0);
    whole.extend((COUNTER + 1).to_le_bytes());
    whole.extend((NEW.len() as u64).to_le_bytes());
    let hash = {
        use sha2::{Digest, Sha256};
        Sha256::digest(&whole)
    };
    whole.extend(hash);
    for length in 0..whole.len() {
        disk.write("index.commit", &whole[..length]);
        assert_old(&disk, &format!("cut to {length}"));
    }
    disk.write("index.commit", &whole);
    assert_new(&disk, "whole");
}

#[test]
fn a_record_with_any_bit_changed_is_removed_or_left_to_another_version() {
    let record = new_record();
    let disk = disk_after_crash();
    for index in 0..record.len() {
        for bit in [0x01, 0x80] {
            let mut damaged = record.clone();
            damaged[index] ^= bit;
            disk.write("index.commit", &damaged);
            let what = format!("byte {index}, bit {bit}");
            if (8..12).contains(&index) {
                let locked = disk.open().lock();
                assert!(matches!(locked, Err(StorageError::Other(_))), "{what}");
                assert_eq!(disk.read("index.commit"), damaged, "{what}");
                assert_eq!(disk.read("index"), OLD, "{what}");
                assert!(!disk.has("index.lock"), "{what}");
            } else {
                assert_old(&disk, &what);
            }
        }
    }
}

#[test]
fn bytes_behind_a_record_make_it_incomplete() {
    let disk = disk_after_crash();
    let mut record = new_record();
    record.push(0);
    disk.write("index.commit", &record);
    assert_old(&disk, "one byte more");
    disk.write("index.commit", b"");
    assert_old(&disk, "empty");
    // A number of extents that no memory holds.
    let mut record = new_record();
    record[13..17].copy_from_slice(&u32::MAX.to_le_bytes());
    disk.write("index.commit", &record);
    assert_old(&disk, "four billion extents");
}

#[test]
fn pages_written_up_to_any_byte_are_finished() {
    let record = new_record();
    let total: usize = SPANS.iter().map(|(_, bytes)| bytes.len()).sum();
    for written in 0..=total {
        let disk = disk_after_crash();
        disk.write("index.commit", &record);
        let mut pages = OLD.to_vec();
        let mut left = written;
        for (offset, bytes) in &SPANS {
            let now = left.min(bytes.len());
            let start = usize::try_from(*offset).expect("small");
            pages.resize(pages.len().max(start + now), 0);
            pages[start..start + now].copy_from_slice(&bytes[..now]);
            left -= now;
        }
        disk.write("index", &pages);
        assert_new(&disk, &format!("{written} bytes written"));
    }
}

#[test]
fn every_step_after_the_pages_is_repeated() {
    // Between step 3 and 4.
    let disk = disk_after_crash();
    disk.write("index.commit", &new_record());
    disk.write("index", NEW);
    assert_new(&disk, "the counter is missing");
    // Between step 4 and 5.
    let disk = disk_after_crash();
    disk.write("index.commit", &new_record());
    disk.write("index", NEW);
    disk.write("index.state", &state(COUNTER + 1));
    assert_new(&disk, "the record is still there");
    // After step 5.
    let disk = disk_after_crash();
    disk.write("index", NEW);
    disk.write("index.state", &state(COUNTER + 1));
    assert_new(&disk, "only the lock is there");
}

#[test]
fn a_recovery_that_dies_is_repeated() {
    // A recovery does what the commit did, so its states are the same; here both leave something.
    let disk = disk_after_crash();
    disk.write("index.commit", &new_record());
    let mut half = NEW[..22].to_vec();
    half.extend(&OLD[22..]);
    disk.write("index", &half);
    disk.write("index.lock.00000000000000000000000000000000", &dead_lock());
    let (counter, pages) = content(&mut disk.open()).expect("recovered");
    assert_eq!((counter, pages.as_slice()), (COUNTER + 1, NEW));
}

#[test]
fn the_first_commit_of_a_file_is_finished_too() {
    let spans: [(u64, &[u8]); 1] = [(0, NEW)];
    for pages in [None, Some(0), Some(1), Some(NEW.len())] {
        let disk = Disk::new();
        disk.write("index.lock", &dead_lock());
        disk.write("index.commit", &record(&spans, 1, NEW.len() as u64));
        if let Some(length) = pages {
            disk.write("index", &NEW[..length]);
        }
        assert_eq!(
            content(&mut disk.open()),
            Ok((1, NEW.to_vec())),
            "{pages:?}"
        );
        assert_eq!(disk.names(), ["index", "index.state"]);
    }
}

#[test]
fn a_commit_that_shortens_is_finished_too() {
    let disk = disk_after_crash();
    disk.write("index.commit", &record(&[(0, b"NEW")], COUNTER + 1, 5));
    assert_eq!(
        content(&mut disk.open()),
        Ok((
            COUNTER + 1,
            b"NEW p"[..3].iter().chain(b" p").copied().collect()
        ))
    );
}

#[test]
fn a_record_that_cannot_be_applied_stays_and_is_applied_later() {
    let disk = disk_after_crash();
    disk.write("index.commit", &new_record());
    // The counter cannot be written where a folder stands.
    fs::remove_file(disk.path("index.state")).expect("removed");
    fs::create_dir(disk.path("index.state")).expect("a folder");
    for _ in 0..2 {
        assert_eq!(disk.open().lock(), Err(StorageError::AccessDenied));
        assert_eq!(disk.read("index.commit"), new_record());
        assert!(!disk.has("index.lock"));
    }
    fs::remove_dir(disk.path("index.state")).expect("removed");
    assert_new(&disk, "later");
}

#[test]
fn a_commit_whose_pages_cannot_be_written_is_finished_by_the_next() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, OLD)], OLD.len() as u64);
    file.lock().expect("locked");
    fs::remove_file(disk.path("index")).expect("removed");
    fs::create_dir(disk.path("index")).expect("a folder");
    assert_eq!(
        commit(&mut file, &[(0, NEW)], NEW.len() as u64),
        Err(StorageError::AccessDenied)
    );
    // Its pages may be a mixture: nothing more until it is unlocked.
    assert_eq!(file.read(0, 1), Err(StorageError::AccessDenied));
    assert_eq!(file.size(), Err(StorageError::AccessDenied));
    assert_eq!(commit(&mut file, &[], 0), Err(StorageError::AccessDenied));
    file.unlock();
    fs::remove_dir(disk.path("index")).expect("removed");
    disk.write("index", OLD);
    assert_eq!(content(&mut file), Ok((2, NEW.to_vec())));
}

#[test]
fn a_commit_whose_record_cannot_be_written_changes_nothing() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, OLD)], OLD.len() as u64);
    file.lock().expect("locked");
    // The name is taken by something that no process of ours makes.
    fs::create_dir(disk.path("index.commit")).expect("a folder");
    assert_eq!(commit(&mut file, &[(0, NEW)], 3), Err(StorageError::Busy));
    file.unlock();
    fs::remove_dir(disk.path("index.commit")).expect("removed");
    assert_eq!(content(&mut file), Ok((1, OLD.to_vec())));
}
