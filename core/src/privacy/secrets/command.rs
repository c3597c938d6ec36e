//! Secrets on command lines: `mysql -pX`, `curl -u user:X`, `docker login -p X`, `echo X | sudo -S`.
//!
//! Long options with a telling name (`--password X`) are assignments and need no program. Here are the short ones, whose
//! meaning depends on the program, as a table.

use std::ops::Range;

use super::bytes::{at, before, has_prefix, is_word, slice, starts_word};
use super::name::Promise;
use super::quoting::Delimiter;
use super::value::{Standing, is_placeholder, is_reference, is_secret};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carries {
    /// The password, as the next word or attached to the option.
    Password,
    /// The password, attached to the option only.
    Attached,
    /// `user:password`, or `user%password`.
    UserAndPassword,
    /// `pass:password`.
    PassPrefix,
}

/// One program, what else its line must hold, and the options that carry a secret.
struct Program {
    name: &'static str,
    /// A word that must stand on the line; empty for none.
    with: &'static str,
    options: &'static [(&'static str, Carries)],
}

const fn program(
    name: &'static str,
    with: &'static str,
    options: &'static [(&'static str, Carries)],
) -> Program {
    Program {
        name,
        with,
        options,
    }
}

const PROGRAMS: [Program; 43] = [
    program(
        "gh",
        "secret",
        &[("--body", Carries::Password), ("-b", Carries::Password)],
    ),
    program(
        "curl",
        "",
        &[
            ("-u", Carries::UserAndPassword),
            ("--user", Carries::UserAndPassword),
            ("-U", Carries::UserAndPassword),
            ("--proxy-user", Carries::UserAndPassword),
        ],
    ),
    program(
        "http",
        "",
        &[
            ("-a", Carries::UserAndPassword),
            ("--auth", Carries::UserAndPassword),
        ],
    ),
    program(
        "https",
        "",
        &[
            ("-a", Carries::UserAndPassword),
            ("--auth", Carries::UserAndPassword),
        ],
    ),
    program("mysql", "", &[("-p", Carries::Attached)]),
    program("mysqldump", "", &[("-p", Carries::Attached)]),
    program("mysqladmin", "", &[("-p", Carries::Attached)]),
    program("mysqlimport", "", &[("-p", Carries::Attached)]),
    program("mariadb", "", &[("-p", Carries::Attached)]),
    program("sshpass", "", &[("-p", Carries::Password)]),
    program("docker", "login", &[("-p", Carries::Password)]),
    program("podman", "login", &[("-p", Carries::Password)]),
    program("nerdctl", "login", &[("-p", Carries::Password)]),
    program("buildah", "login", &[("-p", Carries::Password)]),
    program("helm", "login", &[("-p", Carries::Password)]),
    program("oras", "login", &[("-p", Carries::Password)]),
    program("crane", "login", &[("-p", Carries::Password)]),
    program("oc", "login", &[("-p", Carries::Password)]),
    program("cf", "login", &[("-p", Carries::Password)]),
    program("az", "login", &[("-p", Carries::Password)]),
    program(
        "skopeo",
        "",
        &[
            ("--creds", Carries::UserAndPassword),
            ("--src-creds", Carries::UserAndPassword),
            ("--dest-creds", Carries::UserAndPassword),
        ],
    ),
    program("twine", "", &[("-p", Carries::Password)]),
    program("mongo", "", &[("-p", Carries::Password)]),
    program("mongosh", "", &[("-p", Carries::Password)]),
    program("mongodump", "", &[("-p", Carries::Password)]),
    program("mongorestore", "", &[("-p", Carries::Password)]),
    program("cqlsh", "", &[("-p", Carries::Password)]),
    program("sqlcmd", "", &[("-P", Carries::Password)]),
    program("bcp", "", &[("-P", Carries::Password)]),
    program("redis-cli", "", &[("-a", Carries::Password)]),
    program("ldapsearch", "", &[("-w", Carries::Password)]),
    program("ldapadd", "", &[("-w", Carries::Password)]),
    program("ldapmodify", "", &[("-w", Carries::Password)]),
    program("smbclient", "", &[("-U", Carries::UserAndPassword)]),
    program("unzip", "", &[("-P", Carries::Password)]),
    program("zip", "", &[("-P", Carries::Password)]),
    program("7z", "", &[("-p", Carries::Attached)]),
    program(
        "openssl",
        "",
        &[
            ("-passin", Carries::PassPrefix),
            ("-passout", Carries::PassPrefix),
            ("-pass", Carries::PassPrefix),
            ("-k", Carries::Password),
        ],
    ),
    program("mosquitto_pub", "", &[("-P", Carries::Password)]),
    program("mosquitto_sub", "", &[("-P", Carries::Password)]),
    program("ipmitool", "", &[("-P", Carries::Password)]),
    program("xfreerdp", "", &[("/p:", Carries::Attached)]),
    program(
        "glab",
        "set",
        &[("--value", Carries::Password), ("-v", Carries::Password)],
    ),
];

/// Programs whose secret is the word at a place of its own, counted from the words after it; the last is `usize::MAX`.
const POSITIONAL: [(&str, &str, usize); 6] = [
    ("rabbitmqctl", "add_user", 1),
    ("rabbitmqctl", "change_password", 1),
    ("vault", "login", 0),
    ("htpasswd", "-b", usize::MAX),
    ("htpasswd", "-nb", usize::MAX),
    ("wpa_passphrase", "", 1),
];

/// The words that make a text worth a look, in lower case.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    let programs = PROGRAMS.iter().map(|program| program.name);
    programs
        .chain(POSITIONAL.iter().map(|(name, _, _)| *name))
        .chain(["sudo -s", "chpasswd", "--password-stdin", "passwd --stdin"])
}

/// The secrets on the command line on which a keyword stands at `start`, and where the line ends.
pub(super) fn secrets(text: &[u8], start: usize) -> (Vec<Range<usize>>, usize) {
    let end = line_end(text, start);
    if has_prefix(text, start, "sudo -s")
        || has_prefix(text, start, "chpasswd")
        || has_prefix(text, start, "--password-stdin")
        || has_prefix(text, start, "passwd --stdin")
    {
        return (echoed(text, start).into_iter().collect(), end);
    }
    let name_end = start
        + slice(text, start, end)
            .iter()
            .take_while(|b| is_word(**b) || **b == b'-')
            .count();
    let name = slice(text, start, name_end);
    if !starts_word(text, start)
        || before(text, start, 1) == b'-'
        || !matches!(at(text, name_end), b' ' | b'\t')
    {
        return (Vec::new(), start);
    }
    let words = words(text, name_end, end);
    let mut found = Vec::new();
    for program in PROGRAMS
        .iter()
        .filter(|program| name.eq_ignore_ascii_case(program.name.as_bytes()))
    {
        if program.with.is_empty() || words.iter().any(|word| word.is(text, program.with)) {
            of_options(text, &words, program.options, &mut found);
        }
    }
    for (program, with, place) in POSITIONAL {
        if name.eq_ignore_ascii_case(program.as_bytes()) {
            found.extend(positional(text, &words, with, place));
        }
    }
    (found, end)
}

fn of_options(
    text: &[u8],
    words: &[Word],
    options: &[(&str, Carries)],
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

fn positional(text: &[u8], words: &[Word], with: &str, place: usize) -> Option<Range<usize>> {
    let after = if with.is_empty() {
        0
    } else {
        words.iter().position(|word| word.is(text, with))? + 1
    };
    let mut rest = words
        .get(after..)?
        .iter()
        .filter(|word| at(text, word.content.start) != b'-');
    let word = if place == usize::MAX {
        rest.next_back()
    } else {
        rest.nth(place)
    }?;
    carried(text, word.content.clone(), Carries::Password)
}

/// The password in `echo X | sudo -S …`, before the program at `start`.
fn echoed(text: &[u8], start: usize) -> Option<Range<usize>> {
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
            match delimiter.content_end(text, content) {
                Some(close) if close < end => index = close + delimiter.width(),
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
