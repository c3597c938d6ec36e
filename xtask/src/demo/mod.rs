//! `cargo xtask demo`: the product at work on a session, in both hosts.

mod question;

use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::build;
use crate::failure::Failure;
use crate::process::External;
use crate::workspace::Workspace;

pub const HELP: &str = "\
Build everything and show the product: how a long session fits into a small window, in the Rust host and in Node,
that both plan the same bytes, and what comes back when somebody asks about something said before the window. Does
its own set-up.

Usage: cargo xtask demo [OPTIONS]

Options:
  --session FILE  The session log to plan (default: a large one that lies at hand)
  --window N      The model's window in tokens (default: 32000)

Examples:
  cargo xtask demo
  cargo xtask demo --session ~/.pi/agent/sessions/my-session.jsonl --window 64000";

/// Small, so that a session of an afternoon does not fit and the plan has something to decide.
const WINDOW: &str = "32000";

pub fn command(workspace: &Workspace, mut arguments: Arguments) -> Result<(), Failure> {
    let session = arguments.value("--session")?;
    let window = arguments.value("--window")?;
    arguments.finish("demo")?;
    let session = match session {
        Some(file) => std::path::absolute(file).map_err(Failure::file("read --session"))?,
        None => session_at_hand(workspace)?,
    };
    if !session.is_file() {
        return Err(Failure::usage(format!(
            "there is no session log {}",
            session.display()
        )));
    }
    let window = window.as_deref().unwrap_or(WINDOW);
    build::everything(workspace)?;

    let rust = || External::new(workspace.rust_program("ds4-context")).called("ds4-context");
    let node_program = Workspace::npm_program(&workspace.node_package(), "ds4-context")?;
    let node = || External::new("node").words([&node_program]);

    heading("The session: its tree, branches, turns and tokens");
    rust()
        .words([
            "inspect".as_ref(),
            "--session".as_ref(),
            session.as_os_str(),
        ])
        .told_on_the_terminal()
        .show()?
        .check()?;

    heading(&format!(
        "What of it goes into a window of {window} tokens, and why"
    ));
    rust().words(plan(&session, window)).show()?.check()?;

    heading("The same plan in both hosts");
    let in_rust = prompt_hash(rust().words(plan(&session, window)).words(["--json"]))?;
    println!("wasmtime  {in_rust}");
    let in_node = prompt_hash(node().words(plan(&session, window)).words(["--json"]))?;
    println!("Node      {in_node}");
    if in_rust != in_node {
        return Err(Failure::problem("the two hosts planned different prompts"));
    }
    println!("The same prompt, byte for byte.");
    show_evidence(workspace, &session, window)
}

/// Asks about something said before the window, and shows what the plan brings back.
fn show_evidence(workspace: &Workspace, session: &Path, window: &str) -> Result<(), Failure> {
    let folder = workspace.results("demo")?;
    let Some((copy, question)) = question::asked(session, &folder)? else {
        return Ok(());
    };
    let rust = || External::new(workspace.rust_program("ds4-context")).called("ds4-context");
    heading("A question about something that was said before the window");
    println!("{question}\n");
    let answer = rust()
        .words(plan(&copy, window))
        .words(["--json"])
        .answer()?;
    let planned: serde_json::Value = serde_json::from_str(&answer)
        .map_err(|error| Failure::problem(format!("plan --json did not print JSON: {error}")))?;
    let messages = planned["messages"].as_array().cloned().unwrap_or_default();
    let evidence: Vec<&str> = messages
        .iter()
        .filter(|message| message["kind"] == "retrieval")
        .filter_map(|message| message["text"].as_str())
        .collect();
    println!(
        "The plan brings back {} pieces of evidence; the best one, as the model reads it:\n\n{}",
        evidence.len(),
        evidence.first().unwrap_or(&"(none)")
    );
    heading("The same question asked by hand");
    rust()
        .words(["search".as_ref(), "--session".as_ref(), copy.as_os_str()])
        .words(["--limit", "2", &question])
        .show()?
        .check()
        .map(|_| ())
}

fn heading(text: &str) {
    println!("\n== {text}\n");
}

fn plan<'a>(session: &'a Path, window: &'a str) -> [&'a std::ffi::OsStr; 5] {
    [
        "plan".as_ref(),
        "--session".as_ref(),
        session.as_os_str(),
        "--window".as_ref(),
        window.as_ref(),
    ]
}

fn prompt_hash(plan: External) -> Result<String, Failure> {
    let answer = plan.answer()?;
    let plan: serde_json::Value = serde_json::from_str(&answer)
        .map_err(|error| Failure::problem(format!("plan --json did not print JSON: {error}")))?;
    plan["promptHash"]
        .as_str()
        .map(ToOwned::to_owned)
        .ok_or_else(|| Failure::problem("plan --json printed no promptHash"))
}

/// The session that the demo shows: the large one of the shared data where that lies beside the repository, else
/// the largest of the fixtures.
fn session_at_hand(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let shared = workspace
        .root()
        .join("../shared/data/pi/pi-mono-large-session.jsonl");
    if shared.is_file() {
        return shared
            .canonicalize()
            .map_err(Failure::file(format!("find {}", shared.display())));
    }
    let folder = workspace.root().join("fixtures/sessions");
    session_logs(&folder)
        .into_iter()
        .max_by_key(|file| std::fs::metadata(file).map_or(0, |data| data.len()))
        .ok_or_else(|| {
            Failure::problem(format!(
                "there is no session log in {}; name one with --session FILE",
                folder.display()
            ))
        })
}

/// The `.jsonl` files in a folder and the folders in it, in the order of their names.
fn session_logs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| {
            if path.is_dir() {
                session_logs(&path)
            } else if path.extension().is_some_and(|kind| kind == "jsonl") {
                vec![path]
            } else {
                Vec::new()
            }
        })
        .collect()
}
