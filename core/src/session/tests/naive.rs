//! A reference written from the words of pi.md, section b, over plain JSON, with no regard for time.

use serde_json::{Value, json};

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// "path = leaf → root by `parentId`, reversed"; the later of two entries with one ID counts, a cycle ends the walk.
pub(super) fn path(entries: &[Value], leaf: &str) -> Vec<Value> {
    let mut path: Vec<Value> = Vec::new();
    let mut next = Some(leaf.to_owned());
    while let Some(id) = next {
        let Some(entry) = entries
            .iter()
            .rev()
            .find(|entry| text(entry, "id") == Some(&id))
        else {
            break;
        };
        if path.iter().any(|seen| text(seen, "id") == Some(&id)) {
            break;
        }
        next = text(entry, "parentId").map(str::to_owned);
        path.push(entry.clone());
    }
    path.reverse();
    path
}

/// Entry ID and native message of everything that the path projects to, system messages included.
pub(super) fn projection(path: &[Value]) -> Vec<(String, Value)> {
    let is = |entry: &Value, kind: &str| text(entry, "type") == Some(kind);
    let is_system =
        |entry: &Value| is(entry, "message") && text(&entry["message"], "role") == Some("system");
    // "If the path holds a compaction: take the last one; context = that entry, then path entries from
    // `firstKeptEntryId` up to it (without `system` messages), then everything after it."
    let mut selected: Vec<&Value> = path.iter().collect();
    let last = path.iter().rposition(|entry| is(entry, "compaction"));
    if let Some(last) = last {
        let kept_from = path[..last]
            .iter()
            .position(|entry| text(entry, "id") == text(&path[last], "firstKeptEntryId"));
        selected = vec![&path[last]];
        selected.extend(
            path[kept_from.unwrap_or(last)..last]
                .iter()
                .filter(|entry| !is_system(entry)),
        );
        selected.extend(&path[last + 1..]);
    }
    let mut messages = Vec::new();
    for (position, entry) in selected.iter().enumerate() {
        let id = text(entry, "id").unwrap();
        let made = match text(entry, "type").unwrap() {
            "message" => vec![entry["message"].clone()],
            "custom_message" => vec![
                json!({"role": "custom", "customType": entry["customType"], "content": entry["content"]}),
            ],
            "branch_summary" => vec![json!({"role": "branchSummary", "summary": entry["summary"]})],
            // "Older compactions inside the kept range contribute nothing."
            "compaction" if position > 0 => vec![],
            "compaction" => {
                let summary = json!({"role": "compactionSummary", "summary": entry["summary"]});
                entry
                    .get("systemMessage")
                    .cloned()
                    .into_iter()
                    .chain([summary])
                    .collect()
            }
            _ => vec![],
        };
        // "Apply the last `context_edit` per target among the selected entries."
        let edit = selected
            .iter()
            .rev()
            .find(|edit| is(edit, "context_edit") && text(edit, "targetId") == Some(id));
        for mut message in made {
            let role = text(&message, "role").unwrap().to_owned();
            match edit.map(|edit| &edit["replacement"]) {
                Some(Value::Null) => continue,
                Some(replacement)
                    if ["user", "assistant", "toolResult", "custom"].contains(&role.as_str()) =>
                {
                    let content = &replacement["content"];
                    let as_block =
                        content.is_string() && ["assistant", "toolResult"].contains(&role.as_str());
                    message["content"] = if as_block {
                        json!([{"type": "text", "text": content}])
                    } else {
                        content.clone()
                    };
                }
                _ => {}
            }
            messages.push((id.to_owned(), message));
        }
    }
    messages
}

/// "Model = last `model_change` or assistant message on the path."
pub(super) fn model(path: &[Value]) -> Option<(String, String)> {
    let named = |entry: &Value| match text(entry, "type")? {
        "model_change" => Some((
            text(entry, "provider")?.to_owned(),
            text(entry, "modelId")?.to_owned(),
        )),
        "message" if text(&entry["message"], "role")? == "assistant" => Some((
            text(&entry["message"], "provider")?.to_owned(),
            text(&entry["message"], "model")?.to_owned(),
        )),
        _ => None,
    };
    path.iter().rev().find_map(named)
}
