//! The binary `ds4-context`, as a person or a script runs it.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{Folder, pi_log};

/// Columns of a terminal that every table fits.
const COLUMNS: usize = 80;

/// A command in a world of its own: no configuration, no home, compiled code shared with the other tests.
fn command(folder: &Folder, words: &[&str]) -> Command {
    // Compiles the component once, for all tests at once.
    common::engine();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ds4-context"));
    command
        .args(words)
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        .env("DS4_CONTEXT_HOME", folder.path().join("data"))
        .env("DS4_CONTEXT_CACHE", common::code_cache())
        .stdin(Stdio::null());
    command
}

fn run(folder: &Folder, words: &[&str]) -> Output {
    command(folder, words).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Standard output of a command that must succeed without a word on standard error.
fn answer(folder: &Folder, words: &[&str]) -> String {
    let output = run(folder, words);
    assert_eq!(
        (output.status.code(), text(&output.stderr)),
        (Some(0), String::new()),
        "{words:?}"
    );
    text(&output.stdout)
}

/// Bad input: exit code 2, one line on standard error, nothing on standard output.
fn assert_bad_input(folder: &Folder, words: &[&str], says: &str) {
    let output = run(folder, words);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
    assert_eq!(text(&output.stdout), "", "{words:?}");
    assert!(
        error.starts_with("ds4-context: ") && error.trim_end().lines().count() == 1,
        "{words:?}: {error:?}"
    );
    assert!(
        error.contains(says),
        "{words:?}: {error:?} does not say {says:?}"
    );
}

fn columns(line: &str) -> usize {
    line.chars().count()
}

fn all_files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(all_files(&path));
        } else {
            files.push(path.display().to_string());
        }
    }
    files.sort();
    files
}

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
    fs::create_dir(folder.path().join("data")).expect("a folder");
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
        &["config"],
        &["--help"],
        &["plan", "--session", "missing"],
    ] {
        run(&folder, words);
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
fn a_link_that_the_person_names_is_followed() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("elsewhere")).expect("a folder");
    folder.write("elsewhere/log.jsonl", &pi_log(2, 10));
    std::os::unix::fs::symlink("elsewhere/log.jsonl", folder.path().join("link.jsonl"))
        .expect("a link");
    let table = answer(&folder, &["plan", "--session", "link.jsonl"]);
    assert!(table.contains("Session  link,"), "{table}");
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
