//! What a granted folder gives out, and what it never does.

use std::fs;
use std::path::PathBuf;

use super::*;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ds4-granted-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("place")).expect("a folder");
        Self(path)
    }

    fn place(&self) -> PathBuf {
        self.0.join("place")
    }

    fn write(&self, path: &str, content: &str) {
        let file = self.place().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
        fs::write(file, content).expect("a file");
    }

    fn granted(&self) -> GrantedFolders {
        GrantedFolders::new()
            .grant(Place::Sessions, self.place())
            .expect("granted")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(files: &mut GrantedFolders, path: &str) -> Result<Vec<u8>, StorageError> {
    files.read_file(Place::Sessions, path, 0, 100)
}

fn listed(files: &mut GrantedFolders, after: Option<&str>, limit: u32) -> Vec<String> {
    let lines = files
        .list_files(Place::Sessions, after, limit)
        .expect("a listing");
    let line = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).expect("JSON")["path"]
            .as_str()
            .expect("a path")
            .to_owned()
    };
    String::from_utf8(lines)
        .expect("UTF-8")
        .lines()
        .map(line)
        .collect()
}

#[test]
fn files_are_read_in_pieces_up_to_their_end() {
    let folder = Folder::new("pieces");
    folder.write("sub/log.jsonl", "0123456789");
    let mut files = folder.granted();
    let mut piece = |offset, length| {
        files
            .read_file(Place::Sessions, "sub/log.jsonl", offset, length)
            .expect("a piece")
    };
    assert_eq!(piece(0, 4), b"0123");
    assert_eq!(piece(4, 100), b"456789");
    assert_eq!(piece(10, 4), b"");
    assert_eq!(piece(u64::MAX, 4), b"");
    assert_eq!(piece(3, 0), b"");
}

#[test]
fn a_file_that_was_replaced_cut_or_grew_is_read_as_it_is_now() {
    let folder = Folder::new("now");
    folder.write("log", "first");
    let mut files = folder.granted();
    assert_eq!(read(&mut files, "log").expect("read"), b"first");
    folder.write("other", "second content");
    fs::rename(folder.place().join("other"), folder.place().join("log")).expect("replaced");
    assert_eq!(read(&mut files, "log").expect("read"), b"second content");
    folder.write("log", "cut");
    assert_eq!(read(&mut files, "log").expect("read"), b"cut");
}

#[test]
fn one_call_reads_no_more_than_the_contract_says() {
    let folder = Folder::new("large");
    let file = fs::File::create(folder.place().join("large")).expect("a file");
    file.set_len(u64::from(MAX_BYTES_PER_READ) + 1000)
        .expect("a size");
    let bytes = folder
        .granted()
        .read_file(Place::Sessions, "large", 0, u32::MAX)
        .expect("read");
    assert_eq!(bytes.len(), MAX_BYTES_PER_READ as usize);
}

#[test]
fn paths_that_leave_the_place_are_refused() {
    let folder = Folder::new("leave");
    folder.write("inside", "x");
    fs::write(folder.0.join("secret"), "secret").expect("a file");
    let mut files = folder.granted();
    let absolute = folder.0.join("secret").display().to_string();
    for path in [
        "../secret",
        "sub/../../secret",
        ".",
        "..",
        "",
        "inside/",
        "/inside",
        "./inside",
        "a//b",
        "in\0side",
        &absolute,
    ] {
        assert_eq!(
            read(&mut files, path),
            Err(StorageError::AccessDenied),
            "{path:?}"
        );
    }
    assert_eq!(read(&mut files, "missing"), Err(StorageError::NotFound));
    assert_eq!(
        files.read_file(Place::Project, "inside", 0, 10),
        Err(StorageError::AccessDenied)
    );
    assert_eq!(
        files.list_files(Place::Project, None, 10),
        Err(StorageError::AccessDenied)
    );
}

#[test]
fn a_place_must_be_a_folder() {
    let folder = Folder::new("place");
    folder.write("file", "x");
    assert!(
        GrantedFolders::new()
            .grant(Place::Sessions, folder.place().join("file"))
            .is_err()
    );
    assert!(
        GrantedFolders::new()
            .grant(Place::Sessions, folder.place().join("none"))
            .is_err()
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new("links");
    folder.write("real/log", "x");
    fs::write(folder.0.join("secret"), "secret").expect("a file");
    symlink(folder.0.join("secret"), folder.place().join("out")).expect("a link");
    symlink(folder.place().join("real/log"), folder.place().join("in")).expect("a link");
    symlink(&folder.0, folder.place().join("up")).expect("a link");
    symlink(folder.place(), folder.place().join("real/loop")).expect("a link");
    let mut files = folder.granted();
    for path in ["out", "in", "up/secret", "real/loop/real/log"] {
        assert_eq!(
            read(&mut files, path),
            Err(StorageError::AccessDenied),
            "{path}"
        );
    }
    assert_eq!(listed(&mut files, None, 100), ["real/log"]);
}

#[cfg(unix)]
#[test]
fn folders_and_fifos_are_refused_without_waiting() {
    let folder = Folder::new("fifo");
    folder.write("sub/file", "x");
    let fifo = folder.place().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    let mut files = folder.granted();
    assert_eq!(read(&mut files, "sub"), Err(StorageError::AccessDenied));
    if made.is_ok_and(|status| status.success()) {
        assert_eq!(read(&mut files, "fifo"), Err(StorageError::AccessDenied));
    }
}

#[test]
fn listings_are_in_byte_order_of_whole_paths_and_go_on_where_they_stopped() {
    let folder = Folder::new("listing");
    let mut paths = vec![
        "a.txt", "a/b", "a/c/d", "a0", "B", "z/y/x", "ä/file", "z.jsonl",
    ];
    for path in &paths {
        folder.write(path, "12");
    }
    paths.sort_by(|first, second| first.as_bytes().cmp(second.as_bytes()));
    let mut files = folder.granted();
    assert_eq!(listed(&mut files, None, 100), paths);
    let mut seen: Vec<String> = Vec::new();
    loop {
        let page = listed(&mut files, seen.last().map(String::as_str), 3);
        if page.is_empty() {
            break;
        }
        seen.extend(page);
    }
    assert_eq!(seen, paths);
    let line = files
        .list_files(Place::Sessions, None, 1)
        .expect("a listing");
    let line: serde_json::Value = serde_json::from_slice(&line).expect("JSON");
    assert_eq!(line["size"], 2);
    assert!(
        line["modifiedMs"]
            .as_u64()
            .is_some_and(|ms| ms > 1_600_000_000_000)
    );
}

#[test]
fn a_removed_place_is_an_error_and_not_a_panic() {
    let folder = Folder::new("removed");
    let mut files = folder.granted();
    fs::remove_dir_all(folder.place()).expect("removed");
    assert_eq!(read(&mut files, "log"), Err(StorageError::NotFound));
    assert!(files.list_files(Place::Sessions, None, 10).is_err());
}
