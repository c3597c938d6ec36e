//! Exact token counts of the `o200k_base` encoding, in little space (behaviour 2.1, estimator `o200k-base-v1`).
//!
//! A text is cut into pieces by the encoding's pattern ([`pieces`]); the bytes of every piece are joined pair by pair,
//! the pair of the lowest rank first ([`merge`]), as far as the vocabulary ([`vocabulary`]) goes. What is left is the
//! tokens.
//!
//! Invariants:
//! - The count equals that of the public encoder for every text; the tests compare it with an independent one.
//! - No input is slow or large: time is `n log n` in the length of the text, and memory beyond the vocabulary (under
//!   6 MB, made at the first count) does not grow with it, save for texts made to that end.
//! - Texts are plain: `<|endoftext|>` and its like are counted as the characters they are, never as special tokens.
//!
//! Deliberately absent: encoding to token numbers and decoding. Nothing here needs more than the count.
//!
//! Why not a crate: `bpe-openai` embeds 32 MB, `tiktoken-rs` and `tiktoken` embed the vocabularies of many encodings in
//! forms that do not compress (1.3 MB and more for this one) and hold every token in an allocation of its own,
//! `kitoken` and `riptoken` bring no vocabulary. All of them carry a regular-expression engine.

mod classes;
mod merge;
mod pieces;
#[cfg(test)]
mod tests;
mod vocabulary;

use pieces::Pieces;
use vocabulary::Vocabulary;

/// The number of `o200k_base` tokens of a text; an empty text has none.
///
/// The first call makes the index of the vocabulary (tens of milliseconds); every later one uses it.
pub fn count(text: &str) -> usize {
    let vocabulary = Vocabulary::o200k();
    let mut scratch = merge::Scratch::default();
    Pieces::of(text)
        .map(|piece| merge::count(vocabulary, piece.as_bytes(), &mut scratch))
        .sum()
}
