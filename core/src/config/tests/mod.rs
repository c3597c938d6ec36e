//! Tests of the configuration, by what they protect. Helpers that several of them use stand here.

mod defaults;
mod hostile;
mod merging;
mod overrides;
mod properties;
mod ranges;
mod rules;
mod table;

use serde_json::Value;

use super::{Layer, Merged, Problem, ProblemCode, Severity, merge};

/// Merges sources given as JSON text, named `source-0`, `source-1` and so on.
fn merge_texts(texts: &[&str]) -> Merged {
    let names: Vec<String> = (0..texts.len())
        .map(|index| format!("source-{index}"))
        .collect();
    let layers: Vec<Layer> = names
        .iter()
        .zip(texts)
        .map(|(source, text)| Layer {
            source,
            content: text.as_bytes(),
        })
        .collect();
    merge(&layers)
}

fn merge_value(value: &Value) -> Merged {
    merge_texts(&[&value.to_string()])
}

/// The codes and paths of all problems.
fn codes(problems: &[Problem]) -> Vec<(ProblemCode, &str)> {
    problems
        .iter()
        .map(|problem| (problem.code, problem.path.as_str()))
        .collect()
}

fn errors(problems: &[Problem]) -> usize {
    problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count()
}
