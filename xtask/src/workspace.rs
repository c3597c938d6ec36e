//! Where things lie: the repository's folders and what xtask itself writes below `target/`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::External;

/// The repository that xtask belongs to.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    cargo_target: PathBuf,
}

impl Workspace {
    /// Finds the repository: the folder above this crate's, as cargo names it when it runs us, else as it was
    /// when xtask was compiled.
    pub fn locate() -> Result<Self, Failure> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .parent()
            .filter(|root| root.join("Cargo.toml").is_file())
            .ok_or_else(|| {
                Failure::problem("the repository was not found; run this as `cargo xtask`")
            })?
            .to_path_buf();
        // A relative CARGO_TARGET_DIR counts from where the person stood, as cargo itself reads it.
        let cargo_target = match std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty())
        {
            Some(dir) => {
                std::path::absolute(dir).map_err(Failure::file("read CARGO_TARGET_DIR"))?
            }
            None => root.join("target"),
        };
        Ok(Self { root, cargo_target })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The npm package's folder.
    pub fn node_package(&self) -> PathBuf {
        self.root.join("host-node")
    }

    /// What the set-up installs for the tests and the demo, one folder a tool.
    pub fn tools(&self) -> PathBuf {
        self.root.join("target/tools")
    }

    /// A folder of xtask's own results: `target/component`, `target/bench`, `target/package`. It stays in the
    /// repository when CARGO_TARGET_DIR points elsewhere, because the host's build script looks for it there.
    pub fn results(&self, name: &str) -> Result<PathBuf, Failure> {
        let folder = self.root.join("target").join(name);
        std::fs::create_dir_all(&folder)
            .map_err(Failure::file(format!("create {}", folder.display())))?;
        Ok(folder)
    }

    /// Where cargo puts what it builds for `target` (none: this machine), in `profile`.
    pub fn built(&self, target: Option<&str>, profile: &str) -> PathBuf {
        let mut folder = self.cargo_target.clone();
        folder.extend(target);
        folder.join(profile)
    }

    /// cargo's folder for everything built for `target`.
    pub fn built_for_target(&self, target: &str) -> PathBuf {
        self.cargo_target.join(target)
    }

    /// A program of the workspace for this machine, once it is built.
    pub fn rust_program(&self, name: &str) -> PathBuf {
        self.built(None, "release")
            .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// cargo, in the repository's root, without the variables that `cargo run` gave to us: with them, build
    /// scripts that watch such variables would run again after every call from a shell, and the other way round.
    pub fn cargo<Word: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = Word>) -> External {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut cargo = External::new(program)
            .called("cargo")
            .words(words)
            .in_folder(&self.root);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"]
                .iter()
                .any(|prefix| text.starts_with(prefix))
            {
                cargo = cargo.without_variable(&name);
            }
        }
        cargo.variable("CARGO_TARGET_DIR", &self.cargo_target)
    }

    /// npm, in the Node package's folder.
    pub fn npm<Word: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = Word>) -> External {
        External::npm().words(words).in_folder(&self.node_package())
    }

    /// The `package.json` of an npm package that lies in `folder`.
    pub fn read_package_json(folder: &Path) -> Result<serde_json::Value, Failure> {
        let file = folder.join("package.json");
        let text =
            std::fs::read(&file).map_err(Failure::file(format!("read {}", file.display())))?;
        serde_json::from_slice(&text)
            .map_err(|error| Failure::problem(format!("{} is not JSON: {error}", file.display())))
    }

    /// The file behind the command `name` of the npm package in `folder`, from the `bin` of its `package.json`.
    pub fn npm_program(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
        let manifest = Self::read_package_json(folder)?;
        let bin = &manifest["bin"];
        bin.as_str()
            .or_else(|| bin[name].as_str())
            .map(|path| folder.join(path))
            .filter(|path| path.is_file())
            .ok_or_else(|| {
                Failure::problem(format!(
                    "{} offers no program `{name}`",
                    folder.join("package.json").display()
                ))
            })
    }
}
