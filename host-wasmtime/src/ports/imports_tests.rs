//! The calls for derived state as the component makes them, on a real data folder.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::bindings::ds4::context::storage::{
    Host, HostBlockFile, HostObjectWriter, StorageError as Answered,
};
use crate::{DataFolder, GrantedFolders, Limits, Ports};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ds4-imports-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    /// What the imports of one component work with.
    fn host(&self) -> HostState {
        let data = DataFolder::new(&self.0).expect("a path");
        let files = GrantedFolders::new().with_data_folder(data);
        HostState::new(Ports::with_storage(files), Limits::default())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The same handle once more: every call consumes one.
fn again<T: 'static>(handle: &Resource<T>) -> Resource<T> {
    Resource::new_borrow(handle.rep())
}

fn open(host: &mut HostState) -> Resource<BlockFileHandle> {
    let opened = host.open_block_file("p/index".to_owned());
    opened.expect("no trap").expect("opened")
}

#[test]
fn a_block_file_is_written_and_read() {
    let folder = Folder::new("block-file");
    let mut host = folder.host();
    let file = open(&mut host);
    assert_eq!(
        host.lock(again(&file)).expect("no trap").expect("locked"),
        0
    );
    let extents = vec![storage::Extent {
        offset: 2,
        length: 3,
    }];
    let committed = host.commit(again(&file), extents, b"abc".to_vec(), 6, true);
    assert_eq!(committed.expect("no trap").expect("committed"), 1);
    assert_eq!(
        host.size(again(&file)).expect("no trap").expect("a size"),
        6
    );
    let read = host.read(again(&file), 1, 100).expect("no trap");
    assert_eq!(read.expect("read"), b"\0abc\0");
    host.unlock(again(&file)).expect("no trap");
    HostBlockFile::drop(&mut host, file).expect("no trap");
    let removed = host.remove_block_file("p/index".to_owned());
    removed.expect("no trap").expect("removed");
}

#[test]
fn a_handle_that_is_dropped_is_unlocked_and_so_are_those_of_a_component_that_stopped() {
    let folder = Folder::new("dropped");
    let mut first = folder.host();
    let mut second = folder.host();
    let file = open(&mut first);
    let other = open(&mut second);
    first.lock(again(&file)).expect("no trap").expect("locked");
    let lock = second.lock(again(&other)).expect("no trap");
    assert!(matches!(lock, Err(Answered::Busy)));
    HostBlockFile::drop(&mut first, file).expect("no trap");
    let lock = second.lock(again(&other)).expect("no trap");
    assert_eq!(lock.expect("locked"), 0);
    let part = second.commit(again(&other), Vec::new(), Vec::new(), 0, false);
    part.expect("no trap").expect("a part");
    // What a session does with it after a trap: the ports go on, the resources do not.
    let only_ports = |host: HostState| host.ports;
    let mut ports = only_ports(second);
    let opened = ports.storage.open_block_file("p/index");
    let mut opened = opened.expect("opened");
    assert_eq!(opened.lock(), Ok(0));
    drop(opened);
    assert_eq!(
        fs::read_dir(folder.0.join("p")).expect("a folder").count(),
        0
    );
}

#[test]
fn what_carries_more_than_the_contract_allows_is_an_error_and_no_short_read() {
    let folder = Folder::new("bounds");
    let mut host = folder.host();
    let file = open(&mut host);
    host.lock(again(&file)).expect("no trap").expect("locked");
    let too_much = MAX_BYTES_PER_READ + 1;
    let read = host.read(again(&file), 0, too_much).expect("no trap");
    assert!(matches!(read, Err(Answered::Other(_))));
    let data = vec![0; too_much as usize];
    let extents = vec![storage::Extent {
        offset: 0,
        length: too_much,
    }];
    let committed = host.commit(again(&file), extents, data.clone(), 0, true);
    assert!(matches!(
        committed.expect("no trap"),
        Err(Answered::Other(_))
    ));
    let writer = host.start().expect("no trap").expect("started");
    let written = HostObjectWriter::write(&mut host, again(&writer), data).expect("no trap");
    assert!(matches!(written, Err(Answered::Other(_))));
    let got = host
        .get_object("0".repeat(64), 0, too_much)
        .expect("no trap");
    assert!(matches!(got, Err(Answered::Other(_))));
    HostObjectWriter::drop(&mut host, writer).expect("no trap");
    let incoming = fs::read_dir(folder.0.join("objects/incoming"));
    assert_eq!(incoming.expect("a folder").count(), 0);
}

#[test]
fn an_object_is_written_listed_read_and_removed() {
    let folder = Folder::new("objects");
    let mut host = folder.host();
    let writer = host.start().expect("no trap").expect("started");
    let written = HostObjectWriter::write(&mut host, again(&writer), b"abc".to_vec());
    written.expect("no trap").expect("written");
    let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let finished = host.finish(again(&writer), name.to_owned());
    finished.expect("no trap").expect("finished");
    let listed = host
        .list_objects(None, 10)
        .expect("no trap")
        .expect("listed");
    assert_eq!((listed.len(), listed[0].size), (1, 3));
    assert_eq!(listed[0].sha256, name);
    let got = host.get_object(name.to_owned(), 1, 8 * 1024 * 1024);
    assert_eq!(got.expect("no trap").expect("read"), b"bc");
    let removed = host.remove_object(name.to_owned());
    removed.expect("no trap").expect("removed");
    let removed = host.remove_object(name.to_owned()).expect("no trap");
    assert!(matches!(removed, Err(Answered::NotFound)));
}

#[test]
fn without_a_data_folder_every_call_is_denied() {
    let mut host = HostState::new(
        Ports::with_storage(GrantedFolders::new()),
        Limits::default(),
    );
    let denied = |answer: Option<Answered>| assert!(matches!(answer, Some(Answered::AccessDenied)));
    denied(host.open_block_file("x".into()).expect("no trap").err());
    denied(host.remove_block_file("x".into()).expect("no trap").err());
    denied(host.start().expect("no trap").err());
    denied(
        host.get_object("0".repeat(64), 0, 1)
            .expect("no trap")
            .err(),
    );
    denied(host.list_objects(None, 1).expect("no trap").err());
    denied(host.remove_object("0".repeat(64)).expect("no trap").err());
}

#[test]
fn a_handle_that_is_gone_ends_the_call_and_not_the_process() {
    let folder = Folder::new("gone");
    let mut host = folder.host();
    let file = open(&mut host);
    let gone = again(&file);
    HostBlockFile::drop(&mut host, file).expect("no trap");
    assert!(host.lock(gone).is_err());
    assert!(host.size(Resource::new_borrow(77)).is_err());
}
