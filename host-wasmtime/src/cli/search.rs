//! The command `search`.

use std::time::Instant;

use ds4_context_host::{Clock, HistoryAnswer, HistoryQuery, HistoryScope, SearchStatus};
use serde::Deserialize;
use serde_json::json;

use super::arguments::{Common, SearchArguments, SearchScope};
use super::failure::Failure;
use super::json_lines;
use super::output::Output;
use super::progress::Bar;
use super::runner::OpenedSession;
use super::session_file::SessionFile;
use super::{configuration, tables};

/// Tokens of the excerpts that a person is shown.
const SHOWN_TOKENS: u32 = 4_000;
/// A line of a file of questions, for messages.
const QUESTION_FORM: &str = "{\"id\": …, \"query\": \"…\"}";

/// One question of a file.
#[derive(Debug, Deserialize)]
struct Question {
    /// Any value; it stands in the answer again.
    id: serde_json::Value,
    query: String,
}

pub(crate) fn command(
    wanted: &SearchArguments,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    // A mistake in the questions is told before a long log is read.
    let questions = match &wanted.queries {
        Some(file) => json_lines::read(file, QUESTION_FORM)?,
        None => Vec::new(),
    };
    let file = SessionFile::find(&wanted.log)?;
    let runner = super::runner(common)?;
    let config = configuration::for_plan(&wanted.config, common, &*runner)?;
    let clock = wanted.now_ms.map_or(Clock::System, Clock::Fixed);
    let mut session = file.open(&*runner, config, clock)?;
    if let Some(entry_id) = &wanted.at {
        session.select_leaf(entry_id)?;
    }
    let started = Instant::now();
    bring_up_to_date(&mut *session, wanted.scope.into())?;
    let indexed = started.elapsed();
    if let Some(text) = &wanted.query {
        let answer = search(&mut *session, &asked(text, wanted, Some(SHOWN_TOKENS)))?;
        if wanted.json {
            return output.line(&whole(&answer).to_string());
        }
        return output.line(&tables::found(&answer, tables::Style::of(output)));
    }
    answer_file(&questions, wanted, &mut *session, output, indexed)
}

/// One line of JSON a question, and one about the time.
fn answer_file(
    questions: &[Question],
    wanted: &SearchArguments,
    session: &mut dyn OpenedSession,
    output: &mut Output,
    indexed: std::time::Duration,
) -> Result<(), Failure> {
    let started = Instant::now();
    for question in questions {
        let answer = search(session, &asked(&question.query, wanted, None))?;
        let hits: Vec<serde_json::Value> = answer
            .hits
            .iter()
            .map(|hit| {
                let mut line = json!({"entryId": hit.entry_id, "score": millionths(hit.score)});
                // Where entries of other sessions are found, an ID alone names none.
                if wanted.scope.covers_other_sessions() {
                    line["sessionId"] = hit.session_id.clone().into();
                }
                line
            })
            .collect();
        output.line(&json!({"id": question.id, "hits": hits}).to_string())?;
    }
    if wanted.stats {
        let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1000.0;
        let stats = json!({"stats": {
            "index_ms": milliseconds(indexed),
            "query_ms": milliseconds(started.elapsed()),
        }});
        output.line(&stats.to_string())?;
    }
    Ok(())
}

/// An answer over all that the scope covers: an index that turned out to be damaged is made anew, once.
fn search(session: &mut dyn OpenedSession, query: &HistoryQuery) -> Result<HistoryAnswer, Failure> {
    let answer = session.search(query)?;
    if answer.sessions.pending == 0 {
        return Ok(answer);
    }
    bring_up_to_date(session, query.scope)?;
    session.search(query)
}

/// Reads and indexes what the scope covers, with a bar where it takes long.
fn bring_up_to_date(session: &mut dyn OpenedSession, scope: HistoryScope) -> Result<(), Failure> {
    let mut bar = Bar::of_index();
    session.index_scope(scope, &mut |done, total| bar.show(done, total))
}

fn asked(text: &str, wanted: &SearchArguments, max_tokens: Option<u32>) -> HistoryQuery {
    HistoryQuery {
        text: text.to_owned(),
        scope: wanted.scope.into(),
        limit: wanted.limit,
        max_tokens,
    }
}

impl From<SearchScope> for HistoryScope {
    fn from(scope: SearchScope) -> Self {
        match scope {
            SearchScope::CurrentBranch => Self::CurrentBranch,
            SearchScope::CurrentSession => Self::CurrentSession,
            SearchScope::CurrentLineage => Self::CurrentLineage,
            SearchScope::Project => Self::Project,
        }
    }
}

/// The whole answer as a document.
fn whole(answer: &HistoryAnswer) -> serde_json::Value {
    let hits: Vec<serde_json::Value> = answer
        .hits
        .iter()
        .map(|hit| {
            json!({
                "entryId": hit.entry_id,
                "sessionId": hit.session_id,
                "relation": hit.relation.name(),
                "role": hit.role,
                "timestampMs": hit.timestamp_ms,
                "score": millionths(hit.score),
                "reason": hit.reason,
                "excerpt": hit.excerpt,
            })
        })
        .collect();
    json!({
        "status": match answer.status {
            SearchStatus::Disabled => "disabled",
            SearchStatus::NoQuery => "no-query",
            SearchStatus::Complete => "complete",
        },
        "hits": hits,
        "indexedEntries": answer.indexed_entries,
        "logEntries": answer.log_entries,
        "sessions": {
            "upToDate": answer.sessions.up_to_date,
            "pending": answer.sessions.pending,
            "leftOut": answer.sessions.left_out,
        },
    })
}

/// A score as people write it.
#[expect(
    clippy::cast_precision_loss,
    reason = "scores are far below what a double holds exactly"
)]
pub(crate) fn millionths(score: i64) -> f64 {
    score as f64 / 1e6
}
