//! What the test runners say at their end, read from their own lines.

use std::fmt;

/// A test runner, by the form of its closing lines.
#[derive(Debug, Clone, Copy)]
pub enum Runner {
    /// `Summary [   1.2s] 12 tests run: 10 passed (1 slow), 2 failed, 3 skipped`
    Nextest,
    /// `test result: ok. 5 passed; 0 failed; 1 ignored; …`, one line a test program
    Cargo,
    /// `# pass 3`, `# fail 0`, … (or `ℹ pass 3`), one block a call of `node --test`
    Node,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

/// A runner's closing lines and what they count.
#[derive(Debug)]
pub struct Summary {
    pub lines: Vec<String>,
    pub counts: Counts,
}

impl Counts {
    pub fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(formatter, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

impl Runner {
    /// Finds the runner's closing lines. None where there are none, for example when the tests did not compile.
    pub fn summary(self, output: &str) -> Option<Summary> {
        let mut lines = Vec::new();
        let mut counts = Counts::default();
        for line in output.lines().map(without_colours) {
            let read = match self {
                Self::Nextest => nextest_line(&line),
                Self::Cargo => cargo_line(&line),
                Self::Node => node_line(&line),
            };
            if let Some(read) = read {
                counts = counts.plus(read);
                lines.push(line);
            }
        }
        (!lines.is_empty()).then_some(Summary { lines, counts })
    }
}

fn nextest_line(line: &str) -> Option<Counts> {
    let after = line.trim_start().strip_prefix("Summary [")?;
    let (_, listed) = after.split_once("run:")?;
    let mut counts = Counts::default();
    for (number, word) in numbers_and_words(&without_parentheses(listed), ',') {
        match word.as_str() {
            "passed" => counts.passed += number,
            "skipped" => counts.skipped += number,
            "failed" | "timed out" | "exec failed" => counts.failed += number,
            _ => {}
        }
    }
    Some(counts)
}

fn cargo_line(line: &str) -> Option<Counts> {
    let (_, listed) = line
        .trim()
        .strip_prefix("test result: ")?
        .split_once(". ")?;
    let mut counts = Counts::default();
    for (number, word) in numbers_and_words(listed, ';') {
        match word.as_str() {
            "passed" => counts.passed += number,
            "failed" => counts.failed += number,
            "ignored" => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}

fn node_line(line: &str) -> Option<Counts> {
    let stated = line
        .strip_prefix("# ")
        .or_else(|| line.strip_prefix("ℹ "))?;
    let (word, number) = stated.split_once(' ')?;
    let number: u64 = number.trim().parse().ok()?;
    let mut counts = Counts::default();
    match word {
        "tests" | "suites" => {}
        "pass" => counts.passed = number,
        "fail" | "cancelled" => counts.failed = number,
        "skipped" | "todo" => counts.skipped = number,
        _ => return None,
    }
    Some(counts)
}

/// `10 passed, 2 timed out` as pairs.
fn numbers_and_words(listed: &str, separator: char) -> Vec<(u64, String)> {
    listed
        .split(separator)
        .filter_map(|part| {
            let (number, word) = part.trim().split_once(' ')?;
            Some((number.parse().ok()?, word.trim().to_owned()))
        })
        .collect()
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|letter| match letter {
            '(' => {
                depth += 1;
                false
            }
            ')' => {
                depth = depth.saturating_sub(1);
                false
            }
            _ => depth == 0,
        })
        .collect()
}

/// Drops a terminal's colour codes (`ESC [ … m`).
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            letters.by_ref().find(|code| code.is_ascii_alphabetic());
        } else {
            plain.push(letter);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(runner: Runner, output: &str) -> Option<(u64, u64, u64)> {
        runner.summary(output).map(|summary| {
            let counts = summary.counts;
            (counts.passed, counts.failed, counts.skipped)
        })
    }

    #[test]
    fn nextest() {
        let all_well = "     Summary [   0.012s] 12 tests run: 12 passed, 0 skipped";
        assert_eq!(counts(Runner::Nextest, all_well), Some((12, 0, 0)));
        let mixed = "     Summary [   9.1s] 12/20 tests run: 8 passed (1 slow, 2 leaky), 2 failed, 1 timed out, 1 exec failed, 3 skipped";
        assert_eq!(counts(Runner::Nextest, mixed), Some((8, 4, 3)));
        let none = "     Summary [   0.000s] 0 tests run: 0 passed, 4 skipped";
        assert_eq!(counts(Runner::Nextest, none), Some((0, 0, 4)));
        assert_eq!(counts(Runner::Nextest, "error: could not compile"), None);
    }

    #[test]
    fn nextest_in_colours() {
        let line = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.1s] \u{1b}[1m1\u{1b}[0m test run: \u{1b}[1m1\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m0\u{1b}[0m skipped";
        assert_eq!(counts(Runner::Nextest, line), Some((1, 0, 0)));
    }

    #[test]
    fn cargo_adds_up_its_test_programs() {
        let output = "\
running 5 tests
test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.10s
";
        assert_eq!(counts(Runner::Cargo, output), Some((8, 2, 1)));
        assert_eq!(counts(Runner::Cargo, "error[E0433]: nothing"), None);
    }

    #[test]
    fn node_in_both_of_its_forms() {
        let tap = "# tests 6\n# suites 1\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n# duration_ms 205.3\n";
        assert_eq!(counts(Runner::Node, tap), Some((3, 2, 1)));
        let spec = tap.replace("# ", "ℹ ");
        assert_eq!(counts(Runner::Node, &spec), Some((3, 2, 1)));
        assert_eq!(counts(Runner::Node, "# Subtest: pass 3\nnot ok 1\n"), None);
    }

    #[test]
    fn the_closing_line_names_skipped_tests_only_where_there_are_some() {
        let some = Counts {
            passed: 2,
            failed: 0,
            skipped: 1,
        };
        assert_eq!(some.to_string(), "2 passed, 0 failed, 1 skipped");
        let none = Counts { skipped: 0, ..some };
        assert_eq!(none.to_string(), "2 passed, 0 failed");
    }
}
