//! What the binary `ds4-context` does with bad input, without a plan and without a reader; and that it writes nothing.

mod common;

use std::fs;
use std::process::Stdio;

use common::program::{all_files, answer, assert_bad_input, command, run, text};
use common::{Folder, pi_log};

#[test]
fn what_a_log_wrote_cannot_move_the_cursor() {
    let folder = Folder::new();
    let log = pi_log(1, 10)
        .replace("\"cwd\":\"/work\"", "\"cwd\":\"/wo\\u001b[31mrk\\u202e\"")
        .replace(
            "\"provider\":\"p\"",
            "\"provider\":\"p\\u001b]0;title\\u0007\"",
        );
    folder.write("log.jsonl", &log);
    for words in [
        ["plan", "--session", "log.jsonl"],
        ["inspect", "--session", "log.jsonl"],
    ] {
        let table = answer(&folder, &words);
        assert!(
            !table.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{table:?}"
        );
    }
}

#[test]
fn bad_flags_files_keys_and_values_are_one_line_and_exit_code_two() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(2, 10));
    folder.write("text.txt", "no session at all\n");
    folder.write("other.json", "{\"some\":\"thing\"}\n");
    folder.write("empty.jsonl", "");
    folder.write("unknown-key.json", "{\"contextt\":{}}");
    folder.write(
        "wrong-type.json",
        "{\"context\":{\"recentTailTokens\":\"many\"}}",
    );
    folder.write("not-json.json", "{");
    let log = ["--session", "log.jsonl"];
    let with_log = |words: &[&'static str]| [&["plan"], words, &log].concat();
    for (words, says) in [
        (vec![], "command"),
        (vec!["plam"], "plam"),
        (vec!["plan"], "--session"),
        (with_log(&["--windows", "5"]), "--windows"),
        (with_log(&["--window", "0"]), "--window"),
        (with_log(&["--window", "1e5"]), "--window"),
        (with_log(&["--budget", "-3"]), "-3"),
        (with_log(&["--budget", "4294967296"]), "--budget"),
        (with_log(&["--model", "only-a-name"]), "PROVIDER/ID"),
        (with_log(&["--format", "xml"]), "xml"),
        (with_log(&["--explain", "--manifest"]), "--manifest"),
        (with_log(&["--at", "nowhere"]), "nowhere"),
        (with_log(&["surplus"]), "surplus"),
        (
            vec!["plan", "--session", "missing.jsonl"],
            "there is no file missing.jsonl",
        ),
        (vec!["plan", "--session", "."], "is not a file"),
        (
            vec!["plan", "--session", "text.txt"],
            "text.txt is not a session log",
        ),
        (
            vec!["inspect", "--session", "other.json"],
            "other.json is not a session log",
        ),
        (
            vec!["inspect", "--session", "empty.jsonl"],
            "empty.jsonl is not a session log",
        ),
        (
            with_log(&["--config", "missing.json"]),
            "there is no file missing.json",
        ),
        (with_log(&["--config", "unknown-key.json"]), "contextt"),
        (
            with_log(&["--config", "wrong-type.json"]),
            "context.recentTailTokens",
        ),
        (with_log(&["--config", "not-json.json"]), "not-json.json"),
        (vec!["config", "--config", "missing.json"], "missing.json"),
    ] {
        assert_bad_input(&folder, &words, says);
        let native = [words.as_slice(), &["--native"]].concat();
        assert_bad_input(&folder, &native, says);
    }
}

#[test]
fn without_a_plan_the_exit_code_is_one_and_standard_error_says_why() {
    let folder = Folder::new();
    let long = "a question that must not be cut ".repeat(2_000);
    folder.write("log.jsonl", &pi_log(2, 10).replace("Question 1", &long));
    for words in [
        ["plan", "--session", "log.jsonl", "--budget", "5000"].as_slice(),
        &[
            "plan",
            "--session",
            "log.jsonl",
            "--budget",
            "5000",
            "--json",
        ],
    ] {
        let output = run(&folder, words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let error = text(&output.stderr);
        assert!(
            error.contains("no plan could be made") && error.contains("mandatory-over-limit"),
            "{error}"
        );
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn problems_of_a_configuration_stand_on_standard_error_one_line_each() {
    let folder = Folder::new();
    folder.write(
        "bad.json",
        "{\"nothing\":1,\"also nothing\":2,\"context\":{\"mode\":\"observer\"}}",
    );
    let output = run(&folder, &["config", "--config", "bad.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr).lines().count(), 2);
    let config: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(config["context"]["mode"], "observer");
}

#[test]
fn the_persons_own_configuration_counts_and_its_mistakes_do_not_stop_a_plan() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(60, 3_000));
    let words = [
        "plan",
        "--session",
        "log.jsonl",
        "--window",
        "200000",
        "--json",
    ];
    let plain = answer(&folder, &words);
    // The plan made it already, for the index.
    fs::create_dir_all(folder.path().join("data")).expect("a folder");
    folder.write(
        "data/ds4-context.json",
        "{\"context\":{\"recentTailTokens\":2000}}",
    );
    assert_ne!(answer(&folder, &words), plain);
    folder.write(
        "data/ds4-context.json",
        "{\"context\":{\"recentTailTokens\":\"x\"}}",
    );
    let output = run(&folder, &words);
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), plain)
    );
    assert!(text(&output.stderr).contains("context.recentTailTokens"));
}

/// Nothing is written but compiled code, and the log's bytes stay as they were.
#[test]
fn one_shot_commands_write_nothing() {
    let folder = Folder::new();
    let log = folder.write("log.jsonl", &pi_log(5, 100));
    let (bytes, modified) = (
        fs::read(&log).expect("read"),
        fs::metadata(&log)
            .expect("metadata")
            .modified()
            .expect("a time"),
    );
    let before = all_files(folder.path());
    for words in [
        ["plan", "--session", "log.jsonl"].as_slice(),
        &["plan", "--session", "log.jsonl", "--json"],
        &["inspect", "--session", "log.jsonl"],
        &["search", "--session", "log.jsonl", "answer"],
        &["config"],
        &["--help"],
        &["plan", "--session", "missing"],
    ] {
        // Without a named data folder; with one they keep the index there.
        command(&folder, words)
            .env_remove("DS4_CONTEXT_HOME")
            .output()
            .expect("the program runs");
    }
    assert_eq!(all_files(folder.path()), before);
    assert_eq!(fs::read(&log).expect("read"), bytes);
    assert_eq!(
        fs::metadata(&log)
            .expect("metadata")
            .modified()
            .expect("a time"),
        modified
    );
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(300, 3_000));
    let mut child = command(&folder, &["plan", "--session", "log.jsonl", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(
        (output.status.code(), text(&output.stderr)),
        (Some(0), String::new())
    );
}

/// A full disk under standard error: the line is lost, the exit code is not.
#[cfg(target_os = "linux")]
#[test]
fn a_line_that_cannot_be_written_leaves_the_exit_code() {
    let folder = Folder::new();
    folder.write("log.jsonl", &pi_log(1, 10));
    for (words, code) in [
        (vec!["plan", "--session", "nowhere.jsonl"], 2),
        (vec!["plan", "--session", "log.jsonl", "--window", "0"], 2),
        (vec!["plan", "--session", "log.jsonl", "--window", "1"], 1),
    ] {
        let full = fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("the full device");
        let output = command(&folder, &words)
            .stderr(Stdio::from(full))
            .output()
            .expect("the program runs");
        assert_eq!(output.status.code(), Some(code), "{words:?}");
    }
}
