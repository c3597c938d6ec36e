//! The architecture, held by what the manifests and the sources say: who may know whom, and what stands where.

use std::path::{Path, PathBuf};
use std::{fs, io};

use ds4_context_tests::{config_table, workspace};

/// Lines of a source file, at most.
const MOST_LINES: usize = 500;
/// Where unsafe code lives: loading compiled code that this program itself wrote, and SQLite's callbacks, which are C functions.
const UNSAFE_FILES: [&str; 2] = [
    "host-wasmtime/src/engine/code_cache.rs",
    "core/src/store/vfs/methods.rs",
];
/// Folders that hold sources of ours.
const SOURCE_FOLDERS: [&str; 8] = [
    "core",
    "component",
    "host-wasmtime/src",
    "host-wasmtime/tests",
    "host-node/src",
    "host-node/test",
    "tests",
    "xtask",
];

/// A file as text; what is no UTF-8, as in a damaged fixture, is read as U+FFFD.
fn read(path: &str) -> String {
    let bytes =
        fs::read(workspace::root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All files below a folder with one of the endings, as paths from the root.
fn files(folder: &str, endings: &[&str]) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir()
                && !matches!(
                    name.as_str(),
                    "node_modules" | "dist" | "dist-test" | "target"
                )
            {
                walk(&path, found)?;
            } else if path.is_file() {
                found.push(path);
            }
        }
        Ok(())
    }
    let root = workspace::root();
    let mut found = Vec::new();
    walk(&root.join(folder), &mut found).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<String> = found
        .iter()
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| endings.iter().any(|known| ending == *known))
        })
        .map(|path| {
            path.strip_prefix(&root)
                .unwrap_or(path)
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    paths.sort();
    paths
}

/// Names of the packages in a section of a Cargo manifest.
fn dependencies(manifest: &str, section: &str) -> Vec<String> {
    let header = format!("[{section}]");
    let lines = manifest
        .lines()
        .skip_while(|line| line.trim() != header)
        .skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['=', '.']).next())
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .collect()
}

/// Code without comments, line by line: what it says of other parts in prose does not count.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
}

#[test]
fn the_core_knows_no_host_and_no_contract() {
    let manifest = read("core/Cargo.toml");
    for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
        for name in dependencies(&manifest, section) {
            let foreign = name.starts_with("ds4-context")
                || name.starts_with("wasmtime")
                || name.starts_with("wit-");
            assert!(!foreign, "core/Cargo.toml, {section}: {name}");
        }
    }
    const FOREIGN: [&str; 7] = [
        "wit_bindgen",
        "wasmtime",
        "ds4_context_host",
        "ds4_context_component",
        "std::fs",
        "std::env",
        "std::net",
    ];
    const CLOCKS: [&str; 2] = ["SystemTime", "Instant::now"];
    for path in files("core/src", &["rs"]) {
        // Tests may read a file that lies at hand.
        let is_test = path.contains("/tests") || path.ends_with("_tests.rs");
        for line in code_lines(&read(&path)) {
            for word in FOREIGN.iter().chain(&CLOCKS) {
                let allowed = is_test && word.starts_with("std::");
                assert!(
                    allowed || !line.contains(word),
                    "{path} names {word}: {}",
                    line.trim()
                );
            }
        }
    }
}

#[test]
fn dependencies_go_from_hosts_to_the_core() {
    let of = |manifest: &str| -> Vec<String> {
        let names = dependencies(&read(manifest), "dependencies");
        names
            .into_iter()
            .filter(|name| name.starts_with("ds4-context") || name == "xtask")
            .collect()
    };
    assert_eq!(of("core/Cargo.toml"), [""; 0]);
    assert_eq!(of("component/Cargo.toml"), ["ds4-context-core"]);
    assert_eq!(of("host-wasmtime/Cargo.toml"), ["ds4-context-core"]);
    assert_eq!(of("xtask/Cargo.toml"), [""; 0]);
    // The library in wasmtime knows the component only; its command line tells formats apart by the core, and runs it for
    // `--native`.
    for path in files("host-wasmtime/src", &["rs"]) {
        let knows_core = code_lines(&read(&path)).any(|line| line.contains("ds4_context_core"));
        assert!(
            !knows_core || path.starts_with("host-wasmtime/src/cli/"),
            "{path} names the core"
        );
    }
    for path in files("component/src", &["rs"]) {
        for line in code_lines(&read(&path)) {
            assert!(
                !line.contains("std::fs") && !line.contains("std::env"),
                "{path}: {}",
                line.trim()
            );
        }
    }
}

#[test]
fn the_node_package_depends_on_nothing_at_run_time() {
    let manifest: serde_json::Value =
        serde_json::from_str(&read("host-node/package.json")).expect("JSON");
    for section in [
        "dependencies",
        "optionalDependencies",
        "peerDependencies",
        "bundledDependencies",
    ] {
        assert!(
            manifest[section].is_null(),
            "host-node/package.json has {section}"
        );
    }
    for path in files("host-node/src", &["ts"]) {
        let text = read(&path);
        for line in code_lines(&text) {
            let Some(module) = imported_module(line) else {
                continue;
            };
            assert!(
                module.starts_with("node:")
                    || module.starts_with("./")
                    || module.starts_with("../"),
                "{path} imports {module}"
            );
        }
    }
}

/// The module that a line of TypeScript imports or re-exports, if it does.
fn imported_module(line: &str) -> Option<&str> {
    let line = line.trim();
    let is_import =
        line.starts_with("import") || line.starts_with("export") || line.starts_with("} from");
    let (_, rest) = line
        .split_once("from \"")
        .or_else(|| line.split_once("import(\""))
        .or_else(|| line.split_once("import \""))?;
    is_import.then(|| rest.split('"').next().unwrap_or_default())
}

#[test]
fn unsafe_code_is_in_two_places() {
    let keyword = ["un", "safe"].concat();
    for folder in SOURCE_FOLDERS {
        for path in files(folder, &["rs"]) {
            let found = code_lines(&read(&path)).any(|line| {
                let mut words =
                    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                words.any(|word| word == keyword)
            });
            assert!(
                !found || UNSAFE_FILES.contains(&path.as_str()),
                "{path} has {keyword} code"
            );
        }
    }
    let lib = read("core/src/lib.rs");
    assert!(
        lib.contains(&format!("#![deny({keyword}_code)]")),
        "the core denies it by itself"
    );
}

#[test]
fn files_are_short_enough_to_be_read() {
    for folder in SOURCE_FOLDERS.into_iter().chain(["wit"]) {
        for path in files(folder, &["rs", "ts", "mjs", "wit"]) {
            let lines = read(&path).lines().count();
            assert!(lines <= MOST_LINES, "{path} has {lines} lines");
        }
    }
}

#[test]
fn every_default_stands_in_the_readme() {
    let readme = read("README.md");
    let table = config_table::between_markers(&readme)
        .expect("README.md has the two markers of the configuration table");
    assert!(
        table == config_table::markdown(),
        "README.md is not up to date: put there what `cargo run --release -p ds4-context-tests --bin config-table` prints"
    );
}

/// Words that would tie the repository to the machine it was written on.
#[test]
fn no_file_names_a_machine() {
    let forbidden = [
        ["/work/", "shared"].concat(),
        ["/work/", "main"].concat(),
        ["/root", "/."].concat(),
    ];
    for folder in SOURCE_FOLDERS.into_iter().chain(["wit", "fixtures", ".ci"]) {
        for path in files(
            folder,
            &["rs", "ts", "mjs", "wit", "toml", "json", "jsonl", "md"],
        ) {
            let text = read(&path);
            for word in &forbidden {
                assert!(!text.contains(word.as_str()), "{path} names {word}");
            }
        }
    }
}
