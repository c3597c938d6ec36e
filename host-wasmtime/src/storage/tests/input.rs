//! Wrong input: every call answers with an error, and nothing has changed.

use super::*;
use crate::ports::MAX_BYTES_PER_READ;

fn is_other<T: std::fmt::Debug>(answer: &Result<T, StorageError>) -> bool {
    matches!(answer, Err(StorageError::Other(_)))
}

#[test]
fn without_the_lock_there_is_no_call() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, b"old")], 3);
    assert!(is_other(&file.size()));
    assert!(is_other(&file.read(0, 1)));
    assert!(is_other(&commit(&mut file, &[(0, b"new")], 3)));
    file.unlock();
    assert_eq!(disk.read("index"), b"old");
}

#[test]
fn spans_that_do_not_fit_are_refused() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, b"old")], 3);
    file.lock().expect("locked");
    let span = |offset, length| Extent { offset, length };
    let too_much = vec![0; MAX_BYTES_PER_READ as usize + 1];
    let wrong: [(&[Extent], &[u8], u64); 8] = [
        (&[span(0, 2)], b"123", 3),
        (&[span(0, 4)], b"123", 3),
        (&[], b"123", 3),
        (&[span(0, u32::MAX), span(0, u32::MAX)], b"123", 3),
        (&[span(u64::MAX, 3)], b"123", 3),
        (&[span(MAX_BLOCK_FILE_BYTES, 1)], b"1", 3),
        (&[span(0, 3)], b"123", MAX_BLOCK_FILE_BYTES + 1),
        (&[span(0, MAX_BYTES_PER_READ + 1)], &too_much, 3),
    ];
    for (extents, data, new_size) in wrong {
        for last in [true, false] {
            let answer = file.commit(extents, data, new_size, last);
            assert!(is_other(&answer), "{extents:?}, {new_size}: {answer:?}");
            assert!(!disk.has("index.commit"));
        }
    }
    assert!(is_other(&file.read(0, MAX_BYTES_PER_READ + 1)));
    assert!(is_other(&file.read(0, u32::MAX)));
    assert_eq!(commit(&mut file, &[(0, b"new")], 3), Ok(2));
    assert_eq!(file.read(0, MAX_BYTES_PER_READ), Ok(b"new".to_vec()));
}

#[test]
fn a_refused_part_takes_those_before_it_along() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, b"old")], 3);
    file.lock().expect("locked");
    let (extents, data) = extents(&[(0, b"lost")]);
    file.commit(&extents, &data, 4, false).expect("a part");
    assert!(is_other(&file.commit(&extents, b"short", 4, true)));
    assert_eq!(commit(&mut file, &[(3, b"er")], 5), Ok(2));
    assert_eq!(file.read(0, 9), Ok(b"older".to_vec()));
}

#[test]
fn names_that_are_not_allowed_are_refused() {
    let disk = Disk::new();
    let data = disk.data();
    for name in [
        "",
        "../index",
        "/index",
        "a/../b",
        ".x",
        "index.lock",
        "objects/x",
    ] {
        let opened = data.open_block_file(name).map(|_| ());
        assert_eq!(opened, Err(StorageError::AccessDenied), "{name:?}");
        let removed = data.remove_block_file(name);
        assert_eq!(removed, Err(StorageError::AccessDenied), "{name:?}");
    }
    assert!(disk.names().is_empty());
}

#[test]
fn a_file_in_the_place_of_a_folder_and_the_reverse_are_refused() {
    let disk = Disk::new();
    disk.write("file", b"untouched");
    let below = disk.data().open_block_file("file/index").map(|_| ());
    assert_eq!(below, Err(StorageError::AccessDenied));
    let data = DataFolder::new(disk.path("file")).expect("a path");
    let opened = data.open_block_file(NAME).map(|_| ());
    assert_eq!(opened, Err(StorageError::AccessDenied));
    assert!(matches!(
        data.start_object().map(|_| ()),
        Err(StorageError::AccessDenied)
    ));
    for name in ["index", "index.lock", "index.commit", "index.state"] {
        let disk = Disk::new();
        fs::create_dir(disk.path(name)).expect("a folder");
        let locked = disk.open().lock();
        assert_eq!(locked, Err(StorageError::AccessDenied), "{name}");
        assert_eq!(disk.names(), [name]);
    }
    assert_eq!(disk.read("file"), b"untouched");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let outside = Disk::new();
    outside.write("target", &state(7));
    for name in ["index", "index.lock", "index.commit", "index.state"] {
        let disk = Disk::new();
        symlink(outside.path("target"), disk.path(name)).expect("a link");
        let locked = disk.open().lock();
        assert_eq!(locked, Err(StorageError::AccessDenied), "{name}");
        assert_eq!(disk.names(), [name]);
        // A link to nothing must not make the file that it names.
        fs::remove_file(disk.path(name)).expect("removed");
        symlink(outside.path("nothing"), disk.path(name)).expect("a link");
        let locked = disk.open().lock();
        assert_eq!(locked, Err(StorageError::AccessDenied), "{name}");
    }
    let disk = Disk::new();
    symlink(&outside.0, disk.path("folder")).expect("a link");
    let opened = disk.data().open_block_file("folder/index").map(|_| ());
    assert_eq!(opened, Err(StorageError::AccessDenied));
    // Exchanged after it was opened.
    let mut file = disk.data().block_file("other/index").expect("opened");
    symlink(&outside.0, disk.path("other")).expect("a link");
    assert_eq!(file.lock(), Err(StorageError::AccessDenied));
    symlink(&outside.0, disk.path("objects")).expect("a link");
    let started = disk.data().start_object().map(|_| ());
    assert_eq!(started, Err(StorageError::AccessDenied));
    assert_eq!(
        disk.data().list_objects(None, 1),
        Err(StorageError::AccessDenied)
    );
    assert_eq!(outside.names(), ["target"]);
    assert_eq!(outside.read("target"), state(7));
}

#[cfg(unix)]
#[test]
fn the_data_folder_itself_may_be_a_link() {
    let disk = Disk::new();
    let target = Disk::new();
    std::os::unix::fs::symlink(&target.0, disk.path("data")).expect("a link");
    let data = DataFolder::new(disk.path("data")).expect("a path");
    let mut file = data.block_file(NAME).expect("opened");
    assert_eq!(commit_once(&mut file, &[(0, b"x")], 1), 1);
    assert_eq!(target.read("index"), b"x");
}

#[test]
fn a_data_folder_that_was_removed_is_made_again() {
    let disk = Disk::new();
    let mut file = disk.open();
    commit_once(&mut file, &[(0, b"old")], 3);
    fs::remove_dir_all(&disk.0).expect("removed");
    assert_eq!(content(&mut file), Ok((0, Vec::new())));
    assert_eq!(commit_once(&mut file, &[(0, b"new")], 3), 1);
}
