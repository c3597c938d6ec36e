//! Secrets on command lines: `mysql -pX`, `curl -u user:X`, `docker login -p X`, `echo X | sudo -S`.
//!
//! Long options with a telling name (`--password X`) are assignments and need no program. Here are the short ones, whose
//! meaning depends on the program; the table is in the rules' data file.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;

use super::bytes::{at, before, has_prefix, is_quote, is_word, slice, starts_word};
use super::name::Promise;
use super::placeholder::is_placeholder;
use super::quoting::Delimiter;
use super::reference::is_reference;
use super::value::{Standing, is_secret};

/// The longest command line that is read, in bytes.
const MAX_LINE: usize = 2048;
/// The most words of a command line.
const MAX_WORDS: usize = 96;

const ON_LINE: Standing = Standing {
    quoted: false,
    literal: true,
    loose: false,
};

/// What an option of a program carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Carries {
    /// The password, as the next word or attached to the option.
    Password,
    /// The password, attached to the option only.
    Attached,
    /// `user:password`, or `user%password`.
    UserAndPassword,
    /// `pass:password`.
    PassPrefix,
}

/// A rule of the data file for programs whose short options carry secrets.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    programs: Vec<String>,
    /// A word that must stand on the line; empty for none.
    #[serde(default)]
    with: String,
    /// The options, and what each carries.
    #[serde(default)]
    options: BTreeMap<String, Carries>,
    /// The secret is the word at this place, counted from 0 after `with`, options aside.
    place: Option<usize>,
    /// The secret is the last word.
    #[serde(default)]
    last: bool,
}

impl Program {
    /// What to look for: each program's name with the blank that follows, in lower case.
    pub(super) fn keywords(&self) -> impl Iterator<Item = String> {
        self.programs.iter().map(|name| format!("{name} "))
    }
}

/// Programs that read a password from the output of another.
pub(super) const READERS: [&str; 4] = ["sudo -s", "chpasswd", "--password-stdin", "passwd --stdin"];

/// The secrets on the line where a program's name and a blank stand in `found`, and where the line ends.
pub(super) fn secrets(
    text: &[u8],
    found: Range<usize>,
    programs: &[Program],
) -> (Vec<Range<usize>>, usize) {
    let name = slice(text, found.start, found.end - 1);
    if !starts_word(text, found.start) || before(text, found.start, 1) == b'-' {
        return (Vec::new(), found.start);
    }
    let end = line_end(text, found.start);
    let words = words(text, found.end, end);
    let mut secrets = Vec::new();
    for program in programs.iter().filter(|program| {
        program
            .programs
            .iter()
            .any(|p| name.eq_ignore_ascii_case(p.as_bytes()))
    }) {
        let with = words.iter().position(|word| word.is(text, &program.with));
        if with.is_none() && !program.with.is_empty() {
            continue;
        }
        of_options(text, &words, &program.options, &mut secrets);
        let after = words
            .get(with.map_or(0, |with| with + 1)..)
            .unwrap_or_default();
        secrets.extend(program.placed(text, after));
    }
    (secrets, end)
}

impl Program {
    /// The secret that its place shows.
    fn placed(&self, text: &[u8], words: &[Word]) -> Option<Range<usize>> {
        let mut words = words
            .iter()
            .filter(|word| at(text, word.content.start) != b'-');
        let word = match self.place {
            Some(place) => words.nth(place)?,
            None if self.last => words.next_back()?,
            None => return None,
        };
        carried(text, word.content.clone(), Carries::Password)
    }
}

fn of_options(
    text: &[u8],
    words: &[Word],
    options: &BTreeMap<String, Carries>,
    found: &mut Vec<Range<usize>>,
) {
    for (index, word) in words.iter().enumerate() {
        for (option, carries) in options {
            let bytes = slice(text, word.content.start, word.content.end);
            if !bytes.starts_with(option.as_bytes()) {
                continue;
            }
            let attached = word.content.start + option.len()..word.content.end;
            let long = option.starts_with("--");
            let value = if attached.is_empty() {
                if *carries == Carries::Attached {
                    None
                } else {
                    words.get(index + 1).map(|next| next.content.clone())
                }
            } else if at(text, attached.start) == b'=' {
                Some(attached.start + 1..attached.end)
            } else if long || *carries == Carries::PassPrefix {
                None
            } else {
                // `-p'secret'`: the quote opens after the option.
                Some(trimmed(text, attached))
            };
            found.extend(value.and_then(|value| carried(text, value, *carries)));
        }
    }
}

/// Takes quotes off both ends.
fn trimmed(text: &[u8], mut range: Range<usize>) -> Range<usize> {
    if let Some((delimiter, content)) = Delimiter::opening(text, range.start)
        && let Some(end) = delimiter.content_end(text, content)
    {
        range = content..end;
    }
    range
}

/// The secret part of an option's value.
fn carried(text: &[u8], value: Range<usize>, carries: Carries) -> Option<Range<usize>> {
    let bytes = slice(text, value.start, value.end);
    let secret = match carries {
        Carries::Password | Carries::Attached => value,
        Carries::PassPrefix => {
            if !bytes.starts_with(b"pass:") {
                return None;
            }
            value.start + 5..value.end
        }
        Carries::UserAndPassword => {
            let colon = bytes.iter().position(|b| matches!(b, b':' | b'%'))?;
            // `"user":"password"`: quotes stand in the middle of the word.
            let begin = value.start + colon + 1;
            trimmed(text, begin..value.end)
        }
    };
    let bytes = slice(text, secret.start, secret.end);
    let plain = bytes.strip_suffix(b">").unwrap_or(bytes);
    let stands = bytes.len() >= 4
        && !is_placeholder(plain)
        && !is_reference(bytes, ON_LINE)
        && !bytes.starts_with(b"-");
    let word = carries == Carries::UserAndPassword
        || is_secret(bytes, Promise::Password, ON_LINE)
        || is_secret(bytes, Promise::Token, ON_LINE);
    (stands && word && !bytes.iter().any(u8::is_ascii_whitespace)).then_some(secret)
}

/// The password in `echo X | sudo -S …`, before the program at `start`.
pub(super) fn echoed(text: &[u8], start: usize) -> Option<Range<usize>> {
    let begin = start.saturating_sub(256);
    let line = slice(text, begin, start);
    let pipe = line.iter().rposition(|&b| b == b'|')?;
    let command = line.get(..pipe)?;
    let (program, width) = ["echo ", "printf "].iter().find_map(|name| {
        command
            .windows(name.len())
            .rposition(|w| w == name.as_bytes())
            .map(|found| (found, name.len()))
    })?;
    let words = words(text, begin + program + width, begin + pipe);
    let word = words
        .iter()
        .find(|word| !slice(text, word.content.start, word.content.end).starts_with(b"-"))?;
    let bytes = slice(text, word.content.start, word.content.end);
    let colon = bytes
        .iter()
        .position(|&b| b == b':')
        .filter(|_| has_prefix(text, start, "chpasswd"));
    let secret = word.content.start + colon.map_or(0, |colon| colon + 1)..word.content.end;
    carried(text, secret, Carries::Password)
}

/// A word of a command line, without its quotes.
struct Word {
    content: Range<usize>,
}

impl Word {
    fn is(&self, text: &[u8], word: &str) -> bool {
        slice(text, self.content.start, self.content.end) == word.as_bytes()
    }
}

/// The words from `start` to `end`, quoted at any depth.
fn words(text: &[u8], start: usize, end: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut index = start;
    while index < end && words.len() < MAX_WORDS {
        if matches!(at(text, index), b' ' | b'\t' | b'\n' | b'\r') {
            index += 1;
            continue;
        }
        if let Some((delimiter, content)) = Delimiter::opening(text, index)
            && let Some(close) = delimiter.content_end(text, content)
            && !continues(text, close + delimiter.width())
        {
            words.push(Word {
                content: content..close.min(end),
            });
            index = close + delimiter.width();
            continue;
        }
        let stop = word_end(text, index, end);
        if stop == index || is_quote(at(text, stop)) {
            // The end of the string that the line stands in.
            words.push(Word {
                content: index..stop,
            });
            break;
        }
        words.push(Word {
            content: index..stop,
        });
        index = stop.max(index + 1);
    }
    words
}

/// Whether a word goes on after a closing quote.
fn continues(text: &[u8], index: usize) -> bool {
    is_word(at(text, index)) || matches!(at(text, index), b':' | b'=' | b'-' | b'.')
}

/// Where a word that does not begin with a quote ends; quotes inside it are stepped over.
fn word_end(text: &[u8], start: usize, end: usize) -> usize {
    let mut index = start;
    while index < end {
        let byte = at(text, index);
        if matches!(
            byte,
            b' ' | b'\t' | b'\n' | b'\r' | b'|' | b';' | b')' | b'<' | b'>'
        ) {
            break;
        }
        if let Some((delimiter, content)) = Delimiter::opening(text, index) {
            let opens = matches!(before(text, index, 1), b':' | b'=' | b'%')
                || (at(text, start) == b'-' && index == start + 2);
            match delimiter.content_end(text, content) {
                Some(close) if opens && close < end => index = close + delimiter.width(),
                _ => break,
            }
        } else if byte == b'\\' && matches!(at(text, index + 1), b'n' | b'r') {
            break;
        } else {
            index += 1;
        }
    }
    index
}

/// Where the command line ends: its last line, lines joined by a backslash counted in.
fn line_end(text: &[u8], start: usize) -> usize {
    let limit = start.saturating_add(MAX_LINE).min(text.len());
    let mut index = start;
    while index < limit {
        if at(text, index) == b'\n' && before(text, index, 1) != b'\\' {
            break;
        }
        index += 1;
    }
    index
}
