//! The command line.
//!
//! Invariants:
//! - Standard output has the answer and nothing else; what goes wrong is one line on standard error.
//! - Exit code 0: done. 1: no plan could be made, or the machine failed. 2: bad input, with nothing on standard output.
//! - One-shot commands write nothing but compiled code in the platform's cache folder.
//! - With `--json` the component's own document is printed byte for byte.

mod arguments;
mod component;
mod configuration;
mod documents;
mod failure;
mod folders;
mod inspect;
mod native;
mod output;
mod plan;
mod progress;
mod runner;
mod session_file;
mod tables;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use failure::Failure;
use output::Output;
use runner::Runner;

/// Reads the arguments, runs the command, and says what went wrong.
pub(crate) fn main() -> ExitCode {
    let arguments = match Arguments::from_command_line() {
        Ok(arguments) => arguments,
        Err(answered) => return answered,
    };
    let mut output = Output::standard();
    match run(&arguments, &mut output).and_then(|()| output.finish()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    match &arguments.command {
        Command::Plan(wanted) => plan::command(wanted, &arguments.common, output),
        Command::Inspect(wanted) => inspect::command(wanted, &arguments.common, output),
        Command::Config(wanted) => configuration::command(wanted, &arguments.common, output),
    }
}

/// The engine that the flags ask for.
fn runner(common: &arguments::Common) -> Result<Box<dyn Runner>, Failure> {
    if common.native {
        Ok(Box::new(native::Native))
    } else {
        Ok(Box::new(component::Component::load(
            folders::code_cache(common),
            folders::one_shot_data_folder(common)?,
        )?))
    }
}
