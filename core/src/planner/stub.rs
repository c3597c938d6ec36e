//! Condensed forms: an old tool result as a stub, an old response without its thinking (behaviour 2.2, Condensed band).
//!
//! Invariants: a pure function of the one message, so that it is the same in every request and the provider's prefix cache
//! keeps working; text of the user and of the assistant stays as it is, and so do the arguments of calls, which stand
//! right before the stub and are not repeated in it. A stub names the entry that holds the whole.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::{Candidate, Replacement, ReplacementKind};
use crate::message::{Block, Role};
use crate::model::Estimator;
use crate::model::estimator::utf16_length;

/// Characters that a stub's own line takes, about: shorter results are not worth a stub.
const HEADER_CHARS: usize = 100;
/// Characters that one line of a result gives to a stub at most.
const MAX_LINE_CHARS: usize = 160;
/// What the first lines of a result count more than others: they say what it is.
const FIRST_LINES: [u32; 3] = [2, 1, 1];
/// What a line counts that reports something wrong.
const ERROR_SCORE: u32 = 3;
/// How many names of a line count at most.
const MAX_NAMES: u32 = 3;
/// Words of lines that report something wrong, in lower case.
const ERROR_WORDS: [&str; 12] = [
    "error",
    "fail",
    "panic",
    "fatal",
    "exception",
    "warn",
    "cannot",
    "undefined",
    "not found",
    "denied",
    "traceback",
    "assert",
];

/// The condensed form of a message; none where it stays as it is.
pub fn condense(
    candidate: &Candidate<'_>,
    stub_chars: usize,
    estimator: Estimator,
) -> Option<Replacement> {
    let content = match candidate.message.role {
        Role::ToolResult => stub(candidate, stub_chars)?,
        Role::Assistant => without_thinking(candidate)?,
        _ => return None,
    };
    let condensed = Replacement::new(
        candidate.message,
        content,
        estimator,
        ReplacementKind::Condensed,
    );
    (condensed.tokens < candidate.tokens).then_some(condensed)
}

fn without_thinking(candidate: &Candidate<'_>) -> Option<Value> {
    let wire = candidate.message.wire_value();
    let blocks = wire.get("content")?.as_array()?;
    let kept: Vec<Value> = blocks
        .iter()
        .filter(|block| !matches!(Block::of(block), Block::Thinking(_)))
        .cloned()
        .collect();
    (kept.len() < blocks.len() && !kept.is_empty()).then_some(Value::Array(kept))
}

fn stub(candidate: &Candidate<'_>, stub_chars: usize) -> Option<Value> {
    let text = candidate.message.reading().text;
    let size = utf16_length(&text);
    if size <= stub_chars + HEADER_CHARS {
        return None;
    }
    let answer = candidate.message.answers.as_ref()?;
    let status = if answer.is_error { "error" } else { "ok" };
    let place = candidate.entry_id.map_or(String::new(), |id| {
        format!("; whole result: entry {id} of the session log")
    });
    let tool = if answer.tool_name.is_empty() {
        "tool"
    } else {
        &answer.tool_name
    };
    let mut stub =
        format!("[ds4-context: {tool} result condensed, {status}, {size} characters{place}]");
    for line in telling_lines(&text, stub_chars) {
        stub.push('\n');
        stub.push_str(line);
    }
    Some(json!([{"text": stub, "type": "text"}]))
}

/// The lines that carry errors and names, in the text's order, within that many characters.
fn telling_lines(text: &str, stub_chars: usize) -> Vec<&str> {
    let mut lines: Vec<(Reverse<u32>, usize, &str)> = text
        .lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let line = beginning_of(line.trim());
            (!line.is_empty()).then(|| (Reverse(score(line, index)), index, line))
        })
        .collect();
    lines.sort_unstable();
    let mut left = stub_chars;
    let mut chosen: Vec<(usize, &str)> = Vec::new();
    for (_, index, line) in lines {
        let size = utf16_length(line) + 1;
        if size <= left {
            left -= size;
            chosen.push((index, line));
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|(_, line)| line).collect()
}

fn beginning_of(line: &str) -> &str {
    line.char_indices()
        .nth(MAX_LINE_CHARS)
        .and_then(|(end, _)| line.get(..end))
        .unwrap_or(line)
}

fn score(line: &str, index: usize) -> u32 {
    let lower = line.to_ascii_lowercase();
    let wrong = ERROR_WORDS.iter().any(|word| lower.contains(word));
    let names = line
        .split(|c: char| !is_name_character(c))
        .filter(|word| is_name(word))
        .count();
    let first = FIRST_LINES.get(index).copied().unwrap_or(0);
    u32::from(wrong) * ERROR_SCORE
        + u32::try_from(names).unwrap_or(MAX_NAMES).min(MAX_NAMES)
        + first
}

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '-')
}

/// Whether a word is a path, an identifier of several parts, or a hash.
fn is_name(word: &str) -> bool {
    const MIN_HASH_LENGTH: usize = 7;
    let inner = |separator: char| word.trim_matches(separator).contains(separator);
    let camel = word
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    let hash = word.len() >= MIN_HASH_LENGTH
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit());
    inner('/') || inner('_') || camel || hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::from_native;

    fn condensed(native: &Value, stub_chars: usize) -> Option<Replacement> {
        let message = from_native(native);
        let tokens = message.tokens(Estimator::CharsV1);
        condense(
            &Candidate {
                message: &message,
                tokens,
                entry_id: Some("abc"),
                pinned: false,
            },
            stub_chars,
            Estimator::CharsV1,
        )
    }

    fn content(replacement: &Replacement) -> Value {
        serde_json::from_str(&replacement.content).unwrap()
    }

    #[test]
    fn a_stub_keeps_what_tells_and_says_where_the_rest_is() {
        let mut text = "total 40\n".to_owned();
        text += &"plain words without any name\n".repeat(200);
        text += "error: cannot open src/main.rs\nconnectToServer(retry_count)\n";
        text += &"more plain words\n".repeat(100);
        let result = json!({"role": "toolResult", "toolCallId": "c", "toolName": "bash", "isError": true, "content": [{"type": "text", "text": text}]});
        let replacement = condensed(&result, 120).unwrap();
        let blocks = content(&replacement);
        let stub = blocks[0]["text"].as_str().unwrap();
        assert!(
            stub.starts_with("[ds4-context: bash result condensed, error, "),
            "{stub}"
        );
        assert!(stub.contains("entry abc of the session log"), "{stub}");
        assert!(
            stub.contains("error: cannot open src/main.rs\nconnectToServer(retry_count)"),
            "{stub}"
        );
        assert!(stub.len() < 120 + 130, "{stub}");
        assert_eq!(condensed(&result, 120), Some(replacement), "pure");
    }

    #[test]
    fn short_results_and_texts_of_people_and_models_stay() {
        assert_eq!(
            condensed(
                &json!({"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": "short"}),
                400
            ),
            None
        );
        assert_eq!(
            condensed(&json!({"role": "user", "content": "x ".repeat(5_000)}), 400),
            None
        );
        assert_eq!(
            condensed(
                &json!({"role": "assistant", "content": [{"type": "text", "text": "x ".repeat(5_000)}]}),
                400
            ),
            None
        );
    }

    #[test]
    fn thinking_goes_and_calls_stay_whole() {
        let native = json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "long ".repeat(100)},
            {"type": "toolCall", "id": "1", "name": "write", "arguments": {"content": "z".repeat(900)}}]});
        let replacement = condensed(&native, 400).unwrap();
        assert_eq!(content(&replacement).as_array().unwrap().len(), 1);
        assert_eq!(
            content(&replacement)[0]["arguments"]["content"]
                .as_str()
                .unwrap()
                .len(),
            900
        );
        let only_thinking = json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "long ".repeat(100)}]});
        assert_eq!(condensed(&only_thinking, 400), None);
    }
}
