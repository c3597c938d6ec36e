//! `cargo xtask setup`: what a fresh machine needs. Each step looks first, does what is missing, and says so on one line.
//!
//! The lines go to standard error, so that `--print-tools` leaves pure JSON on standard output.

use std::ffi::OsString;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::workspace::Workspace;

mod c_compiler;
mod node;
mod pi;
mod standard_library;
mod version;
mod wasm_target;

use c_compiler::CCompiler;
pub use pi::PiTools;
pub use wasm_target::WASM_TARGET;

pub const HELP: &str = "\
Get what the build, the tests and the demo need. Steps that were done before take no time.

Usage: cargo xtask setup [OPTIONS]

Options:
  --with-c-compiler  Also find a C compiler for wasm32-wasip2, or install one by apt where that is possible
  --print-tools      Print the paths of the Node and the Pi versions for the tests as JSON

Examples:
  cargo xtask setup
  cargo xtask setup --print-tools
  WASI_SDK_PATH=/opt/wasi-sdk cargo xtask setup --with-c-compiler";

pub fn command(workspace: &Workspace, mut arguments: Arguments) -> Result<(), Failure> {
    let with_c_compiler = arguments.switch("--with-c-compiler");
    let print_tools = arguments.switch("--print-tools");
    arguments.finish("setup")?;

    for_build(workspace)?;
    if with_c_compiler {
        CCompiler::find_or_install(workspace)?;
    }
    let tools = for_pi(workspace)?;
    if print_tools {
        println!("{}", tools.as_json());
    }
    Ok(())
}

/// What the build needs. Returns the variables that the component's build is given for its C code.
pub fn for_build(workspace: &Workspace) -> Result<Vec<(String, OsString)>, Failure> {
    wasm_target::ensure(workspace)?;
    let c_variables = c_compiler::for_component(workspace)?;
    node::ensure_usable()?;
    node::ensure_packages(workspace)?;
    Ok(c_variables)
}

/// What the tests with a real Pi need, on top of [`for_build`].
pub fn for_pi(workspace: &Workspace) -> Result<PiTools, Failure> {
    pi::ensure(workspace)
}

/// One line about a step of the set-up.
fn say(step: &str, line: impl std::fmt::Display) {
    eprintln!("setup: {step}: {line}");
}
