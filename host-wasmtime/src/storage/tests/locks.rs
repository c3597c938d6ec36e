//! Who holds a file, and when that is over.

use std::sync::atomic::AtomicBool;

use super::*;

const MINUTE: Duration = Duration::from_secs(60);
const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_lock_says_who_holds_it() {
    let disk = Disk::new();
    let mut file = disk.open();
    file.lock().expect("locked");
    let lock = String::from_utf8(disk.read("index.lock")).expect("text");
    let began =
        process::beginning().map_or_else(String::new, |began| format!(r#""began":"{began}","#));
    let start = format!(
        r#"{{"pid":{},"host":"{}",{began}"nonce":""#,
        std::process::id(),
        process::host()
    );
    let rest = lock.strip_prefix(&start).expect("the start");
    let nonce = rest.strip_suffix("\"}").expect("the end");
    assert!(hex::is_hex(nonce, 32), "{nonce}");
    file.unlock();
    assert!(disk.names().is_empty());
}

#[test]
fn a_process_takes_the_file_once() {
    let disk = Disk::new();
    let (mut first, mut second) = (disk.open(), disk.open());
    first.lock().expect("locked");
    assert_eq!(first.lock(), Err(StorageError::Busy));
    assert_eq!(second.lock(), Err(StorageError::Busy));
    // A handle that holds nothing gives nothing back.
    second.unlock();
    drop(second);
    assert!(disk.has("index.lock"));
    first.unlock();
    first.unlock();
    assert_eq!(disk.open().lock(), Ok(0));
}

#[test]
fn a_dropped_handle_has_given_the_lock_back() {
    let disk = Disk::new();
    let mut file = disk.open();
    file.lock().expect("locked");
    drop(file);
    assert!(disk.names().is_empty());
}

#[test]
fn other_files_are_not_concerned() {
    let disk = Disk::new();
    let mut file = disk.open();
    file.lock().expect("locked");
    let mut other = disk.data().block_file("other").expect("opened");
    assert_eq!(other.lock(), Ok(0));
}

/// Whether a lock that was found like this is taken over. Where not, it must be as it was.
fn is_taken_over(content: &[u8], modified: SystemTime) -> bool {
    let disk = Disk::new();
    disk.write("index.lock", content);
    disk.set_modified("index.lock", modified);
    let mut file = disk.open();
    match file.lock() {
        Ok(_) => {
            assert_eq!(disk.names(), ["index.lock"]);
            assert_ne!(disk.read("index.lock"), content);
            true
        }
        Err(error) => {
            assert_eq!(error, StorageError::Busy);
            assert_eq!(disk.names(), ["index.lock"]);
            assert_eq!(disk.read("index.lock"), content);
            false
        }
    }
}

#[test]
fn the_lock_of_a_process_that_is_gone_is_taken_over_at_once() {
    let now = SystemTime::now();
    assert!(is_taken_over(&dead_lock(), now));
    // Nobody can tell of a process on another host, or in another namespace.
    assert!(!is_taken_over(&lock_of(dead_pid(), "elsewhere"), now));
    assert!(!is_taken_over(&lock_of(dead_pid(), "elsewhere#1"), now));
    // A number that no process can have by now, and this process, which lives.
    let host = process::host();
    assert!(is_taken_over(&lock_of(i32::MAX as u32, &host), now));
    assert!(!is_taken_over(&lock_of(std::process::id(), &host), now));
    assert!(!is_taken_over(&lock_of(1, &host), now));
}

#[test]
fn a_lock_that_nobody_touched_for_a_minute_is_taken_over_where_its_process_is_unknown() {
    let now = SystemTime::now();
    for lock in [
        lock_of(std::process::id(), &process::host()),
        lock_of(1, "elsewhere"),
    ] {
        assert!(is_taken_over(&lock, now - MINUTE - SECOND));
        assert!(is_taken_over(&lock, SystemTime::UNIX_EPOCH));
        assert!(!is_taken_over(&lock, now - MINUTE + 10 * SECOND));
        // A clock was wrong: a time in the future counts as touched just now.
        assert!(!is_taken_over(&lock, now + MINUTE));
        assert!(!is_taken_over(&lock, now + 1_000_000 * MINUTE));
    }
}

/// A process that stood still, as all do on a laptop that was closed: it may go on in the middle of a write.
#[cfg(target_os = "linux")]
#[test]
fn the_lock_of_a_process_that_lives_is_never_taken_over() {
    let own = std::process::id();
    let began = process::beginning().expect("shown on Linux");
    for modified in [
        SystemTime::now(),
        SystemTime::now() - 2 * MINUTE,
        SystemTime::UNIX_EPOCH,
    ] {
        assert!(!is_taken_over(&lock_since(own, began), modified));
        // Its number was given to another process since.
        assert!(is_taken_over(&lock_since(own, "another boot/1"), modified));
        assert!(is_taken_over(&lock_since(1, began), modified));
        assert!(is_taken_over(&lock_since(dead_pid(), began), modified));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_takeover_is_given_up_once_its_maker_is_gone_and_not_before() {
    let disk = Disk::new();
    disk.write("index.lock", &dead_lock());
    let began = process::beginning().expect("shown on Linux");
    let living = lock_since(std::process::id(), began);
    disk.write_aged("index.takeover", &living, MINUTE);
    assert_eq!(disk.open().lock(), Err(StorageError::Busy));
    assert_eq!(disk.read("index.takeover"), living);
    disk.write("index.takeover", &lock_since(dead_pid(), began));
    assert_eq!(disk.open().lock(), Err(StorageError::Busy));
    assert_eq!(disk.names(), ["index.lock"]);
    assert_eq!(disk.open().lock(), Ok(0));
}

#[test]
fn a_takeover_that_was_given_up_leaves_that_of_another_process_alone() {
    let disk = Disk::new();
    let folder = disk.data().open([]).expect("a folder");
    let nonce = hex::nonce().expect("random");
    let mine = takeover::Takeover::begin(&folder, "index.takeover", &nonce)
        .expect("no failure")
        .expect("nobody takes over");
    assert!(mine.stands());
    assert!(
        disk.read("index.takeover")
            .ends_with(format!("{nonce}\"}}").as_bytes())
    );
    fs::remove_file(disk.path("index.takeover")).expect("given up");
    disk.write("index.takeover", b"another process's");
    assert!(!mine.stands());
    drop(mine);
    assert_eq!(disk.read("index.takeover"), b"another process's");
    fs::remove_file(disk.path("index.takeover")).expect("removed");
    drop(takeover::Takeover::begin(&folder, "index.takeover", &nonce).expect("no failure"));
    assert!(disk.names().is_empty());
}

#[test]
fn a_lock_that_does_not_parse_is_left_alone_for_two_seconds() {
    let now = SystemTime::now();
    let host = process::host();
    let whole = String::from_utf8(lock_of(7, &host)).expect("text");
    let mut wrong: Vec<Vec<u8>> = [
        "",
        "{}",
        "null",
        "not JSON",
        "\0\0\0\0",
        r#"{"pid":7,"host":"x"}"#,
        r#"{"pid":7,"host":"x","nonce":"short"}"#,
        r#"{"pid":7,"host":5,"nonce":"0123456789abcdef0123456789abcdef"}"#,
        r#"{"pid":"7","host":"x","nonce":"0123456789abcdef0123456789abcdef"}"#,
        r#"{"pid":7,"host":"x","nonce":"0123456789ABCDEF0123456789ABCDEF"}"#,
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    for pid in ["0", "-1", "1.5", "2147483648", "99999999999999999999"] {
        wrong.push(
            whole
                .replace("\"pid\":7", &format!("\"pid\":{pid}"))
                .into_bytes(),
        );
    }
    wrong.push(whole.as_bytes()[..whole.len() - 1].to_vec());
    wrong.push(vec![b' '; 100_000]);
    wrong.push(vec![0xff; 40]);
    for content in wrong {
        let text = String::from_utf8_lossy(&content[..content.len().min(100)]).into_owned();
        assert!(!is_taken_over(&content, now), "{text}");
        assert!(is_taken_over(&content, now - 3 * SECOND), "{text}");
        assert!(!is_taken_over(&content, now + MINUTE), "{text}");
    }
}

#[test]
fn only_one_process_takes_over_at_a_time() {
    let disk = Disk::new();
    disk.write("index.lock", &dead_lock());
    disk.write_aged("index.takeover", b"", 5 * SECOND);
    assert_eq!(disk.open().lock(), Err(StorageError::Busy));
    assert!(disk.has("index.takeover"));
    // One that died while it took over.
    disk.write_aged("index.takeover", b"", 11 * SECOND);
    assert_eq!(disk.open().lock(), Err(StorageError::Busy));
    assert_eq!(disk.names(), ["index.lock"]);
    assert_eq!(disk.open().lock(), Ok(0));
    // Without a stale lock nobody cares for it.
    disk.write("index.takeover", b"");
    assert_eq!(disk.open().lock(), Ok(0));
}

#[test]
fn threads_that_fight_over_one_stale_lock_never_hold_it_together() {
    let disk = Disk::new();
    let lock = dead_lock();
    let held = AtomicBool::new(false);
    let taken = AtomicU32::new(0);
    for _ in 0..50 {
        disk.write("index.lock", &lock);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut file = disk.open();
                    for _ in 0..40 {
                        if file.lock().is_ok() {
                            assert!(!held.swap(true, Ordering::SeqCst), "held twice");
                            std::thread::yield_now();
                            held.store(false, Ordering::SeqCst);
                            taken.fetch_add(1, Ordering::SeqCst);
                            file.unlock();
                        }
                    }
                });
            }
        });
        assert!(disk.names().is_empty(), "{:?}", disk.names());
    }
    assert!(taken.load(Ordering::SeqCst) >= 50);
}

/// A handle in a transaction whose lock was last touched a while ago.
fn in_transaction(disk: &Disk, ago: Duration) -> StoredBlockFile {
    let mut file = disk.open();
    file.lock().expect("locked");
    let past = SystemTime::now() - ago;
    disk.set_modified("index.lock", past);
    let transaction = file.transaction.as_mut().expect("in a transaction");
    transaction.lock.set_touched(past);
    file
}

#[test]
fn every_call_of_the_holder_keeps_the_lock_fresh() {
    let disk = Disk::new();
    let calls: [fn(&mut StoredBlockFile); 3] = [
        |file| assert!(file.size().is_ok()),
        |file| assert!(file.read(0, 1).is_ok()),
        |file| assert!(commit(file, &[], 0).is_ok()),
    ];
    for call in calls {
        let mut file = in_transaction(&disk, 30 * SECOND);
        call(&mut file);
        let modified = fs::metadata(disk.path("index.lock")).and_then(|found| found.modified());
        let age = modified.expect("a time").elapsed().unwrap_or_default();
        assert!(age < 10 * SECOND, "{age:?}");
    }
    // At most once a second.
    let mut file = in_transaction(&disk, Duration::ZERO);
    let past = SystemTime::now() - 30 * SECOND;
    disk.set_modified("index.lock", past);
    file.size().expect("a size");
    let modified = fs::metadata(disk.path("index.lock")).and_then(|found| found.modified());
    assert!(modified.expect("a time") <= past + SECOND);
}

#[test]
fn a_holder_that_was_taken_for_dead_reads_and_writes_nothing_more() {
    let disk = Disk::new();
    commit_once(&mut disk.open(), &[(0, b"old")], 3);
    let mut slow = in_transaction(&disk, Duration::ZERO);
    // As a system writes it that does not show when a process began.
    let lock = String::from_utf8(disk.read("index.lock")).expect("text");
    let began =
        process::beginning().map_or_else(String::new, |began| format!(r#""began":"{began}","#));
    let past = SystemTime::now() - MINUTE - SECOND;
    disk.write("index.lock", lock.replace(&began, "").as_bytes());
    disk.set_modified("index.lock", past);
    let transaction = slow.transaction.as_mut().expect("in a transaction");
    transaction.lock.set_touched(past);
    let mut other = disk.open();
    assert_eq!(other.lock(), Ok(1));
    let lock = disk.read("index.lock");
    assert_eq!(slow.read(0, 3), Err(StorageError::Busy));
    assert_eq!(slow.size(), Err(StorageError::Busy));
    assert_eq!(
        commit(&mut slow, &[(0, b"bad")], 3),
        Err(StorageError::Busy)
    );
    slow.unlock();
    assert_eq!(disk.read("index.lock"), lock);
    assert_eq!(commit(&mut other, &[(0, b"new")], 3), Ok(2));
    other.unlock();
    assert_eq!(content(&mut slow), Ok((2, b"new".to_vec())));
}

#[test]
fn a_commit_without_its_lock_is_not_applied() {
    // The lock was lost within the second in which nobody looks: step 2 looks all the same.
    let disk = Disk::new();
    commit_once(&mut disk.open(), &[(0, b"old")], 3);
    for stolen in [Some(lock_of(1, "elsewhere")), None] {
        let mut file = in_transaction(&disk, Duration::ZERO);
        match &stolen {
            Some(lock) => disk.write("index.lock", lock),
            None => fs::remove_file(disk.path("index.lock")).expect("removed"),
        }
        assert_eq!(
            commit(&mut file, &[(0, b"bad")], 3),
            Err(StorageError::Busy)
        );
        assert_eq!(file.read(0, 3), Err(StorageError::Busy));
        file.unlock();
        assert_eq!(disk.has("index.lock"), stolen.is_some());
        assert!(!disk.has("index.commit"));
        assert_eq!(disk.read("index"), b"old");
        let _ = fs::remove_file(disk.path("index.lock"));
    }
    assert_eq!(content(&mut disk.open()), Ok((1, b"old".to_vec())));
}

#[test]
fn the_record_of_another_process_is_left_alone() {
    let disk = Disk::new();
    commit_once(&mut disk.open(), &[(0, b"old")], 3);
    // Lost before the record was begun.
    let mut file = in_transaction(&disk, Duration::ZERO);
    disk.write("index.lock", &lock_of(1, "elsewhere"));
    disk.write("index.commit", b"another process writes this");
    assert_eq!(
        commit(&mut file, &[(0, b"bad")], 3),
        Err(StorageError::Busy)
    );
    file.unlock();
    assert_eq!(disk.read("index.commit"), b"another process writes this");
    fs::remove_file(disk.path("index.commit")).expect("removed");
    fs::remove_file(disk.path("index.lock")).expect("removed");
    // Lost between two parts.
    let mut file = in_transaction(&disk, Duration::ZERO);
    let (extents, data) = extents(&[(0, b"bad")]);
    file.commit(&extents, &data, 3, false).expect("a part");
    fs::remove_file(disk.path("index.commit")).expect("removed");
    disk.write("index.lock", &lock_of(1, "elsewhere"));
    disk.write("index.commit", b"another process writes this");
    assert_eq!(
        file.commit(&extents, &data, 3, true),
        Err(StorageError::Busy)
    );
    file.unlock();
    assert_eq!(disk.read("index.commit"), b"another process writes this");
    assert_eq!(disk.read("index"), b"old");
}
