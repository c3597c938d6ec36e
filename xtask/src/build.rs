//! `cargo xtask build`: the component, then the Node package around it, then the Rust host with it inside.
//!
//! Invariants:
//! - The component is built first: both hosts carry its bytes.
//! - `target/component/engine.wasm` is written only when its bytes changed, so that an unchanged component does not
//!   make cargo build the host anew.
//! - Flags that the person has set for the host machine never reach the component's build.

use std::ffi::OsString;
use std::fs;

use crate::arguments::Arguments;
use crate::digest::sha256;
use crate::failure::Failure;
use crate::process::External;
use crate::setup::{self, WASM_TARGET};
use crate::workspace::Workspace;

pub const HELP: &str = "\
Build the component (target/component/engine.wasm), the npm package (host-node/dist) and the Rust host
(target/release/ds4-context). Does its own set-up.

Usage: cargo xtask build

Example:
  cargo xtask build && target/release/ds4-context plan --help";

/// The cargo profile of what is compiled to WebAssembly.
const PROFILE: &str = "component";

/// A crate that is compiled to WebAssembly.
#[derive(Debug, Clone, Copy)]
pub struct WebAssembly {
    package: &'static str,
    /// The file that cargo makes, before it is copied.
    artifact: &'static str,
    /// Its name in `target/component/`.
    file: &'static str,
}

/// The component that both hosts carry.
pub const ENGINE: WebAssembly = WebAssembly {
    package: "ds4-context-component",
    artifact: "ds4_context_component.wasm",
    file: "engine.wasm",
};

/// The component of a test, with SQLite's file system and rsqlite-vfs's suite for it. Nothing that is shipped holds it.
pub const VFS_SUITE: WebAssembly = WebAssembly {
    package: "ds4-context-vfs-suite",
    artifact: "ds4_context_vfs_suite.wasm",
    file: "vfs-suite.wasm",
};

pub fn command(workspace: &Workspace, arguments: Arguments) -> Result<(), Failure> {
    arguments.finish("build")?;
    everything(workspace)
}

/// The set-up for the build, and the build.
pub fn everything(workspace: &Workspace) -> Result<(), Failure> {
    let c_variables = setup::for_build(workspace)?;
    component(workspace, ENGINE, &c_variables)?;
    node_package(workspace)?;
    rust_programs(workspace)
}

/// Builds a component and puts it where the hosts, or their tests, take it from.
pub fn component(
    workspace: &Workspace,
    component: WebAssembly,
    c_variables: &[(String, OsString)],
) -> Result<(), Failure> {
    cargo_for_component(workspace, component, "build", c_variables)
        .show()?
        .check()?;
    publish(workspace, component)
}

/// A cargo command on a component, for its target and with the flags of its own.
pub fn cargo_for_component(
    workspace: &Workspace,
    component: WebAssembly,
    command: &str,
    c_variables: &[(String, OsString)],
) -> External {
    // Each of these would replace the rustflags that .cargo/config.toml sets for the target.
    let own_flags = [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_RUSTFLAGS",
        "CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS",
    ];
    let mut cargo = workspace
        .cargo([command, "--profile", PROFILE, "--target", WASM_TARGET])
        .words(["-p", component.package])
        .variables(c_variables);
    for name in own_flags {
        cargo = cargo.without_variable(name);
    }
    cargo
}

/// Transpiles the component and compiles the TypeScript around it.
pub fn node_package(workspace: &Workspace) -> Result<(), Failure> {
    workspace.npm(["run", "build"]).show()?.check().map(|_| ())
}

/// What is built and tested for this machine: all but the component, which is WebAssembly only. (The component of a test is
/// empty for this machine.)
///
/// Every command for this machine names these and no other choice: which features a shared dependency gets depends on
/// the packages that are built together. With the component's bindings generator among them, crates below wasmtime
/// would get other features, and wasmtime would be compiled once more.
pub const NATIVE_CRATES: [&str; 3] = ["--workspace", "--exclude", "ds4-context-component"];

/// Builds the Rust host with the component inside, and the other programs of the workspace.
pub fn rust_programs(workspace: &Workspace) -> Result<(), Failure> {
    workspace
        .cargo(["build", "--release"])
        .words(NATIVE_CRATES)
        .show()?
        .check()
        .map(|_| ())
}

/// Copies a component to `target/component/`, with its SHA-256 beside it, when it is another one than before.
fn publish(workspace: &Workspace, component: WebAssembly) -> Result<(), Failure> {
    let built = workspace
        .built(Some(WASM_TARGET), PROFILE)
        .join(component.artifact);
    let bytes = fs::read(&built).map_err(Failure::file(format!("read {}", built.display())))?;
    let published = workspace.results("component")?.join(component.file);
    let digest = published.with_extension("wasm.sha256");
    let line = format!("{}  {}\n", sha256(&bytes), component.file);
    if fs::read(&published).is_ok_and(|known| known == bytes)
        && fs::read_to_string(&digest).is_ok_and(|known| known == line)
    {
        return Ok(());
    }
    fs::write(&published, &bytes)
        .and_then(|()| fs::write(&digest, line))
        .map_err(Failure::file(format!("write {}", published.display())))?;
    println!("{}: {} bytes", component.file, bytes.len());
    Ok(())
}
