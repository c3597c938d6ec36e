//! Finds the component that is embedded into the library. It is built by `cargo xtask build`, never from here: a
//! nested cargo would fight for the build folder's lock.
//!
//! Its hash, which names its compiled code in the cache, is taken here: at run time it would cost every start some milliseconds.
//!
//! `DS4_CONTEXT_COMPONENT` names another `.wasm` file, for a package that brings a finished component along.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use sha2::{Digest, Sha256};

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
    let found = component.canonicalize();
    match found.and_then(|found| Ok((std::fs::read(&found)?, found))) {
        Ok((bytes, found)) => {
            println!(
                "cargo::rustc-env=DS4_CONTEXT_COMPONENT_PATH={}",
                found.display()
            );
            let hash: String = Sha256::digest(&bytes)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            println!("cargo::rustc-env=DS4_CONTEXT_COMPONENT_SHA256={hash}");
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
