//! Why a command ends, and with which exit code.

use std::io::{self, Write};
use std::process::ExitCode;

use ds4_context_host::{EngineError, HostError};

/// Why a command failed. The text is one line for a person.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A bad flag, file, key or value: exit code 2.
    BadInput(String),
    /// No plan, or the machine failed: exit code 1.
    Failed(String),
    /// Nobody reads the output any more; there is nothing to say.
    NobodyReads,
}

impl Failure {
    /// A failed write to standard output.
    pub(crate) fn writing(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::NobodyReads
        } else {
            Self::Failed(format!("the output cannot be written: {error}"))
        }
    }

    /// Says on standard error what goes on without what failed.
    pub(crate) fn warn(&self, consequence: &str) {
        match self {
            Self::BadInput(line) | Self::Failed(line) => tell(&format!("{consequence}: {line}")),
            Self::NobodyReads => {}
        }
    }

    /// Says it on standard error.
    pub(crate) fn report(&self) -> ExitCode {
        let (line, code) = match self {
            Self::BadInput(line) => (line, 2),
            Self::Failed(line) => (line, 1),
            Self::NobodyReads => return ExitCode::SUCCESS,
        };
        // Texts of files stand in some messages; a message is one line all the same.
        tell(line);
        ExitCode::from(code)
    }
}

/// Says a line on standard error. Where nobody can hear it (a full disk, a closed pipe), the exit code still tells;
/// `eprintln!` would panic there.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(
        io::stderr(),
        "ds4-context: {}",
        super::tables::printable(line)
    );
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        match &error {
            HostError::Refused(EngineError::InvalidInput(_) | EngineError::NotFound(_)) => {
                Self::BadInput(error.to_string())
            }
            HostError::Trapped { output, .. } if !output.is_empty() => {
                Self::Failed(format!("{error}: {output}"))
            }
            _ => Self::Failed(error.to_string()),
        }
    }
}
