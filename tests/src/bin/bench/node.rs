//! The Node package's own benchmark, run beside ours so that the ratios are of one run.

use std::process::Command;

use ds4_context_tests::figures::{Figure, Target};
use ds4_context_tests::workspace;
use serde_json::Value;

use crate::Outcome;

/// Its figures; none where the package is not built.
pub fn measure(native_plan: &Figure, native_read: &Figure) -> Outcome<Vec<Figure>> {
    let script = workspace::root().join("host-node/dist/bench.js");
    if !script.is_file() {
        eprintln!(
            "host-node/dist/bench.js is not there: no figures of Node (cargo xtask build makes it)"
        );
        return Ok(Vec::new());
    }
    let output = Command::new("node").arg(script).output()?;
    if !output.status.success() {
        return Err(format!(
            "host-node/dist/bench.js failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )
        .into());
    }
    let text = String::from_utf8(output.stdout)?;
    let mut figures = Vec::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line)?;
        figures.extend(figure(&line, native_plan, native_read));
    }
    Ok(figures)
}

fn figure(line: &Value, native_plan: &Figure, native_read: &Figure) -> Option<Figure> {
    let number = |key: &str| line[key].as_f64();
    let mut figure = Figure::of(String::new(), "ms", vec![number("p50")?]);
    figure.p95 = number("p95")?;
    figure.runs = usize::try_from(line["runs"].as_u64()?).ok()?;
    Some(match line["bench"].as_str()? {
        "plan-after-one-turn" => {
            figure.name = "plan after one turn, Node".to_owned();
            figure
                .target(Target::AtMost(15.0))
                .against(native_plan)
                .note("the worker's round trip included")
        }
        "context-hook" => {
            figure.name = "context hook of the Pi extension, Node".to_owned();
            figure
                .against(native_plan)
                .note("finding Pi's messages and applying the plan included")
        }
        "component-load" => {
            figure.name = "component load, Node".to_owned();
            figure
                .target(Target::AtMost(150.0))
                .note("a process of its own each time")
        }
        "read-log" => {
            let speed = number("megabytesPerSecond")?;
            Figure::of("read a log, Node", "MB/s", vec![speed]).against(native_read)
        }
        _ => return None,
    })
}
