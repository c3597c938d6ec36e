//! Why a command of xtask ends early: the closed set, its one line for people and its exit status.

use std::fmt;
use std::process::ExitCode;

/// The reason a command stopped. `Display` is one line that says what to do next where that is known.
#[derive(Debug)]
pub enum Failure {
    /// The arguments make no sense. Exit status 2; nothing was done.
    Usage(String),
    /// Something is missing or not as it must be. Exit status 1.
    Problem(String),
    /// An external command failed; its output was shown already. Exit status: that command's own.
    Command { label: String, status: u8 },
}

impl Failure {
    pub fn usage(line: impl Into<String>) -> Self {
        Self::Usage(line.into())
    }

    pub fn problem(line: impl Into<String>) -> Self {
        Self::Problem(line.into())
    }

    /// A file operation that failed, in words: `cannot <what>: <the system's reason>`.
    pub fn file(what: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::Problem(format!("cannot {what}: {error}"))
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Usage(_) => 2,
            Self::Problem(_) => 1,
            Self::Command { status, .. } => *status,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(line) | Self::Problem(line) => formatter.write_str(line),
            Self::Command { label, status } => {
                write!(formatter, "`{label}` failed with exit status {status}")
            }
        }
    }
}
