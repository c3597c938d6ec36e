//! Merges sources into one configuration, lowest precedence first.

use serde_json::{Map, Value};

use super::limits::MAX_PROBLEMS_PER_LAYER;
use super::number::canonicalise;
use super::parse::parse_object;
use super::problem::{Problem, ProblemCode, Severity};
use super::rules::{Breach, breaches, value_at};
use super::sections::Config;
use super::validate::check;

/// One source of configuration: a file's bytes, or flags written as JSON.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// The source's name in problems, for example the file's path.
    pub source: &'a str,
    /// A JSON object in UTF-8, at most 1 MiB.
    pub content: &'a [u8],
}

/// The configuration that applies, and everything that was wrong with its sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// Complete and valid.
    pub config: Config,
    /// In the order of the sources and of the keys in them; rules between keys last.
    pub problems: Vec<Problem>,
}

/// Merges `layers` over the defaults, lowest precedence first: the user's file, a trusted project's file, flags.
///
/// Objects merge key by key, every other value (lists too) replaces. A layer that is not a JSON object within bounds,
/// has an invalid value, or together with the layers below it breaks a rule between keys, is ignored as a whole with
/// at least one [`Severity::Error`]. Unknown keys are ignored one by one with a [`Severity::Warning`].
#[must_use]
pub fn merge(layers: &[Layer]) -> Merged {
    let mut config = Config::default();
    let mut problems = Vec::new();
    for layer in layers {
        let mut found = Found {
            source: layer.source,
            problems: Vec::new(),
            left_out: 0,
            is_invalid: false,
        };
        if let Some(merged) = merge_layer(&config, layer.content, &mut found) {
            config = merged;
        }
        problems.extend(found.into_problems());
    }
    Merged { config, problems }
}

/// The full configuration as JSON, defaults included, keys in the order of behaviour 3.11 and the names that a user
/// chose in byte order. Keys without a default that are not set (`compaction.model`) are absent. [`merge`] reads it
/// back to the same configuration.
#[must_use]
pub fn to_json(config: &Config) -> Value {
    // Plain structs, lists and maps with text keys always serialise.
    let mut json = serde_json::to_value(config).unwrap_or_default();
    canonicalise(&mut json);
    json
}

/// The configuration with one layer merged in, or none after an error.
fn merge_layer(below: &Config, content: &[u8], found: &mut Found) -> Option<Config> {
    let source = match parse_object(content) {
        Ok(source) => source,
        Err(failures) => {
            for failure in failures {
                found.add(Severity::Error, failure.code, failure.path, failure.message);
            }
            return None;
        }
    };
    let overlay = check(source, &mut |severity, code, path, message| {
        found.add(severity, code, path, message);
    });
    if found.is_invalid {
        return None;
    }
    let overlay = Value::Object(overlay);
    let mut merged = to_json(below);
    overlay_value(&mut merged, overlay.clone());
    let config: Config = match serde_json::from_value(merged.clone()) {
        Ok(config) => config,
        Err(error) => {
            found.add(
                Severity::Error,
                ProblemCode::WrongType,
                String::new(),
                error.to_string(),
            );
            return None;
        }
    };
    for breach in breaches(&config, &merged) {
        let path = path_in_layer(&breach, &overlay);
        found.add(
            Severity::Error,
            ProblemCode::RuleBroken,
            path,
            breach.message,
        );
    }
    (!found.is_invalid).then_some(config)
}

/// Objects merge key by key, everything else replaces.
fn overlay_value(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => overlay_object(below, above),
        (below, above) => *below = above,
    }
}

fn overlay_object(below: &mut Map<String, Value>, above: Map<String, Value>) {
    for (name, value) in above {
        match below.get_mut(&name) {
            Some(existing) => overlay_value(existing, value),
            None => {
                below.insert(name, value);
            }
        }
    }
}

/// Of the keys that a broken rule is about, the first that this layer sets: that is the one to change.
fn path_in_layer(breach: &Breach, overlay: &Value) -> String {
    let set_here = breach
        .paths
        .iter()
        .find(|path| value_at(overlay, path).is_some());
    set_here
        .or(breach.paths.first())
        .cloned()
        .unwrap_or_default()
}

/// The problems found in one layer, bounded.
struct Found<'a> {
    source: &'a str,
    problems: Vec<Problem>,
    left_out: usize,
    is_invalid: bool,
}

impl Found<'_> {
    fn add(&mut self, severity: Severity, code: ProblemCode, path: String, message: String) {
        self.is_invalid |= severity == Severity::Error;
        if self.problems.len() < MAX_PROBLEMS_PER_LAYER {
            self.problems.push(Problem {
                source: self.source.to_owned(),
                severity,
                code,
                path,
                message,
            });
        } else {
            self.left_out += 1;
        }
    }

    fn into_problems(mut self) -> Vec<Problem> {
        if self.left_out > 0 {
            self.problems.push(Problem {
                source: self.source.to_owned(),
                // The one that is left out may be the error that the source is ignored for.
                severity: if self.is_invalid {
                    Severity::Error
                } else {
                    Severity::Warning
                },
                code: ProblemCode::MoreProblems,
                path: String::new(),
                message: format!("has {} more problems", self.left_out),
            });
        }
        self.problems
    }
}
