//! The command line.
//!
//! Invariants:
//! - Standard output has the answer and nothing else; what goes wrong is one line on standard error.
//! - Exit code 0: done. 1: no plan could be made, or the machine failed. 2: bad input, with nothing on standard output.
//! - One-shot commands write nothing but compiled code in the platform's cache folder; `index` keeps the index in the
//!   data folder, and `health` looks at what is there.
//! - With `--json` the component's own document is printed byte for byte.

mod arguments;
mod component;
mod configuration;
mod documents;
mod failure;
mod folders;
mod index;
mod inspect;
mod json_lines;
mod native;
mod output;
mod plan;
mod progress;
mod redact;
mod runner;
mod search;
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
        Command::Search(wanted) => search::command(wanted, &arguments.common, output),
        Command::Index(wanted) => index::index(wanted, &arguments.common, output),
        Command::Health(wanted) => index::health(wanted, &arguments.common, output),
        Command::Redact(wanted) => redact::command(wanted, &arguments.common, output),
        Command::Config(wanted) => configuration::command(wanted, &arguments.common, output),
    }
}

/// The engine that the flags ask for, with derived state in memory unless a data folder is named.
fn runner(common: &arguments::Common) -> Result<Box<dyn Runner>, Failure> {
    runner_with(common, folders::one_shot_data_folder(common)?)
}

/// The engine that the flags ask for, with derived state in the named data folder or the platform's.
fn storing_runner(common: &arguments::Common) -> Result<Box<dyn Runner>, Failure> {
    runner_with(common, folders::data_folder(common)?)
}

fn runner_with(
    common: &arguments::Common,
    data: Option<ds4_context_host::DataFolder>,
) -> Result<Box<dyn Runner>, Failure> {
    if common.native {
        return Ok(Box::new(native::Native { data }));
    }
    Ok(Box::new(component::Component::load(
        folders::code_cache(common),
        data,
    )?))
}
