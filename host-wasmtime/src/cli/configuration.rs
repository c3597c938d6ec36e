//! Configuration files: read, merged by the engine, and the command `config`.

use std::fs;
use std::path::{Path, PathBuf};

use ds4_context_host::{ConfigLayer, ConfigProblem};

use super::arguments::{Common, ConfigArguments};
use super::failure::{Failure, tell};
use super::folders;
use super::output::Output;
use super::runner::Runner;
use super::session_file::bad_file;

/// Bytes that are read of a configuration file; the engine takes fewer and says so.
const LARGEST_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Prints the merged configuration; what is wrong goes to standard error.
pub(crate) fn command(
    wanted: &ConfigArguments,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    let runner = super::runner(common)?;
    let layers = layers(&wanted.config, common)?;
    let merged = runner.merge_config(&layers)?;
    output.line(&merged.config)?;
    match merged.problems.split_last() {
        None => Ok(()),
        Some((last, others)) => {
            for problem in others {
                tell(&line(problem));
            }
            Err(Failure::BadInput(line(last)))
        }
    }
}

/// The configuration of one plan. Problems of a file that a flag named end the command; those of the person's own file are
/// told and what they concern is ignored.
pub(crate) fn for_plan(
    files: &[PathBuf],
    common: &Common,
    runner: &dyn Runner,
) -> Result<String, Failure> {
    let layers = layers(files, common)?;
    if layers.is_empty() {
        return Ok("{}".to_owned());
    }
    let merged = runner.merge_config(&layers)?;
    let named: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    for problem in &merged.problems {
        if named.contains(&problem.source) {
            return Err(Failure::BadInput(line(problem)));
        }
        tell(&line(problem));
    }
    Ok(merged.config)
}

fn layers(files: &[PathBuf], common: &Common) -> Result<Vec<ConfigLayer>, Failure> {
    folders::personal_config(common)
        .iter()
        .chain(files)
        .map(|file| layer(file))
        .collect()
}

fn layer(file: &Path) -> Result<ConfigLayer, Failure> {
    let metadata = fs::metadata(file).map_err(|error| bad_file(file, &error))?;
    if !metadata.is_file() {
        return Err(Failure::BadInput(format!(
            "{} is not a file",
            file.display()
        )));
    }
    if metadata.len() > LARGEST_FILE_BYTES {
        return Err(Failure::BadInput(format!(
            "{} is too large for a configuration",
            file.display()
        )));
    }
    let content = fs::read(file).map_err(|error| bad_file(file, &error))?;
    let content = String::from_utf8(content)
        .map_err(|_| Failure::BadInput(format!("{} is not UTF-8 text", file.display())))?;
    Ok(ConfigLayer {
        source: file.display().to_string(),
        content,
    })
}

fn line(problem: &ConfigProblem) -> String {
    // Of a single key the message itself says that it is ignored.
    let consequence = if problem.ignored_layer {
        "; the whole file is ignored"
    } else {
        ""
    };
    super::tables::printable(&format!(
        "{}: {}{consequence}",
        problem.source, problem.message
    ))
}
