//! The command `plan`.

use ds4_context_host::{Clock, Model};

use super::arguments::{Common, PlanArguments};
use super::documents::{self, Explanation, Manifest, Planned, Status};
use super::failure::{Failure, tell};
use super::output::Output;
use super::runner::{Document, OpenedSession};
use super::session_file::SessionFile;
use super::{configuration, tables};

/// Tokens of a model whose window nobody named: the contract's own default.
const DEFAULT_WINDOW: u32 = 200_000;

pub(crate) fn command(
    wanted: &PlanArguments,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    let file = SessionFile::find(&wanted.log)?;
    let runner = super::runner(common)?;
    let config = configuration::for_plan(&wanted.config, common, &*runner)?;
    let clock = wanted.now_ms.map_or(Clock::System, Clock::Fixed);
    let mut session = file.open(&*runner, config, clock)?;
    // The leaf first: a branch has a model of its own.
    if let Some(entry_id) = &wanted.at {
        session.select_leaf(entry_id)?;
    }
    if let Some(model) = named_model(wanted, &mut *session)? {
        session.select_model(model)?;
    }
    // What is not indexed cannot come back as evidence.
    if let Err(failure) = super::index::bring_up_to_date(&mut *session) {
        failure.warn("planned without evidence");
    }
    let fallback = session.plan(wanted.budget)?;
    tell_of_lost_evidence(&mut *session)?;
    output.line(&answer(wanted, &mut *session, tables::Style::of(output))?)?;
    match fallback {
        None => Ok(()),
        Some(reason) => Err(Failure::Failed(format!(
            "no plan could be made: {}",
            tables::fallback_text(&reason)
        ))),
    }
}

/// A search that failed costs the evidence and not the plan; what is wrong with the index the next command mends.
fn tell_of_lost_evidence(session: &mut dyn OpenedSession) -> Result<(), Failure> {
    let manifest: Manifest = documents::read(&session.document(Document::Manifest)?)?;
    if let Some(reason) = manifest.retrieval.reason {
        tell(&format!(
            "planned without evidence: {reason}; give the command again, it mends the index first"
        ));
    }
    Ok(())
}

fn answer(
    wanted: &PlanArguments,
    session: &mut dyn OpenedSession,
    style: tables::Style,
) -> Result<String, Failure> {
    if wanted.manifest {
        return session.document(Document::Manifest);
    }
    if wanted.json {
        return session.document(if wanted.explain {
            Document::Explain
        } else {
            Document::Render
        });
    }
    let manifest: Manifest = documents::read(&session.document(Document::Manifest)?)?;
    if wanted.explain {
        let explanation: Explanation = documents::read(&session.document(Document::Explain)?)?;
        return Ok(tables::explanation(&explanation, &manifest, style));
    }
    let planned: Planned = documents::read(&session.document(Document::Render)?)?;
    Ok(tables::plan(&planned, &manifest, style))
}

/// The model that the flags name; what they leave open is the log's own.
fn named_model(
    wanted: &PlanArguments,
    session: &mut dyn OpenedSession,
) -> Result<Option<Model>, Failure> {
    let (provider, id) = match (&wanted.model, wanted.window) {
        (None, None) => return Ok(None),
        (Some(model), _) => (model.provider.clone(), model.id.clone()),
        (None, Some(_)) => {
            let status: Status = documents::read(&session.document(Document::Status)?)?;
            (status.model.provider, status.model.id)
        }
    };
    let context_window = wanted.window.unwrap_or(DEFAULT_WINDOW);
    Ok(Some(Model {
        provider,
        id,
        context_window,
        max_output: None,
        cost: None,
    }))
}
