//! The commands `search`, `index` and `health` as a person runs them, and the width of everything that is shown.

mod common;

use std::fs;

use common::program::{COLUMNS, answer, assert_bad_input, columns, run, text};
use common::{Folder, pi_log};

/// Messages of a person and an answer that shares no word with its question.
fn zebrafish_log() -> String {
    let mut log =
        String::from("{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/work\"}\n");
    let mut parent = "null".to_owned();
    let mut message = |id: &str, role: &str, said: &str| {
        log.push_str(&format!(
            "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"message\":{{\"role\":\"{role}\",\"content\":[{{\"type\":\"text\",\"text\":\"{said}\"}}]}}}}\n"
        ));
        parent = format!("\"{id}\"");
    };
    for part in 0..12 {
        message(
            &format!("p{part}"),
            "user",
            &format!("Look at part {part} of the parser"),
        );
    }
    message("asked", "user", "Why does the zebrafish pipeline stop?");
    message(
        "told",
        "assistant",
        "The seed was stale, so nothing matched.",
    );
    log
}

fn assert_narrow(shown: &str, words: &[&str]) {
    for line in shown.lines() {
        assert!(columns(line) <= COLUMNS, "{words:?}: {line:?}");
    }
}

#[test]
fn every_help_fits_eighty_columns() {
    let folder = Folder::new();
    for command in [
        "", "plan", "inspect", "search", "index", "health", "redact", "config",
    ] {
        for flag in ["--help", "-h"] {
            let words: Vec<&str> = [command, flag]
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect();
            let help = answer(&folder, &words);
            assert!(help.contains("Examples:"), "{words:?}");
            assert_narrow(&help, &words);
        }
    }
}

#[test]
fn every_table_fits_eighty_columns_whatever_stands_in_the_log() {
    let folder = Folder::new();
    let data = folder.path().join("a-folder-with-a-long-name/".repeat(6));
    let data = data.to_str().expect("UTF-8");
    let long = |log: String| log.replace("\"d000", "\"d-an-entry-of-a-very-long-name-indeed-000");
    folder.write("short.jsonl", &pi_log(1, 10));
    folder.write("zebrafish.jsonl", &zebrafish_log());
    folder.write(
        &format!("{}.jsonl", "long-name-".repeat(12)),
        &long(pi_log(300, 800)),
    );
    for entry in fs::read_dir(folder.path()).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let log = name.to_str().expect("UTF-8");
        if !log.ends_with(".jsonl") {
            continue;
        }
        for words in [
            vec!["plan"],
            vec!["plan", "--window", "20000"],
            vec!["plan", "--window", "20000", "--explain"],
            vec!["plan", "--explain"],
            vec!["inspect"],
            vec!["index", "--data-dir", data],
            vec!["health", "--data-dir", data],
            vec!["search", "Question 7 line zebrafish file-3"],
            vec!["search", "the of"],
        ] {
            let words = [words.as_slice(), &["--session", log]].concat();
            let shown = run(&folder, &words);
            assert_ne!(
                shown.status.code(),
                Some(2),
                "{words:?}: {}",
                text(&shown.stderr)
            );
            assert_narrow(&text(&shown.stdout), &words);
        }
    }
}

#[test]
fn index_and_health_name_the_folder() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(2, 10));
    let data = folder.path().join("data");
    for command in ["index", "health"] {
        let table = answer(&folder, &[command, "--session", "log.jsonl"]);
        let unwrapped: String = table.split_whitespace().collect();
        let place = format!("Kept context.db in {} Size", data.display());
        let place: String = place.split_whitespace().collect();
        assert!(unwrapped.contains(&place), "{place}: {table}");
    }
}

#[test]
fn a_hit_that_only_stands_beside_a_match_is_marked() {
    let folder = Folder::new();
    folder.write("log.jsonl", &zebrafish_log());
    let found = answer(
        &folder,
        &["search", "--session", "log.jsonl", "zebrafish pipeline"],
    );
    let line = |id: &str| {
        let mut lines = found.lines();
        lines
            .find(|line| line.split_whitespace().nth(1) == Some(id))
            .unwrap_or_else(|| panic!("{id}: {found}"))
    };
    assert!(!line("asked").contains("beside a match"), "{found}");
    assert!(line("told").contains("beside a match"), "{found}");
}

#[test]
fn a_question_that_asks_for_nothing_is_told_what_could_be_asked() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(300, 800));
    let says = "nothing to search for";
    let searched = answer(&folder, &["search", "--session", "log.jsonl", "what is it"]);
    assert!(searched.to_lowercase().contains(says), "{searched}");
    assert!(searched.contains("an identifier or a date"), "{searched}");

    let mut log = pi_log(300, 800);
    log.push_str(
        "{\"type\":\"message\",\"id\":\"last\",\"parentId\":\"d000012b\",\"message\":{\"role\":\"user\",\"content\":\"What is it?\"}}\n",
    );
    folder.write("log.jsonl", &log);
    let planned = answer(
        &folder,
        &["plan", "--session", "log.jsonl", "--window", "20000"],
    );
    assert!(
        planned.contains(&format!("the request has {says}")),
        "{planned}"
    );
}

#[test]
fn a_file_of_questions_is_read_as_other_programs_write_it() {
    let folder = Folder::new();
    folder.write("log.jsonl", &zebrafish_log());
    folder.write(
        "questions.jsonl",
        "\u{feff}{\"id\":1,\"query\":\"zebrafish \\ud800\"}\r\n\r\n{\"id\":2,\"query\":\"pipeline\"}\r\n",
    );
    let words = [
        "search",
        "--session",
        "log.jsonl",
        "--queries",
        "questions.jsonl",
    ];
    let answers = answer(&folder, &words);
    assert_eq!(answers.lines().count(), 2);
    for line in answers.lines() {
        assert!(line.contains("\"asked\""), "{line}");
    }
    assert_eq!(
        answer(&folder, &[words.as_slice(), &["--native"]].concat()),
        answers
    );

    folder.write(
        "bad.jsonl",
        "{\"id\":1,\"query\":\"x\"}\n{}\n[\n1\n2\n3\n4\n",
    );
    assert_bad_input(
        &folder,
        &["search", "--session", "log.jsonl", "--queries", "bad.jsonl"],
        "bad.jsonl, lines 2, 3, 4, 5, 6 and 1 more: not",
    );
    assert_bad_input(
        &folder,
        &["search", "--session", "log.jsonl", "--stats", "zebrafish"],
        "--stats",
    );
}

#[test]
fn the_smallest_change_names_what_has_to_be_said() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(300, 800));
    let explained = |window: &str| {
        answer(
            &folder,
            &[
                "plan",
                "--session",
                "log.jsonl",
                "--explain",
                "--window",
                window,
            ],
        )
    };
    // With the band a budget is a bound; and a larger window is of no use without a budget.
    let roomy = explained("200000");
    assert!(
        roomy.contains("(--budget):") && roomy.contains("  at most "),
        "{roomy}"
    );
    let narrow = explained("20000");
    assert!(
        narrow.contains("(--window, --budget):") && narrow.contains(" / "),
        "{narrow}"
    );
}
