//! The README's configuration table, made from the keys that the core declares.

use std::fmt::Write;

use ds4_context_core::config::{Row, table};

/// The line before the table in the README.
pub const BEGIN: &str = "<!-- configuration table -->";
/// The line behind it.
pub const END: &str = "<!-- /configuration table -->";

/// The table in Markdown, one row a key, with a line break at its end.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from(
        "| Key | Type | Default | Allowed | What it does |\n| --- | --- | --- | --- | --- |\n",
    );
    for row in table() {
        let Row {
            key,
            type_name,
            default,
            range,
            description,
        } = row;
        let default = if default.is_empty() {
            String::new()
        } else {
            format!("`{default}`")
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| `{key}` | {type_name} | {} | {} | {} |",
            cell(&default),
            cell(&range),
            cell(description)
        );
    }
    text
}

/// What stands between the two marker lines of a document; none where one of them is missing.
#[must_use]
pub fn between_markers(document: &str) -> Option<&str> {
    let (_, rest) = document.split_once(&format!("{BEGIN}\n"))?;
    let (table, _) = rest.split_once(END)?;
    Some(table)
}

/// A bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
