//! A power loss: of what was not synced any part may be there, in any order. What was synced is there.

use super::*;

const PAGE: usize = 64;
const PAGES: usize = 6;
const COUNTER: u64 = 9;

fn pages(letter: u8) -> Vec<u8> {
    (0..PAGES * PAGE)
        .map(|index| letter + u8::try_from(index / PAGE).expect("few pages"))
        .collect()
}

/// A commit that replaces every page, in an order of its own.
fn new_record(new: &[u8]) -> Vec<u8> {
    let order = [3, 0, 5, 1, 4, 2];
    let spans: Vec<(u64, &[u8])> = order
        .iter()
        .map(|page| {
            let start = page * PAGE;
            (start as u64, &new[start..start + PAGE])
        })
        .collect();
    record(&spans, COUNTER + 1, new.len() as u64)
}

#[test]
fn any_choice_of_pages_that_reached_the_disk_is_finished() {
    let (old, new) = (pages(b'a'), pages(b'A'));
    let record = new_record(&new);
    let disk = Disk::new();
    for choice in 0u32..1 << PAGES {
        // Also pages of which one half is there, and ones that are garbage.
        for damage in [None, Some(b'?')] {
            let mut mixture = old.clone();
            for page in (0..PAGES).filter(|page| choice & 1 << page != 0) {
                let start = page * PAGE;
                match damage {
                    None => {
                        mixture[start..start + PAGE].copy_from_slice(&new[start..start + PAGE]);
                    }
                    Some(garbage) => mixture[start + PAGE / 2..start + PAGE].fill(garbage),
                }
            }
            disk.write("index", &mixture);
            disk.write("index.commit", &record);
            disk.write("index.state", &state(COUNTER));
            assert_eq!(
                content(&mut disk.open()),
                Ok((COUNTER + 1, new.clone())),
                "{choice:b}"
            );
        }
    }
}

#[test]
fn a_record_whose_name_or_content_did_not_reach_the_disk_never_was() {
    let (old, new) = (pages(b'a'), pages(b'A'));
    let record = new_record(&new);
    let disk = Disk::new();
    // Step 1 was not over, so no page was written. The record has its length and lacks blocks, or it is short.
    for start in (0..record.len()).step_by(16) {
        let mut with_hole = record.clone();
        let end = record.len().min(start + 16);
        with_hole[start..end].fill(0);
        disk.write("index", &old);
        disk.write("index.state", &state(COUNTER));
        disk.write("index.commit", &with_hole);
        if start == 0 {
            // The version is lost with the magic.
            assert_ne!(&with_hole[..8], b"DS4BLOCK");
        }
        assert_eq!(content(&mut disk.open()), Ok((COUNTER, old.clone())));
    }
    assert_eq!(content(&mut disk.open()), Ok((COUNTER, old)));
}

#[test]
fn a_record_that_comes_back_is_applied_again() {
    // Its removal was not synced, the pages were; the counter may be there or not.
    let new = pages(b'A');
    for counter in [None, Some(COUNTER), Some(COUNTER + 1)] {
        let disk = Disk::new();
        disk.write("index", &new);
        disk.write("index.commit", &new_record(&new));
        if let Some(counter) = counter {
            disk.write("index.state", &state(counter));
        }
        assert_eq!(content(&mut disk.open()), Ok((COUNTER + 1, new.clone())));
        assert_eq!(disk.names(), ["index", "index.state"]);
    }
}

#[test]
fn a_file_whose_name_did_not_reach_the_disk_is_made_again() {
    let new = pages(b'A');
    let disk = Disk::new();
    disk.write("index.commit", &new_record(&new));
    assert_eq!(content(&mut disk.open()), Ok((COUNTER + 1, new)));
}

#[test]
fn a_lost_counter_becomes_one_that_nobody_has_seen() {
    let content_is = pages(b'A');
    let malformed: [Option<&[u8]>; 6] = [
        None,
        Some(b""),
        Some(b"DS4STATE"),
        Some(b"DS4STATE\x01\0\0\0\0\0\0"),
        Some(b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        Some(b"DS4STATE\x01\0\0\0\0\0\0\0\0"),
    ];
    let mut last = 0;
    for bytes in malformed {
        let disk = Disk::new();
        disk.write("index", &content_is);
        if let Some(bytes) = bytes {
            disk.write("index.state", bytes);
        }
        let before = counter::unseen();
        let (counter, pages) = content(&mut disk.open()).expect("opened");
        assert!(counter >= before && counter > last, "{bytes:?}");
        last = counter;
        assert_eq!(pages, content_is);
        assert_eq!(disk.read("index.state"), state(counter), "{bytes:?}");
        assert_eq!(content(&mut disk.open()).expect("again").0, counter);
        let mut file = disk.open();
        assert_eq!(commit_once(&mut file, &[], 0), counter + 1);
    }
}

#[test]
fn an_empty_file_without_a_counter_begins_at_zero() {
    for bytes in [None, Some(b"garbage")] {
        let disk = Disk::new();
        disk.write("index", b"");
        if let Some(bytes) = bytes {
            disk.write("index.state", bytes);
        }
        assert_eq!(content(&mut disk.open()), Ok((0, Vec::new())));
        assert_eq!(commit_once(&mut disk.open(), &[(0, b"x")], 1), 1);
        assert_eq!(disk.read("index.state"), state(1));
    }
}
