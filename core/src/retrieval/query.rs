//! What a question asks for: words with their other forms, exact strings, and dates.
//!
//! Invariants: any text is a query, also one of 10,000 characters or of FTS5's own syntax; what is asked of the index is bounded
//! ([`MAX_WORDS`], [`MAX_LITERALS`]); the same text gives the same query.

use super::dates::{self, MentionedDate};
use super::forms::other_forms;
use super::stopwords::{is_stopword, is_weak};
use super::words::{self, MAX_WORD_BYTES, fold, stem};

/// Characters of a question that are read (behaviour 2.6).
const MAX_CHARACTERS: usize = 20_000;
/// Words that one query asks for; behaviour 2.6 has 24 terms.
pub const MAX_WORDS: usize = 24;
/// Exact strings that one query asks for (behaviour 2.6).
pub const MAX_LITERALS: usize = 24;
/// Characters of an exact string (behaviour 2.6).
const LITERAL_CHARACTERS: std::ops::RangeInclusive<usize> = 3..=200;
/// What a word of little meaning counts.
const WEAK_WEIGHT: f64 = 0.5;
/// What a part of an identifier counts beside the whole.
const PART_WEIGHT: f64 = 0.5;
/// What another form of a word counts.
const OTHER_FORM_WEIGHT: f64 = 1.0;

/// A form of a word that is searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// What the index is asked for.
    pub word: String,
    /// What it is counted as in texts.
    pub stem: String,
    /// What an occurrence of it counts.
    pub weight: f64,
}

/// A word that is asked for, in all its forms.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedWord {
    /// Folded, as it was asked.
    pub word: String,
    /// Its stem.
    pub stem: String,
    /// What it counts.
    pub weight: f64,
    /// The word itself first.
    pub forms: Vec<Form>,
}

/// A string that is asked for as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The string.
    pub text: String,
    /// Whether letters of the other case match as well: a quoted phrase.
    pub any_case: bool,
}

/// A question, ready for the index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// Words in the order in which they were asked.
    pub words: Vec<AskedWord>,
    /// Identifiers, paths, error codes and quoted phrases.
    pub literals: Vec<Literal>,
    /// Dates.
    pub dates: Vec<MentionedDate>,
}

impl Query {
    /// The query that a text is.
    pub fn of(text: &str) -> Self {
        let mut query = Self::default();
        query.ask(text, 1.0);
        query
    }

    /// Asks for what the text names as well, each word counting `weight`.
    pub fn ask(&mut self, text: &str, weight: f64) {
        let end = text
            .char_indices()
            .nth(MAX_CHARACTERS)
            .map_or(text.len(), |(at, _)| at);
        let text = text.get(..end).unwrap_or_default();
        let mut folded_words = Vec::new();
        for word in words::words(text) {
            if word.text.len() > MAX_WORD_BYTES {
                continue;
            }
            let folded = fold(word.text);
            self.ask_word(&folded, weight);
            for part in words::parts(word.text) {
                self.ask_word(&fold(part), weight * PART_WEIGHT);
            }
            folded_words.push(folded);
        }
        self.dates.extend(dates::mentioned(&folded_words));
        for literal in literals(text) {
            if self.literals.len() < MAX_LITERALS && !self.literals.contains(&literal) {
                self.literals.push(literal);
            }
        }
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.literals.is_empty() && self.dates.is_empty()
    }

    /// Whether nothing is asked for but exact strings: every word is one of theirs.
    pub fn asks_for_strings_only(&self) -> bool {
        // Where words were left out for their number, nobody knows what they were.
        if self.literals.is_empty() || !self.dates.is_empty() || self.words.len() >= MAX_WORDS {
            return false;
        }
        let in_strings: Vec<String> = self
            .literals
            .iter()
            .flat_map(|literal| words::words(&literal.text))
            .flat_map(|word| words::parts(word.text).into_iter().chain([word.text]))
            .map(|word| stem(&fold(word)))
            .collect();
        self.words
            .iter()
            .all(|word| in_strings.contains(&word.stem))
    }

    fn ask_word(&mut self, word: &str, weight: f64) {
        if self.words.len() >= MAX_WORDS || is_stopword(word) || word.chars().nth(1).is_none() {
            return;
        }
        let own_stem = stem(word);
        if self.words.iter().any(|asked| asked.stem == own_stem) {
            return;
        }
        let mut forms = vec![Form {
            word: word.to_owned(),
            stem: own_stem.clone(),
            weight: 1.0,
        }];
        for other in other_forms(word) {
            let other_stem = stem(other);
            if forms.iter().all(|form| form.stem != other_stem) {
                forms.push(Form {
                    word: other.to_owned(),
                    stem: other_stem,
                    weight: OTHER_FORM_WEIGHT,
                });
            }
        }
        self.words.push(AskedWord {
            word: word.to_owned(),
            stem: own_stem,
            weight: if is_weak(word) {
                weight * WEAK_WEIGHT
            } else {
                weight
            },
            forms,
        });
    }
}

/// Backticked spans, quoted phrases, and runs without spaces that look like a name in code: paths, dotted and `::` names,
/// snake, kebab and camel case, flags, error codes.
fn literals(text: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut push = |text: &str, any_case: bool| {
        if LITERAL_CHARACTERS.contains(&text.chars().count()) {
            found.push(Literal {
                text: text.to_owned(),
                any_case,
            });
        }
    };
    for span in between(text, '`') {
        push(span, false);
    }
    for phrase in between(text, '"') {
        if phrase.trim().contains(' ') {
            push(phrase.trim(), true);
        }
    }
    for run in text.split(|character: char| {
        character.is_whitespace()
            || matches!(character, '`' | '"' | ',' | ';' | '(' | ')' | '<' | '>')
    }) {
        let run = run.trim_matches(|character: char| {
            matches!(
                character,
                '.' | ':' | '!' | '?' | '\'' | '[' | ']' | '{' | '}' | '*' | '“' | '”' | '’' | '‘'
            )
        });
        if looks_like_code(run) {
            push(run, false);
        }
    }
    found
}

/// What stands between pairs of that mark on one line.
fn between(text: &str, mark: char) -> impl Iterator<Item = &str> {
    text.lines().flat_map(move |line| {
        let pieces: Vec<&str> = line.split(mark).collect();
        let closed = pieces.len().saturating_sub(1);
        pieces
            .into_iter()
            .take(closed)
            .skip(1)
            .step_by(2)
            .filter(|piece| !piece.trim().is_empty())
    })
}

/// Whether a run without spaces is a name that nobody writes in prose.
fn looks_like_code(run: &str) -> bool {
    let characters: Vec<char> = run.chars().collect();
    let has_letter = characters.iter().any(|character| character.is_alphabetic());
    if !has_letter || characters.len() < 3 {
        return false;
    }
    if run.starts_with("--") || run.contains("::") || run.contains('/') || run.contains('_') {
        return true;
    }
    let joined_by_dot = characters.windows(3).any(|window| {
        matches!(window, [before, '.', after] if before.is_alphanumeric() && after.is_alphanumeric())
    });
    let camel = characters.windows(2).any(
        |window| matches!(window, [before, after] if before.is_lowercase() && after.is_uppercase()),
    );
    let has_digit = characters.iter().any(char::is_ascii_digit);
    let code = has_digit
        && characters
            .iter()
            .all(|character| character.is_ascii_uppercase() || character.is_ascii_digit());
    let hyphens = characters
        .iter()
        .filter(|character| **character == '-')
        .count();
    joined_by_dot || camel || code || hyphens >= 2 || (hyphens == 1 && has_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Vec<String> {
        Query::of(text)
            .words
            .into_iter()
            .map(|word| word.word)
            .collect()
    }

    fn literals_of(text: &str) -> Vec<String> {
        Query::of(text)
            .literals
            .into_iter()
            .map(|literal| literal.text)
            .collect()
    }

    #[test]
    fn words_without_stopwords_and_each_once() {
        assert_eq!(
            words_of("What is the retry budget, and who set the retries?"),
            ["retry", "budget", "set"]
        );
        assert_eq!(
            words_of("come si configura la cache"),
            ["configura", "cache"]
        );
    }

    #[test]
    fn names_in_code_are_literals() {
        assert_eq!(
            literals_of("why does `npm run x` fail in src/a.ts, parseLine, E0277 and grammar::fa?"),
            ["npm run x", "src/a.ts", "parseLine", "E0277", "grammar::fa"]
        );
        assert_eq!(
            literals_of("I said \"never on main\" twice"),
            ["never on main"]
        );
        assert_eq!(
            literals_of("well-known things, e g. this. Caroline"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_query_of_strings_only() {
        for text in [
            "`parseLine`",
            "\"never on main\"",
            "src/a.ts, `b c`",
            "where is `parseLine`?",
        ] {
            assert!(Query::of(text).asks_for_strings_only(), "{text}");
        }
        for text in ["retry budget", "`parseLine` fails", "`a.b` on May 3rd", ""] {
            assert!(!Query::of(text).asks_for_strings_only(), "{text}");
        }
    }

    #[test]
    fn other_forms_are_asked_for_too() {
        let query = Query::of("who went");
        let forms: Vec<&str> = query.words[0]
            .forms
            .iter()
            .map(|form| form.word.as_str())
            .collect();
        assert_eq!(forms, ["went", "go", "gone"]);
    }

    /// Failures 31: syntax of the index, unbalanced quotes, very long input.
    #[test]
    fn any_text_is_a_query() {
        for text in [
            "chat-send",
            "don't",
            "\"--error-on-warnings\"",
            "a'b",
            "NEAR(",
            "*",
            "^",
            "\"",
            "`",
            "\u{0}",
        ] {
            let _ = Query::of(text);
        }
        let long = Query::of(&"several differentWords_here ".repeat(10_000));
        assert!(long.words.len() <= MAX_WORDS && long.literals.len() <= MAX_LITERALS);
        assert!(Query::of("").is_empty() && Query::of("what is it?").is_empty());
    }
}
