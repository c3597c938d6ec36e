//! Transactions that nothing disturbs.

use super::*;

#[test]
fn a_new_file_is_empty_and_opening_it_writes_nothing() {
    let disk = Disk::new();
    let data = DataFolder::new(disk.path("not/yet")).expect("a path");
    let mut file = data.block_file("p/q/index").expect("opened");
    assert!(disk.names().is_empty());
    assert_eq!(content(&mut file), Ok((0, Vec::new())));
    assert!(names_in(&disk.path("not/yet/p/q")).is_empty());
}

#[test]
fn a_commit_is_read_by_every_handle_and_leaves_pages_and_counter_only() {
    let disk = Disk::new();
    let mut file = disk.open();
    assert_eq!(commit_once(&mut file, &[(0, b"0123456789")], 10), 1);
    assert_eq!(commit_once(&mut file, &[(2, b"ab"), (8, b"cdef")], 12), 2);
    assert_eq!(content(&mut disk.open()), Ok((2, b"01ab4567cdef".to_vec())));
    assert_eq!(disk.names(), ["index", "index.state"]);
    assert_eq!(disk.read("index"), b"01ab4567cdef");
    assert_eq!(disk.read("index.state"), state(2));
}

#[test]
fn two_commits_in_one_transaction_count_twice() {
    let disk = Disk::new();
    let mut file = disk.open();
    assert_eq!(file.lock(), Ok(0));
    assert_eq!(commit(&mut file, &[(0, b"one")], 3), Ok(1));
    assert_eq!(file.read(0, 9), Ok(b"one".to_vec()));
    assert_eq!(commit(&mut file, &[(3, b" two")], 7), Ok(2));
    assert_eq!(file.read(0, 9), Ok(b"one two".to_vec()));
    file.unlock();
    assert_eq!(content(&mut file), Ok((2, b"one two".to_vec())));
}

#[test]
fn a_commit_extends_with_zeros_and_cuts() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, b"abcdef")], 10);
    assert_eq!(content(&mut file).expect("read").1, b"abcdef\0\0\0\0");
    commit_once(&mut file, &[], 3);
    assert_eq!(content(&mut file).expect("read").1, b"abc");
    commit_once(&mut file, &[], 5);
    assert_eq!(content(&mut file).expect("read").1, b"abc\0\0");
    commit_once(&mut file, &[], 0);
    assert_eq!(content(&mut file), Ok((4, Vec::new())));
}

#[test]
fn where_extents_overlap_the_later_one_wins() {
    let disk = Disk::new();
    let mut file = disk.open();
    let spans: [(u64, &[u8]); 4] = [(0, b"aaaa"), (4, b"bbbb"), (2, b"cccc"), (7, b"")];
    commit_once(&mut file, &spans, 8);
    assert_eq!(content(&mut file).expect("read").1, b"aaccccbb");
}

#[test]
fn reads_end_with_the_file() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, b"0123456789")], 10);
    file.lock().expect("locked");
    assert_eq!(file.size(), Ok(10));
    assert_eq!(file.read(3, 4), Ok(b"3456".to_vec()));
    assert_eq!(file.read(8, 4), Ok(b"89".to_vec()));
    assert_eq!(file.read(10, 4), Ok(Vec::new()));
    assert_eq!(file.read(u64::MAX, 4), Ok(Vec::new()));
    assert_eq!(file.read(3, 0), Ok(Vec::new()));
}

#[test]
fn a_commit_in_parts_is_seen_with_its_last_part_only() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, b"old")], 3);
    file.lock().expect("locked");
    let part = |file: &mut StoredBlockFile, offset, bytes: &[u8], last| {
        let (extents, data) = extents(&[(offset, bytes)]);
        file.commit(&extents, &data, 9, last)
    };
    assert_eq!(part(&mut file, 0, b"new", false), Ok(1));
    assert_eq!(part(&mut file, 3, b"par", false), Ok(1));
    assert_eq!(disk.read("index"), b"old");
    assert_eq!(file.read(0, 9), Ok(b"old".to_vec()));
    assert_eq!(part(&mut file, 6, b"ts.", true), Ok(2));
    assert_eq!(file.read(0, 9), Ok(b"newparts.".to_vec()));
    file.unlock();
    assert_eq!(content(&mut disk.open()), Ok((2, b"newparts.".to_vec())));
}

#[test]
fn parts_without_a_last_one_are_forgotten() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, b"old")], 3);
    for end in [
        |file: StoredBlockFile| drop(file),
        |mut file: StoredBlockFile| file.unlock(),
    ] {
        let mut file = disk.open();
        file.lock().expect("locked");
        let (extents, data) = extents(&[(0, b"new")]);
        file.commit(&extents, &data, 3, false).expect("a part");
        assert!(disk.has("index.commit"));
        end(file);
        assert_eq!(disk.names(), ["index", "index.state"]);
        assert_eq!(content(&mut disk.open()), Ok((1, b"old".to_vec())));
    }
}

#[test]
fn a_large_commit_is_whole() {
    let disk = Disk::new();
    let mut file = disk.open();
    let bytes: Vec<u8> = (0..crate::ports::MAX_BYTES_PER_READ)
        .map(|number| (number % 251) as u8)
        .collect();
    let (extents, data) = extents(&[(5, &bytes)]);
    file.lock().expect("locked");
    file.commit(&extents, &data, 0, false).expect("a part");
    let size = bytes.len() as u64 + 5;
    assert_eq!(commit(&mut file, &[(0, b"start")], size), Ok(1));
    file.unlock();
    let stored = disk.read("index");
    assert_eq!(stored.len() as u64, size);
    assert!(stored.starts_with(b"start") && stored.ends_with(&bytes));
}

#[test]
fn a_record_is_on_disk_what_the_contract_says() {
    use std::io::{Read, Seek};

    let disk = Disk::new();
    let spans: [(u64, &[u8]); 2] = [(7, b"seven"), (1 << 33, b"far")];
    let options = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(disk.path("record"));
    let mut writer = record::RecordWriter::begin(options.expect("a file")).expect("begun");
    let (extents, data) = extents(&spans);
    writer.append(&extents, &data).expect("a part");
    writer.finish(41, 1 << 34).expect("finished");
    let mut file = writer.file();
    file.rewind().expect("a start");
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).expect("read");
    assert_eq!(bytes, record(&spans, 41, 1 << 34));
    let read = record::read(writer.file()).expect("read");
    let record::Record::Complete(commit) = read else {
        panic!("{read:?}");
    };
    assert_eq!(&commit, writer.commit());
}

#[test]
fn a_removed_file_starts_empty_and_its_counter_goes_on() {
    let disk = Disk::new();
    let data = disk.data();
    assert_eq!(data.remove_block_file(NAME), Err(StorageError::NotFound));
    assert_eq!(data.remove_block_file("p/x"), Err(StorageError::NotFound));
    assert!(disk.names().is_empty());
    let mut file = disk.open();
    commit_once(&mut file, &[(0, b"pages")], 5);
    file.lock().expect("locked");
    assert_eq!(data.remove_block_file(NAME), Err(StorageError::Busy));
    file.unlock();
    assert_eq!(data.remove_block_file(NAME), Ok(()));
    assert_eq!(disk.names(), ["index.state"]);
    assert_eq!(data.remove_block_file(NAME), Err(StorageError::NotFound));
    // A handle that knew counter 1 must not take its pages for current ones.
    let (counter, pages) = content(&mut file).expect("an empty file");
    assert!(counter > 1 && pages.is_empty(), "{counter}");
    assert!(commit_once(&mut file, &[(0, b"new")], 3) > counter);
}

#[cfg(unix)]
#[test]
fn folders_and_files_are_this_users_only() {
    use std::os::unix::fs::PermissionsExt;

    let disk = Disk::new();
    let data = DataFolder::new(disk.path("root/data")).expect("a path");
    let mut file = data.block_file("p/index").expect("opened");
    let mode = |name: &str| {
        let metadata = fs::metadata(disk.path("root/data").join(name)).expect("there");
        metadata.permissions().mode() & 0o777
    };
    file.lock().expect("locked");
    let (extents, pages) = extents(&[(0, b"pages")]);
    file.commit(&extents, &pages, 5, false).expect("a part");
    assert_eq!(mode("p/index.lock"), 0o600);
    assert_eq!(mode("p/index.commit"), 0o600);
    commit(&mut file, &[], 5).expect("committed");
    file.unlock();
    for folder in ["..", ".", "p"] {
        assert_eq!(mode(folder), 0o700, "{folder}");
    }
    for file in ["p/index", "p/index.state"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
}
