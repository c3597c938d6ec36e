//! Porter's stemmer (M. F. Porter, "An algorithm for suffix stripping", Program 14, 1980), as FTS5's `porter` tokenizer
//! applies it, so that a row which the index found can be verified against its text.
//!
//! Invariants: the first letter never changes; words shorter than three or longer than 64 bytes stay as they are. A test
//! compares with FTS5 itself over words of every kind.

/// Words outside these lengths, in bytes, are not stemmed.
const STEMMED_BYTES: std::ops::RangeInclusive<usize> = 3..=64;

/// The stem of a folded word.
pub fn stem(word: &str) -> String {
    if !STEMMED_BYTES.contains(&word.len()) {
        return word.to_owned();
    }
    let mut letters = word.as_bytes().to_vec();
    plurals(&mut letters);
    past_and_progressive(&mut letters);
    final_y(&mut letters);
    replace_longest(&mut letters, DOUBLE_SUFFIXES, 0);
    replace_longest(&mut letters, SECOND_SUFFIXES, 0);
    remove_longest(&mut letters);
    final_e(&mut letters);
    if letters.ends_with(b"ll") && measure(before(&letters, 1)) > 1 {
        letters.pop();
    }
    // Only ASCII suffixes were cut or added, so that the bytes are still text.
    String::from_utf8(letters).unwrap_or_else(|_| word.to_owned())
}

/// Suffix, what takes its place.
type Rule = (&'static [u8], &'static [u8]);

/// Step 2.
const DOUBLE_SUFFIXES: &[Rule] = &[
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"izer", b"ize"),
    (b"logi", b"log"),
    (b"bli", b"ble"),
    (b"alli", b"al"),
    (b"entli", b"ent"),
    (b"eli", b"e"),
    (b"ousli", b"ous"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"ator", b"ate"),
    (b"alism", b"al"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"aliti", b"al"),
    (b"iviti", b"ive"),
    (b"biliti", b"ble"),
];

/// Step 3.
const SECOND_SUFFIXES: &[Rule] = &[
    (b"icate", b"ic"),
    (b"ative", b""),
    (b"alize", b"al"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ful", b""),
    (b"ness", b""),
];

/// Step 4.
const LAST_SUFFIXES: &[&[u8]] = &[
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent",
    b"ion", b"ou", b"ism", b"ate", b"iti", b"ous", b"ive", b"ize",
];

fn before(letters: &[u8], suffix: usize) -> &[u8] {
    letters
        .get(..letters.len().saturating_sub(suffix))
        .unwrap_or_default()
}

/// A vowel, where `y` counts as one behind a consonant.
fn is_vowel(letters: &[u8], at: usize) -> bool {
    match letters.get(at) {
        Some(b'a' | b'e' | b'i' | b'o' | b'u') => true,
        Some(b'y') => at > 0 && !is_vowel(letters, at - 1),
        _ => false,
    }
}

/// Porter's m: how often a consonant follows a vowel.
fn measure(letters: &[u8]) -> usize {
    let kinds: Vec<bool> = (0..letters.len()).map(|at| is_vowel(letters, at)).collect();
    kinds
        .iter()
        .zip(kinds.iter().skip(1))
        .filter(|(vowel, next)| **vowel && !**next)
        .count()
}

/// Whether there is a vowel; here `y` counts as one wherever it does not begin the word.
fn has_vowel(letters: &[u8]) -> bool {
    (0..letters.len()).any(|at| is_vowel(letters, at) || (at > 0 && letters.get(at) == Some(&b'y')))
}

/// Whether the word ends so, with something before it.
fn ends_with(letters: &[u8], suffix: &[u8]) -> bool {
    letters.len() > suffix.len() && letters.ends_with(suffix)
}

fn ends_in_double_consonant(letters: &[u8]) -> bool {
    let length = letters.len();
    length >= 2
        && letters.get(length - 1) == letters.get(length - 2)
        && !matches!(letters.last(), Some(b'a' | b'e' | b'i' | b'o' | b'u'))
}

/// Consonant, vowel, consonant, where the last is not w, x or y.
fn ends_in_short_syllable(letters: &[u8]) -> bool {
    let length = letters.len();
    length >= 3
        && !is_vowel(letters, length - 3)
        && is_vowel(letters, length - 2)
        && !is_vowel(letters, length - 1)
        && !matches!(letters.last(), Some(b'w' | b'x' | b'y'))
}

/// Step 1a.
fn plurals(letters: &mut Vec<u8>) {
    if ends_with(letters, b"sses") || ends_with(letters, b"ies") {
        letters.truncate(letters.len() - 2);
    } else if ends_with(letters, b"s") && !ends_with(letters, b"ss") {
        letters.pop();
    }
}

/// Step 1b.
fn past_and_progressive(letters: &mut Vec<u8>) {
    if ends_with(letters, b"eed") {
        if measure(before(letters, 3)) > 0 {
            letters.pop();
        }
        return;
    }
    let cut = [&b"ed"[..], b"ing"]
        .into_iter()
        .find(|suffix| ends_with(letters, suffix));
    let Some(suffix) = cut.filter(|suffix| has_vowel(before(letters, suffix.len()))) else {
        return;
    };
    letters.truncate(letters.len() - suffix.len());
    let takes_e = [&b"at"[..], b"bl", b"iz"]
        .into_iter()
        .any(|end| ends_with(letters, end));
    if takes_e {
        letters.push(b'e');
    } else if ends_in_double_consonant(letters)
        && !matches!(letters.last(), Some(b'l' | b's' | b'z'))
    {
        letters.pop();
    } else if measure(letters) == 1 && ends_in_short_syllable(letters) {
        letters.push(b'e');
    }
}

/// Step 1c.
fn final_y(letters: &mut [u8]) {
    if ends_with(letters, b"y")
        && has_vowel(before(letters, 1))
        && let Some(last) = letters.last_mut()
    {
        *last = b'i';
    }
}

/// Steps 2 and 3: the longest suffix that is there, replaced where enough of the word is left.
fn replace_longest(letters: &mut Vec<u8>, rules: &[Rule], least_measure: usize) {
    let rule = rules
        .iter()
        .filter(|(suffix, _)| ends_with(letters, suffix))
        .max_by_key(|(suffix, _)| suffix.len());
    if let Some((suffix, replacement)) = rule
        && measure(before(letters, suffix.len())) > least_measure
    {
        letters.truncate(letters.len() - suffix.len());
        letters.extend_from_slice(replacement);
    }
}

/// Step 4.
fn remove_longest(letters: &mut Vec<u8>) {
    let suffix = LAST_SUFFIXES
        .iter()
        .filter(|suffix| ends_with(letters, suffix))
        .max_by_key(|suffix| suffix.len());
    let Some(suffix) = suffix else { return };
    let left = before(letters, suffix.len());
    let fits = suffix != b"ion" || matches!(left.last(), Some(b's' | b't'));
    if fits && measure(left) > 1 {
        letters.truncate(letters.len() - suffix.len());
    }
}

/// Step 5a.
fn final_e(letters: &mut Vec<u8>) {
    if !ends_with(letters, b"e") {
        return;
    }
    let left = before(letters, 1);
    let measured = measure(left);
    if measured > 1 || (measured == 1 && !ends_in_short_syllable(left)) {
        letters.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::stem;
    use rusqlite::Connection;

    /// What FTS5 makes of each word, by its own vocabulary table.
    fn by_fts5(words: &[String]) -> Vec<(String, String)> {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE VIRTUAL TABLE t USING fts5(w, tokenize = 'porter unicode61 remove_diacritics 2');
                 CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);",
            )
            .unwrap();
        for (number, word) in words.iter().enumerate() {
            connection
                .execute(
                    "INSERT INTO t (rowid, w) VALUES (?1, ?2)",
                    (i64::try_from(number).unwrap(), word),
                )
                .unwrap();
        }
        let mut statement = connection
            .prepare("SELECT doc, term FROM v ORDER BY doc")
            .unwrap();
        statement
            .query_map([], |row| {
                Ok((
                    words[usize::try_from(row.get::<_, i64>(0)?).unwrap()].clone(),
                    row.get(1)?,
                ))
            })
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    /// Beginnings of every shape with every suffix that a step knows, twice over.
    fn made_words() -> Vec<String> {
        let beginnings = [
            "", "a", "b", "be", "fa", "try", "hop", "plan", "agre", "motor", "fil", "sky", "happ",
            "relat", "condit", "ration", "valen", "hesit", "digit", "conform", "radic", "differ",
            "vil", "analog", "vietnam", "predic", "operat", "feud", "decis", "hope", "callous",
            "formal", "sensit", "sensib", "tripl", "electric", "good", "reviv", "allow", "infer",
            "airlin", "gyroscop", "adjust", "defens", "irrit", "replac", "depend", "adopt",
            "commun", "activ", "angular", "homolog", "effect", "bowdler", "probat", "rat", "ceas",
            "control", "rol", "x1", "box", "snow", "tray", "zz", "off", "iss", "ski", "oa", "yy",
            "sayy", "über", "naïv",
        ];
        let suffixes = [
            "", "s", "ss", "sses", "ies", "eed", "ed", "ing", "y", "e", "ll", "l", "ational",
            "tional", "enci", "anci", "izer", "logi", "bli", "abli", "alli", "entli", "eli",
            "ousli", "ization", "ation", "ator", "alism", "iveness", "fulness", "ousness", "aliti",
            "iviti", "biliti", "icate", "ative", "alize", "iciti", "ical", "ful", "ness", "al",
            "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion",
            "sion", "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize", "at", "bl", "iz",
        ];
        let mut words = Vec::new();
        for beginning in beginnings {
            for first in suffixes {
                for second in ["", "s", "ed", "ing", "ly", "ness", "y", "es"] {
                    words.push(format!("{beginning}{first}{second}"));
                }
            }
        }
        words.push("a".repeat(63) + "s");
        words.push("a".repeat(64) + "s");
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn every_stem_is_the_one_that_fts5_makes() {
        let pairs = by_fts5(&made_words());
        assert!(pairs.len() > 30_000);
        for (word, expected) in pairs {
            let folded = super::super::words::fold(&word);
            assert_eq!(stem(&folded), expected, "{word}");
        }
    }
}
