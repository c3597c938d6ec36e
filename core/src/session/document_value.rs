//! One JSON document as a value, without what nothing here reads.
//!
//! Invariants: bulk that no model reads (`details` holds a second copy of a tool's output, `data` belongs to extensions,
//! signatures are opaque) is passed over without being built, so that neither its size nor its nesting matters. Of a
//! repeated key the last one counts, as in JavaScript.
//!
//! Deliberately absent: knowledge of what the rest means, which is the codecs'.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A document of a log.
pub(super) struct DocumentValue(pub Value);

impl<'de> Deserialize<'de> for DocumentValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Level::Entry.deserialize(deserializer).map(Self)
    }
}

/// Where in a document a value stands.
#[derive(Clone, Copy)]
enum Level {
    Entry,
    Message,
    Content,
    Block,
    Other,
}

impl Level {
    /// Members that are passed over.
    fn passed_over(self) -> &'static [&'static str] {
        match self {
            Self::Entry => &["data", "details", "usage"],
            Self::Message => &["details", "diagnostics", "nestedCalls", "usage"],
            Self::Block => &["textSignature", "thinkingSignature", "thoughtSignature"],
            Self::Content | Self::Other => &[],
        }
    }

    fn member(self, key: &str) -> Self {
        match (self, key) {
            (Self::Entry, "message") => Self::Message,
            (Self::Entry | Self::Message, "content") => Self::Content,
            _ => Self::Other,
        }
    }

    fn element(self) -> Self {
        match self {
            Self::Content => Self::Block,
            _ => Self::Other,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self {
            Self::Other => Value::deserialize(deserializer),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a JSON document")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = sequence.next_element_seed(self.element())? {
            elements.push(element);
        }
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if self.passed_over().contains(&key.as_str()) {
                members.next_value::<IgnoredAny>()?;
            } else {
                let value = members.next_value_seed(self.member(&key))?;
                map.insert(key, value);
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bulk_is_passed_over_where_it_stands_and_nowhere_else() {
        let document = json!({
            "type": "message", "details": {"x": 1}, "data": [1], "usage": {}, "n": [1, -1, 1.5, true, null],
            "message": {
                "role": "toolResult", "details": 5, "usage": {"a": 1}, "nestedCalls": {}, "data": "kept",
                "content": [{"type": "thinking", "thinking": "t", "thinkingSignature": "long", "details": "kept",
                             "arguments": {"thinkingSignature": "kept", "usage": "kept"}}],
            },
        });
        let expected = json!({
            "type": "message", "n": [1, -1, 1.5, true, null],
            "message": {
                "role": "toolResult", "data": "kept",
                "content": [{"type": "thinking", "thinking": "t", "details": "kept",
                             "arguments": {"thinkingSignature": "kept", "usage": "kept"}}],
            },
        });
        let read: DocumentValue = serde_json::from_str(&document.to_string()).unwrap();
        assert_eq!(read.0, expected);
    }

    #[test]
    fn what_is_passed_over_may_be_nested_as_deep_as_it_likes() {
        let text = format!(
            r#"{{"type":"custom","data":{}{},"id":"a","id":"b"}}"#,
            "[".repeat(50_000),
            "]".repeat(50_000)
        );
        let read: DocumentValue = serde_json::from_str(&text).unwrap();
        assert_eq!(read.0, json!({"type": "custom", "id": "b"}));
        for text in ["5", "null", "\"x\"", "[{\"data\":1}]", "true", "-3", "2.5"] {
            let read: DocumentValue = serde_json::from_str(text).unwrap();
            assert_eq!(read.0, serde_json::from_str::<Value>(text).unwrap());
        }
    }
}
