//! `cargo xtask package`: packs the npm package and checks what is in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::arguments::Arguments;
use crate::build;
use crate::failure::Failure;
use crate::workspace::Workspace;

pub const HELP: &str = "\
Build and pack the npm package into target/package/, and check it: at most 2 MB, with the component and the licence,
and no source map that points at a file outside it. Does its own set-up.

Usage: cargo xtask package

Example (Pi takes a folder and not the archive):
  cargo xtask package
  npm install --prefix ~/ds4 target/package/ds4-context-engine-*.tgz
  pi install ~/ds4/node_modules/ds4-context-engine";

/// The largest packed size, bytes. Of it the vocabulary of o200k takes 1.2 MB, which nothing packs smaller, and the secret detector
/// with its expressions 0.3 MB.
const LARGEST: u64 = 2_500_000;

pub fn command(workspace: &Workspace, arguments: Arguments) -> Result<(), Failure> {
    arguments.finish("package")?;
    build::everything(workspace)?;

    let folder = workspace.results("package")?;
    // npm would run this script by itself and print its output between the lines of JSON.
    workspace
        .npm(["run", "--if-present", "prepack"])
        .quietly()?;
    let said = workspace
        .npm(["pack", "--json", "--ignore-scripts", "--pack-destination"])
        .words([&folder])
        .answer()?;
    let packed: Value = serde_json::from_str(&said)
        .map_err(|error| Failure::problem(format!("npm pack did not print JSON: {error}")))?;
    let packed = &packed[0];

    let files = files(packed);
    for (path, size) in &files {
        println!("{size:>10}  {path}");
    }
    let size = packed["size"].as_u64().unwrap_or(u64::MAX);
    println!(
        "{size:>10}  bytes packed: target/package/{}",
        packed["filename"].as_str().unwrap_or_default()
    );

    let problems = problems(&workspace.node_package(), &files, size);
    match problems.as_slice() {
        [] => Ok(()),
        problems => Err(Failure::problem(problems.join("; "))),
    }
}

/// The paths in the package and their sizes, as npm lists them.
fn files(packed: &Value) -> Vec<(String, u64)> {
    packed["files"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|file| Some((file["path"].as_str()?.to_owned(), file["size"].as_u64()?)))
        .collect()
}

/// What is wrong with the package.
fn problems(folder: &Path, files: &[(String, u64)], size: u64) -> Vec<String> {
    let paths: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let mut problems = Vec::new();
    if size > LARGEST {
        problems.push(format!("{size} bytes are more than {LARGEST}"));
    }
    if !paths.iter().any(|path| path.ends_with(".wasm")) {
        problems.push("there is no .wasm in it".to_owned());
    }
    if !paths.iter().any(|path| path.starts_with("LICENSE")) {
        problems.push("there is no LICENSE in it".to_owned());
    }
    for map in paths.iter().filter(|path| path.ends_with(".map")) {
        let outside = fs::read(folder.join(map))
            .ok()
            .and_then(|text| serde_json::from_slice::<Value>(&text).ok())
            .map_or_else(
                || vec!["nothing readable".to_owned()],
                |content| sources_outside(map, &content, &paths),
            );
        if let Some(source) = outside.first() {
            problems.push(format!("the source map {map} points at {source}"));
        }
    }
    problems
}

/// The sources of a source map that are neither in the package nor in the map itself.
fn sources_outside(map: &str, content: &Value, paths: &BTreeSet<&str>) -> Vec<String> {
    let has_contents = content["sourcesContent"].is_array();
    content["sources"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|source| !has_contents && !paths.contains(resolve(map, source).as_str()))
        .map(ToOwned::to_owned)
        .collect()
}

/// The path in the package that `source` means in the map at path `map`.
fn resolve(map: &str, source: &str) -> String {
    let mut parts: Vec<&str> = map.split('/').collect();
    parts.pop();
    for part in source.split('/') {
        match part {
            "." | "" => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn listed(paths: &[&str]) -> Vec<(String, u64)> {
        paths.iter().map(|path| ((*path).to_owned(), 1)).collect()
    }

    #[test]
    fn what_must_be_there_is_missed() {
        let none = Path::new("/nowhere");
        let whole = listed(&["LICENSE-MIT", "dist/engine.core.wasm"]);
        assert!(problems(none, &whole, LARGEST).is_empty());
        assert_eq!(problems(none, &whole, LARGEST + 1).len(), 1);
        assert_eq!(problems(none, &listed(&["dist/index.js"]), 1).len(), 2);
    }

    #[test]
    fn a_source_map_must_find_its_sources_in_the_package() {
        let paths = BTreeSet::from(["src/index.ts", "dist/index.js.map"]);
        let inside = json!({ "sources": ["../src/index.ts"] });
        let outside = json!({ "sources": ["../src/other.ts"] });
        let whole = json!({ "sources": ["../src/other.ts"], "sourcesContent": ["let a"] });
        let map = "dist/index.js.map";
        assert!(sources_outside(map, &inside, &paths).is_empty());
        assert_eq!(sources_outside(map, &outside, &paths), ["../src/other.ts"]);
        assert!(sources_outside(map, &whole, &paths).is_empty());
        assert_eq!(resolve(map, "../../../away.ts"), "../../away.ts");
    }
}
