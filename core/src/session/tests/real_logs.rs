//! Logs that real Pi wrote, where they are at hand beside the repository.

use super::*;

/// Entries, messages of the projection and leaves of a log.
type Counts = (usize, usize, usize);

#[test]
fn logs_that_pi_wrote_are_read_whole_and_without_damage() {
    let cases: [(&str, u64, Counts); 4] = [
        ("pi-mono-before-compaction.jsonl", 1, (1_002, 446, 1)),
        ("pi-mono-large-session.jsonl", 1, (1_018, 914, 1)),
        ("sample-pi-session-default-compaction.jsonl", 3, (24, 5, 1)),
        ("sample-pi-session.jsonl", 3, (63, 13, 2)),
    ];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/pi");
    for (name, version, counts) in cases {
        let Ok(bytes) = std::fs::read(folder.join(name)) else {
            println!("passed over: ../shared/data/pi/{name} is not there");
            continue;
        };
        let log = read(&bytes);
        let projection = project(&log, &branch(&log, None));
        assert_eq!(
            (
                log.entries().len(),
                projection.messages.len(),
                Tree::of(&log).leaves().len()
            ),
            counts,
            "{name}"
        );
        assert_eq!(log.header().unwrap().version, version, "{name}");
        assert_eq!(damage_of(&log), [""; 0], "{name}");
        assert_eq!(
            detect_format(&bytes),
            Some(LogFormat::PiSessionV3),
            "{name}"
        );
        assert!(projection.model.is_some(), "{name}");
        assert_eq!(log.lines() as usize, log.entries().len() + 1, "{name}");
        let held: usize = log
            .entries()
            .iter()
            .filter_map(Entry::message)
            .map(crate::message::Message::held_bytes)
            .sum();
        assert!(held < bytes.len(), "{name} holds {held} bytes");
    }
}
