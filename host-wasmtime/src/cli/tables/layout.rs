//! Cells, columns, figures and colours.

use crate::cli::output::Output;

/// How emphasis is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// By nothing.
    Plain,
    /// By the terminal's colours.
    Coloured,
}

/// What a piece of a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Heading,
    Faint,
    Good,
    Warning,
}

impl Style {
    pub(crate) fn of(output: &Output) -> Self {
        if output.colours() {
            Self::Coloured
        } else {
            Self::Plain
        }
    }

    pub(super) fn paint(self, ink: Ink, text: &str) -> String {
        let code = match (self, ink) {
            (Self::Plain, _) | (_, Ink::Plain) => return text.to_owned(),
            (Self::Coloured, Ink::Heading) => "1",
            (Self::Coloured, Ink::Faint) => "2",
            (Self::Coloured, Ink::Good) => "32",
            (Self::Coloured, Ink::Warning) => "33",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// A text without characters that move the cursor or turn the writing around.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\r' | '\t' => ' ',
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                '\u{fffd}'
            }
            other if other.is_control() => '\u{fffd}',
            other => other,
        })
        .collect()
}

/// `1234567` as `1,234,567`.
pub(super) fn figure(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 message`, `2 messages`.
pub(super) fn counted(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        figure(number),
        if number == 1 { one } else { many }
    )
}

/// `123 bytes`, `12.3 KB`, `1.2 MB`.
pub(super) fn byte_size(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["KB", "MB", "GB"];
    if bytes < 1000 {
        return counted(bytes, "byte", "bytes");
    }
    // In tenths of the unit, rounded half up.
    let mut unit = 1000;
    let mut place = 0;
    let tenths = |unit: u64| (bytes.saturating_mul(10).saturating_add(unit / 2)) / unit;
    while tenths(unit) >= 10_000 && place + 1 < UNITS.len() {
        unit *= 1000;
        place += 1;
    }
    let tenths = tenths(unit);
    format!(
        "{}.{} {}",
        tenths / 10,
        tenths % 10,
        UNITS.get(place).copied().unwrap_or_default()
    )
}

/// A text cut and filled to exactly so many columns.
pub(super) fn left(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let missing = columns.saturating_sub(width(&text));
    format!("{text}{}", " ".repeat(missing))
}

/// A figure in a column of its own.
pub(super) fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// A text of at most so many columns, the missing part shown by an ellipsis.
pub(super) fn cut(text: &str, columns: usize) -> String {
    let text = printable(text);
    if width(&text) <= columns {
        return text;
    }
    let mut kept = String::new();
    let mut taken = 0;
    for character in text.chars() {
        taken += character_width(character);
        if taken >= columns {
            break;
        }
        kept.push(character);
    }
    kept.push('…');
    kept
}

/// Words on lines of at most so many columns. A word that is longer, such as a path, goes on in the next line.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let text = printable(text);
    let words = text.split_whitespace();
    filled(words.flat_map(|word| parts(word, columns)), columns)
}

/// A word in parts of at most so many columns.
fn parts(word: &str, columns: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut taken) = (0, 0);
    for (at, character) in word.char_indices() {
        let columns_of_it = character_width(character);
        if taken + columns_of_it > columns {
            parts.extend(word.get(start..at));
            (start, taken) = (at, 0);
        }
        taken += columns_of_it;
    }
    parts.extend(word.get(start..));
    parts
}

/// Pieces on lines of at most so many columns; no line ends within a piece.
pub(super) fn filled<'a>(pieces: impl Iterator<Item = &'a str>, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in pieces {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(cut(word, columns)),
        }
    }
    lines
}

pub(super) fn width(text: &str) -> usize {
    text.chars().map(character_width).sum()
}

/// Columns of a character: two for the scripts and pictures that terminals show wide.
fn character_width(character: char) -> usize {
    match u32::from(character) {
        0x0300..=0x036f | 0x200b..=0x200d | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1_f300..=0x1_faff
        | 0x2_0000..=0x3_fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_grouped() {
        assert_eq!(
            [figure(0), figure(999), figure(1000), figure(1_234_567)],
            ["0", "999", "1,000", "1,234,567"]
        );
    }

    #[test]
    fn a_cell_has_its_width_whatever_stands_in_it() {
        for text in [
            "",
            "short",
            "exactly ten",
            "日本語日本語日本語",
            "e\u{301}",
            "a\u{1b}[31mred",
            "line\nfeed",
        ] {
            assert_eq!(width(&left(text, 10)), 10, "{text:?}");
        }
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        let shown = printable("a\u{1b}]0;title\u{7}b\u{202e}c\u{9b}31m");
        assert!(
            shown
                .chars()
                .all(|character| !character.is_control() && character != '\u{202e}'),
            "{shown:?}"
        );
    }

    #[test]
    fn sizes_have_the_unit_that_is_read_most_easily() {
        let shown = [
            0,
            1,
            999,
            1000,
            516_096,
            999_949,
            999_950,
            12_345_678,
            5_000_000_000_000,
        ];
        assert_eq!(
            shown.map(byte_size),
            [
                "0 bytes",
                "1 byte",
                "999 bytes",
                "1.0 KB",
                "516.1 KB",
                "999.9 KB",
                "1.0 MB",
                "12.3 MB",
                "5000.0 GB"
            ]
        );
    }

    #[test]
    fn a_word_that_is_too_long_goes_on_in_the_next_line() {
        let path = format!("/{}", "folder/".repeat(9));
        let lines = wrapped(&format!("in {path}"), 20);
        assert_eq!(lines.concat(), format!("in{path}"));
        assert!(lines.iter().all(|line| width(line) <= 20), "{lines:?}");
    }

    #[test]
    fn wrapped_lines_fit() {
        let lines = wrapped(
            "a recent tail of 48,123 tokens instead of 32,000 for this model",
            20,
        );
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line) <= 20));
    }
}
