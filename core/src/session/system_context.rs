//! The system prompt and the tools that a branch's system messages come to.
//!
//! Invariant, which is Pi's: content is appended, sections are patched by name (null takes one away), tools are added
//! and removed by name, each in the order of the messages.

use serde_json::{Map, Value, json};

use crate::message::{Role, read};

use super::log::SessionLog;
use super::projection::Projection;

/// The fixed part of a request, for hosts that do not hand it over themselves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SystemContext {
    /// The system prompt.
    pub text: String,
    /// Tool definitions, `name`, `description` and `parameters`, in the order in which they were added.
    pub tools: Vec<Value>,
}

impl Projection {
    /// What the projection's system messages come to; none where there are none.
    pub fn system_context(&self, log: &SessionLog) -> Option<SystemContext> {
        if self.system.is_empty() {
            return None;
        }
        let mut content = Vec::new();
        let mut sections = Map::new();
        let mut tools: Map<String, Value> = Map::new();
        for wire in self
            .system
            .iter()
            .filter_map(|system| Some(self.resolve(log, system)?.wire_value()))
        {
            content.push(read(&Role::System, &json!({"content": wire.get("content")})).text);
            patch_sections(&mut sections, &wire);
            patch_tools(&mut tools, &wire);
        }
        content.retain(|text| !text.is_empty());
        sections.retain(|_, section| section != "");
        let merged = json!({"content": content.join("\n\n"), "sections": sections});
        Some(SystemContext {
            text: read(&Role::System, &merged).text,
            tools: tools.into_iter().map(|(_, tool)| tool).collect(),
        })
    }
}

fn patch_sections(sections: &mut Map<String, Value>, wire: &Value) {
    for (name, section) in wire
        .get("sections")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        if section.is_null() {
            sections.shift_remove(name);
        } else {
            sections.insert(name.clone(), section.clone());
        }
    }
}

fn patch_tools(tools: &mut Map<String, Value>, wire: &Value) {
    let list = |key: &str| {
        wire.get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let name = |tool: &Value| tool.get("name").and_then(Value::as_str).map(str::to_owned);
    for name in list("toolsRemoved").filter_map(name) {
        tools.shift_remove(&name);
    }
    for tool in list("toolsAdded") {
        if let Some(name) = name(tool) {
            tools.insert(name, tool.clone());
        }
    }
}
