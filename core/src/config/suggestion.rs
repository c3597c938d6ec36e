//! Finds the known key that a mistyped one probably meant.

use super::limits::MAX_SUGGESTION_DISTANCE;
use super::schema::{Key, Kind};

/// The nearest of the section's keys within `MAX_SUGGESTION_DISTANCE` edits, ties broken by the section's order.
/// Distance counts characters added, removed or replaced; a name that would have to change as a whole is not near.
pub(crate) fn nearest_key(unknown: &str, keys: &[Key]) -> Option<&'static str> {
    keys.iter()
        .map(|key| (edit_distance(unknown, key.name), key.name))
        .filter(|(distance, name)| *distance <= MAX_SUGGESTION_DISTANCE && *distance < name.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The full path of the one key with exactly this name in another section: a key that was put in the wrong place.
/// Names that several sections share, such as `enabled`, suggest nothing.
pub(crate) fn same_key_elsewhere(unknown: &str, root: &[Key]) -> Option<String> {
    let mut paths = Vec::new();
    collect_same_key(unknown, root, "", &mut paths);
    if paths.len() == 1 { paths.pop() } else { None }
}

fn collect_same_key(unknown: &str, keys: &[Key], prefix: &str, paths: &mut Vec<String>) {
    for key in keys {
        if key.name == unknown {
            paths.push(format!("{prefix}{}", key.name));
        }
        if let Kind::Section(nested) = key.kind {
            collect_same_key(unknown, nested, &format!("{prefix}{}.", key.name), paths);
        }
    }
}

/// Levenshtein distance, at most `MAX_SUGGESTION_DISTANCE + 1`: lengths too far apart are not compared at all.
fn edit_distance(left: &str, right: &str) -> usize {
    let too_far = MAX_SUGGESTION_DISTANCE + 1;
    // Bytes bound characters from above, so that a key of a megabyte costs nothing.
    if left.len() > 4 * (right.len() + too_far) {
        return too_far;
    }
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, character) in left.chars().enumerate() {
        let mut diagonal = line;
        let mut before = line + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(before);
        for (above, expected) in row.iter().skip(1).zip(&right) {
            let replaced = diagonal + usize::from(character != *expected);
            before = replaced.min(above + 1).min(before + 1);
            diagonal = *above;
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or(too_far).min(too_far)
}
