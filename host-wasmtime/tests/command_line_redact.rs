//! The command `redact` as a person or a program runs it.

mod common;

use std::io::Write;
use std::process::Stdio;

use common::Folder;
use common::program::{answer, assert_bad_input, command, text};

const LINES: &str = "\u{feff}{\"id\":1,\"text\":\"DB_PASSWORD=Harbor_candle4711\"}\r\n\n{\"text\":\"\\ud800 nothing\",\"id\":{\"a\":[1]}}\n";
const ANSWERS: &str = concat!(
    r#"{"id":1,"text":"DB_PASSWORD=[DS4 REDACTED SECRET]","redactions":[{"start":12,"end":29,"rule":"assigned-secret"}]}"#,
    "\n",
    "{\"id\":{\"a\":[1]},\"text\":\"\u{fffd} nothing\",\"redactions\":[]}\n",
);

fn answer_to(folder: &Folder, words: &[&str], input: &str) -> String {
    let mut program = command(folder, words);
    program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut program = program.spawn().expect("the program runs");
    let mut standard_input = program.stdin.take().expect("standard input");
    standard_input
        .write_all(input.as_bytes())
        .expect("the program reads");
    drop(standard_input);
    let output = program.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{words:?}");
    text(&output.stdout)
}

#[test]
fn a_file_and_standard_input_are_answered_alike_in_the_component_and_without() {
    let folder = Folder::new();
    folder.write("texts.jsonl", LINES);
    for flags in [&[][..], &["--native"]] {
        assert_eq!(
            answer(&folder, &[&["redact", "texts.jsonl"], flags].concat()),
            ANSWERS
        );
        assert_eq!(
            answer_to(&folder, &[&["redact"], flags].concat(), LINES),
            ANSWERS
        );
        assert_eq!(
            answer_to(&folder, &[&["redact", "-"], flags].concat(), LINES),
            ANSWERS
        );
        assert_eq!(answer_to(&folder, &[&["redact"], flags].concat(), ""), "");
    }
}

#[test]
fn every_line_of_many_batches_is_answered_once_and_redacting_twice_changes_nothing() {
    let folder = Folder::new();
    let filler = "let value = read(&path)?; // più righe\\n".repeat(100);
    let lines: Vec<String> = (0..800)
        .map(|id| {
            format!(
                "{{\"id\":{id},\"text\":\"{filler}DB_PASSWORD=Granite_willow{}zq7\"}}\n",
                1000 + id
            )
        })
        .collect();
    let once = answer_to(&folder, &["redact"], &lines.concat());
    assert_eq!(once.lines().count(), lines.len());
    for (id, line) in once.lines().enumerate() {
        assert!(line.starts_with(&format!("{{\"id\":{id},")), "line {id}");
        assert!(
            line.contains("DB_PASSWORD=[DS4 REDACTED SECRET]") && !line.contains("willow"),
            "line {id}"
        );
    }
    let twice = answer_to(&folder, &["redact"], &once);
    assert!(
        twice
            .lines()
            .all(|line| line.ends_with("\"redactions\":[]}"))
    );
}

#[test]
fn lines_that_are_no_texts_refuse_the_file_by_number() {
    let folder = Folder::new();
    folder.write(
        "texts.jsonl",
        "{\"id\":1,\"text\":\"x\"}\n{\"id\":2}\n[]\n{\"text\":\"x\"}\n",
    );
    for words in [
        &["redact", "texts.jsonl"][..],
        &["redact", "texts.jsonl", "--native"],
    ] {
        assert_bad_input(
            &folder,
            words,
            "texts.jsonl, lines 2, 3 and 4: not {\"id\": …, \"text\": \"…\"}",
        );
    }
    assert_bad_input(
        &folder,
        &["redact", "missing.jsonl"],
        "there is no file missing.jsonl",
    );
}
