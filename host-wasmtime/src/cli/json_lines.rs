//! A file of JSON lines, each of one form, as programs of every kind write them.
//!
//! A mark of the byte order at the start is skipped, and half of a surrogate pair in a string is read as U+FFFD: JavaScript
//! writes both, and neither changes what is meant. Any other line of another form refuses the file, before work begins.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use ds4_context_core::session::lone_surrogates_replaced;
use serde::de::DeserializeOwned;

use super::failure::Failure;
use super::session_file::bad_file;

/// Bad lines that are named; the rest is counted.
const NAMED_LINES: usize = 5;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The lines of a file, or of standard input where it is `-`, empty ones left out. A file with lines of another form than
/// `form` names is bad input.
pub(crate) fn read<Line: DeserializeOwned>(file: &Path, form: &str) -> Result<Vec<Line>, Failure> {
    let content = if file == Path::new("-") {
        let mut content = String::new();
        io::stdin().read_to_string(&mut content).map(|_| content)
    } else {
        fs::read_to_string(file)
    };
    let content = content.map_err(|error| bad_file(file, &error))?;
    parsed(&content).map_err(|bad_lines| {
        Failure::BadInput(format!(
            "{}, {}: not {form}",
            file.display(),
            named(&bad_lines)
        ))
    })
}

/// The lines, or the numbers of those of another form.
fn parsed<Line: DeserializeOwned>(content: &str) -> Result<Vec<Line>, Vec<usize>> {
    let content = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content);
    let mut lines = Vec::new();
    let mut bad_lines = Vec::new();
    for (number, line) in (1..).zip(content.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let mended = lone_surrogates_replaced(line);
        match serde_json::from_str(mended.as_deref().unwrap_or(line)) {
            Ok(line) => lines.push(line),
            Err(_) => bad_lines.push(number),
        }
    }
    if bad_lines.is_empty() {
        Ok(lines)
    } else {
        Err(bad_lines)
    }
}

/// `line 3`, `lines 3 and 5`, `lines 3, 5, 6, 7, 8 and 12 more`.
fn named(lines: &[usize]) -> String {
    let mut parts: Vec<String> = lines
        .iter()
        .take(NAMED_LINES)
        .map(ToString::to_string)
        .collect();
    let more = lines.len().saturating_sub(NAMED_LINES);
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    match parts.as_slice() {
        [] => String::new(),
        [only] => format!("line {only}"),
        [first @ .., last] => format!("lines {} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Question {
        id: serde_json::Value,
        query: String,
    }

    #[test]
    fn a_byte_order_mark_and_half_a_surrogate_pair_refuse_no_file() {
        let content = "\u{feff}{\"id\":1,\"query\":\"a\\ud800b\"}\r\n\n{\"id\":\"\\udc00\",\"query\":\"\\ud83d\\ude42 \\\\ud800\"}\n";
        let questions: Vec<Question> = parsed(content).expect("questions");
        let queries: Vec<&str> = questions
            .iter()
            .map(|question| question.query.as_str())
            .collect();
        assert_eq!(queries, ["a\u{fffd}b", "🙂 \\ud800"]);
        assert_eq!(questions[1].id, "\u{fffd}");
    }

    #[test]
    fn every_bad_line_is_counted_and_the_first_are_named() {
        let good = "{\"id\":1,\"query\":\"x\"}\n";
        let bad_lines = |content: &str| parsed::<Question>(content).expect_err("bad lines");
        assert_eq!(bad_lines(&format!("{good}{{\"id\":2}}\n{good}[\n")), [2, 4]);
        assert_eq!(bad_lines("\u{feff}\u{feff}{}"), [1]);
        assert_eq!(named(&[2]), "line 2");
        assert_eq!(named(&[2, 4]), "lines 2 and 4");
        assert_eq!(named(&[1, 2, 3, 4, 5]), "lines 1, 2, 3, 4 and 5");
        assert_eq!(
            named(&[1, 2, 3, 4, 5, 8, 9]),
            "lines 1, 2, 3, 4, 5 and 2 more"
        );
    }
}
