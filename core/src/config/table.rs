//! The rows of the README's configuration table, from the declared keys.

use serde_json::Value;

use super::merge::to_json;
use super::rules::ORDERED;
use super::schema::{Key, Kind};
use super::sections::Config;
use super::text_form::TextForm;

/// One row: a key, or an object whose names the user chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The key's path, for example `context.targetFillRatio`; a name that the user chooses stands in `<…>`.
    pub key: String,
    /// `boolean`, `integer`, `number`, `string`, `list` or `object`.
    pub type_name: &'static str,
    /// The default as JSON; empty where the key has none.
    pub default: String,
    /// What is allowed, with unit and with the key that bounds it.
    pub range: String,
    /// One line: what the key does.
    pub description: &'static str,
}

/// Every key in the order of behaviour 3.11. Sections have no row of their own.
#[must_use]
pub fn table() -> Vec<Row> {
    let mut rows = Vec::new();
    add_rows(Config::KEYS, "", &to_json(&Config::default()), &mut rows);
    rows
}

fn add_rows(keys: &[Key], prefix: &str, defaults: &Value, rows: &mut Vec<Row>) {
    for key in keys {
        let path = format!("{prefix}{}", key.name);
        let default = defaults.get(key.name).unwrap_or(&Value::Null);
        match key.kind {
            Kind::Section(nested) => add_rows(nested, &format!("{path}."), default, rows),
            Kind::Map {
                name,
                value: Kind::Section(nested),
            } => {
                rows.push(row(&path, key, default));
                add_rows(
                    nested,
                    &format!("{path}.<{}>.", placeholder(name)),
                    &Value::Null,
                    rows,
                );
            }
            _ => rows.push(row(&path, key, default)),
        }
    }
}

fn row(path: &str, key: &Key, default: &Value) -> Row {
    let bounds = ORDERED.iter().filter(|ordered| ordered.lower == path);
    let range = bounds.fold(key.kind.allowed(), |range, bound| {
        format!("{range}; {}", bound.relation())
    });
    Row {
        key: path.to_owned(),
        type_name: key.kind.type_name(),
        default: if default.is_null() {
            String::new()
        } else {
            default.to_string()
        },
        range,
        description: key.doc,
    }
}

/// What stands for a name that the user chooses.
const fn placeholder(form: TextForm) -> &'static str {
    match form {
        TextForm::PolicyProvider | TextForm::Provider => "provider",
        TextForm::Model => "model",
        TextForm::ExactProfile | TextForm::ProviderProfile | TextForm::AnyProfile => "profile",
        TextForm::Path => "path",
    }
}
