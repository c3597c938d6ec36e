//! Checks one source's values against the declared keys and brings them into the spelling that the engine compares.
//!
//! Invariants: every bad key is reported once, at the deepest place that is wrong; the result holds known keys
//! with allowed values only. Keys are checked one by one here; what they must be together stands in
//! [`super::rules`].

use serde_json::{Map, Number, Value};

use super::limits::{MAX_LIST_ITEMS, MAX_MAP_ENTRIES, MAX_PROBLEMS_PER_LAYER};
use super::number::{canonical, whole};
use super::problem::{Place, ProblemCode, Severity, one_line};
use super::schema::{Key, Kind, LowerEnd};
use super::sections::Config;
use super::suggestion::{nearest_key, same_key_elsewhere};
use super::text_form::TextForm;

/// Where the checker reports to: severity, code, path, message.
pub(crate) type Report<'a> = dyn FnMut(Severity, ProblemCode, String, String) + 'a;

/// The source's known keys with their values in canonical spelling. What is wrong goes to `report`; after an error
/// the result is not to be used.
pub(crate) fn check(source: Map<String, Value>, report: &mut Report) -> Map<String, Value> {
    Checker {
        report,
        suggestions_left: MAX_PROBLEMS_PER_LAYER,
    }
    .section(Config::KEYS, source, &Place::ROOT)
}

struct Checker<'a, 'b> {
    report: &'a mut Report<'b>,
    /// Searches for the meant key that are still made; the messages beyond are only counted.
    suggestions_left: usize,
}

impl Checker<'_, '_> {
    fn section(
        &mut self,
        keys: &[Key],
        source: Map<String, Value>,
        place: &Place,
    ) -> Map<String, Value> {
        let mut checked = Map::new();
        for (name, value) in source {
            let here = place.key(&name);
            match keys.iter().find(|key| key.name == name) {
                Some(key) => {
                    if let Some(value) = self.value(&key.kind, value, &here) {
                        checked.insert(name, value);
                    }
                }
                None => self.unknown_key(&name, keys, &here),
            }
        }
        checked
    }

    fn value(&mut self, kind: &Kind, value: Value, place: &Place) -> Option<Value> {
        match (kind, value) {
            (Kind::Flag, value @ Value::Bool(_))
            | (Kind::AlwaysTrue, value @ Value::Bool(true)) => Some(value),
            (Kind::AlwaysTrue, value @ Value::Bool(false)) => {
                self.refuse(ProblemCode::OutOfRange, kind, &value, place)
            }
            (Kind::Integer { min, max, .. }, Value::Number(number)) => match whole(&number) {
                Some(value) if (*min..=*max).contains(&value) => Some(value.into()),
                _ => self.refuse(ProblemCode::OutOfRange, kind, &Value::Number(number), place),
            },
            (Kind::Number { min, max, .. }, Value::Number(number)) => {
                if is_in_range(&number, *min, *max) {
                    Some(Value::Number(canonical(number)))
                } else {
                    self.refuse(ProblemCode::OutOfRange, kind, &Value::Number(number), place)
                }
            }
            (Kind::Choice(names), Value::String(text)) => {
                if names.contains(&text.as_str()) {
                    Some(Value::String(text))
                } else {
                    self.refuse(ProblemCode::NotAChoice, kind, &Value::String(text), place)
                }
            }
            (Kind::Text(form), Value::String(text)) => match form.normalise(&text) {
                Some(text) => Some(Value::String(text)),
                None => self.refuse(
                    ProblemCode::MalformedText,
                    kind,
                    &Value::String(text),
                    place,
                ),
            },
            (Kind::List { item, min_items }, Value::Array(items)) => {
                if (*min_items..=MAX_LIST_ITEMS).contains(&items.len()) {
                    Some(self.list(item, items, place))
                } else {
                    self.refuse(ProblemCode::OutOfRange, kind, &Value::Array(items), place)
                }
            }
            (Kind::Section(keys), Value::Object(object)) => {
                Some(self.section(keys, object, place).into())
            }
            (Kind::Map { name, value }, Value::Object(object)) => {
                if object.len() <= MAX_MAP_ENTRIES {
                    Some(self.map(*name, value, object, place))
                } else {
                    self.refuse(ProblemCode::OutOfRange, kind, &Value::Object(object), place)
                }
            }
            (Kind::Section(_) | Kind::Map { .. }, value) => {
                self.refuse(ProblemCode::NotObject, kind, &value, place)
            }
            (_, value) => self.refuse(ProblemCode::WrongType, kind, &value, place),
        }
    }

    fn list(&mut self, item: &Kind, items: Vec<Value>, place: &Place) -> Value {
        let mut checked: Vec<Value> = Vec::with_capacity(items.len());
        for (index, value) in items.into_iter().enumerate() {
            let index = index.to_string();
            let here = place.key(&index);
            let Some(value) = self.value(item, value, &here) else {
                continue;
            };
            if checked.contains(&value) {
                let path = here.path();
                let message = format!(
                    "{path} repeats {}; each item may stand once",
                    quoted(&value)
                );
                (self.report)(Severity::Error, ProblemCode::DuplicateItem, path, message);
            } else {
                checked.push(value);
            }
        }
        Value::Array(checked)
    }

    fn map(
        &mut self,
        form: TextForm,
        kind: &Kind,
        object: Map<String, Value>,
        place: &Place,
    ) -> Value {
        let mut checked = Map::new();
        for (name, value) in object {
            let here = place.key(&name);
            let Some(normalised) = form.normalise(&name) else {
                let path = here.path();
                let message = format!(
                    "{path} is not a name that is allowed here; allowed: {}",
                    form.description()
                );
                (self.report)(Severity::Error, ProblemCode::MalformedText, path, message);
                continue;
            };
            if checked.contains_key(&normalised) {
                let path = here.path();
                let message =
                    format!("{path} names the same entry as another key of this object; keep one");
                (self.report)(Severity::Error, ProblemCode::DuplicateKey, path, message);
            } else if let Some(value) = self.value(kind, value, &here) {
                checked.insert(normalised, value);
            }
        }
        checked.into()
    }

    fn unknown_key(&mut self, name: &str, keys: &[Key], place: &Place) {
        let path = place.path();
        let suggestion = self.suggestion(name, keys);
        let message = format!("{path} is not a known key and is ignored{suggestion}");
        (self.report)(Severity::Warning, ProblemCode::UnknownKey, path, message);
    }

    fn suggestion(&mut self, name: &str, keys: &[Key]) -> String {
        if self.suggestions_left == 0 {
            return String::new();
        }
        self.suggestions_left -= 1;
        nearest_key(name, keys)
            .map(str::to_owned)
            .or_else(|| same_key_elsewhere(name, Config::KEYS))
            .map(|known| format!("; did you mean {known}?"))
            .unwrap_or_default()
    }

    fn refuse(
        &mut self,
        code: ProblemCode,
        kind: &Kind,
        value: &Value,
        place: &Place,
    ) -> Option<Value> {
        let path = place.path();
        let message = format!("{path} is {}; allowed: {}", quoted(value), kind.allowed());
        (self.report)(Severity::Error, code, path, message);
        None
    }
}

fn is_in_range(number: &Number, min: LowerEnd, max: f64) -> bool {
    number.as_f64().is_some_and(|value| {
        let above_min = match min {
            LowerEnd::From(min) => value >= min,
            LowerEnd::Above(min) => value > min,
        };
        above_min && value <= max
    })
}

/// A bad value as a message shows it: short, one line, never a whole list or object.
fn quoted(value: &Value) -> String {
    match value {
        Value::Null => "null (leave the key out for its default)".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("\"{}\"", one_line(text)),
        Value::Array(items) => format!("a list of {} items", items.len()),
        Value::Object(object) => format!("an object of {} keys", object.len()),
    }
}
