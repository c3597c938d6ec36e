//! Cuts a text into the pieces within which bytes are joined to tokens.
//!
//! The encoding defines the pieces by a regular expression, matched again and again from where the last match ended.
//! Its alternatives, in the order in which they are tried:
//!
//! 1. a word that ends in its lower part: `[^\r\n\p{L}\p{N}]? [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*
//!    [\p{Ll}\p{Lm}\p{Lo}\p{M}]+` and a contraction `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`;
//! 2. a word of an upper part: the same with `+` for the upper and `*` for the lower part;
//! 3. `\p{N}{1,3}`;
//! 4. ` ?[^\s\p{L}\p{N}]+[\r\n/]*`;
//! 5. `\s*[\r\n]+`;
//! 6. `\s+(?!\S)`;
//! 7. `\s+`.
//!
//! This is that expression written out, since an engine for expressions would be larger than the rest of the module.
//! Invariants: the pieces, one after the other, are the text; none is empty; each character is looked at a few times
//! at most, however long the run that it stands in.

use super::classes::Class;

/// The longest run of digits in one piece.
const DIGITS: usize = 3;

/// The pieces of a text, in order.
pub struct Pieces<'text> {
    rest: &'text str,
}

impl<'text> Pieces<'text> {
    /// The pieces of this text.
    pub fn of(text: &'text str) -> Self {
        Self { rest: text }
    }
}

impl<'text> Iterator for Pieces<'text> {
    type Item = &'text str;

    fn next(&mut self) -> Option<&'text str> {
        let first = self.rest.chars().next()?;
        let (piece, rest) = self.rest.split_at_checked(piece_length(self.rest, first))?;
        self.rest = rest;
        Some(piece)
    }
}

/// Length in bytes of the piece at the start of a text that starts with the character `first`.
fn piece_length(text: &str, first: char) -> usize {
    let class = Class::of(first);
    match class {
        Class::Upper | Class::Lower | Class::Caseless => return word_length(text),
        Class::Number => {
            return text
                .chars()
                .take(DIGITS)
                .take_while(is(Class::Number))
                .map(char::len_utf8)
                .sum();
        }
        Class::Newline => return white_space_length(text),
        Class::Other | Class::Mark | Class::Space => {}
    }
    if let Some(length) = prefixed_word_length(text, first, class) {
        return length;
    }
    let before = usize::from(first == ' ');
    let symbols = run_length(after(text, before), Class::is_symbol);
    if symbols == 0 {
        return white_space_length(text);
    }
    let length = before + symbols;
    let closing = after(text, length)
        .bytes()
        .take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/'))
        .count();
    length + closing
}

/// How far the two parts of a word reach.
struct Word {
    /// The end of alternative 1, where it matches.
    with_lower_part: Option<usize>,
    /// The end of the upper part, which is that of alternative 2 where 1 does not match; 0 where 2 does not match.
    upper_part: usize,
}

/// Finds a word without a prefix at the start of the text.
fn word(text: &str) -> Word {
    let mut upper_part = 0;
    // The upper part takes all it can and then gives back as much as the lower part needs: one character.
    let mut last_lower = None;
    for character in text.chars() {
        let class = Class::of(character);
        if !class.is_upper_part() {
            if class == Class::Lower {
                let lower_part = run_length(after(text, upper_part), Class::is_lower_part);
                return Word {
                    with_lower_part: Some(upper_part + lower_part),
                    upper_part,
                };
            }
            break;
        }
        upper_part += character.len_utf8();
        if class.is_lower_part() {
            last_lower = Some(upper_part);
        }
    }
    Word {
        with_lower_part: last_lower,
        upper_part,
    }
}

/// Alternatives 1 and 2 for a text that starts with a letter.
fn word_length(text: &str) -> usize {
    let found = word(text);
    with_contraction(text, found.with_lower_part.unwrap_or(found.upper_part))
}

/// Alternatives 1 and 2 for a text that starts with a character that may be a prefix.
fn prefixed_word_length(text: &str, prefix: char, class: Class) -> Option<usize> {
    let length = prefix.len_utf8();
    let found = word(after(text, length));
    let end = match found.with_lower_part {
        Some(end) => length + end,
        // A mark is a lower part of its own, and alternative 1 without a prefix comes before 2 with one.
        None if class == Class::Mark => length,
        None if found.upper_part == 0 => return None,
        None => length + found.upper_part,
    };
    Some(with_contraction(text, end))
}

/// The end of a word that ends at `end`, its contraction included.
fn with_contraction(text: &str, end: usize) -> usize {
    let mut characters = after(text, end).chars();
    if characters.next() != Some('\'') {
        return end;
    }
    // Without regard to case: U+017F, the long s, is an s too. No other character folds to one of these letters.
    let length = match (characters.next(), characters.next()) {
        (Some('s' | 'S' | 't' | 'T' | 'm' | 'M' | 'd' | 'D'), _) => 2,
        (Some('\u{17F}'), _) => 3,
        (Some('r' | 'R' | 'v' | 'V'), Some('e' | 'E')) | (Some('l' | 'L'), Some('l' | 'L')) => 3,
        _ => 0,
    };
    end + length
}

/// Alternatives 5, 6 and 7 for a text that starts with white space.
fn white_space_length(text: &str) -> usize {
    let mut length = 0;
    let mut after_last_newline = None;
    let mut last_character = 0;
    for character in text.chars() {
        let class = Class::of(character);
        if !class.is_white_space() {
            break;
        }
        last_character = character.len_utf8();
        length += last_character;
        if class == Class::Newline {
            after_last_newline = Some(length);
        }
    }
    match after_last_newline {
        Some(end) => end,
        // The last white space before a word belongs to the word, unless it is the only one.
        None if length < text.len() && length > last_character => length - last_character,
        None => length,
    }
}

/// Length in bytes of the characters at the start of a text that satisfy a test.
fn run_length(text: &str, test: fn(Class) -> bool) -> usize {
    text.chars()
        .take_while(|character| test(Class::of(*character)))
        .map(char::len_utf8)
        .sum()
}

fn is(class: Class) -> impl Fn(&char) -> bool {
    move |character| Class::of(*character) == class
}

/// The text from a byte on, which is the end of a character; nothing beyond the end.
fn after(text: &str, length: usize) -> &str {
    text.get(length..).unwrap_or_default()
}
