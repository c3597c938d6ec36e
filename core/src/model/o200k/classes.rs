//! The classes of characters that the pattern of `o200k_base` tells apart.
//!
//! The table is made by `build.rs` from the Unicode data of the regular-expression crates, so that it is of the same
//! Unicode version as the tokenizers built upon them. Layout: one page number for every 256 characters up to
//! `char::MAX`, then the pages, one class a byte.

static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_classes.bin"));

/// Characters in a page.
const PAGE: usize = 256;
/// Page numbers before the pages.
const PAGES: usize = (char::MAX as usize + 1) / PAGE;

/// What a character is to the pattern. Every character is of exactly one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Punctuation, symbols, controls: whatever is of no other class.
    Other,
    /// `\p{Lu}` and `\p{Lt}`.
    Upper,
    /// `\p{Ll}`.
    Lower,
    /// `\p{Lm}` and `\p{Lo}`: letters without case.
    Caseless,
    /// `\p{M}`: marks stand in words like a caseless letter, but alone they are no letter.
    Mark,
    /// `\p{N}`.
    Number,
    /// `\s` without the two of [`Class::Newline`].
    Space,
    /// Carriage return and line feed.
    Newline,
}

impl Class {
    /// The class of a character.
    pub fn of(character: char) -> Self {
        let code = character as usize;
        let page = TABLE.get(code / PAGE).copied().unwrap_or(0);
        match TABLE.get(PAGES + usize::from(page) * PAGE + code % PAGE) {
            Some(1) => Self::Upper,
            Some(2) => Self::Lower,
            Some(3) => Self::Caseless,
            Some(4) => Self::Mark,
            Some(5) => Self::Number,
            Some(6) => Self::Space,
            Some(7) => Self::Newline,
            _ => Self::Other,
        }
    }

    /// Whether the character may stand in the first, upper part of a word.
    pub fn is_upper_part(self) -> bool {
        matches!(self, Self::Upper | Self::Caseless | Self::Mark)
    }

    /// Whether the character may stand in the second, lower part of a word.
    pub fn is_lower_part(self) -> bool {
        matches!(self, Self::Lower | Self::Caseless | Self::Mark)
    }

    /// Whether the character is of a run of symbols.
    pub fn is_symbol(self) -> bool {
        matches!(self, Self::Other | Self::Mark)
    }

    /// Whether the character is white space, newlines included.
    pub fn is_white_space(self) -> bool {
        matches!(self, Self::Space | Self::Newline)
    }
}
