//! Pi for the tests and the demo: two pinned versions of it and a Node that is new enough, each in a folder of its
//! own below `target/tools`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::version::Version;
use super::{node, say};
use crate::failure::Failure;
use crate::process::External;
use crate::workspace::Workspace;

/// The oldest Node that Pi runs in, as its own `package.json` says.
const OLDEST_NODE_FOR_PI: Version = Version(22, 19, 0);

/// The Node that is fetched where the machine's is older. The npm package brings the whole program.
const NODE: Tool = Tool {
    folder: "node",
    package: "node",
    version: "24.21.0",
    // The package fetches the program for this machine in its install script.
    scripts: true,
};

/// The Pi versions that the extension is tested in: the newest, and the oldest that is supported.
const PIS: [Tool; 2] = [
    Tool {
        folder: "pi-1.6.0",
        package: "@earendil-works/pi-coding-agent",
        version: "1.6.0",
        scripts: false,
    },
    Tool {
        folder: "pi-0.84.3",
        package: "@earendil-works/pi-coding-agent",
        version: "0.84.3",
        scripts: false,
    },
];

/// An npm package, pinned, in a folder of its own.
struct Tool {
    folder: &'static str,
    package: &'static str,
    version: &'static str,
    /// Whether the package's install scripts may run.
    scripts: bool,
}

/// Where the tools lie.
#[derive(Debug)]
pub struct PiTools {
    /// The Node program that runs Pi.
    pub node: PathBuf,
    /// Pi's version and the script that Node runs.
    pub pi: Vec<(&'static str, PathBuf)>,
}

impl PiTools {
    /// `{"node": PATH, "pi": {VERSION: PATH}}`
    pub fn as_json(&self) -> serde_json::Value {
        let versions: serde_json::Map<_, _> = self
            .pi
            .iter()
            .map(|(version, script)| ((*version).to_owned(), json!(script)))
            .collect();
        json!({ "node": self.node, "pi": versions })
    }

    /// The same for tests, as variables: `DS4_TEST_NODE`, `DS4_TEST_PI_1_6_0`, …
    pub fn variables(&self) -> Vec<(String, OsString)> {
        let mut variables = vec![("DS4_TEST_NODE".to_owned(), self.node.clone().into())];
        for (version, script) in &self.pi {
            let name = format!("DS4_TEST_PI_{}", version.replace('.', "_"));
            variables.push((name, script.clone().into()));
        }
        variables
    }
}

/// Installs what is missing and tells where it is.
pub fn ensure(workspace: &Workspace) -> Result<PiTools, Failure> {
    let node = if node::machine_version()? >= OLDEST_NODE_FOR_PI {
        say("Node for Pi", "the machine's own");
        PathBuf::from(
            External::new("node")
                .words(["--print", "process.execPath"])
                .answer()?,
        )
    } else {
        let package = NODE.ensure(workspace)?;
        package
            .join("bin")
            .join(format!("node{}", std::env::consts::EXE_SUFFIX))
    };
    let mut pi = Vec::new();
    for tool in &PIS {
        let package = tool.ensure(workspace)?;
        pi.push((tool.version, Workspace::npm_program(&package, "pi")?));
    }
    Ok(PiTools { node, pi })
}

impl Tool {
    /// Installs the package unless it is there in this version; returns its folder.
    fn ensure(&self, workspace: &Workspace) -> Result<PathBuf, Failure> {
        let folder = workspace.tools().join(self.folder);
        let package = folder.join("node_modules").join(self.package);
        let wanted = format!("{}@{}", self.package, self.version);
        let stamp = folder.join("installed");
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && package.is_dir()
        {
            say(&wanted, "installed");
            return Ok(package);
        }
        say(
            &wanted,
            format!("installing into target/tools/{}", self.folder),
        );
        self.install(&folder).and_then(|()| {
            fs::write(&stamp, &wanted).map_err(Failure::file(format!("write {}", stamp.display())))
        })?;
        Ok(package)
    }

    fn install(&self, folder: &Path) -> Result<(), Failure> {
        if folder.exists() {
            fs::remove_dir_all(folder)
                .map_err(Failure::file(format!("delete {}", folder.display())))?;
        }
        // A manifest of its own keeps npm from walking up to another package's folder.
        let manifest = json!({ "private": true, "dependencies": { self.package: self.version } });
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(folder.join("package.json"), manifest.to_string()))
            .map_err(Failure::file(format!("write into {}", folder.display())))?;
        External::npm()
            .words(["install", "--no-audit", "--no-fund", "--no-package-lock"])
            .words([format!("--ignore-scripts={}", !self.scripts)])
            .in_folder(folder)
            .quietly()
            .map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_find_the_tools_by_variables_and_by_json() {
        let tools = PiTools {
            node: "/tools/node".into(),
            pi: vec![("1.6.0", "/tools/pi/cli.js".into())],
        };
        assert_eq!(
            tools.as_json().to_string(),
            r#"{"node":"/tools/node","pi":{"1.6.0":"/tools/pi/cli.js"}}"#
        );
        assert_eq!(
            tools.variables(),
            [
                ("DS4_TEST_NODE".to_owned(), OsString::from("/tools/node")),
                (
                    "DS4_TEST_PI_1_6_0".to_owned(),
                    OsString::from("/tools/pi/cli.js")
                ),
            ]
        );
    }
}
