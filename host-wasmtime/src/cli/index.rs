//! The commands `index` and `health`.

use std::path::PathBuf;
use std::time::Instant;

use ds4_context_host::{Clock, HealthDepth};

use super::arguments::{Common, HealthArguments, IndexArguments, LogArguments};
use super::documents::{self, Health};
use super::failure::Failure;
use super::output::Output;
use super::progress::Bar;
use super::runner::OpenedSession;
use super::session_file::SessionFile;
use super::{configuration, folders, tables};

pub(crate) fn index(
    wanted: &IndexArguments,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut session = opened(&wanted.log, &wanted.config, common)?;
    if wanted.rebuild {
        session.rebuild_index()?;
    }
    let started = Instant::now();
    bring_up_to_date(&mut *session)?;
    let seconds = started.elapsed().as_secs_f64();
    let document = session.health(HealthDepth::Quick)?;
    let health: Health = documents::read(&document)?;
    if wanted.json {
        output.line(&document)?;
        return kept(&health);
    }
    output.line(&tables::indexed(
        &health,
        folders::data_folder_path(common).as_deref(),
        seconds,
        tables::Style::of(output),
    ))?;
    kept(&health)
}

/// The session with its whole log read, its derived state kept in the data folder.
fn opened(
    log: &LogArguments,
    config: &[PathBuf],
    common: &Common,
) -> Result<Box<dyn OpenedSession>, Failure> {
    let file = SessionFile::find(log)?;
    let runner = super::storing_runner(common)?;
    let config = configuration::for_plan(config, common, &*runner)?;
    file.open(&*runner, config, Clock::System)
}

/// An index that was to be kept and is gone with the program is a failure; privacy wants it so.
fn kept(health: &Health) -> Result<(), Failure> {
    let database = &health.database;
    if database.kind == "stored" || database.reason.as_deref() == Some("privacy") {
        return Ok(());
    }
    Err(Failure::Failed(
        "nothing was kept: the data folder cannot be used for it; name another one with --data-dir"
            .to_owned(),
    ))
}

pub(crate) fn health(
    wanted: &HealthArguments,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut session = opened(&wanted.log, &wanted.config, common)?;
    let document = session.health(HealthDepth::Deep)?;
    let health: Health = documents::read(&document)?;
    if wanted.json {
        output.line(&document)?;
    } else {
        let folder = folders::data_folder_path(common);
        output.line(&tables::health(
            &health,
            folder.as_deref(),
            tables::Style::of(output),
        ))?;
    }
    if health.database.kind == "absent" {
        Ok(())
    } else if health.healthy {
        kept(&health)
    } else {
        Err(Failure::Failed(
            "the index database is damaged; `ds4-context index --rebuild` makes it anew from the log"
                .to_owned(),
        ))
    }
}

/// Indexes what is new, with a bar where it takes long.
pub(crate) fn bring_up_to_date(session: &mut dyn OpenedSession) -> Result<(), Failure> {
    let mut bar = Bar::of_index();
    session.index(&mut |done, total| bar.show(done, total))
}
