//! Objects: named by what they hold, whole or not there.

use super::*;
use crate::ports::MAX_BYTES_PER_READ;

const HOUR: Duration = Duration::from_secs(60 * 60);

fn sha256(content: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    hex::hex(&Sha256::digest(content))
}

fn put(data: &DataFolder, content: &[u8]) -> String {
    let name = sha256(content);
    let mut writer = data.start_object().expect("started");
    writer.write(content).expect("written");
    writer.finish(&name).expect("finished");
    name
}

#[test]
fn an_object_is_read_back_in_pieces() {
    let disk = Disk::new();
    let data = disk.data();
    let name = sha256(b"0123456789");
    let mut writer = data.start_object().expect("started");
    writer.write(b"01234").expect("written");
    writer.write(b"").expect("written");
    writer.write(b"56789").expect("written");
    assert_eq!(data.get_object(&name, 0, 10), Err(StorageError::NotFound));
    writer.finish(&name).expect("finished");
    assert_eq!(data.get_object(&name, 0, 4), Ok(b"0123".to_vec()));
    assert_eq!(data.get_object(&name, 8, 4), Ok(b"89".to_vec()));
    assert_eq!(data.get_object(&name, 10, 4), Ok(Vec::new()));
    assert_eq!(data.get_object(&name, u64::MAX, 4), Ok(Vec::new()));
    assert_eq!(
        disk.read(&format!("objects/{}/{name}", &name[..2])),
        b"0123456789"
    );
    assert!(names_in(&disk.path("objects/incoming")).is_empty());
}

#[test]
fn finishing_is_idempotent_and_writing_the_same_again_too() {
    let disk = Disk::new();
    let data = disk.data();
    let name = put(&data, b"content");
    assert_eq!(put(&data, b"content"), name);
    let mut writer = data.start_object().expect("started");
    writer.write(b"content").expect("written");
    assert_eq!(writer.finish(&name), Ok(()));
    assert_eq!(writer.finish(&name), Ok(()));
    assert!(matches!(
        writer.finish(&sha256(b"other")),
        Err(StorageError::Corrupt(_))
    ));
    assert!(matches!(writer.write(b"x"), Err(StorageError::Other(_))));
    drop(writer);
    assert_eq!(data.get_object(&name, 0, 100), Ok(b"content".to_vec()));
    assert_eq!(data.list_objects(None, 10).expect("listed").len(), 1);
}

#[test]
fn an_object_with_another_hash_is_refused_and_removed() {
    let disk = Disk::new();
    let data = disk.data();
    let wrong = [
        sha256(b"other"),
        sha256(b"content").to_uppercase(),
        String::new(),
        "../../x".to_owned(),
    ];
    for name in wrong {
        let mut writer = data.start_object().expect("started");
        writer.write(b"content").expect("written");
        let finished = writer.finish(&name);
        assert!(
            matches!(finished, Err(StorageError::Corrupt(_))),
            "{finished:?}"
        );
        assert!(names_in(&disk.path("objects/incoming")).is_empty());
        assert!(writer.write(b"x").is_err() && writer.finish(&name).is_err());
    }
    assert_eq!(data.list_objects(None, 10), Ok(Vec::new()));
}

#[test]
fn an_object_that_is_not_finished_is_removed() {
    let disk = Disk::new();
    let mut writer = disk.data().start_object().expect("started");
    writer.write(b"content").expect("written");
    assert_eq!(names_in(&disk.path("objects/incoming")).len(), 1);
    drop(writer);
    assert!(names_in(&disk.path("objects/incoming")).is_empty());
}

#[test]
fn names_that_are_no_hash_are_refused() {
    let disk = Disk::new();
    let data = disk.data();
    let name = put(&data, b"content");
    let too_short = name[1..].to_owned();
    for wrong in [
        "",
        "..",
        "x",
        &name.to_uppercase(),
        &too_short,
        &format!("{name}0"),
    ] {
        let denied = StorageError::AccessDenied;
        assert_eq!(data.get_object(wrong, 0, 1), Err(denied.clone()), "{wrong}");
        assert_eq!(data.remove_object(wrong), Err(denied), "{wrong}");
    }
    let missing = sha256(b"missing");
    assert_eq!(data.get_object(&missing, 0, 1), Err(StorageError::NotFound));
    assert_eq!(data.remove_object(&missing), Err(StorageError::NotFound));
    assert_eq!(data.remove_object(&name), Ok(()));
    assert_eq!(data.remove_object(&name), Err(StorageError::NotFound));
}

#[test]
fn one_call_carries_no_more_than_the_contract_says() {
    let disk = Disk::new();
    let data = disk.data();
    let too_much = vec![0; MAX_BYTES_PER_READ as usize + 1];
    let mut writer = data.start_object().expect("started");
    assert!(matches!(
        writer.write(&too_much),
        Err(StorageError::Other(_))
    ));
    // Nothing of it was written, so the writer goes on.
    let most = &too_much[1..];
    writer.write(most).expect("written");
    let name = sha256(most);
    writer.finish(&name).expect("finished");
    let read = data.get_object(&name, 0, MAX_BYTES_PER_READ);
    assert_eq!(read.expect("read").len(), most.len());
    assert!(matches!(
        data.get_object(&name, 0, MAX_BYTES_PER_READ + 1),
        Err(StorageError::Other(_))
    ));
}

#[test]
fn a_listing_is_in_order_and_goes_on_where_it_stopped() {
    let disk = Disk::new();
    let data = disk.data();
    assert_eq!(data.list_objects(None, 10), Ok(Vec::new()));
    assert!(disk.names().is_empty());
    let mut names: Vec<String> = (0..300u32)
        .map(|number| put(&data, &number.to_le_bytes()))
        .collect();
    names.sort();
    let all = data.list_objects(None, u32::MAX).expect("listed");
    assert!(all.iter().all(|object| object.size == 4));
    let listed: Vec<String> = all.into_iter().map(|object| object.sha256).collect();
    assert_eq!(listed, names);
    for limit in [1, 7, 300] {
        let mut seen: Vec<String> = Vec::new();
        loop {
            let page = data
                .list_objects(seen.last().map(String::as_str), limit)
                .expect("listed");
            assert!(page.len() <= limit as usize);
            if page.is_empty() {
                break;
            }
            seen.extend(page.into_iter().map(|object| object.sha256));
        }
        assert_eq!(seen, names, "{limit}");
    }
    assert_eq!(data.list_objects(None, 0), Ok(Vec::new()));
    // What `after` is need not be an object.
    for (after, expected) in [("", 300), ("g", 0), ("ä", 0), ("0", 300)] {
        let listed = data.list_objects(Some(after), 1000).expect("listed");
        assert_eq!(listed.len(), expected, "{after}");
    }
}

#[test]
fn a_listing_names_objects_in_their_right_folder_only() {
    let disk = Disk::new();
    let data = disk.data();
    let name = put(&data, b"content");
    let folder = format!("objects/{}", &name[..2]);
    let other = if name.starts_with("00") { "01" } else { "00" };
    fs::create_dir(disk.path(&format!("objects/{other}"))).expect("a folder");
    disk.write(&format!("objects/{other}/{name}"), b"wrong folder");
    disk.write(&format!("{folder}/{}", name.to_uppercase()), b"upper case");
    disk.write(&format!("{folder}/{name}.bak"), b"longer");
    disk.write(&format!("{folder}/.hidden"), b"hidden");
    let sub = format!("{}{}", &name[..2], "0".repeat(62));
    fs::create_dir(disk.path(&format!("{folder}/{sub}"))).expect("a folder");
    disk.write("objects/README", b"a file");
    let listed = data.list_objects(None, 100).expect("listed");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].sha256, name);
    assert_eq!(data.get_object(&sub, 0, 1), Err(StorageError::AccessDenied));
}

#[test]
fn what_writers_that_died_left_is_removed_after_a_day() {
    let disk = Disk::new();
    let data = disk.data();
    drop(data.start_object().expect("started"));
    let nonce = |digit: &str| format!("objects/incoming/{}", digit.repeat(32));
    disk.write_aged(&nonce("a"), b"old", 25 * HOUR);
    disk.write_aged(&nonce("b"), b"young", 23 * HOUR);
    disk.write_aged("objects/incoming/other", b"not ours", 25 * HOUR);
    disk.write(&nonce("c"), b"future");
    disk.set_modified(&nonce("c"), SystemTime::now() + 25 * HOUR);
    drop(data.start_object().expect("started"));
    assert_eq!(
        names_in(&disk.path("objects/incoming")),
        ["b".repeat(32), "c".repeat(32), "other".to_owned()]
    );
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_an_object_is_not_followed() {
    let disk = Disk::new();
    let data = disk.data();
    let name = put(&data, b"content");
    let path = disk.path(&format!("objects/{}/{name}", &name[..2]));
    fs::remove_file(&path).expect("removed");
    disk.write("secret", b"secret");
    std::os::unix::fs::symlink(disk.path("secret"), &path).expect("a link");
    assert_eq!(
        data.get_object(&name, 0, 9),
        Err(StorageError::AccessDenied)
    );
    assert_eq!(data.list_objects(None, 9), Ok(Vec::new()));
    // The next writer of the same content puts it right.
    assert_eq!(put(&data, b"content"), name);
    assert_eq!(data.get_object(&name, 0, 9), Ok(b"content".to_vec()));
    assert_eq!(disk.read("secret"), b"secret");
}
