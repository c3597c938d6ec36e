//! What the binary `ds4-context` answers, as a person or a script runs it.

mod common;

use std::fs;
use std::path::Path;

use common::program::{COLUMNS, answer, columns};
use common::{Folder, pi_log};

#[test]
fn json_is_the_engines_document_on_one_line_and_the_same_without_webassembly() {
    let folder = Folder::new();
    folder.write("long.jsonl", &pi_log(60, 3_000));
    folder.write("short.jsonl", &pi_log(1, 10));
    for log in ["long.jsonl", "short.jsonl"] {
        for flags in [
            vec!["plan", "--json"],
            vec!["plan", "--json", "--window", "40000"],
            vec![
                "plan",
                "--json",
                "--budget",
                "9000",
                "--model",
                "other/model",
            ],
            vec!["plan", "--json", "--at", "d0000000"],
            vec!["plan", "--explain", "--json", "--window", "40000"],
            vec!["plan", "--manifest", "--now-ms", "1767225700000"],
            vec!["inspect", "--json"],
            vec!["plan"],
            vec!["plan", "--explain", "--window", "40000"],
            vec!["inspect"],
        ] {
            let words = [flags.as_slice(), &["--session", log]].concat();
            let component = answer(&folder, &words);
            let native = answer(&folder, &[words.as_slice(), &["--native"]].concat());
            assert_eq!(component, native, "{words:?}");
            if words.contains(&"--json") {
                assert_eq!(component.matches('\n').count(), 1, "{words:?}");
                assert!(
                    serde_json::from_str::<serde_json::Value>(&component).is_ok(),
                    "{words:?}"
                );
            }
        }
    }
}

/// The sessions beside the repository, where they are: real ones, among them logs of version 1.
#[test]
fn real_sessions_have_a_table_and_the_same_bytes_without_webassembly() {
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/pi");
    let Ok(entries) = fs::read_dir(&sessions) else {
        eprintln!("no sessions in {}: nothing to compare", sessions.display());
        return;
    };
    let folder = Folder::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        let log = path.to_str().expect("UTF-8");
        if !log.ends_with(".jsonl") {
            continue;
        }
        for command in [
            vec!["plan", "--json"],
            vec!["plan", "--explain", "--json", "--window", "64000"],
            vec!["inspect", "--json"],
            vec!["plan"],
            vec!["plan", "--explain"],
            vec!["inspect"],
        ] {
            let words = [command.as_slice(), &["--session", log]].concat();
            let component = answer(&folder, &words);
            let native = answer(&folder, &[words.as_slice(), &["--native"]].concat());
            assert_eq!(component, native, "{words:?}");
            let is_table = !words.contains(&"--json");
            assert!(
                !is_table || component.lines().all(|line| columns(line) <= COLUMNS),
                "{component}"
            );
        }
    }
}

#[test]
fn tables_fit_eighty_columns_and_have_no_colours_in_a_file() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(300, 800));
    for words in [
        vec!["plan", "--session", "log.jsonl"],
        vec![
            "plan",
            "--session",
            "log.jsonl",
            "--window",
            "20000",
            "--explain",
        ],
        vec!["inspect", "--session", "log.jsonl"],
    ] {
        let table = answer(&folder, &words);
        assert!(
            table.lines().count() < 60,
            "hundreds of messages are a few rows: {table}"
        );
        for line in table.lines() {
            assert!(
                columns(line) <= COLUMNS && line.trim_end() == line && !line.contains('\u{1b}'),
                "{words:?}: {line:?}"
            );
        }
    }
    let plan = answer(
        &folder,
        &["plan", "--session", "log.jsonl", "--window", "20000"],
    );
    for part in [
        "Window",
        "Tokens by kind",
        "Left out",
        "the current request",
        "older than the tail",
        "█",
    ] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
}

#[test]
fn branches_are_drawn_as_a_tree() {
    let folder = Folder::new();
    let mut log = pi_log(3, 10);
    log.push_str(
        "{\"type\":\"message\",\"id\":\"branch01\",\"parentId\":\"d0000000\",\"timestamp\":\"2026-01-01T00:00:09.000Z\",\"message\":{\"role\":\"user\",\"content\":\"Another way\",\"timestamp\":1767225609000}}\n",
    );
    folder.write("log.jsonl", &log);
    let table = answer(&folder, &["inspect", "--session", "log.jsonl"]);
    assert!(
        table.contains("Tree, 2 branches") && table.contains("fork at d0000000"),
        "{table}"
    );
    assert!(
        table.contains("├─ ") && table.contains("└─ ") && table.contains("branch01  ← active"),
        "{table}"
    );
}

#[test]
fn damage_is_told_and_the_rest_is_planned() {
    let folder = Folder::new();
    folder.write(
        "log.jsonl",
        &format!("{}not JSON\n{{\"type\":\"mess", pi_log(2, 10)),
    );
    let table = answer(&folder, &["inspect", "--session", "log.jsonl"]);
    assert!(
        table.contains("malformed-line") && table.contains("torn-tail"),
        "{table}"
    );
    answer(&folder, &["plan", "--session", "log.jsonl"]);
}

#[test]
fn the_configuration_is_printed_with_every_default() {
    let folder = Folder::new();
    folder.write("mine.json", "{\"context\":{\"recentTailTokens\":1234}}");
    let printed = answer(&folder, &["config", "--config", "mine.json"]);
    let config: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(config["context"]["recentTailTokens"], 1234);
    assert_eq!(config["context"]["hardLimitRatio"], 0.9);
    // What is printed is itself a valid configuration.
    folder.write("printed.json", &printed);
    assert_eq!(
        answer(&folder, &["config", "--config", "printed.json"]),
        printed
    );
    assert_eq!(
        answer(&folder, &["config", "--config", "mine.json", "--native"]),
        printed
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_the_person_names_is_followed() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("elsewhere")).expect("a folder");
    folder.write("elsewhere/log.jsonl", &pi_log(2, 10));
    std::os::unix::fs::symlink("elsewhere/log.jsonl", folder.path().join("link.jsonl"))
        .expect("a link");
    let table = answer(&folder, &["plan", "--session", "link.jsonl"]);
    assert!(table.contains("Session  link,"), "{table}");
}

#[test]
fn help_has_examples_for_every_command() {
    let folder = Folder::new();
    for words in [
        ["--help"].as_slice(),
        &["plan", "--help"],
        &["inspect", "--help"],
        &["config", "--help"],
    ] {
        let help = answer(&folder, words);
        assert!(
            help.contains("Examples:") && help.contains("ds4-context"),
            "{help}"
        );
        for line in help.lines() {
            assert!(columns(line) <= COLUMNS, "{words:?}: {line:?}");
        }
    }
    assert!(answer(&folder, &["--version"]).starts_with("ds4-context 0."));
}

#[test]
fn runtime_logs_are_known_by_their_first_line() {
    let folder = Folder::new();
    folder.write(
        "log.jsonl",
        concat!(
            "{\"type\":\"ds4-runtime-session-v1\",\"runtimeId\":\"r\",\"sessionId\":\"s\",\"projectRoot\":\"/work\"}\n",
            "{\"type\":\"message\",\"message\":{\"id\":\"s:e1\",\"sourceEntryId\":\"e1\",\"role\":\"user\",\"blocks\":[{\"type\":\"text\",\"text\":\"Hello runtime\"}],\"provenance\":{\"source\":\"runtime-session\",\"sessionId\":\"s\",\"entryId\":\"e1\"},\"flags\":{}}}\n",
        ),
    );
    let document = answer(&folder, &["plan", "--session", "log.jsonl", "--json"]);
    assert!(document.contains("Hello runtime"), "{document}");
    assert_eq!(
        answer(
            &folder,
            &[
                "plan",
                "--session",
                "log.jsonl",
                "--json",
                "--format",
                "runtime"
            ]
        ),
        document
    );
}
