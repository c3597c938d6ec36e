//! What a request must be, judged by the messages that go out and nothing else.

use std::collections::HashMap;

use serde_json::Value;

/// The messages of a rendered plan.
pub struct Sent(Vec<Message>);

struct Message {
    role: String,
    entry: Option<String>,
    text: String,
    calls: Vec<String>,
    answers: Option<String>,
}

impl Sent {
    /// Reads a `ds4-context-plan-v1`.
    pub fn of(rendered: &Value) -> Self {
        let text = |row: &Value, key: &str| row[key].as_str().map(str::to_owned);
        let rows = rendered["messages"].as_array().expect("messages");
        let messages = rows.iter().map(|row| Message {
            role: text(row, "role").expect("a role"),
            entry: text(row, "entryId"),
            text: text(row, "text").expect("a text"),
            calls: row["toolCallIds"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|id| id.as_str().unwrap_or_default().to_owned())
                .collect(),
            answers: text(row, "toolCallId"),
        });
        Self(messages.collect())
    }

    /// A quarter of the UTF-16 units of each message, rounded up: the count of the carry-over benchmark.
    pub fn tokens(&self) -> u64 {
        self.0
            .iter()
            .map(|message| (message.text.encode_utf16().count() as u64).div_ceil(4))
            .sum()
    }

    /// Results without an open call before them, and calls that stay open. Order between them does not count.
    pub fn split_exchanges(&self) -> usize {
        let mut open: HashMap<&str, usize> = HashMap::new();
        let mut faults = 0;
        for message in &self.0 {
            for call in &message.calls {
                *open.entry(call).or_default() += 1;
            }
            if let Some(call) = &message.answers {
                match open.get_mut(call.as_str()) {
                    Some(count) if *count > 0 => *count -= 1,
                    _ => faults += 1,
                }
            }
        }
        faults + open.values().sum::<usize>()
    }

    /// Results that do not directly follow their call, and calls without a result: as providers judge.
    pub fn pair_violations(&self) -> usize {
        let mut faults = 0;
        let mut open: Vec<&str> = Vec::new();
        for message in &self.0 {
            if message.role == "toolResult" {
                match open
                    .iter()
                    .position(|call| Some(*call) == message.answers.as_deref())
                {
                    Some(place) => drop(open.remove(place)),
                    None => faults += 1,
                }
            } else {
                faults += open.len();
                open = message.calls.iter().map(String::as_str).collect();
            }
        }
        faults + open.len()
    }

    /// The entry of the newest message of the user; made logs name such entries `u…`, and `e…` where an edit has to fill
    /// an empty one.
    pub fn newest_user(&self) -> Option<String> {
        let entries = self
            .0
            .iter()
            .rev()
            .filter_map(|message| message.entry.as_ref());
        entries
            .into_iter()
            .find(|entry| entry.starts_with(['u', 'e']))
            .cloned()
    }

    /// The text that goes out for an entry.
    pub fn text_of(&self, entry: Option<&str>) -> Option<&str> {
        let message = self
            .0
            .iter()
            .find(|message| entry.is_some() && message.entry.as_deref() == entry)?;
        Some(&message.text)
    }

    /// Whether the entries stand in the order that they have in another request which holds all of them.
    pub fn is_in_order_of(&self, everything: &Self) -> bool {
        let mut rest = everything
            .0
            .iter()
            .filter_map(|message| message.entry.as_ref());
        self.0
            .iter()
            .filter_map(|message| message.entry.as_ref())
            .all(|entry| rest.any(|other| other == entry))
    }
}

/// Whether kept and replaced positions of a plan only ever go up.
pub fn positions_ascend(plan: &Value) -> bool {
    let mut next = 0;
    plan["items"].as_array().expect("items").iter().all(|item| {
        let val = &item["val"];
        let (first, count) = match item["tag"].as_str() {
            Some("keep") => (val["first"].as_u64(), val["count"].as_u64()),
            Some("replace") => (val["position"].as_u64(), Some(1)),
            _ => return true,
        };
        let first = first.expect("a position");
        let ascends = first >= next;
        next = first + count.expect("a count");
        ascends
    })
}
