//! Builds the wasm32-wasip2 standard library from the sources of Debian's `rust-src`, for a machine that no rustup
//! server can be reached from.
//!
//! The package must have the very version of the active compiler. It is often not in the suite that the machine
//! runs, so newer suites of the same mirror are asked too, with lists and a cache of our own: the machine's apt
//! configuration and its installed packages stay as they are. The mirror's address is the one apt already uses.
//! wasi-libc's start files and libc are laid beside the library, as the toolchain of the Rust project has them.

use std::path::{Path, PathBuf};

use super::WASM_TARGET;
use crate::failure::Failure;
use crate::process::External;

/// Suites that may carry current Rust sources, oldest first.
const SUITES: [&str; 4] = ["trixie-backports", "trixie", "forky", "sid"];

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// What the Rust project builds this target's standard library with.
const RUSTFLAGS: &str =
    "-Cforce-unwind-tables=no -Cembed-bitcode=yes -Zforce-unstable-if-unmarked -Cpanic=abort";

/// Builds the library, copies it to `library` (`<sysroot>/lib/rustlib/wasm32-wasip2/lib`) and names its source.
pub fn build_into(library: &Path) -> Result<String, Failure> {
    if !External::new("apt-get").words(["--version"]).works() {
        return Err(by_hand("there is no apt here to get the sources from"));
    }
    let work = WorkFolder::create()?;
    let version = compiler_version()?;
    let apt = Apt::with_own_lists(&work.0)?;
    apt.get(["update"]).quietly()?;
    let offered = apt.cache(["madison", "rust-src"]).answer()?;
    let source = matching_source(&offered, &version).ok_or_else(|| {
        by_hand(&format!(
            "the distribution offers no rust-src of version {version}"
        ))
    })?;
    apt.get(["download", &format!("rust-src={source}"), "wasi-libc"])
        .in_folder(&work.0)
        .quietly()?;
    let unpacked = work.0.join("root");
    for package in files_ending(&work.0, &[".deb"])? {
        External::new("dpkg")
            .words(["-x".as_ref(), package.as_os_str(), unpacked.as_os_str()])
            .quietly()?;
    }
    let built = compile(&work.0, &unpacked, &version)?;
    lay_into(library, &unpacked, &built)?;
    Ok(format!("rust-src {source}"))
}

fn by_hand(reason: &str) -> Failure {
    Failure::problem(format!(
        "{WASM_TARGET}: {reason}; install the target with `rustup target add {WASM_TARGET}`"
    ))
}

/// A folder that only we can read, gone when the work is over.
struct WorkFolder(PathBuf);

impl WorkFolder {
    fn create() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("ds4-context-std-{}", std::process::id()));
        std::fs::create_dir(&folder)
            .map_err(Failure::file(format!("create {}", folder.display())))?;
        Ok(Self(folder))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn compiler_version() -> Result<String, Failure> {
    let said = External::new("rustc").words(["--version"]).answer()?;
    said.split_whitespace()
        .nth(1)
        .map(ToOwned::to_owned)
        .ok_or_else(|| Failure::problem(format!("`rustc --version` said `{said}`")))
}

/// apt with lists, a cache and sources below our own folder.
struct Apt {
    options: Vec<String>,
}

impl Apt {
    fn with_own_lists(work: &Path) -> Result<Self, Failure> {
        let known = External::new("apt-get")
            .words([
                "indextargets",
                "--format",
                "$(SITE)",
                "Created-By: Packages",
            ])
            .answer()?;
        let mirror = debian_mirror(&known)
            .ok_or_else(|| by_hand("apt here knows no Debian mirror to get the sources from"))?;
        let sources = work.join("sources.list");
        let lists = work.join("lists");
        let cache = work.join("cache");
        for folder in [lists.join("partial"), cache.join("archives/partial")] {
            std::fs::create_dir_all(&folder)
                .map_err(Failure::file(format!("create {}", folder.display())))?;
        }
        let lines: String = SUITES
            .iter()
            .map(|suite| format!("deb [signed-by={KEYRING}] {mirror} {suite} main\n"))
            .collect();
        std::fs::write(&sources, lines)
            .map_err(Failure::file(format!("write {}", sources.display())))?;
        let settings = [
            format!("Dir::Etc::SourceList={}", sources.display()),
            "Dir::Etc::SourceParts=-".to_owned(),
            format!("Dir::State::Lists={}", lists.display()),
            format!("Dir::Cache={}", cache.display()),
            "APT::Sandbox::User=root".to_owned(),
        ];
        Ok(Self {
            options: settings
                .into_iter()
                .flat_map(|setting| ["-o".to_owned(), setting])
                .collect(),
        })
    }

    fn get<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> External {
        External::new("apt-get")
            .words(["-qq"])
            .words(&self.options)
            .words(words)
    }

    fn cache<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> External {
        External::new("apt-cache").words(&self.options).words(words)
    }
}

/// The first Debian archive among the addresses that apt uses, one a line.
fn debian_mirror(sites: &str) -> Option<&str> {
    sites
        .lines()
        .map(str::trim)
        .find(|site| site.trim_end_matches('/').ends_with("/debian"))
}

/// The package version that carries the sources of compiler `version`, from lines of `apt-cache madison`
/// (`name | version | where`).
fn matching_source(offered: &str, version: &str) -> Option<String> {
    let wanted = format!("{version}+");
    offered
        .lines()
        .filter_map(|line| line.split('|').nth(1))
        .map(str::trim)
        .find(|offered| offered.starts_with(&wanted))
        .map(ToOwned::to_owned)
}

/// Compiles the library and returns the folder with its rlibs.
fn compile(work: &Path, unpacked: &Path, version: &str) -> Result<PathBuf, Failure> {
    let manifest = unpacked
        .join(format!("usr/src/rustc-{version}/library/sysroot"))
        .join("Cargo.toml");
    let results = work.join("target");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Run outside the repository, whose cargo configuration is not meant for the standard library.
    External::new(cargo)
        .called("cargo")
        .words(["build", "--quiet", "--release", "--target", WASM_TARGET])
        .words(["--features", "panic-unwind,compiler-builtins-mem"])
        .words(["--manifest-path".as_ref(), manifest.as_os_str()])
        .in_folder(work)
        .variable("RUSTC_BOOTSTRAP", "1")
        .variable("__CARGO_DEFAULT_LIB_METADATA", "stablestd")
        .variable("CARGO_TARGET_DIR", &results)
        .variable("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .variable("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .variable("RUSTFLAGS", RUSTFLAGS)
        .without_variable("CARGO_ENCODED_RUSTFLAGS")
        .quietly()?;
    Ok(results.join(WASM_TARGET).join("release/deps"))
}

/// Copies wasi-libc first and the library last: its presence is what tells that the target is there.
fn lay_into(library: &Path, unpacked: &Path, built: &Path) -> Result<(), Failure> {
    let own_libc = library.join("self-contained");
    std::fs::create_dir_all(&own_libc)
        .map_err(Failure::file(format!("create {}", own_libc.display())))?;
    let libc = unpacked.join("usr/lib").join(WASM_TARGET);
    copy_all(&files_ending(&libc, &[".o", ".a"])?, &own_libc)?;
    let (standard, others): (Vec<_>, Vec<_>) = files_ending(built, &[".rlib"])?
        .into_iter()
        .partition(|file| {
            file.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("libstd-"))
        });
    copy_all(&others, library)?;
    copy_all(&standard, library)
}

fn copy_all(files: &[PathBuf], folder: &Path) -> Result<(), Failure> {
    for file in files {
        if let Some(name) = file.file_name() {
            std::fs::copy(file, folder.join(name)).map_err(Failure::file(format!(
                "copy {} to {}",
                file.display(),
                folder.display()
            )))?;
        }
    }
    Ok(())
}

fn files_ending(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let entries =
        std::fs::read_dir(folder).map_err(Failure::file(format!("read {}", folder.display())))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|file| {
            let name = file.to_string_lossy();
            endings.iter().any(|ending| name.ends_with(ending))
        })
        .collect();
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_the_first_debian_archive_that_apt_uses() {
        let sites =
            "http://a.example/debian-security\nhttp://b.example/debian/\nhttp://c.example/debian\n";
        assert_eq!(debian_mirror(sites), Some("http://b.example/debian/"));
        assert_eq!(debian_mirror("http://a.example/ubuntu\n"), None);
    }

    #[test]
    fn only_the_compilers_own_version_is_taken() {
        let offered = "\
 rust-src | 1.95.0+dfsg1-1 | http://a.example/debian sid/main amd64 Packages
 rust-src | 1.9.0+dfsg1-1  | http://a.example/debian forky/main amd64 Packages
 rust-src | 1.85.0+dfsg3-1 | http://a.example/debian trixie/main amd64 Packages
";
        assert_eq!(
            matching_source(offered, "1.95.0").as_deref(),
            Some("1.95.0+dfsg1-1")
        );
        assert_eq!(matching_source(offered, "1.95.1"), None);
        assert_eq!(matching_source("", "1.95.0"), None);
    }
}
