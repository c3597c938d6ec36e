//! The README's table is complete, in order, and says the same as the defaults.

use serde_json::Value;

use crate::config::{Config, table, to_json};

fn leaf_paths(value: &Value, prefix: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (name, value) in object {
                let path = if prefix.is_empty() {
                    name.clone()
                } else {
                    format!("{prefix}.{name}")
                };
                leaf_paths(value, &path, found);
            }
        }
        value => found.push((prefix.to_owned(), value.to_string())),
    }
}

#[test]
fn rows_with_a_default_are_exactly_the_keys_of_the_default_configuration() {
    let mut expected = Vec::new();
    leaf_paths(&to_json(&Config::default()), "", &mut expected);
    let rows: Vec<(String, String)> = table()
        .into_iter()
        .filter(|row| !row.default.is_empty())
        .map(|row| (row.key, row.default))
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn rows_without_a_default_are_the_optional_keys() {
    let rows: Vec<String> = table()
        .into_iter()
        .filter(|row| row.default.is_empty())
        .map(|row| row.key)
        .collect();
    assert_eq!(
        rows,
        [
            "compaction.model.provider",
            "compaction.model.id",
            "modelAwareness.overrides.<profile>.tokenEstimator",
            "modelAwareness.overrides.<profile>.contextWindow",
            "modelAwareness.overrides.<profile>.maxOutputTokens",
            "modelAwareness.overrides.<profile>.safetyMarginTokens",
            "modelAwareness.overrides.<profile>.recentTailTokens",
            "modelAwareness.overrides.<profile>.maxRetrievedHistoryTokens",
            "modelAwareness.overrides.<profile>.maxProjectTokens",
        ]
    );
}

#[test]
fn every_row_is_one_line_that_a_table_can_hold() {
    for row in table() {
        for text in [
            &row.key,
            &row.default,
            &row.range,
            &row.description.to_owned(),
        ] {
            assert!(!text.contains('|') && !text.contains('\n'), "{row:?}");
        }
        assert!(
            !row.range.is_empty() && row.description.ends_with('.'),
            "{row:?}"
        );
        assert!(row.description.len() <= 120, "{row:?}");
    }
}
