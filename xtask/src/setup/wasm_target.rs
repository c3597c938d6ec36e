//! The wasm32-wasip2 standard library of the active Rust toolchain: there already, else from rustup, else built once
//! from the distribution's sources (`standard_library`).
//!
//! Invariant: what cargo built for the target belongs to the standard library that is there now. When the library
//! was replaced, in whatever way, old results would fail to link; they are deleted.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{say, standard_library};
use crate::failure::Failure;
use crate::process::External;
use crate::workspace::Workspace;

pub const WASM_TARGET: &str = "wasm32-wasip2";

/// rustup is asked at most this long; without a server it would try much longer.
const RUSTUP_TIME: Duration = Duration::from_secs(120);

/// Beside cargo's results for the target: which standard library they were built with.
const BUILT_WITH: &str = ".standard-library";

pub fn ensure(workspace: &Workspace) -> Result<(), Failure> {
    let sysroot = External::new("rustc")
        .words(["--print", "sysroot"])
        .in_folder(workspace.root())
        .answer()?;
    let library = PathBuf::from(sysroot)
        .join("lib/rustlib")
        .join(WASM_TARGET)
        .join("lib");

    let said = if identity(&library).is_some() {
        "installed".to_owned()
    } else if added_by_rustup(workspace) && identity(&library).is_some() {
        format!(
            "added to the Rust toolchain by rustup ({})",
            library.display()
        )
    } else {
        say(
            WASM_TARGET,
            "rustup cannot add it; building its standard library once from the distribution's rust-src",
        );
        let source = standard_library::build_into(&library)?;
        format!(
            "built from {source} into the Rust toolchain ({})",
            library.display()
        )
    };
    let now = identity(&library).ok_or_else(|| {
        Failure::problem(format!(
            "{WASM_TARGET} is still missing from {}; install it with `rustup target add {WASM_TARGET}`",
            library.display()
        ))
    })?;
    say(WASM_TARGET, said);
    forget_stale_results(&workspace.built_for_target(WASM_TARGET), &now)
}

fn added_by_rustup(workspace: &Workspace) -> bool {
    External::new("rustup")
        .words(["target", "add", WASM_TARGET])
        .in_folder(workspace.root())
        .at_most(RUSTUP_TIME)
        .works()
}

/// Names the standard library in a folder: its libstd's file name, which carries a hash, and size. None without one.
fn identity(library: &Path) -> Option<String> {
    let mut found: Vec<String> = std::fs::read_dir(library)
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_rlib = Path::new(&name)
                .extension()
                .is_some_and(|kind| kind == "rlib");
            (name.starts_with("libstd-") && is_rlib).then(|| {
                entry
                    .metadata()
                    .map(|data| format!("{name} {}", data.len()))
                    .ok()
            })?
        })
        .collect();
    found.sort();
    (!found.is_empty()).then(|| found.join("\n"))
}

/// Deletes cargo's results for the target when they belong to another standard library than `now`.
fn forget_stale_results(results: &Path, now: &str) -> Result<(), Failure> {
    let stamp = results.join(BUILT_WITH);
    let known = std::fs::read_to_string(&stamp).ok();
    if known.as_deref() == Some(now) {
        return Ok(());
    }
    if known.is_some() {
        std::fs::remove_dir_all(results)
            .map_err(Failure::file(format!("delete {}", results.display())))?;
        say(
            WASM_TARGET,
            format!(
                "the standard library was replaced: deleted {}",
                results.display()
            ),
        );
    }
    std::fs::create_dir_all(results)
        .map_err(Failure::file(format!("create {}", results.display())))?;
    std::fs::write(&stamp, now).map_err(Failure::file(format!("write {}", stamp.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn results_of_another_standard_library_are_deleted() {
        let results = folder("stale-results").join("wasm32-wasip2");
        forget_stale_results(&results, "libstd-1.rlib 10").unwrap();
        std::fs::write(results.join("object"), "old").unwrap();

        forget_stale_results(&results, "libstd-1.rlib 10").unwrap();
        assert!(results.join("object").exists());

        forget_stale_results(&results, "libstd-2.rlib 11").unwrap();
        assert!(!results.join("object").exists());
        assert_eq!(
            std::fs::read_to_string(results.join(BUILT_WITH)).unwrap(),
            "libstd-2.rlib 11"
        );
    }

    #[test]
    fn a_folder_without_libstd_is_no_standard_library() {
        let library = folder("no-libstd");
        assert_eq!(identity(&library), None);
        std::fs::write(library.join("libcore-1.rlib"), "x").unwrap();
        assert_eq!(identity(&library), None);
        std::fs::write(library.join("libstd-1.rlib"), "xyz").unwrap();
        assert_eq!(identity(&library).as_deref(), Some("libstd-1.rlib 3"));
    }
}
