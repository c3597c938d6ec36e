//! Finds the component that is embedded into the library. It is built by `cargo xtask build`, never from here: a
//! nested cargo would fight for the build folder's lock.
//!
//! `DS4_CONTEXT_COMPONENT` names another `.wasm` file, for a package that brings a finished component along.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed=DS4_CONTEXT_COMPONENT");
    let component = match (
        env::var_os("DS4_CONTEXT_COMPONENT"),
        env::var_os("CARGO_MANIFEST_DIR"),
    ) {
        (Some(named), _) => PathBuf::from(named),
        (None, Some(manifest)) => PathBuf::from(manifest).join("../target/component/engine.wasm"),
        (None, None) => PathBuf::from("../target/component/engine.wasm"),
    };
    println!("cargo::rerun-if-changed={}", component.display());
    match component.canonicalize() {
        Ok(found) if found.is_file() => {
            println!(
                "cargo::rustc-env=DS4_CONTEXT_COMPONENT_PATH={}",
                found.display()
            );
            ExitCode::SUCCESS
        }
        _ => {
            println!(
                "cargo::error=the component {} is not there: run `cargo xtask build`, which builds it before the hosts",
                component.display()
            );
            ExitCode::FAILURE
        }
    }
}
