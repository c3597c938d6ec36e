//! A C compiler that makes wasm32-wasip2 objects, with WASI's headers: given by `WASI_SDK_PATH`, else on the PATH,
//! else installed by apt where we may.
//!
//! Invariant: nothing is searched or installed unless a part of the component holds C ([`PARTS_WITH_C`]) or the
//! person asked for it. A compiler counts only after it compiled a file that includes headers of the C library.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{WASM_TARGET, say};
use crate::failure::Failure;
use crate::process::External;
use crate::workspace::Workspace;

/// The parts of the component that hold C code, by the name of their crate. Were it empty, the set-up would ask for no
/// C compiler.
const PARTS_WITH_C: [&str; 1] = ["libsqlite3-sys"];

const STEP: &str = "C compiler for wasm32-wasip2";

/// Newest first: newer ones make better code for WebAssembly.
const CLANGS: [&str; 7] = [
    "clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang",
];

/// Where WASI's headers may lie: the sysroot and the include folder in it.
const HEADERS: [(&str, &str); 3] = [
    ("/usr", "/usr/include/wasm32-wasi"),
    (
        "/usr/share/wasi-sysroot",
        "/usr/share/wasi-sysroot/include/wasm32-wasip2",
    ),
    (
        "/usr/share/wasi-sysroot",
        "/usr/share/wasi-sysroot/include/wasm32-wasi",
    ),
];

const PACKAGES: [&str; 3] = ["clang-22", "llvm", "wasi-libc"];

/// What every C file of the component is compiled with. SQLite has no operating system there: its file system is
/// `core/src/store/vfs` (the rest of its options stand in `.cargo/config.toml`, for all targets alike).
const OPTIONS: &str = "-O2 -DSQLITE_OS_OTHER=1";

const PROBE: &str = "\
#include <stdlib.h>
#include <string.h>
char *copy_of(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : copy;
}
";

/// The variables for the component's build, as the `cc` crate reads them. Empty while no part needs C.
pub fn for_component(workspace: &Workspace) -> Result<Vec<(String, OsString)>, Failure> {
    if PARTS_WITH_C.is_empty() {
        say(STEP, "not needed, no part of the component holds C");
        return Ok(Vec::new());
    }
    CCompiler::find_or_install(workspace).map(|compiler| compiler.variables())
}

/// A compiler that passed the probe.
#[derive(Debug)]
pub struct CCompiler {
    compiler: PathBuf,
    archiver: PathBuf,
    flags: String,
}

impl CCompiler {
    /// Finds a working compiler, or installs one by apt where we are root; otherwise says what to install.
    pub fn find_or_install(workspace: &Workspace) -> Result<Self, Failure> {
        if let Some(found) = Self::find(workspace)? {
            say(STEP, format!("{} works", found.compiler.display()));
            return Ok(found);
        }
        install_by_apt()?;
        let found = Self::find(workspace)?.ok_or_else(missing)?;
        say(
            STEP,
            format!("{} installed by apt, works", found.compiler.display()),
        );
        Ok(found)
    }

    /// `CC_…`, `AR_…` and `CFLAGS_…` for the target.
    pub fn variables(&self) -> Vec<(String, OsString)> {
        let suffix = WASM_TARGET.replace('-', "_");
        vec![
            (format!("CC_{suffix}"), self.compiler.clone().into()),
            (format!("AR_{suffix}"), self.archiver.clone().into()),
            (format!("CFLAGS_{suffix}"), self.flags.clone().into()),
        ]
    }

    fn find(workspace: &Workspace) -> Result<Option<Self>, Failure> {
        let probe_folder = workspace.tools().join("c-compiler-probe");
        std::fs::create_dir_all(&probe_folder)
            .map_err(Failure::file(format!("create {}", probe_folder.display())))?;
        let source = probe_folder.join("probe.c");
        std::fs::write(&source, PROBE)
            .map_err(Failure::file(format!("write {}", source.display())))?;
        Ok(Self::candidates()?
            .into_iter()
            .find(|candidate| candidate.compiles(&source)))
    }

    /// What may work, best first. A `WASI_SDK_PATH` that leads nowhere is an error and not passed over in silence.
    fn candidates() -> Result<Vec<Self>, Failure> {
        if let Some(sdk) = std::env::var_os("WASI_SDK_PATH").filter(|path| !path.is_empty()) {
            let tools = PathBuf::from(sdk).join("bin");
            let compiler = tools.join("clang");
            if !compiler.is_file() {
                return Err(Failure::problem(format!(
                    "WASI_SDK_PATH: there is no {}; correct it or unset it",
                    compiler.display()
                )));
            }
            // The SDK's clang knows its own sysroot.
            return Ok(vec![Self {
                compiler,
                archiver: tools.join("llvm-ar"),
                flags: OPTIONS.to_owned(),
            }]);
        }
        let mut candidates = Vec::new();
        for name in CLANGS {
            let Some(archiver) = archiver_of(name) else {
                continue;
            };
            for (sysroot, include) in HEADERS {
                if Path::new(include).is_dir() {
                    candidates.push(Self {
                        compiler: name.into(),
                        archiver: archiver.clone(),
                        flags: format!("--sysroot={sysroot} -isystem {include} {OPTIONS}"),
                    });
                }
            }
        }
        Ok(candidates)
    }

    fn compiles(&self, source: &Path) -> bool {
        External::new(&self.compiler)
            .words([format!("--target={WASM_TARGET}")])
            .words(self.flags.split(' '))
            .words(["-c".as_ref(), source.as_os_str()])
            .words(["-o".as_ref(), source.with_extension("o").as_os_str()])
            .works()
    }
}

/// The archiver that belongs to a clang, else any; None where that clang or an archiver is missing.
fn archiver_of(clang: &str) -> Option<PathBuf> {
    let own = External::new(clang)
        .words(["-print-prog-name=llvm-ar"])
        .answer_if_it_works()?;
    let numbered = clang.replace("clang", "llvm-ar");
    [own.as_str(), &numbered, "llvm-ar"]
        .into_iter()
        .find(|name| External::new(name).words(["--version"]).works())
        .map(PathBuf::from)
}

fn install_by_apt() -> Result<(), Failure> {
    let is_root = External::new("id")
        .words(["-u"])
        .answer_if_it_works()
        .is_some_and(|user| user == "0");
    if !is_root || !External::new("apt-get").words(["--version"]).works() {
        return Err(missing());
    }
    say(
        STEP,
        format!("none found, installing {} by apt", PACKAGES.join(" ")),
    );
    let install = || {
        External::new("apt-get")
            .words(["-qq", "install", "-y", "--no-install-recommends"])
            .words(PACKAGES)
            .variable("DEBIAN_FRONTEND", "noninteractive")
    };
    let known = External::new("apt-cache")
        .words(["show", PACKAGES[0]])
        .works();
    // Lists that are old name files that the mirror no longer has: then they are read anew as well.
    if known && install().works() {
        return Ok(());
    }
    External::new("apt-get")
        .words(["-qq", "update"])
        .quietly()?;
    install().quietly().map(|_| ())
}

fn missing() -> Failure {
    Failure::problem(format!(
        "no C compiler for {WASM_TARGET} was found; install {} (Debian's names), or unpack the WASI SDK and set WASI_SDK_PATH to it",
        PACKAGES.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_carry_the_target_in_their_names() {
        let compiler = CCompiler {
            compiler: "clang-22".into(),
            archiver: "llvm-ar".into(),
            flags: "-O2".to_owned(),
        };
        let names: Vec<String> = compiler
            .variables()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(
            names,
            [
                "CC_wasm32_wasip2",
                "AR_wasm32_wasip2",
                "CFLAGS_wasm32_wasip2"
            ]
        );
    }
}
