//! Condensed forms: an old tool result as a stub, an old response without its thinking and without the long texts in the
//! arguments of its calls (behaviour 2.2, Condensed band).
//!
//! Invariants: without lines a form is a pure function of the one message; with lines, of the message and the lines
//! chosen for it. Text of the user and of the assistant stays as it is, and so do short arguments, which stand right
//! before the stub and are not repeated in it. A stub names the entry that holds the whole.

use serde_json::{Value, json};

use super::{Candidate, Replacement, ReplacementKind};
use crate::message::{Block, Role};
use crate::model::Estimator;
use crate::model::estimator::utf16_length;

/// Characters up to which a result or an argument stays whole: a stub would take about as many.
const SHORT_CHARS: usize = 200;

/// A text of a message that lines can be chosen from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Its place among the message's texts.
    pub place: usize,
    /// The text.
    pub text: String,
    /// Whether the condensed form leaves it out.
    pub left_out: bool,
    /// Whether it stands inside a call's arguments.
    pub argument: bool,
}

/// The condensed form of a message without any line of what it leaves out; none where the message stays as it is.
pub fn condense(candidate: &Candidate<'_>, estimator: Estimator) -> Option<Replacement> {
    condense_with_lines(candidate, &|_| &[], estimator)
}

/// The condensed form with those lines of the texts at those places.
pub(super) fn condense_with_lines<'a>(
    candidate: &Candidate<'_>,
    lines: &dyn Fn(usize) -> &'a [&'a str],
    estimator: Estimator,
) -> Option<Replacement> {
    let content = match candidate.message.role {
        Role::ToolResult => stub(candidate, lines(0))?,
        Role::Assistant => response(candidate, lines)?,
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

/// The texts of a message, each with whether the condensed form leaves it out. Thinking is none.
pub(super) fn parts(candidate: &Candidate<'_>) -> Vec<Part> {
    if candidate.message.role != Role::Assistant {
        let text = candidate.message.reading().text;
        let is_result = candidate.message.role == Role::ToolResult;
        return vec![Part {
            place: 0,
            left_out: is_result && !is_short(&text),
            text,
            argument: false,
        }];
    }
    let mut parts = Vec::new();
    let mut wire = candidate.message.wire_value();
    each_text(&mut wire, &mut |place, text, argument| {
        parts.push(Part {
            place,
            text: std::mem::take(text),
            left_out: false,
            argument,
        });
    });
    for part in &mut parts {
        part.left_out = part.argument && !is_short(&part.text);
    }
    parts
}

fn is_short(text: &str) -> bool {
    utf16_length(text) <= SHORT_CHARS
}

/// Calls `visit` with the place of every text of a response, the text, and whether it is part of an argument.
fn each_text(wire: &mut Value, visit: &mut dyn FnMut(usize, &mut String, bool)) {
    let mut place = 0;
    let blocks = wire.get_mut("content").and_then(Value::as_array_mut);
    for block in blocks.into_iter().flatten() {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => {
                if let Some(Value::String(text)) = block.get_mut("text") {
                    visit(place, text, false);
                    place += 1;
                }
            }
            Some("toolCall") => {
                if let Some(arguments) = block.get_mut("arguments") {
                    each_string(arguments, &mut |text| {
                        visit(place, text, true);
                        place += 1;
                    });
                }
            }
            _ => {}
        }
    }
}

fn each_string(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_string(item, visit)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| each_string(field, visit)),
        _ => {}
    }
}

/// The content of a response without thinking, with its long arguments condensed.
fn response<'a>(
    candidate: &Candidate<'_>,
    lines: &dyn Fn(usize) -> &'a [&'a str],
) -> Option<Value> {
    let mut wire = candidate.message.wire_value();
    let mut changed = false;
    each_text(&mut wire, &mut |place, text, argument| {
        if argument && !is_short(text) {
            *text = condensed_text(candidate, "", text, lines(place));
            changed = true;
        }
    });
    let blocks = wire.get_mut("content")?.as_array_mut()?;
    let whole = blocks.len();
    blocks.retain(|block| !matches!(Block::of(block), Block::Thinking(_)));
    changed |= blocks.len() < whole;
    (changed && !blocks.is_empty()).then(|| Value::Array(std::mem::take(blocks)))
}

fn stub(candidate: &Candidate<'_>, lines: &[&str]) -> Option<Value> {
    let text = candidate.message.reading().text;
    let answer = candidate.message.answers.as_ref()?;
    if is_short(&text) {
        return None;
    }
    let status = if answer.is_error { "failed, " } else { "" };
    let stub = condensed_text(candidate, status, &text, lines);
    Some(json!([{"text": stub, "type": "text"}]))
}

/// A line that says how much is left out and where the whole is, and the lines that are kept.
fn condensed_text(candidate: &Candidate<'_>, status: &str, text: &str, lines: &[&str]) -> String {
    let size = utf16_length(text);
    let entry = candidate
        .entry_id
        .map_or(String::new(), |id| format!("; entry {id}"));
    let mut stub = format!("[ds4-context: {status}{size} characters condensed{entry}]");
    for line in lines {
        stub.push('\n');
        stub.push_str(line);
    }
    stub
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::from_native;

    fn with_candidate<T>(native: &Value, look: impl FnOnce(&Candidate<'_>) -> T) -> T {
        let message = from_native(native);
        look(&Candidate {
            message: &message,
            tokens: message.tokens(Estimator::CharsV1),
            entry_id: Some("abc"),
            pinned: false,
        })
    }

    fn condensed(native: &Value) -> Option<Replacement> {
        with_candidate(native, |candidate| condense(candidate, Estimator::CharsV1))
    }

    fn content(replacement: &Replacement) -> Value {
        serde_json::from_str(&replacement.content).unwrap()
    }

    fn result(text: &str, failed: bool) -> Value {
        json!({"role": "toolResult", "toolCallId": "c", "toolName": "bash", "isError": failed,
            "content": [{"type": "text", "text": text}]})
    }

    #[test]
    fn a_stub_says_how_much_is_left_out_and_where_it_is() {
        let native = result(&"plain words\n".repeat(200), true);
        let replacement = condensed(&native).unwrap();
        assert_eq!(
            content(&replacement)[0]["text"],
            "[ds4-context: failed, 2400 characters condensed; entry abc]"
        );
        assert_eq!(condensed(&native), Some(replacement), "pure");
    }

    #[test]
    fn a_stub_holds_the_lines_chosen_for_it() {
        let lines = [
            "error: cannot open src/main.rs",
            "connectToServer(retry_count)",
        ];
        let native = result(&"plain words\n".repeat(200), false);
        let replacement = with_candidate(&native, |candidate| {
            condense_with_lines(candidate, &|_| &lines[..], Estimator::CharsV1)
        });
        assert_eq!(
            content(&replacement.unwrap())[0]["text"],
            "[ds4-context: 2400 characters condensed; entry abc]\nerror: cannot open src/main.rs\nconnectToServer(retry_count)"
        );
    }

    #[test]
    fn short_results_and_texts_of_people_and_models_stay() {
        assert_eq!(condensed(&result("short", false)), None);
        assert_eq!(
            condensed(&json!({"role": "user", "content": "x ".repeat(5_000)})),
            None
        );
        let prose =
            json!({"role": "assistant", "content": [{"type": "text", "text": "x ".repeat(5_000)}]});
        assert_eq!(condensed(&prose), None);
    }

    #[test]
    fn thinking_and_long_arguments_go_and_short_arguments_stay() {
        let native = json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "long ".repeat(100)},
            {"type": "text", "text": "I write it."},
            {"type": "toolCall", "id": "1", "name": "write", "arguments": {"path": "a/b.rs", "content": "z\n".repeat(450)}}]});
        let replacement = condensed(&native).unwrap();
        let blocks = content(&replacement);
        assert_eq!(blocks.as_array().unwrap().len(), 2);
        assert_eq!(blocks[0]["text"], "I write it.");
        assert_eq!(blocks[1]["arguments"]["path"], "a/b.rs");
        assert_eq!(
            blocks[1]["arguments"]["content"],
            "[ds4-context: 900 characters condensed; entry abc]"
        );
        let only_thinking = json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "long ".repeat(100)}]});
        assert_eq!(condensed(&only_thinking), None);
    }

    #[test]
    fn the_parts_of_a_response_are_those_that_lines_are_put_into() {
        let native = json!({"role": "assistant", "content": [
            {"type": "text", "text": "first"},
            {"type": "toolCall", "id": "1", "name": "edit", "arguments": {"path": "p", "edits": [{"oldText": "o".repeat(300), "newText": "n".repeat(300)}]}}]});
        let parts = with_candidate(&native, parts);
        let left_out: Vec<_> = parts.iter().filter(|part| part.left_out).collect();
        assert_eq!(parts.len(), 4);
        assert_eq!(left_out.len(), 2);
        let new_text = left_out[1];
        let replacement = with_candidate(&native, |candidate| {
            let of_new = |place: usize| -> &[&str] {
                if place == new_text.place {
                    &["kept"]
                } else {
                    &[]
                }
            };
            condense_with_lines(candidate, &of_new, Estimator::CharsV1)
        });
        let blocks = content(&replacement.unwrap());
        let edit = &blocks[1]["arguments"]["edits"][0];
        assert!(edit["newText"].as_str().unwrap().ends_with("\nkept"));
        assert!(!edit["oldText"].as_str().unwrap().contains("kept"));
    }
}
