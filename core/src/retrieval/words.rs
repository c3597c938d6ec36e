//! Text as words: what the index holds, what a query asks for, and what a found text is verified against.
//!
//! Invariants: one way to cut and fold, for all three; a word is folded (lower case, no Latin accents) before anything
//! compares it; the parts of an identifier are words beside the whole; runs of scripts without spaces are cut into pairs
//! of characters.

use super::porter;
use crate::fixed_hash::FixedHashSet;

/// A word in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// Where it begins, in bytes.
    pub start: usize,
    /// As it is written.
    pub text: &'a str,
}

/// Runs of letters and digits, in order. A character of a script without spaces is a word with its neighbour.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (start, first) = rest.next()?;
            if !first.is_alphanumeric() {
                continue;
            }
            let mut end = start + first.len_utf8();
            if is_unspaced(first) {
                // A pair; the next word begins at its second character, so that pairs overlap.
                if let Some((_, next)) = rest.peek().filter(|(_, next)| is_unspaced(*next)) {
                    end += next.len_utf8();
                } else if start > 0 && previous_is_unspaced(text, start) {
                    continue;
                }
            } else {
                while let Some((_, next)) = rest
                    .peek()
                    .filter(|(_, next)| next.is_alphanumeric() && !is_unspaced(*next))
                {
                    end += next.len_utf8();
                    rest.next();
                }
            }
            return Some(Word {
                start,
                text: text.get(start..end).unwrap_or_default(),
            });
        }
    })
}

fn previous_is_unspaced(text: &str, start: usize) -> bool {
    text.get(..start)
        .and_then(|before| before.chars().next_back())
        .is_some_and(is_unspaced)
}

/// Scripts that put no spaces between words.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{2E80}'..='\u{2FDF}' | '\u{3040}'..='\u{30FF}' | '\u{3100}'..='\u{312F}' | '\u{31A0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9D}' | '\u{20000}'..='\u{323AF}' | '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

/// The parts of an identifier in camel case: `readLogFile` has three, `HTTPServer` two. Empty where it has one only.
pub fn parts(word: &str) -> Vec<&str> {
    if word.is_ascii() && !word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase()) {
        return Vec::new();
    }
    let characters: Vec<(usize, char)> = word.char_indices().collect();
    let mut starts = vec![0];
    for window in characters.windows(2) {
        let [(_, before), (at, character)] = window else {
            continue;
        };
        let after = word
            .get(at + character.len_utf8()..)
            .and_then(|rest| rest.chars().next());
        let begins = character.is_uppercase()
            && (!before.is_uppercase() || after.is_some_and(char::is_lowercase));
        if begins {
            starts.push(*at);
        }
    }
    if starts.len() < 2 {
        return Vec::new();
    }
    let ends = starts.iter().skip(1).copied().chain([word.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| word.get(*start..end))
        .filter(|part| part.chars().nth(1).is_some())
        .collect()
}

/// Lower case and without Latin accents.
pub fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.chars()
        .flat_map(char::to_lowercase)
        .filter(|character| !('\u{300}'..='\u{36f}').contains(character))
        .map(without_accent)
        .collect()
}

/// What remains of a letter of the Latin blocks without its accent.
fn without_accent(letter: char) -> char {
    match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ĥ' => 'h',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ǐ' => 'i',
        'ĵ' => 'j',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ō' | 'ŏ' | 'ő' | 'ǒ' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ǔ' => 'u',
        'ŵ' => 'w',
        'ý' | 'ÿ' | 'ŷ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        other => other,
    }
}

/// What a folded word is counted as: its stem, and a word with a digit in it itself. The index brings such a word to a stem as well,
/// which `build77` and `build777` share; what it finds is compared with the text.
pub fn stem(folded: &str) -> String {
    if is_numbered(folded) {
        folded.to_owned()
    } else {
        porter::stem(folded)
    }
}

/// Whether a word has a digit in it: a number, a version, the name of something. Nothing else is a form of it.
pub fn is_numbered(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

/// What the index takes of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexedWords {
    /// Every word and part once, folded, parted by spaces.
    pub distinct: String,
    /// How many words there are, repetitions counted and parts not.
    pub count: u32,
}

/// Longest word that is indexed, in bytes: what is longer is data (base64, minified code) and nobody asks for it by word.
pub const MAX_WORD_BYTES: usize = 64;

/// The words of a text for the index.
pub fn for_index(text: &str) -> IndexedWords {
    let mut indexed = IndexedWords::default();
    let mut seen: FixedHashSet<String> = FixedHashSet::default();
    let mut add = |word: &str, distinct: &mut String| {
        let folded = fold(word);
        if !seen.contains(&folded) {
            distinct.push_str(&folded);
            distinct.push(' ');
            seen.insert(folded);
        }
    };
    for word in words(text) {
        indexed.count = indexed.count.saturating_add(1);
        if word.text.len() > MAX_WORD_BYTES {
            continue;
        }
        add(word.text, &mut indexed.distinct);
        for part in parts(word.text) {
            add(part, &mut indexed.distinct);
        }
    }
    indexed.distinct.pop();
    indexed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        words(text).map(|word| word.text).collect()
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(
            texts("don't call chat-send(grammar::fa, 20.04)"),
            [
                "don", "t", "call", "chat", "send", "grammar", "fa", "20", "04"
            ]
        );
        assert_eq!(texts(" \u{0} * ^ \" "), Vec::<&str>::new());
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_overlapping_pairs() {
        assert_eq!(
            texts("設定を保存 ok"),
            ["設定", "定を", "を保", "保存", "ok"]
        );
        assert_eq!(texts("猫"), ["猫"]);
        assert_eq!(texts("rust言語x"), ["rust", "言語", "x"]);
    }

    #[test]
    fn identifiers_have_parts() {
        assert_eq!(parts("readLogFile"), ["read", "Log", "File"]);
        assert_eq!(parts("HTTPServer"), ["HTTP", "Server"]);
        assert_eq!(parts("plain"), Vec::<&str>::new());
        assert_eq!(parts("Capital"), Vec::<&str>::new());
        assert_eq!(parts("ALLCAPS"), Vec::<&str>::new());
    }

    #[test]
    fn folding_takes_case_and_accents() {
        assert_eq!(fold("Perché"), "perche");
        assert_eq!(fold("ÜBER"), "uber");
        assert_eq!(fold("e\u{301}"), "e");
    }

    #[test]
    fn a_word_with_a_digit_has_no_other_forms() {
        assert_eq!(stem("builds"), stem("build"));
        assert_ne!(stem("build777"), stem("build77"));
        assert_ne!(stem("build777"), stem("build7776"));
        assert_eq!(stem("build777"), "build777");
    }

    #[test]
    fn each_word_is_indexed_once() {
        let indexed = for_index("Read readLog read LOG");
        assert_eq!(indexed.distinct, "read readlog log");
        assert_eq!(indexed.count, 4);
    }
}
