//! `cargo xtask …`: everything a person or CI does with this repository, in one place.
//!
//! Invariants:
//! - No logic of the product is here; the other crates know nothing of this one.
//! - A command does its own set-up: `cargo xtask test` on a fresh machine needs no other command before it.
//! - Every set-up step is safe to repeat and quick when it was done before.
//! - Outside this repository's folders two things may change, and both are announced on a line of their own:
//!   the wasm32-wasip2 standard library in the Rust toolchain, and (only with C in the component) packages
//!   installed by apt.
//! - No address of a package registry is written here: the ordinary clients (cargo, npm, apt, rustup) are asked,
//!   as the machine has them configured.

use std::process::ExitCode;

mod arguments;
mod bench;
mod build;
mod demo;
mod digest;
mod failure;
mod package;
mod process;
mod setup;
mod test;
mod workspace;

use arguments::Arguments;
use failure::Failure;
use workspace::Workspace;

const HELP: &str = "\
Work on ds4-context: everything needed is fetched and built by the command itself.

Usage: cargo xtask COMMAND [OPTIONS]

Commands:
  setup     Get what the build needs: the wasm32-wasip2 target, npm packages, a Node and Pi for the tests
  build     Build the component, the Node package and the Rust host
  test      Build and run every check and test; ends with the number of tests passed and failed
  demo      Build and show the product at work on a session
  bench     Run the benchmarks and keep their tables in target/bench/
  package   Build and pack the npm package, and check its size and contents

Examples:
  cargo xtask demo
  cargo xtask test
  cargo xtask test --help

Exit status: 0 done, 2 bad arguments, otherwise that of the step that failed.";

fn main() -> ExitCode {
    match run(Arguments::from_command_line()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            failure.exit_code()
        }
    }
}

fn run(mut arguments: Arguments) -> Result<(), Failure> {
    let Some(name) = arguments.next_word() else {
        return Err(Failure::usage(
            "a command is missing; see `cargo xtask --help`",
        ));
    };
    let (help, command): (&str, Command) = match name.as_str() {
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            return Ok(());
        }
        "setup" => (setup::HELP, setup::command),
        "build" => (build::HELP, build::command),
        "test" => (test::HELP, test::command),
        "demo" => (demo::HELP, demo::command),
        "bench" => (bench::HELP, bench::command),
        "package" => (package::HELP, package::command),
        other => {
            return Err(Failure::usage(format!(
                "there is no command `{other}`; see `cargo xtask --help`"
            )));
        }
    };
    if arguments.asks_for_help() {
        println!("{help}");
        return Ok(());
    }
    command(&Workspace::locate()?, arguments)
}

/// What a command's module offers: it reads its own arguments and refuses those it does not know.
type Command = fn(&Workspace, Arguments) -> Result<(), Failure>;
