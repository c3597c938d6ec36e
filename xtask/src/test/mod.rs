//! `cargo xtask test`: every check and every test, in stages; the first that fails ends the run.
//!
//! Invariant: the output ends with the test runners' own summary lines and one line that adds them up. A runner whose
//! summary cannot be found fails the run: no number here is anybody's guess.

use std::ffi::OsString;
use std::time::Instant;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::{External, Finished};
use crate::setup::PiTools;
use crate::workspace::Workspace;
use crate::{build, setup};

mod summary;

use summary::{Counts, Runner, Summary};

pub const HELP: &str = "\
Build everything, check the format, run clippy and all tests: Rust, Node, and in real Pi runs. Does its own set-up.
Stops at the first stage that fails. The last line adds up the runners: `N passed, N failed`.

Usage: cargo xtask test [OPTIONS]

Options:
  --quick        Leave out the tests that run Pi
  --filter TEXT  Run only the tests whose name contains TEXT

Examples:
  cargo xtask test
  cargo xtask test --quick
  cargo xtask test --quick --filter planner";

pub fn command(workspace: &Workspace, mut arguments: Arguments) -> Result<(), Failure> {
    let with_pi = !arguments.switch("--quick");
    let filter = arguments.value("--filter")?;
    arguments.finish("test")?;

    let mut report = Report::default();
    let result = run_stages(workspace, with_pi, filter.as_deref(), &mut report);
    report.print();
    result?;
    if report.total().passed == 0 {
        return Err(Failure::problem("no test ran"));
    }
    Ok(())
}

fn run_stages(
    workspace: &Workspace,
    with_pi: bool,
    filter: Option<&str>,
    report: &mut Report,
) -> Result<(), Failure> {
    // First what takes a second, so that a forgotten space costs no build.
    report.stage("format", || {
        workspace.cargo(["fmt", "--all", "--check"]).show()?.check()
    })?;
    let c_variables = report.stage("setup", || setup::for_build(workspace))?;
    let pi = match with_pi {
        true => Some(report.stage("setup for Pi", || setup::for_pi(workspace))?),
        false => None,
    };
    report.stage("component", || {
        build::component(workspace, build::ENGINE, &c_variables)
    })?;
    report.stage("component of a test", || {
        build::component(workspace, build::VFS_SUITE, &c_variables)
    })?;
    report.stage("Node package", || build::node_package(workspace))?;
    report.stage("Rust programs", || build::rust_programs(workspace))?;
    report.stage("clippy", || clippy(workspace, &c_variables))?;
    report.tests("Rust tests", || rust_tests(workspace, filter))?;
    report.tests("Rust examples in documentation", || {
        documentation_tests(workspace, filter)
    })?;
    report.tests("Node tests", || node_tests(workspace, "test", filter, None))?;
    if let Some(pi) = pi {
        report.tests("tests in Pi", || {
            node_tests(workspace, "test:pi", filter, Some(&pi))
        })?;
    }
    Ok(())
}

/// Looks at everything, the crates on wasmtime too: checking wasmtime itself costs under three minutes of processor time
/// once in a fresh target folder, and nothing after that.
fn clippy(workspace: &Workspace, c_variables: &[(String, OsString)]) -> Result<(), Failure> {
    const STRICT: [&str; 3] = ["--", "-D", "warnings"];
    for component in [build::ENGINE, build::VFS_SUITE] {
        build::cargo_for_component(workspace, component, "clippy", c_variables)
            .words(STRICT)
            .show()?
            .check()?;
    }
    workspace
        .cargo(["clippy", "--release", "--all-targets"])
        .words(build::NATIVE_CRATES)
        .words(STRICT)
        .show()?
        .check()
        .map(|_| ())
}

/// Runs the Rust tests by nextest where it is installed, else by cargo itself.
fn rust_tests(workspace: &Workspace, filter: Option<&str>) -> Result<(Runner, Finished), Failure> {
    if workspace.cargo(["nextest", "--version"]).works() {
        let run = workspace
            .cargo(["nextest", "run", "--no-fail-fast", "--no-tests=pass"])
            .words(["--release"])
            .words(build::NATIVE_CRATES)
            .words(filter)
            .show()?;
        return Ok((Runner::Nextest, run));
    }
    let run = workspace
        .cargo(["test", "--no-fail-fast", "--lib", "--bins", "--tests"])
        .words(["--release"])
        .words(build::NATIVE_CRATES)
        .words(filter)
        .show()?;
    Ok((Runner::Cargo, run))
}

/// Runs the examples in the documentation; nextest does not run such tests.
fn documentation_tests(
    workspace: &Workspace,
    filter: Option<&str>,
) -> Result<(Runner, Finished), Failure> {
    let run = workspace
        .cargo(["test", "--doc", "--release"])
        .words(build::NATIVE_CRATES)
        .words(filter)
        .show()?;
    Ok((Runner::Cargo, run))
}

/// Runs a test script of `host-node`; with Pi's tools, the Node that Pi needs comes first on the PATH.
fn node_tests(
    workspace: &Workspace,
    script: &str,
    filter: Option<&str>,
    pi: Option<&PiTools>,
) -> Result<(Runner, Finished), Failure> {
    let mut npm = match filter {
        None => workspace.npm(["run", script]),
        Some(filter) => filtered_script(workspace, script, filter)?,
    };
    if let Some(pi) = pi {
        let old = std::env::var_os("PATH").unwrap_or_default();
        let folders = pi.node.parent().map(std::path::Path::to_path_buf);
        let path = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&old)))
            .map_err(|error| Failure::problem(format!("the path of Node for Pi: {error}")))?;
        npm = npm.variables(&pi.variables()).variable("PATH", path);
    }
    Ok((Runner::Node, npm.show()?))
}

/// Node reads options only before the files, so the pattern goes into the script's own words, by a variable that
/// the shell puts in: whatever it holds stays one word.
fn filtered_script(workspace: &Workspace, script: &str, filter: &str) -> Result<External, Failure> {
    const RUNNER: &str = "node --test";
    let manifest = Workspace::read_package_json(&workspace.node_package())?;
    let words = manifest["scripts"][script]
        .as_str()
        .filter(|words| words.contains(RUNNER))
        .ok_or_else(|| {
            Failure::problem(format!(
                "--filter: the script `{script}` of host-node does not run `{RUNNER}`"
            ))
        })?
        .replace(
            RUNNER,
            "node --test --test-name-pattern=\"$DS4_TEST_FILTER\"",
        );
    Ok(workspace
        .npm(["exec", "--call"])
        .words([words])
        .variable("DS4_TEST_FILTER", regular_expression_for(filter)))
}

/// Node's patterns are regular expressions; the filter is plain text, as in the Rust runners.
fn regular_expression_for(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for letter in text.chars() {
        if r"\^$.|?*+()[]{}/".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// The stages so far: how long each took, and what the runners said.
#[derive(Default)]
struct Report {
    stages: Vec<(&'static str, bool, f64)>,
    summaries: Vec<Summary>,
}

impl Report {
    fn stage<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        println!("\n== {name}");
        let start = Instant::now();
        let result = work();
        self.stages
            .push((name, result.is_ok(), start.elapsed().as_secs_f64()));
        result
    }

    /// A stage that runs tests. Its summary is kept whether or not a test failed.
    fn tests(
        &mut self,
        name: &'static str,
        run: impl FnOnce() -> Result<(Runner, Finished), Failure>,
    ) -> Result<(), Failure> {
        let mut found = None;
        let result = self.stage(name, || {
            let (runner, finished) = run()?;
            found = runner.summary(&finished.output);
            let finished = finished.check()?;
            if found.is_none() {
                return Err(Failure::problem(format!(
                    "`{}` ended without a summary of its tests",
                    finished.label
                )));
            }
            Ok(())
        });
        self.summaries.extend(found);
        result
    }

    fn total(&self) -> Counts {
        self.summaries
            .iter()
            .fold(Counts::default(), |total, summary| {
                total.plus(summary.counts)
            })
    }

    /// The table of stages, then the runners' own lines, then their sum. Without any runner's summary there is no sum.
    fn print(&self) {
        println!("\n== stages");
        for (name, passed, seconds) in &self.stages {
            let result = if *passed { "ok" } else { "FAILED" };
            println!("{name:<32} {result:<6} {seconds:8.1} s");
        }
        println!();
        for line in self.summaries.iter().flat_map(|summary| &summary.lines) {
            println!("{line}");
        }
        if !self.summaries.is_empty() {
            println!("{}", self.total());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_plain_text_for_every_runner() {
        assert_eq!(regular_expression_for("plan (v1.0)"), r"plan \(v1\.0\)");
    }

    #[test]
    fn a_runner_without_a_summary_fails_the_run() {
        let mut report = Report::default();
        let finished = Finished {
            label: "runner".to_owned(),
            failed: None,
            output: "nothing to see".to_owned(),
        };
        let result = report.tests("tests", || Ok((Runner::Node, finished)));
        assert!(result.is_err());
        assert_eq!(report.total(), Counts::default());
    }

    #[test]
    fn the_counts_of_a_failed_stage_are_kept() {
        let mut report = Report::default();
        let finished = Finished {
            label: "runner".to_owned(),
            failed: Some(101),
            output: "test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.1s"
                .to_owned(),
        };
        let result = report.tests("tests", || Ok((Runner::Cargo, finished)));
        assert!(matches!(result, Err(Failure::Command { status: 101, .. })));
        assert_eq!(report.total().to_string(), "3 passed, 1 failed, 2 skipped");
    }
}
