//! `expected.json`: all outcomes of a case in a form that a person can review.
//!
//! Invariants: keys are sorted; a text of more than [`LONGEST_WHOLE_CHARACTERS`] shows its beginning, its end, its length and
//! its hash, so a change anywhere in it changes the file.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::Outcome;

const LONGEST_WHOLE_CHARACTERS: usize = 200;
const SHOWN_AT_THE_BEGINNING: usize = 80;
const SHOWN_AT_THE_END: usize = 40;

/// The text of `expected.json`.
///
/// # Errors
/// Where an outcome is no JSON, which is a fault of the host that gave it.
pub fn expected_document(outcomes: &[Outcome]) -> serde_json::Result<String> {
    let steps = outcomes
        .iter()
        .map(|outcome| {
            Ok(match (&outcome.ok, &outcome.error) {
                (Some(text), _) => {
                    let value: Value = serde_json::from_str(text)?;
                    json!({"call": outcome.call, "ok": reviewable(&value)})
                }
                (None, error) => {
                    json!({"call": outcome.call, "error": serde_json::to_value(error)?})
                }
            })
        })
        .collect::<serde_json::Result<Vec<Value>>>()?;
    let mut text = String::new();
    write(&sorted(&Value::Array(steps)), 0, &mut text);
    text.push('\n');
    Ok(text)
}

fn reviewable(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(abbreviated(text)),
        Value::Array(items) => items.iter().map(reviewable).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), reviewable(value)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

fn abbreviated(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= LONGEST_WHOLE_CHARACTERS {
        return text.to_owned();
    }
    let beginning: String = characters.iter().take(SHOWN_AT_THE_BEGINNING).collect();
    let end: String = characters
        .iter()
        .skip(characters.len() - SHOWN_AT_THE_END)
        .collect();
    let digest = Sha256::digest(text.as_bytes());
    let hash: String = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!(
        "{beginning} …({} characters, sha256 {hash})… {end}",
        characters.len()
    )
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            keys.sort();
            keys.into_iter()
                .map(|key| (key.clone(), sorted(&fields[key])))
                .collect::<Map<_, _>>()
                .into()
        }
        other => other.clone(),
    }
}

/// Indented as far as it helps: an object or array that fits a line stands on one.
fn write(value: &Value, depth: usize, text: &mut String) {
    const LINE: usize = 120;
    let compact = value.to_string();
    let is_container = matches!(value, Value::Array(_) | Value::Object(_));
    if !is_container || (depth > 0 && depth + compact.len() <= LINE) || compact.len() <= 2 {
        text.push_str(&compact);
        return;
    }
    let (open, close, parts): (_, _, Vec<(Option<&String>, &Value)>) = match value {
        Value::Object(fields) => (
            '{',
            '}',
            fields
                .iter()
                .map(|(key, value)| (Some(key), value))
                .collect(),
        ),
        Value::Array(items) => ('[', ']', items.iter().map(|value| (None, value)).collect()),
        _ => return,
    };
    text.push(open);
    for (place, (key, value)) in parts.iter().enumerate() {
        text.push_str(if place == 0 { "\n" } else { ",\n" });
        text.push_str(&" ".repeat(depth + 1));
        if let Some(key) = key {
            text.push_str(&Value::from(key.as_str()).to_string());
            text.push_str(": ");
        }
        write(value, depth + 1, text);
    }
    text.push('\n');
    text.push_str(&" ".repeat(depth));
    text.push(close);
}
