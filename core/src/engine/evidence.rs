//! What a plan brings back from history: the task, the search, and the evidence that stays the same while the task does.
//!
//! Invariants:
//! - Only entries of the active branch that are not in the prompt word for word are brought back (behaviour 2.6).
//! - Evidence is looked for when the newest user message is another one or the cut moved, and at no other time: what it stands
//!   before would be read from the provider's cache otherwise.
//! - A search that fails leaves a plan without evidence and says why; it never costs the plan.

use serde_json::Value;

use super::planning::{Context, MessageIdentity, Source};
use super::view::View;
use super::{EngineError, Session};
use crate::fixed_hash::FixedHashSet;
use crate::message::{Block, Message, Role, Sendable};
use crate::model::Estimator;
use crate::model::estimator::supplement_tokens;
use crate::planner::{Candidate, Decision, SupplementCandidate, SupplementCategory};
use crate::retrieval::{
    Evidence, EvidenceStatus, IndexDatabase, Query, Searched, SessionIndex, evidence, is_eligible,
    search,
};
use crate::session::{EntryKind, SessionLog};

/// What a word of the turn under way counts beside one of the newest user message.
const TURN_WEIGHT: f64 = 0.6;
/// Messages of the turn under way that tell the task, the newest.
const TURN_MESSAGES: usize = 8;
/// Characters of one of them that are read.
const TURN_CHARACTERS: usize = 600;
/// Entries that a search brings for each piece of evidence that is wanted: some are too large, some say the same.
const FOUND_FOR_EACH: usize = 4;

/// The evidence of the previous plan, and the task that it was looked for.
#[derive(Debug, Default)]
pub(super) struct RememberedEvidence {
    task: Option<MessageIdentity>,
    estimator: Estimator,
    tokens: u64,
    pieces: Vec<Evidence>,
}

/// What evidence is looked for with.
pub(super) struct Wanted<'a> {
    pub context: &'a Context,
    pub view: &'a View,
    pub candidates: &'a [Candidate<'a>],
    pub decision: &'a Decision,
    pub estimator: Estimator,
    /// Tokens that evidence may cost.
    pub tokens: u64,
    pub now_ms: u64,
}

impl Session {
    /// Whether plans leave room for evidence: something is indexed, and the configuration allows to search it.
    pub(super) fn retrieves(&self) -> bool {
        self.may_retrieve() && self.session_index.session().is_some()
    }

    /// Why a plan does not search: its rows were lost since they were indexed, or there is nothing to search.
    pub(super) fn status_without_search(&self) -> EvidenceStatus {
        if self.may_retrieve() && self.was_indexed {
            EvidenceStatus::Lost
        } else {
            EvidenceStatus::Disabled
        }
    }

    fn may_retrieve(&self) -> bool {
        let retrieval = &self.config.retrieval;
        (retrieval.exact || retrieval.fts) && retrieval.max_results > 0
    }
}

/// The parts of a session that a search for evidence works on, borrowed apart from the log that the plan holds.
pub(super) struct Searcher<'a> {
    pub log: &'a SessionLog,
    pub index: &'a mut SessionIndex,
    pub database: &'a mut IndexDatabase,
    pub remembered: &'a mut RememberedEvidence,
    pub most: usize,
}

impl Searcher<'_> {
    /// The supplements for a plan, and what the search came to.
    pub(super) fn supplements(
        &mut self,
        wanted: &Wanted<'_>,
    ) -> (Vec<SupplementCandidate>, EvidenceStatus) {
        let decision = wanted.decision;
        let leaves_out = (0..decision.fates.len()).any(|place| !decision.is_whole(place));
        if decision.fallback.is_some() || !leaves_out {
            return (Vec::new(), EvidenceStatus::Disabled);
        }
        let Some(newest_user) = newest_user(wanted.candidates) else {
            return (Vec::new(), EvidenceStatus::NoQuery);
        };
        let task = wanted.context.identity(self.log, wanted.view, newest_user);
        let in_prompt = in_prompt(wanted);
        let is_same_task = self.remembered.task == Some(task)
            && self.remembered.estimator == wanted.estimator
            && self.remembered.tokens == wanted.tokens
            && !decision.cut_moved;
        if !is_same_task {
            let query = task_of(wanted.candidates, newest_user);
            if query.is_empty() {
                return (Vec::new(), EvidenceStatus::NoQuery);
            }
            match self.look_for(&query, wanted, &in_prompt) {
                Ok(None) => return (Vec::new(), EvidenceStatus::Lost),
                Ok(Some(pieces)) => {
                    *self.remembered = RememberedEvidence {
                        task: Some(task),
                        estimator: wanted.estimator,
                        tokens: wanted.tokens,
                        pieces,
                    };
                }
                Err(EngineError::Busy) => return (Vec::new(), EvidenceStatus::Busy),
                Err(error) => return (Vec::new(), EvidenceStatus::Failed(error.to_string())),
            }
        }
        let pieces = self.remembered.pieces.iter();
        let supplements = pieces
            .filter(|piece| !in_prompt.contains(&piece.position))
            .map(|piece| SupplementCandidate {
                category: SupplementCategory::Retrieval,
                id: format!("retrieval:{}", piece.entry_id),
                text: piece.text.clone(),
                tokens: supplement_tokens(wanted.estimator, &piece.text),
                score: piece.score,
                end: piece.position as usize,
                source_ids: vec![piece.entry_id.clone()],
                reason: "retrieval".to_owned(),
            })
            .collect();
        (supplements, EvidenceStatus::Complete)
    }

    /// None where the index was lost.
    fn look_for(
        &mut self,
        query: &Query,
        wanted: &Wanted<'_>,
        in_prompt: &FixedHashSet<u32>,
    ) -> Result<Option<Vec<Evidence>>, EngineError> {
        let log = self.log;
        let branch = wanted.view.branch_positions(log);
        let in_scope = |position: u32| branch.holds(position);
        let taken_away = taken_away(wanted, log);
        let eligible = |position: u32| {
            !in_prompt.contains(&position)
                && !taken_away.contains(&position)
                && log
                    .entries()
                    .get(position as usize)
                    .is_some_and(|entry| is_eligible(entry, false))
        };
        let limit = self.most * FOUND_FOR_EACH;
        let found = self.index.search(
            self.database,
            log,
            wanted.now_ms,
            |connection, session, timeline| {
                let searched = Searched {
                    log,
                    timeline,
                    in_scope: &in_scope,
                    eligible: &eligible,
                };
                search(connection, session, query, &searched, limit)
            },
        )?;
        Ok(found.map(|found| {
            evidence(log, &found, query, self.most, wanted.tokens, |text| {
                u64::from(supplement_tokens(wanted.estimator, text))
            })
        }))
    }
}

/// Positions in the log of the entries that somebody took out of the context or changed there, on purpose: what the agent
/// projects and the request does not hold, what an edit replaced or dropped, and results of calls that the agent never sends.
fn taken_away(wanted: &Wanted<'_>, log: &SessionLog) -> FixedHashSet<u32> {
    let view = wanted.view;
    let held: FixedHashSet<usize> = wanted
        .context
        .sources
        .iter()
        .filter_map(|source| match *source {
            Source::Projected(position) => Some(position),
            Source::Inline(_) => None,
        })
        .collect();
    let mut taken: FixedHashSet<u32> = (0..view.len())
        .filter(|position| !held.contains(position))
        .filter_map(|position| view.entry(position))
        .map(|entry| entry.position() as u32)
        .collect();
    let mut unsent_calls: FixedHashSet<&str> = FixedHashSet::default();
    for index in &view.branch.entries {
        let Some(entry) = log.get(*index) else {
            continue;
        };
        if let EntryKind::ContextEdit { target_id, .. } = &entry.kind
            && let Some(target) = log.entry(target_id)
        {
            taken.insert(target.position() as u32);
        }
        let Some(message) = entry.message() else {
            continue;
        };
        if message.sendable == Sendable::Aborted {
            unsent_calls.extend(message.calls.iter().map(|call| &*call.id));
        } else {
            // The same ID may come again in a response that is sent.
            for call in &message.calls {
                unsent_calls.remove(&*call.id);
            }
        }
        if let Some(answer) = &message.answers
            && unsent_calls.contains(&*answer.call_id)
        {
            taken.insert(index.position() as u32);
        }
    }
    taken
}

/// Positions in the log of the entries that go out word for word.
fn in_prompt(wanted: &Wanted<'_>) -> FixedHashSet<u32> {
    let whole = wanted.context.sources.iter().enumerate();
    whole
        .filter(|(place, _)| wanted.decision.is_whole(*place))
        .filter_map(|(_, source)| match *source {
            Source::Projected(position) => wanted.view.entry(position),
            Source::Inline(_) => None,
        })
        .map(|entry| entry.position() as u32)
        .collect()
}

fn newest_user(candidates: &[Candidate<'_>]) -> Option<usize> {
    candidates
        .iter()
        .rposition(|candidate| candidate.message.role == Role::User)
}

/// What the request is about: the newest user message, then what the turn under way deals with, the newest first.
fn task_of(candidates: &[Candidate<'_>], newest_user: usize) -> Query {
    let mut query = Query::default();
    if let Some(user) = candidates.get(newest_user) {
        query.ask(&user.message.reading().text, 1.0);
    }
    let turn = candidates.get(newest_user + 1..).unwrap_or_default();
    for candidate in turn.iter().rev().take(TURN_MESSAGES) {
        query.ask(&told(candidate.message), TURN_WEIGHT);
    }
    query
}

/// What a message of the turn tells about the task: prose and calls of the model, the end of a failed result.
fn told(message: &Message) -> String {
    let cut = |text: &str| text.chars().take(TURN_CHARACTERS).collect::<String>();
    match message.role {
        Role::Assistant => cut(&said_and_called(&message.wire_value())),
        Role::ToolResult
            if message
                .answers
                .as_ref()
                .is_some_and(|answer| answer.is_error) =>
        {
            let text = message.reading().text;
            let end = text.chars().count().saturating_sub(TURN_CHARACTERS);
            text.chars().skip(end).collect()
        }
        _ => String::new(),
    }
}

/// The texts of a response, and the strings that its calls hand over, without the JSON around them.
fn said_and_called(wire: &Value) -> String {
    let mut told = Vec::new();
    for block in wire
        .get("content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        match Block::of(block) {
            Block::Text(text) => told.push(text.to_owned()),
            Block::ToolCall { .. } => {
                let arguments = block.get("arguments").and_then(Value::as_object);
                let strings = arguments
                    .into_iter()
                    .flatten()
                    .filter_map(|(_, value)| value.as_str());
                // The first line: what follows in a written file or a script is content, not what it is about.
                told.extend(strings.filter_map(|text| text.lines().next().map(str::to_owned)));
            }
            _ => {}
        }
    }
    told.join("\n")
}
