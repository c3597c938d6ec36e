//! Writes the tables of exact `o200k_base` token counts (feature `exact-tokens`) into `OUT_DIR`.
//!
//! - `o200k_pairs.bin`: the vocabulary, every token as the pair of earlier tokens that it joins.
//! - `o200k_classes.bin`: the class of every character that the pre-tokenising pattern tells apart.
//!
//! The vocabulary comes from `bpe-openai` and the character classes from `regex-syntax`, both on the building machine
//! only: the dictionary that `bpe-openai` embeds is 32 MB, these two tables are 1.2 MB and compress to 0.7 MB. The
//! readers, and the exact layouts, are in `src/model/o200k/vocabulary.rs` and `src/model/o200k/classes.rs`.
//! A build without the feature compiles neither crate and writes nothing.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "exact-tokens")]
    o200k::write_tables();
}

#[cfg(feature = "exact-tokens")]
mod o200k {
    use std::collections::HashMap;
    use std::path::PathBuf;

    use regex_syntax::hir::{Class, HirKind};

    const SINGLE_BYTES: usize = 256;
    /// Bytes of a rank in the table.
    const RANK_BYTES: usize = 3;
    /// Characters in a page of the class table.
    const PAGE: usize = 256;
    const CHARACTERS: usize = char::MAX as usize + 1;
    /// The classes in the order of `Class` in `classes.rs`; a character of none of them is 0.
    const CLASSES: [(u8, &str); 7] = [
        (1, r"[\p{Lu}\p{Lt}]"),
        (2, r"\p{Ll}"),
        (3, r"[\p{Lm}\p{Lo}]"),
        (4, r"\p{M}"),
        (5, r"\p{N}"),
        (6, r"[\s--[\r\n]]"),
        (7, r"[\r\n]"),
    ];

    pub fn write_tables() {
        write("o200k_pairs.bin", &pairs());
        write("o200k_classes.bin", &classes());
    }

    fn write(name: &str, bytes: &[u8]) {
        let directory = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        std::fs::write(directory.join(name), bytes).expect("OUT_DIR can be written");
    }

    /// The single bytes in rank order, then the left and the right rank of every other token, byte plane by byte plane:
    /// the high planes compress well only when they are kept apart.
    fn pairs() -> Vec<u8> {
        let vocabulary = &bpe_openai::o200k_base().bpe;
        let count = u32::try_from(vocabulary.num_tokens()).expect("ranks fit u32");
        let tokens: Vec<&[u8]> = (0..count)
            .map(|rank| vocabulary.token_bytes(rank))
            .collect();
        assert!(
            tokens.iter().all(|token| u8::try_from(token.len()).is_ok()),
            "a token is longer than 255 bytes"
        );
        let (singles, joined) = tokens.split_at(SINGLE_BYTES);
        let mut table: Vec<u8> = singles
            .iter()
            .map(|token| {
                *token
                    .first()
                    .filter(|_| token.len() == 1)
                    .expect("the first 256 tokens are single bytes")
            })
            .collect();
        let ranks: HashMap<&[u8], u32> = tokens.iter().copied().zip(0..).collect();
        let halves: Vec<(u32, u32)> = joined.iter().map(|token| halves(token, &ranks)).collect();
        for side in [
            halves.iter().map(|pair| pair.0).collect::<Vec<_>>(),
            halves.iter().map(|pair| pair.1).collect(),
        ] {
            for plane in 0..RANK_BYTES {
                table.extend(side.iter().map(|rank| rank.to_le_bytes()[plane]));
            }
        }
        table
    }

    /// Two earlier tokens that make this one. Any such pair tells its bytes; small ranks compress best.
    fn halves(token: &[u8], ranks: &HashMap<&[u8], u32>) -> (u32, u32) {
        let own = ranks[token];
        (1..token.len())
            .filter_map(|cut| Some((*ranks.get(&token[..cut])?, *ranks.get(&token[cut..])?)))
            .filter(|(left, right)| left.max(right) < &own)
            .min_by_key(|(left, right)| *left.max(right))
            .expect("every longer token joins two earlier ones")
    }

    /// One page number for every 256 characters, then the pages, one class a byte; equal pages are kept once.
    fn classes() -> Vec<u8> {
        let mut class_of = vec![0_u8; CHARACTERS];
        for (class, pattern) in CLASSES {
            for character in characters(pattern) {
                assert_eq!(
                    class_of[character], 0,
                    "two classes for character {character:#x}"
                );
                class_of[character] = class;
            }
        }
        let mut pages: Vec<&[u8]> = Vec::new();
        let mut table = Vec::new();
        for page in class_of.chunks(PAGE) {
            let number = pages
                .iter()
                .position(|known| *known == page)
                .unwrap_or_else(|| {
                    pages.push(page);
                    pages.len() - 1
                });
            table.push(u8::try_from(number).expect("at most 256 different pages"));
        }
        table.extend(pages.concat());
        table
    }

    fn characters(pattern: &str) -> impl Iterator<Item = usize> {
        let class = regex_syntax::parse(pattern).expect("the pattern is valid");
        let HirKind::Class(Class::Unicode(class)) = class.into_kind() else {
            panic!("{pattern} is no class of characters");
        };
        let ranges: Vec<_> = class
            .iter()
            .map(|range| range.start() as usize..=range.end() as usize)
            .collect();
        ranges.into_iter().flatten()
    }
}
