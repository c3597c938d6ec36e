//! The hosts that run cases: the core as it is, the component in wasmtime, the component in Node.
//!
//! Invariant: a host translates and decides nothing. Documents are passed on as the text that the engine gave; plain data
//! (plans, progress, counts) are written in canonical form, so that all hosts can be compared byte by byte.

mod history_value;
mod native;
mod node;
mod plan_value;
mod wasmtime;

pub use native::{NativeHost, NativeSession};
pub use node::{NODE_NOT_BUILT, run_cases as run_cases_in_node};
pub use wasmtime::{WasmtimeHost, WasmtimeSession, engine as wasmtime_engine};

use std::path::Path;
use std::{fs, io};

use serde_json::{Value, json};

use crate::cases::{
    Case, Failure, LOG_NAME, LayerStep, ModelStep, Outcome, PlanStep, SearchStep, SessionStep,
    Step, UsageStep, canonical,
};
use crate::temporary_folder::TemporaryFolder;

/// What a call came to.
pub type Answer<T> = Result<T, Failure>;

/// The documents of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// The planned request.
    Render,
    /// A plan's manifest.
    Manifest,
    /// Reasons and smallest changes.
    Explain,
    /// The log.
    Inspect,
    /// A few figures.
    Status,
}

/// A host inside this process.
pub trait Host {
    /// Its sessions.
    type Session: HostedSession;
    /// Opens a session whose log is [`LOG_NAME`] in `folder`.
    ///
    /// # Errors
    /// As the engine refuses.
    fn open(&self, options: &SessionStep, folder: &Path) -> Answer<Self::Session>;
    /// Merges configurations: `{config, problems}`.
    ///
    /// # Errors
    /// As the engine refuses.
    fn merge_config(&self, layers: &[LayerStep]) -> Answer<Value>;
    /// The secrets of each text: `[[{start, end, rule, placeholder}]]`.
    ///
    /// # Errors
    /// As the host fails.
    fn find_secrets(&self, texts: &[String]) -> Answer<Value>;
}

/// A session of a host inside this process. Every method fails as the engine refuses.
#[allow(clippy::missing_errors_doc)]
pub trait HostedSession {
    /// Reads the log to its end: `{done, finished, total}`.
    fn sync(&mut self) -> Answer<Value>;
    /// How many of the lines were new.
    fn append(&mut self, lines: &str) -> Answer<u32>;
    /// Moves to another leaf.
    fn select_leaf(&mut self, entry_id: Option<&str>) -> Answer<()>;
    /// The model that plans are for.
    fn select_model(&mut self, model: &ModelStep) -> Answer<()>;
    /// Messages of the active branch.
    fn projected_messages(&mut self) -> Answer<u32>;
    /// A plan, as [`plan_value`] writes it.
    fn plan(&mut self, request: &PlanStep) -> Answer<Value>;
    /// What the provider reported.
    fn record_usage(&mut self, manifest_id: &str, usage: UsageStep) -> Answer<()>;
    /// Indexes what was read, to the end: `{done, finished, total}`.
    fn index(&mut self) -> Answer<Value>;
    /// Reads and indexes what the scope covers, to the end: `{done, finished, total}`.
    fn index_scope(&mut self, scope: &str) -> Answer<Value>;
    /// Makes the index anew with the next [`Self::index`].
    fn rebuild_index(&mut self) -> Answer<()>;
    /// What was found, as [`history_value`] writes it.
    fn search(&mut self, query: &SearchStep) -> Answer<Value>;
    /// Lines of the entry that the reference opens, as [`history_value`] writes them.
    fn read_history(&mut self, reference: &str, first_line: u32, count: u32) -> Answer<Value>;
    /// How the derived state is, every page of it checked.
    fn health(&mut self) -> Answer<String>;
    /// A document's text.
    fn document(&mut self, document: Document, manifest_id: Option<&str>) -> Answer<String>;
}

/// Runs a case.
///
/// # Errors
/// Where the case's files cannot be read or copied.
pub fn run_case<H: Host>(host: &H, case: &Case) -> io::Result<Vec<Outcome>> {
    let folder = TemporaryFolder::new()?;
    let log = folder.path().join(LOG_NAME);
    let options = &case.document.session;
    if let Some(file) = &options.log {
        fs::copy(case.folder.join(file), &log)?;
    }
    for file in &options.other_logs {
        fs::copy(case.folder.join(file), folder.path().join(file))?;
    }
    let mut outcomes = Vec::new();
    let mut session = match host.open(options, folder.path()) {
        Ok(session) => session,
        Err(failure) => return Ok(vec![Outcome::refused("open", failure)]),
    };
    let mut given = Given::default();
    for step in &case.document.steps {
        let answer = match step {
            Step::GrowLog { file } => {
                let mut bytes = fs::read(&log)?;
                bytes.extend(fs::read(case.folder.join(file))?);
                fs::write(&log, bytes)?;
                continue;
            }
            Step::ReplaceLog { file } => {
                fs::copy(case.folder.join(file), &log)?;
                continue;
            }
            Step::RemoveLog { file } => {
                fs::remove_file(folder.path().join(file))?;
                continue;
            }
            Step::MergeConfig { layers } => {
                host.merge_config(layers).map(|merged| canonical(&merged))
            }
            Step::FindSecrets { texts } => host.find_secrets(texts).map(|found| canonical(&found)),
            step => call(&mut session, step, &mut given),
        };
        outcomes.push(match answer {
            Ok(text) => Outcome::ok(step.name(), text),
            Err(failure) => Outcome::refused(step.name(), failure),
        });
    }
    Ok(outcomes)
}

/// What later calls of a case can name.
#[derive(Default)]
struct Given {
    /// The IDs of all plans.
    manifests: Vec<String>,
    /// The references of the newest search's hits.
    references: Vec<String>,
}

impl Given {
    fn manifest(&self, plan: Option<usize>) -> Option<&str> {
        let id = |plan: usize| self.manifests.get(plan).map_or("m_unknown", String::as_str);
        plan.map(id)
    }

    fn reference(&self, hit: usize) -> &str {
        self.references
            .get(hit)
            .map_or("hist_unknown", String::as_str)
    }
}

fn call(session: &mut impl HostedSession, step: &Step, given: &mut Given) -> Answer<String> {
    let plain = |answer: Answer<Value>| answer.map(|value| canonical(&value));
    match step {
        Step::Sync => plain(session.sync()),
        Step::Append { lines } => {
            plain(session.append(&(lines.join("\n") + "\n")).map(Value::from))
        }
        Step::SelectLeaf { entry_id } => plain(
            session
                .select_leaf(entry_id.as_deref())
                .map(|()| Value::Null),
        ),
        Step::SelectModel { model } => plain(session.select_model(model).map(|()| Value::Null)),
        Step::ProjectedMessages => plain(session.projected_messages().map(Value::from)),
        Step::Plan(request) => plain(session.plan(request).inspect(|plan| {
            let id = plan["manifestId"].as_str();
            given.manifests.extend(id.map(str::to_owned));
        })),
        Step::RecordUsage { plan, usage } => {
            let id = given.manifest(Some(*plan)).unwrap_or_default();
            plain(session.record_usage(id, *usage).map(|()| Value::Null))
        }
        Step::Render { plan } => session.document(Document::Render, given.manifest(*plan)),
        Step::Manifest { plan } => session.document(Document::Manifest, given.manifest(*plan)),
        Step::Explain { plan } => session.document(Document::Explain, given.manifest(*plan)),
        Step::Inspect => session.document(Document::Inspect, None),
        Step::Status => session.document(Document::Status, None),
        Step::Index => plain(session.index()),
        Step::IndexScope { scope } => plain(session.index_scope(scope)),
        Step::RebuildIndex => plain(session.rebuild_index().map(|()| Value::Null)),
        Step::Search(query) => plain(session.search(query).inspect(|answer| {
            given.references = history_value::references(answer);
        })),
        Step::ReadHistory {
            hit,
            first_line,
            count,
        } => plain(session.read_history(given.reference(*hit), *first_line, *count)),
        Step::Health => session.health(),
        Step::GrowLog { .. }
        | Step::ReplaceLog { .. }
        | Step::RemoveLog { .. }
        | Step::MergeConfig { .. }
        | Step::FindSecrets { .. } => Ok("null".to_owned()),
    }
}

/// Progress as plain data.
fn progress_value(done: u64, total: Option<u64>, finished: bool) -> Value {
    let mut value = json!({"done": done, "finished": finished});
    if let Some(total) = total {
        value["total"] = total.into();
    }
    value
}
