//! `cargo xtask bench`: runs the benchmarks and keeps what they print.

use std::fs;

use crate::arguments::Arguments;
use crate::build;
use crate::failure::Failure;
use crate::process::External;
use crate::workspace::Workspace;

pub const HELP: &str = "\
Run the benchmarks of the native core, wasmtime and Node. Their tables are printed and kept as
target/bench/rust.txt and target/bench/node.txt. Does its own set-up and build.

Usage: cargo xtask bench [-- ARGUMENTS]

ARGUMENTS are passed on to both benchmark programs.

Examples:
  cargo xtask bench
  cargo xtask bench -- --help";

pub fn command(workspace: &Workspace, arguments: Arguments) -> Result<(), Failure> {
    let passed_on = arguments.rest();
    build::everything(workspace)?;

    let rust = External::new(workspace.rust_program("bench"))
        .called("bench")
        .words(&passed_on)
        .in_folder(workspace.root());
    keep(workspace, "rust.txt", rust)?;

    let script = workspace.node_package().join("dist/bench.js");
    if !script.is_file() {
        println!("host-node has no dist/bench.js: no benchmark in Node");
        return Ok(());
    }
    let node = External::new("node")
        .words([&script])
        .words(&passed_on)
        .in_folder(workspace.root());
    keep(workspace, "node.txt", node)
}

/// Runs a benchmark program in the open and writes what it said to `target/bench/`.
fn keep(workspace: &Workspace, name: &str, program: External) -> Result<(), Failure> {
    let finished = program.show()?.check()?;
    let file = workspace.results("bench")?.join(name);
    fs::write(&file, finished.output)
        .map_err(Failure::file(format!("write {}", file.display())))?;
    println!("written to target/bench/{name}");
    Ok(())
}
