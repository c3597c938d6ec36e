//! A question about something that was said early in a session: a copy of its log that ends with the question.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::failure::Failure;

/// Letters that a word needs to say something.
const LETTERS: usize = 5;
/// Words of the early message that the question takes up.
const WORDS: usize = 5;

/// Writes a copy of the log whose last message asks for an early one. The copy and the question; none where no early
/// message of the person has words enough.
pub fn asked(session: &Path, folder: &Path) -> Result<Option<(PathBuf, String)>, Failure> {
    let log = fs::read_to_string(session)
        .map_err(Failure::file(format!("read {}", session.display())))?;
    let entries: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let Some(words) = entries.iter().find_map(telling_words) else {
        return Ok(None);
    };
    let question = format!("What did I say early on about {}?", words.join(", "));
    let mut entry = json!({
        "type": "message",
        "timestamp": entries.last().and_then(|last| last.get("timestamp")).unwrap_or(&Value::Null),
        "message": {"role": "user", "content": question},
    });
    if let Some(parent) = entries.last().and_then(|last| last.get("id")) {
        entry["id"] = "demo-question".into();
        entry["parentId"] = parent.clone();
    }
    fs::create_dir_all(folder).map_err(Failure::file(format!("create {}", folder.display())))?;
    let copy = folder.join("question.jsonl");
    let end = if log.ends_with('\n') { "" } else { "\n" };
    fs::write(&copy, format!("{log}{end}{entry}\n"))
        .map_err(Failure::file(format!("write {}", copy.display())))?;
    Ok(Some((copy, question)))
}

/// The longest words of a message of the person, where it has enough of them.
fn telling_words(entry: &Value) -> Option<Vec<String>> {
    let message = entry.get("message")?;
    if message.get("role")?.as_str()? != "user" {
        return None;
    }
    let text = match message.get("content")? {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks
                .iter()
                .filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join(" ")
        }
        _ => return None,
    };
    // A path or a picture says nothing that a person would ask for.
    let words: BTreeSet<String> = text
        .split_whitespace()
        .filter(|word| word.len() >= LETTERS && word.chars().all(char::is_alphabetic))
        .map(str::to_lowercase)
        .collect();
    let mut words: Vec<String> = words.into_iter().collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), word.clone()));
    words.truncate(WORDS);
    (words.len() == WORDS).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_words_of_a_message_make_the_question() {
        let entry = json!({"message": {"role": "user", "content": "please rename the retry budget constant everywhere carefully"}});
        assert_eq!(
            telling_words(&entry).expect("words"),
            ["everywhere", "carefully", "constant", "budget", "please"]
        );
        assert!(telling_words(&json!({"message": {"role": "user", "content": "go on"}})).is_none());
        assert!(telling_words(&json!({"type": "session"})).is_none());
    }
}
