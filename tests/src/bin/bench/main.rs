//! `cargo run --release -p ds4-context-tests --bin bench [-- --json]`: the figures that the product promises, measured.
//!
//! The session is the same in all hosts: 2,000 messages of about 1 M tokens, planned at a window of 200,000; history is searched in
//! one of 200,000 entries. Not a test:
//! what misses its target is marked, and the exit code stays 0. Measure on a calm machine; the load is printed.

mod history;
mod loading;
mod log;
mod memory;
mod node;
mod plans;

use std::process::ExitCode;

use ds4_context_tests::figures::{Figure, table};
use serde_json::json;

/// What goes wrong ends the benchmark.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const HELP: &str = "\
Measure planning, reading, loading and memory of the native core, wasmtime and Node.

Usage: bench [--json] [--without-node]

  --json          Print one JSON object instead of the table
  --without-node  Leave out Node";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = arguments
        .iter()
        .find(|argument| !matches!(argument.as_str(), "--json" | "--without-node"))
    {
        eprintln!("unknown argument {unknown}\n\n{HELP}");
        return ExitCode::from(2);
    }
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    match measure(!has("--without-node")) {
        Ok(figures) => {
            print(&figures, has("--json"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("the benchmark failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(with_node: bool) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    let planning = plans::measure()?;
    let native = (planning.native.clone(), planning.native_read.clone());
    figures.extend(planning.into_figures());
    figures.push(loading::measure()?);
    figures.push(memory::measure()?);
    figures.extend(history::measure(with_node)?);
    if with_node {
        figures.extend(node::measure(&native.0, &native.1)?);
    }
    Ok(figures)
}

fn print(figures: &[Figure], as_json: bool) {
    let load = load_average();
    if as_json {
        let figures: Vec<_> = figures.iter().map(Figure::to_json).collect();
        println!("{}", json!({"load": load, "figures": figures}));
    } else {
        println!("{}", table(figures));
        println!("Load of the machine at the end (1, 5, 15 minutes): {load}");
    }
}

/// The machine's load averages, where the system tells.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let averages: Vec<&str> = text.split_whitespace().take(3).collect();
    if averages.is_empty() {
        "unknown".to_owned()
    } else {
        averages.join(" ")
    }
}
