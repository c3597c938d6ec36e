//! The cases of `fixtures/cases`, made here and committed there, so that a host without Rust can run them too.
//!
//! One function a case, by subject; `make-cases` writes them, and a test holds the committed files against them. What a
//! case comes to is not made here: `UPDATE_EXPECTED=1` writes it, and a person reviews it.

mod boundary;
mod branches;
mod budgets;
mod configuration;
mod cuts;
mod damage;
mod evidence;
mod exchanges;
mod formats;
mod indexing;
mod recorded;
mod scopes;
mod search;
mod secrets;

use std::path::Path;
use std::{fs, io};

use serde_json::{Value, json};

use crate::cases::{CASE_FILE, CaseDocument, ModelStep, PlanStep, SessionStep, Step};
use crate::pi_log::PiLog;

/// A case that is made.
#[derive(Debug, Clone)]
pub struct MadeCase {
    /// Its folder's name.
    pub name: &'static str,
    /// Its files, `case.json` aside.
    pub files: Vec<(&'static str, Vec<u8>)>,
    /// What `case.json` says.
    pub document: CaseDocument,
}

impl MadeCase {
    /// Writes the case into its folder below `cases`.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn write(&self, cases: &Path) -> io::Result<()> {
        let folder = cases.join(self.name);
        fs::create_dir_all(&folder)?;
        for (name, content) in self.contents()? {
            fs::write(folder.join(name), content)?;
        }
        Ok(())
    }

    /// Every file with its content, `expected.json` aside.
    ///
    /// # Errors
    /// Where the document cannot be written as JSON.
    pub fn contents(&self) -> io::Result<Vec<(&'static str, Vec<u8>)>> {
        let mut text = serde_json::to_string_pretty(&self.document)?;
        text.push('\n');
        let mut files = self.files.clone();
        files.push((CASE_FILE, text.into_bytes()));
        Ok(files)
    }

    /// A case with one log that is read first; the steps follow.
    fn new(name: &'static str, about: &str, log: &PiLog) -> Self {
        Self::of_bytes(name, about, log.text().as_bytes().to_vec())
    }

    fn of_bytes(name: &'static str, about: &str, log: Vec<u8>) -> Self {
        let session = SessionStep {
            log: Some(LOG.to_owned()),
            ..pi_session()
        };
        let mut case = Self::in_memory(name, about, session);
        case.files.push((LOG, log));
        case.document.steps.push(Step::Sync);
        case
    }

    fn in_memory(name: &'static str, about: &str, session: SessionStep) -> Self {
        let document = CaseDocument {
            about: about.to_owned(),
            session,
            steps: Vec::new(),
        };
        Self {
            name,
            files: Vec::new(),
            document,
        }
    }

    /// Another session's log beside this one's.
    fn beside(mut self, file: &'static str, log: &PiLog) -> Self {
        self.files.push((file, log.text().as_bytes().to_vec()));
        self.document.session.other_logs.push(file.to_owned());
        self
    }

    fn config(mut self, config: Value) -> Self {
        self.document.session.config = Some(config);
        self
    }

    /// Plans for a model of that window.
    fn window(mut self, tokens: u32) -> Self {
        self.document.steps.push(select_model(tokens));
        self
    }

    fn step(mut self, step: Step) -> Self {
        self.document.steps.push(step);
        self
    }

    /// A plan and what goes out.
    fn plan(self) -> Self {
        self.plan_with(PlanStep::default())
    }

    fn plan_with(self, request: PlanStep) -> Self {
        self.step(Step::Plan(request))
            .step(Step::Render { plan: None })
    }

    fn budget(self, tokens: u32) -> Self {
        self.plan_with(PlanStep {
            budget: Some(tokens),
            ..PlanStep::default()
        })
    }

    fn manifest(self) -> Self {
        self.step(Step::Manifest { plan: None })
    }

    fn explain(self) -> Self {
        self.step(Step::Explain { plan: None })
    }

    fn inspect(self) -> Self {
        self.step(Step::Inspect)
    }

    /// The log grows by a file.
    fn grow(mut self, file: &'static str, more: &PiLog) -> Self {
        self.files.push((file, more.text().as_bytes().to_vec()));
        self.step(Step::GrowLog {
            file: file.to_owned(),
        })
        .step(Step::Sync)
    }
}

const LOG: &str = "session.jsonl";

fn pi_session() -> SessionStep {
    SessionStep {
        id: "case".to_owned(),
        format: "pi-session-v3".to_owned(),
        ..SessionStep::default()
    }
}

fn select_model(tokens: u32) -> Step {
    Step::SelectModel {
        model: ModelStep {
            provider: "test".to_owned(),
            id: "model".to_owned(),
            context_window: tokens,
            max_output: None,
        },
    }
}

fn without_band() -> Value {
    json!({"context": {"condensedBand": {"enabled": false}}})
}

/// Every case, by subject.
#[must_use]
pub fn all() -> Vec<MadeCase> {
    [
        cuts::all(),
        exchanges::all(),
        branches::all(),
        budgets::all(),
        formats::all(),
        damage::all(),
        configuration::all(),
        boundary::all(),
        recorded::all(),
        search::all(),
        scopes::all(),
        evidence::all(),
        indexing::all(),
        secrets::all(),
    ]
    .concat()
}
