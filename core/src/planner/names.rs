//! The names in a line: what an agent writes down exactly, and therefore needs exactly.
//!
//! Invariant: a pure function of the line; the same rule for every tool and language, because it looks at the shape of
//! words only: identifiers of several parts, files of a path, hashes, long numbers, quoted phrases.

/// Bytes of a word below which it is no name.
const MIN_WORD: usize = 5;
/// Hex digits of a hash, at least.
const MIN_HASH: usize = 7;
/// Digits of a number that is an identifier and not a count, at least.
const MIN_NUMBER: usize = 6;
/// Bytes of a path whose last part is a name, at least.
const MIN_PATH: usize = 9;
/// Bytes of a quoted phrase.
const QUOTED: std::ops::RangeInclusive<usize> = 8..=120;

/// Calls `found` for every name of the line, in no particular order, and for one that stands there twice twice.
pub(super) fn names_of<'a>(line: &'a str, mut found: impl FnMut(&'a str)) {
    for word in line.split(|c: char| !is_word_character(c)) {
        if is_name(word) {
            found(word);
        }
    }
    for path in line.split(|c: char| !(is_word_character(c) || matches!(c, '/' | '.' | '-' | '@')))
    {
        let path = path.trim_end_matches(['.', '-', '/']);
        if path.len() >= MIN_PATH
            && let Some((_, file)) = path.rsplit_once('/')
            && !file.is_empty()
        {
            found(file);
        }
    }
    for quote in ['"', '`'] {
        // Every second part stands between two quotes.
        for quoted in line.split(quote).skip(1).step_by(2) {
            if QUOTED.contains(&quoted.len()) && quoted.contains(' ') {
                found(quoted);
            }
        }
    }
}

fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a word is an identifier of several parts, a hash or a long number.
fn is_name(word: &str) -> bool {
    if word.len() < MIN_WORD {
        return false;
    }
    let bytes = word.as_bytes();
    let has_digit = bytes.iter().any(u8::is_ascii_digit);
    if has_digit && bytes.iter().all(u8::is_ascii_digit) {
        return bytes.len() >= MIN_NUMBER;
    }
    let several_parts = word.trim_matches('_').contains('_')
        || bytes.windows(2).any(|pair| {
            matches!(pair, [a, b] if (a.is_ascii_lowercase() || a.is_ascii_digit()) && b.is_ascii_uppercase())
        })
        || bytes.windows(3).any(|three| {
            matches!(three, [a, b, c] if a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_lowercase())
        });
    let hash = has_digit && bytes.len() >= MIN_HASH && bytes.iter().all(u8::is_ascii_hexdigit);
    several_parts || hash
}

#[cfg(test)]
mod tests {
    use super::names_of;

    fn names(line: &str) -> Vec<&str> {
        let mut names = Vec::new();
        names_of(line, |name| names.push(name));
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn identifiers_files_hashes_numbers_and_quoted_phrases_are_names() {
        assert_eq!(
            names("func loadConfig(path string) in cmd/app/config.go at 3fa9c21, issue 123456"),
            ["123456", "3fa9c21", "config.go", "loadConfig"]
        );
        assert_eq!(
            names(r#"return fmt.Errorf("failed to open log: %w", err_value)"#),
            ["err_value", "failed to open log: %w"]
        );
        assert_eq!(
            names("HTTPServer and XMLReader"),
            ["HTTPServer", "XMLReader"]
        );
    }

    #[test]
    fn plain_words_and_small_numbers_are_none() {
        assert!(names("the next word is shorter than 12345 others, and/or not").is_empty());
    }
}
