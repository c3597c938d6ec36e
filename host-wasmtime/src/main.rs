//! The command line `ds4-context`: plans, inspects and explains session logs. Thin: the engine's own documents are shown.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
