//! The command line `ds4-context`: plans, inspects and explains session logs. Thin: the engine's own documents are shown.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
