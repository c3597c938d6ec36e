//! The arguments of a command of xtask: taken one by one, and what is left over is refused.

use crate::failure::Failure;

/// What stands on the command line and was not taken yet.
#[derive(Debug)]
pub struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    pub fn from_command_line() -> Self {
        Self {
            words: std::env::args().skip(1).collect(),
        }
    }

    /// Takes the first word, the command's name.
    pub fn next_word(&mut self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.words.remove(0))
    }

    /// Whether `--help` or `-h` stands before a `--`.
    pub fn asks_for_help(&self) -> bool {
        self.words
            .iter()
            .take_while(|word| *word != "--")
            .any(|word| word == "--help" || word == "-h")
    }

    /// Takes a switch, for example `--quick`.
    pub fn switch(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() != before
    }

    /// Takes an option with a value: `--filter TEXT` or `--filter=TEXT`. An empty or missing value is refused.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let with_equals = format!("{name}=");
        let Some(place) = self
            .words
            .iter()
            .position(|word| word == name || word.starts_with(&with_equals))
        else {
            return Ok(None);
        };
        let word = self.words.remove(place);
        let value = match word.strip_prefix(&with_equals) {
            Some(value) => value.to_owned(),
            None if place < self.words.len() => self.words.remove(place),
            None => String::new(),
        };
        if value.is_empty() || value.starts_with("--") {
            return Err(Failure::usage(format!("{name} needs a value")));
        }
        Ok(Some(value))
    }

    /// Takes all that is left, for a program that is passed its arguments on. A leading `--` is dropped.
    pub fn rest(mut self) -> Vec<String> {
        if self.words.first().is_some_and(|word| word == "--") {
            self.words.remove(0);
        }
        self.words
    }

    /// Refuses what nobody took.
    pub fn finish(self, command: &str) -> Result<(), Failure> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(Failure::usage(format!(
                "`{word}` is not an argument of `{command}`; see `cargo xtask {command} --help`"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(words: &[&str]) -> Arguments {
        Arguments {
            words: words.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn switches_and_values_are_taken_in_any_order() {
        let mut given = arguments(&["--filter", "planner", "--quick"]);
        assert!(given.switch("--quick"));
        assert!(!given.switch("--quick"));
        assert_eq!(given.value("--filter").unwrap().as_deref(), Some("planner"));
        assert!(given.finish("test").is_ok());
    }

    #[test]
    fn a_value_may_follow_an_equals_sign_and_must_be_there() {
        assert_eq!(
            arguments(&["--filter=a b"]).value("--filter").unwrap(),
            Some("a b".to_owned())
        );
        assert!(arguments(&["--filter"]).value("--filter").is_err());
        assert!(arguments(&["--filter="]).value("--filter").is_err());
        assert!(
            arguments(&["--filter", "--quick"])
                .value("--filter")
                .is_err()
        );
    }

    #[test]
    fn leftovers_are_refused_by_name() {
        let refused = arguments(&["--quik"]).finish("test").unwrap_err();
        assert!(refused.to_string().contains("--quik"));
    }

    #[test]
    fn help_after_a_double_dash_belongs_to_the_program_behind_it() {
        assert!(arguments(&["-h"]).asks_for_help());
        assert!(!arguments(&["--", "--help"]).asks_for_help());
        assert_eq!(arguments(&["--", "--help"]).rest(), ["--help"]);
    }
}
