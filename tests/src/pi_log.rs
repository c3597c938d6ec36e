//! Logs in Pi's format, made line by line. What they say is filler; their shape is the point.

use serde_json::{Value, json};

/// The folder that made logs name as theirs.
const FOLDER: &str = "/work/project";

/// A log under construction. Each entry follows the one before it unless [`PiLog::at`] moves.
#[derive(Debug, Clone)]
pub struct PiLog {
    text: String,
    parent: Option<String>,
    entries: u64,
}

impl Default for PiLog {
    fn default() -> Self {
        Self::new()
    }
}

impl PiLog {
    /// A log of version 3 with its header.
    #[must_use]
    pub fn new() -> Self {
        Self::with_header(&json!({}))
    }

    /// As [`PiLog::new`], with other fields in its header or more of them.
    #[must_use]
    pub fn with_header(fields: &Value) -> Self {
        let mut header = json!({"type": "session", "version": 3, "id": "session", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": FOLDER});
        if let (Some(header), Some(fields)) = (header.as_object_mut(), fields.as_object()) {
            header.extend(fields.clone());
        }
        Self {
            text: format!("{header}\n"),
            parent: None,
            entries: 0,
        }
    }

    /// The rest of a log that already exists: no header, and the next entry follows `parent`.
    #[must_use]
    pub fn continued(parent: &str, entries: u64) -> Self {
        Self {
            text: String::new(),
            parent: Some(parent.to_owned()),
            entries,
        }
    }

    /// The log's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The newest entry's ID.
    #[must_use]
    pub fn leaf(&self) -> &str {
        self.parent.as_deref().unwrap_or_default()
    }

    /// How many entries it has.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// What an agent does that forks a session: copies the lines of these entries.
    #[must_use]
    pub fn with_entries_of(mut self, other: &Self, ids: &[&str]) -> Self {
        for id in ids {
            let start = format!("\"id\":\"{id}\"");
            let line = other
                .text
                .lines()
                .skip(1)
                .find(|line| line.contains(&start));
            self.line(line.unwrap_or_default());
            self.entries += 1;
            self.parent = Some((*id).to_owned());
        }
        self
    }

    /// Lets the next entry follow that one.
    pub fn at(&mut self, id: &str) -> &mut Self {
        self.parent = Some(id.to_owned());
        self
    }

    /// A line as it stands.
    pub fn line(&mut self, line: &str) -> &mut Self {
        self.text.push_str(line);
        self.text.push('\n');
        self
    }

    /// An entry of any type; `id`, `parentId` and `timestamp` are added.
    pub fn entry(&mut self, id: &str, kind: &str, fields: &Value) -> &mut Self {
        let mut entry =
            json!({"type": kind, "id": id, "parentId": self.parent, "timestamp": self.timestamp()});
        if let (Some(entry), Some(fields)) = (entry.as_object_mut(), fields.as_object()) {
            entry.extend(fields.clone());
        }
        self.parent = Some(id.to_owned());
        self.entries += 1;
        self.line(&entry.to_string())
    }

    /// A message of any role.
    pub fn message(&mut self, id: &str, message: &Value) -> &mut Self {
        self.entry(id, "message", &json!({"message": message}))
    }

    /// A message of the user.
    pub fn user(&mut self, id: &str, text: &str) -> &mut Self {
        self.message(
            id,
            &json!({"role": "user", "content": [{"type": "text", "text": text}]}),
        )
    }

    /// A response without calls.
    pub fn say(&mut self, id: &str, text: &str) -> &mut Self {
        let content = json!([{"type": "text", "text": text}]);
        self.message(id, &assistant(&content, "stop"))
    }

    /// A response with calls of `read`.
    pub fn call(&mut self, id: &str, calls: &[&str]) -> &mut Self {
        let content: Value = calls
            .iter()
            .map(|call| json!({"type": "toolCall", "id": call, "name": "read", "arguments": {"path": format!("src/{call}.rs")}}))
            .collect();
        self.message(id, &assistant(&content, "toolUse"))
    }

    /// The result of a call of `read`.
    pub fn result(&mut self, id: &str, call: &str, text: &str) -> &mut Self {
        self.message(
            id,
            &json!({
                "role": "toolResult", "toolCallId": call, "toolName": "read", "isError": false,
                "content": [{"type": "text", "text": text}],
            }),
        )
    }

    /// A call and its result: the entries `<id>c` and `<id>r`.
    pub fn exchange(&mut self, id: &str, characters: usize) -> &mut Self {
        let call = format!("call-{id}");
        self.call(&format!("{id}c"), &[&call]);
        self.result(&format!("{id}r"), &call, &filler(id, characters))
    }

    /// A question, an exchange and an answer: the entries `<id>u`, `<id>c`, `<id>r`, `<id>a`.
    pub fn turn(&mut self, id: &str, characters: usize) -> &mut Self {
        self.user(&format!("{id}u"), &format!("Question {id}"));
        self.exchange(id, characters);
        self.say(&format!("{id}a"), &format!("Answer {id}"))
    }

    /// A compaction that keeps what is from `first_kept` on.
    pub fn compaction(&mut self, id: &str, summary: &str, first_kept: &str) -> &mut Self {
        self.entry(
            id,
            "compaction",
            &json!({"summary": summary, "firstKeptEntryId": first_kept, "tokensBefore": 50_000}),
        )
    }

    /// A label; none takes it away.
    pub fn label(&mut self, id: &str, target: &str, label: Option<&str>) -> &mut Self {
        self.entry(id, "label", &json!({"targetId": target, "label": label}))
    }

    fn timestamp(&self) -> String {
        let seconds = self.entries + 1;
        let (hours, minutes) = (seconds / 3_600 % 24, seconds / 60 % 60);
        format!(
            "2026-01-01T{hours:02}:{minutes:02}:{:02}.000Z",
            seconds % 60
        )
    }
}

/// A response as Pi writes it, usage included.
#[must_use]
pub fn assistant(content: &Value, stop_reason: &str) -> Value {
    json!({
        "role": "assistant", "content": content, "provider": "test", "model": "model", "stopReason": stop_reason,
        "usage": {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15},
    })
}

/// Text of that many characters that differs from line to line and looks like the output of a tool.
#[must_use]
pub fn filler(name: &str, characters: usize) -> String {
    let mut text = String::with_capacity(characters + 64);
    let mut number: u32 = 1;
    while text.len() < characters {
        let value = number.wrapping_mul(2_654_435_761) >> 12;
        text.push_str(&format!(
            "src/{name}/part_{number}.rs:{}: let value_{value} = compute({number});\n",
            number * 3
        ));
        number += 1;
    }
    text.truncate(characters);
    text
}
