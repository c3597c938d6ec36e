//! The command `inspect`.

use ds4_context_host::Clock;

use super::arguments::{Common, InspectArguments};
use super::documents::{self, Inspection};
use super::failure::Failure;
use super::output::Output;
use super::runner::Document;
use super::session_file::SessionFile;
use super::tables;

pub(crate) fn command(
    wanted: &InspectArguments,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    let file = SessionFile::find(&wanted.log)?;
    let runner = super::runner(common)?;
    let mut session = file.open(&*runner, "{}".to_owned(), Clock::System)?;
    let document = session.document(Document::Inspect)?;
    if wanted.json {
        return output.line(&document);
    }
    let inspection: Inspection = documents::read(&document)?;
    output.line(&tables::inspection(&inspection, tables::Style::of(output)))
}
