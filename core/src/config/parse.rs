//! Reads one source's bytes as JSON, within bounds.
//!
//! Invariants: never more than `MAX_LAYER_BYTES` are parsed; nesting is bounded by the parser's own limit (128); a
//! key that one object names twice is found and not silently resolved, because the lost half could be the one that
//! switched privacy on. Comments and trailing commas are deliberately not accepted: other tools read the same file.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::limits::{MAX_LAYER_BYTES, MAX_PROBLEMS_PER_LAYER};
use super::problem::{Place, ProblemCode};

/// Why a source could not be read: its code, the key it concerns (empty: the source), and one line for people.
pub(crate) struct ParseFailure {
    pub(crate) code: ProblemCode,
    pub(crate) path: String,
    pub(crate) message: String,
}

impl ParseFailure {
    fn of_source(code: ProblemCode, message: String) -> Vec<Self> {
        vec![Self {
            code,
            path: String::new(),
            message,
        }]
    }
}

/// The source's object, or every reason why there is none.
pub(crate) fn parse_object(content: &[u8]) -> Result<Map<String, Value>, Vec<ParseFailure>> {
    if content.len() > MAX_LAYER_BYTES {
        let message = format!(
            "has {} bytes; a configuration has at most {MAX_LAYER_BYTES}",
            content.len()
        );
        return Err(ParseFailure::of_source(ProblemCode::TooLarge, message));
    }
    // Editors on Windows write a byte order mark in front of UTF-8.
    let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
    let mut duplicates = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(content);
    let seed = ValueSeed {
        duplicates: &mut duplicates,
        place: Place::ROOT,
    };
    let value = match seed
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
    {
        Ok(value) => value,
        Err(error) => {
            let message = format!("is not JSON: {error}");
            return Err(ParseFailure::of_source(ProblemCode::NotJson, message));
        }
    };
    if !duplicates.is_empty() {
        return Err(duplicates.into_iter().map(duplicate_key).collect());
    }
    if let Value::Object(object) = value {
        Ok(object)
    } else {
        let message = "must hold one JSON object".to_owned();
        Err(ParseFailure::of_source(ProblemCode::NotObject, message))
    }
}

fn duplicate_key(path: String) -> ParseFailure {
    let message = format!("{path} is given twice in the same object; keep one");
    ParseFailure {
        code: ProblemCode::DuplicateKey,
        path,
        message,
    }
}

struct ValueSeed<'a> {
    duplicates: &'a mut Vec<String>,
    place: Place<'a>,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(ValueSeed {
            duplicates: &mut *self.duplicates,
            place: self.place,
        })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let place = self.place.key(&name);
            if object.contains_key(&name) && self.duplicates.len() < MAX_PROBLEMS_PER_LAYER {
                self.duplicates.push(place.path());
            }
            let value = entries.next_value_seed(ValueSeed {
                duplicates: &mut *self.duplicates,
                place,
            })?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}
