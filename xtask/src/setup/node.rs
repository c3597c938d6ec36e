//! Node and npm: the machine's own must do for the build; the npm packages of `host-node` are installed as its lock
//! file says.

use std::fs;

use super::say;
use super::version::Version;
use crate::digest::sha256;
use crate::failure::Failure;
use crate::process::External;
use crate::workspace::Workspace;

/// The oldest Node that the product runs in (README, "Limits").
const OLDEST_NODE: Version = Version(20, 0, 0);

/// The version of the Node on the PATH.
pub fn machine_version() -> Result<Version, Failure> {
    let said = External::new("node")
        .words(["--version"])
        .answer()
        .map_err(|_| {
            Failure::problem(format!(
                "Node is missing; install Node {OLDEST_NODE} or newer with npm"
            ))
        })?;
    Version::read(&said).ok_or_else(|| Failure::problem(format!("`node --version` said `{said}`")))
}

/// Checks that Node and npm are there and new enough.
pub fn ensure_usable() -> Result<(), Failure> {
    let version = machine_version()?;
    if version < OLDEST_NODE {
        return Err(Failure::problem(format!(
            "Node {version} is too old; install Node {OLDEST_NODE} or newer"
        )));
    }
    if !External::npm().words(["--version"]).works() {
        return Err(Failure::problem("npm is missing; install it beside Node"));
    }
    say("Node", version);
    Ok(())
}

/// Installs the packages of `host-node` when its lock file is another one than at the last time.
pub fn ensure_packages(workspace: &Workspace) -> Result<(), Failure> {
    let folder = workspace.node_package();
    let lock = folder.join("package-lock.json");
    let locked = fs::read(&lock).map_err(Failure::file(format!("read {}", lock.display())))?;
    let wanted = sha256(&locked);
    let stamp = workspace.tools().join("host-node-packages.sha256");
    let installed = fs::read_to_string(&stamp).is_ok_and(|known| known == wanted)
        && folder.join("node_modules/.package-lock.json").is_file();
    if installed {
        say("npm packages of host-node", "installed");
        return Ok(());
    }
    say(
        "npm packages of host-node",
        "installing into host-node/node_modules",
    );
    workspace.npm(["ci", "--no-audit", "--no-fund"]).quietly()?;
    fs::create_dir_all(workspace.tools())
        .and_then(|()| fs::write(&stamp, wanted))
        .map_err(Failure::file(format!("write {}", stamp.display())))
}
