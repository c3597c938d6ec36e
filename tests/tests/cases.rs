//! Every case of `fixtures/cases` on every host: what it comes to is `expected.json`, and the hosts agree to the byte.
//!
//! `UPDATE_EXPECTED=1 cargo test --release -p ds4-context-tests --test cases` writes the expected files from the native run;
//! review the difference. Refused where `CI` is set.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use ds4_context_tests::cases::{self, CASE_FILE, Case, EXPECTED_FILE, Outcome, expected_document};
use ds4_context_tests::hosts::{Host, NativeHost, WasmtimeHost, run_case, run_cases_in_node};
use ds4_context_tests::{made_cases, workspace};

fn all_cases() -> Vec<Case> {
    let cases = cases::all(&workspace::cases()).expect("the cases can be read");
    assert!(!cases.is_empty(), "there is no case");
    cases
}

fn run(host: &impl Host, case: &Case) -> Vec<Outcome> {
    run_case(host, case).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

fn updates() -> bool {
    let wanted = env::var_os("UPDATE_EXPECTED").is_some_and(|value| value == "1");
    assert!(
        !(wanted && env::var_os("CI").is_some()),
        "expected files are not written in CI"
    );
    wanted
}

/// The first line in which two texts differ, for a person.
fn difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let (mut left, mut right) = (expected.lines(), found.lines());
    for line in 1.. {
        match (left.next(), right.next()) {
            (Some(one), Some(other)) if one == other => {}
            (None, None) => return Some("they differ in their line ends".to_owned()),
            (one, other) => {
                return Some(format!(
                    "line {line}\n  expected: {}\n  found:    {}",
                    one.unwrap_or("(end)"),
                    other.unwrap_or("(end)")
                ));
            }
        }
    }
    None
}

fn assert_none(faults: &[String]) {
    assert!(
        faults.is_empty(),
        "{} cases differ:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn native_gives_what_is_expected() {
    let updates = updates();
    let mut faults = Vec::new();
    for case in all_cases() {
        let found = expected_document(&run(&NativeHost, &case)).expect("outcomes are JSON");
        if updates {
            fs::write(case.expected_file(), found).expect("an expected file");
            continue;
        }
        let expected = fs::read_to_string(case.expected_file()).unwrap_or_else(|_| {
            panic!(
                "{} has no {EXPECTED_FILE}; make one with UPDATE_EXPECTED=1",
                case.name
            )
        });
        faults.extend(difference(&expected, &found).map(|what| format!("{}: {what}", case.name)));
    }
    assert_none(&faults);
}

#[test]
fn wasmtime_gives_the_same_bytes_as_native() {
    let other = all_cases()
        .into_iter()
        .map(|case| (case.name.clone(), run(&WasmtimeHost, &case)))
        .collect();
    assert_same_as_native(&other);
}

#[test]
fn node_gives_the_same_bytes_as_native() {
    let cases = all_cases();
    let folders: Vec<&Path> = cases.iter().map(|case| case.folder.as_path()).collect();
    let other = run_cases_in_node(&folders).unwrap_or_else(|error| panic!("{error}"));
    assert_same_as_native(&other);
}

fn assert_same_as_native(other: &BTreeMap<String, Vec<Outcome>>) {
    let mut faults = Vec::new();
    for case in all_cases() {
        let native = run(&NativeHost, &case);
        let found = other
            .get(&case.name)
            .unwrap_or_else(|| panic!("{} was not run", case.name));
        if native.len() != found.len() {
            faults.push(format!(
                "{}: {} outcomes and not {}",
                case.name,
                found.len(),
                native.len()
            ));
        }
        for (step, (native, found)) in native.iter().zip(found).enumerate() {
            if native != found {
                let text = |outcome: &Outcome| format!("{outcome:?}");
                let what = first_difference(&text(native), &text(found));
                faults.push(format!(
                    "{}, outcome {step} ({}): {what}",
                    case.name, native.call
                ));
            }
        }
    }
    assert_none(&faults);
}

fn first_difference(native: &str, found: &str) -> String {
    const AROUND: usize = 60;
    let at = native
        .chars()
        .zip(found.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let around = |text: &str| {
        text.chars()
            .skip(at.saturating_sub(AROUND))
            .take(2 * AROUND)
            .collect::<String>()
    };
    format!(
        "at character {at}\n  native: {}\n  found:  {}",
        around(native),
        around(found)
    )
}

#[test]
fn the_committed_cases_are_what_make_cases_writes() {
    let mut faults = Vec::new();
    let made = made_cases::all();
    for case in &made {
        for (name, content) in case.contents().expect("a case") {
            let file = workspace::cases().join(case.name).join(name);
            if fs::read(&file).ok() != Some(content) {
                faults.push(format!("{}/{name}", case.name));
            }
        }
    }
    for case in all_cases() {
        if !made.iter().any(|made| made.name == case.name) {
            faults.push(format!("{}/{CASE_FILE} is not made any more", case.name));
        }
    }
    assert!(
        faults.is_empty(),
        "run `cargo run --release -p ds4-context-tests --bin make-cases`:\n{}",
        faults.join("\n")
    );
}
