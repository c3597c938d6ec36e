//! From a request to a plan: resolving the host's messages, deciding, and putting the decision into items and a hash.
//!
//! Invariants: the plan names positions of the host's own messages and never carries their text back; the prompt hash is
//! over exactly what goes out, `{messages, systemPrompt, tools}` in canonical form (behaviour 2.3); a fallback and the
//! observer mode keep every message.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::error::EngineError;
use super::fixed_overhead::FixedOverhead;
use super::request::{Plan, PlanItem, PlanRequest, Run, Span, Supplement, SupplementKind};
use super::view::{TokenCounts, View};
use crate::manifest::PlanRecord;
use crate::message::{Message, from_native, hex};
use crate::model::Estimator;
use crate::planner::{Candidate, Decision, Fate, Replacement};
use crate::session::{EntryIndex, SessionLog};

/// Messages that one request may hold.
const MAX_REQUEST_MESSAGES: usize = 1_000_000;

/// Where a message of the host's context comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A position of the view.
    Projected(usize),
    /// A position among the inline messages.
    Inline(usize),
}

/// What tells a message from every other one of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MessageIdentity {
    /// Its entry.
    Entry(Option<EntryIndex>),
    /// A fingerprint of its content, where the log does not hold it as it is.
    Content(u64),
}

impl MessageIdentity {
    fn of_content(message: &Message) -> Self {
        let mut hasher = DefaultHasher::new();
        message.wire().hash(&mut hasher);
        Self::Content(hasher.finish())
    }
}

/// A place in the context that the next request can find again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    message: MessageIdentity,
    /// Inline messages between the place and that message.
    inline_before: usize,
}

/// The host's context, resolved.
#[derive(Debug, Default)]
pub(super) struct Context {
    pub sources: Vec<Source>,
    pub inline: Vec<Message>,
    /// What tells the inline messages apart, made once: a plan asks for it several times.
    identities: Vec<MessageIdentity>,
}

impl Context {
    /// Resolves the request's spans against the view.
    pub(super) fn resolve(request: &PlanRequest, view: &View) -> Result<Self, EngineError> {
        let inline = parse_inline(&request.inline)?;
        let mut sources = Vec::new();
        if request.messages.is_empty() && inline.is_empty() {
            sources.extend((0..view.len()).map(Source::Projected));
        }
        for span in &request.messages {
            let (run, available, what) = match span {
                Span::Projected(run) => (run, view.len(), "projected"),
                Span::Inline(run) => (run, inline.len(), "inline"),
            };
            // In 64 bits: the end of a span that a host got wrong lies behind what 32 bits hold, as usize is in the component.
            let (first, end) = (
                u64::from(run.first),
                u64::from(run.first) + u64::from(run.count),
            );
            if end > available as u64 {
                return Err(EngineError::InvalidInput(format!(
                    "{what} messages {first} to {end} were asked for, and there are {available}"
                )));
            }
            if sources.len() + run.count as usize > MAX_REQUEST_MESSAGES {
                return Err(EngineError::Limit(format!(
                    "a request holds at most {MAX_REQUEST_MESSAGES} messages"
                )));
            }
            sources.extend((first as usize..end as usize).map(|position| match span {
                Span::Projected(_) => Source::Projected(position),
                Span::Inline(_) => Source::Inline(position),
            }));
        }
        let identities = inline.iter().map(MessageIdentity::of_content).collect();
        Ok(Self {
            sources,
            inline,
            identities,
        })
    }

    /// The message at a place of the context.
    pub(super) fn message<'a>(
        &'a self,
        log: &'a SessionLog,
        view: &'a View,
        place: usize,
    ) -> Option<&'a Message> {
        match *self.sources.get(place)? {
            Source::Projected(position) => view.message(log, position),
            Source::Inline(position) => self.inline.get(position),
        }
    }

    /// The place, held by the first message from there on that the log holds. An inline message is no hold where there is
    /// another: an extension may put an equal one elsewhere in the next request, for example before the newest prompt.
    pub(super) fn anchor(&self, log: &SessionLog, view: &View, place: usize) -> Anchor {
        let held = self.sources.iter().skip(place).position(is_projected);
        Anchor {
            message: self.identity(log, view, place + held.unwrap_or(0)),
            inline_before: held.unwrap_or(0),
        }
    }

    /// Where the anchor's place is in this context, at `from` or later.
    pub(super) fn place_of(
        &self,
        log: &SessionLog,
        view: &View,
        from: usize,
        anchor: Anchor,
    ) -> Option<usize> {
        let held = (from..self.sources.len())
            .find(|place| self.identity(log, view, *place) == anchor.message)?;
        let before = self.sources.get(from..held)?.iter().rev();
        let inline = before
            .take(anchor.inline_before)
            .take_while(|source| !is_projected(source));
        Some(held - inline.count())
    }

    /// What tells the message at that place from every other one.
    pub(super) fn identity(&self, log: &SessionLog, view: &View, place: usize) -> MessageIdentity {
        match self.sources.get(place) {
            Some(Source::Projected(position)) if !view.is_edited(*position) => {
                MessageIdentity::Entry(view.entry(*position))
            }
            Some(Source::Inline(position)) => self
                .identities
                .get(*position)
                .copied()
                .unwrap_or(MessageIdentity::Content(0)),
            _ => self
                .message(log, view, place)
                .map_or(MessageIdentity::Content(0), MessageIdentity::of_content),
        }
    }

    /// The context as candidates of a plan.
    pub(super) fn candidates<'a>(
        &'a self,
        log: &'a SessionLog,
        view: &'a View,
        counts: &mut TokenCounts,
        estimator: Estimator,
    ) -> Vec<Candidate<'a>> {
        let candidates = self
            .sources
            .iter()
            .enumerate()
            .filter_map(|(place, source)| {
                let message = self.message(log, view, place)?;
                Some(match *source {
                    Source::Inline(_) => Candidate {
                        message,
                        tokens: message.tokens(estimator),
                        entry_id: None,
                        pinned: false,
                    },
                    Source::Projected(position) => Candidate {
                        message,
                        tokens: counts.count(
                            estimator,
                            view.entry(position)?,
                            !view.is_edited(position),
                            message,
                        ),
                        entry_id: view.entry_id(log, position),
                        pinned: view.pinned.get(position).copied().unwrap_or(false),
                    },
                })
            });
        candidates.collect()
    }
}

/// The inline messages of a request; empty bytes mean none.
fn parse_inline(inline: &[u8]) -> Result<Vec<Message>, EngineError> {
    if inline.is_empty() {
        return Ok(Vec::new());
    }
    let parsed: Value = serde_json::from_slice(inline).map_err(|error| {
        EngineError::InvalidInput(format!("the inline messages are no JSON: {error}"))
    })?;
    let Value::Array(messages) = parsed else {
        return Err(EngineError::InvalidInput(
            "the inline messages are no JSON array".to_owned(),
        ));
    };
    Ok(messages.iter().map(from_native).collect())
}

/// One message that goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sent {
    /// A message of the context, untouched.
    Whole(usize),
    /// A message of the context with other content.
    Replaced(usize, Rc<Replacement>),
    /// A message of the planner's own.
    Added(Supplement),
}

/// What goes out: the decision, or the whole context where it does not apply.
pub(super) fn sent(record: &PlanRecord) -> Vec<Sent> {
    let decision = &record.decision;
    if !record.applies() {
        return (0..decision.fates.len()).map(Sent::Whole).collect();
    }
    let mut sent = Vec::with_capacity(decision.fates.len());
    for (place, fate) in decision.fates.iter().enumerate() {
        sent.extend(added_before(decision, place).map(Sent::Added));
        match fate {
            Fate::Keep(_) => sent.push(Sent::Whole(place)),
            Fate::Replace(_, replacement) => {
                sent.push(Sent::Replaced(place, Rc::clone(replacement)));
            }
            Fate::Out(_) => {}
        }
    }
    sent
}

/// The planner's own messages before that place: supplements, and the notice next to what it speaks of.
fn added_before(decision: &Decision, place: usize) -> impl Iterator<Item = Supplement> {
    let notice = decision
        .notice
        .iter()
        .filter(move |notice| notice.before == place)
        .map(|notice| Supplement {
            kind: SupplementKind::Notice,
            text: notice.text.clone(),
            tokens: notice.tokens,
            source_ids: notice.source_ids.clone(),
        });
    let supplements = decision
        .supplements
        .iter()
        .filter(move |placed| placed.before == place)
        .map(|placed| Supplement {
            kind: placed.supplement.category.into(),
            text: placed.supplement.text.clone(),
            tokens: placed.supplement.tokens,
            source_ids: placed.supplement.source_ids.clone(),
        });
    supplements.chain(notice)
}

/// The plan in the host's terms: runs of its own positions.
pub(super) fn plan(record: &PlanRecord, sent: &[Sent]) -> Plan {
    let mut items: Vec<PlanItem> = Vec::new();
    for message in sent {
        match message {
            Sent::Whole(place) => match items.last_mut() {
                Some(PlanItem::Keep(run)) if run.first as usize + run.count as usize == *place => {
                    run.count += 1
                }
                _ => items.push(PlanItem::Keep(Run {
                    first: *place as u32,
                    count: 1,
                })),
            },
            Sent::Replaced(place, replacement) => {
                items.push(PlanItem::Replace {
                    position: *place as u32,
                    content: replacement.content.as_bytes().to_vec(),
                });
            }
            Sent::Added(supplement) => items.push(PlanItem::Insert(supplement.clone())),
        }
    }
    Plan {
        items,
        manifest_id: record.id.clone(),
        prompt_hash: record.prompt_hash.clone(),
        estimated_tokens: u32::try_from(record.estimated_tokens()).unwrap_or(u32::MAX),
        estimator: record.estimator.name(),
        fallback: record.decision.fallback.map(crate::planner::Fallback::name),
    }
}

/// SHA-256 over the canonical `{messages, systemPrompt, tools}` of what goes out.
pub(super) fn prompt_hash(
    sent: &[Sent],
    context: &Context,
    log: &SessionLog,
    view: &View,
    overhead: &FixedOverhead,
) -> String {
    let mut hash = Sha256::new();
    hash.update(br#"{"messages":["#);
    for (index, message) in sent.iter().enumerate() {
        if index > 0 {
            hash.update(b",");
        }
        match message {
            Sent::Whole(place) => {
                if let Some(message) = context.message(log, view, *place) {
                    hash.update(message.canonical());
                }
            }
            Sent::Replaced(_, replacement) => hash.update(replacement.message.canonical()),
            Sent::Added(supplement) => hash.update(supplement_wire(&supplement.text).to_string()),
        }
    }
    hash.update(b"]");
    hash.update(&overhead.canonical_end);
    hex(&hash.finalize())
}

/// The wire form of a message of the planner's own; its keys are in canonical order.
pub(super) fn supplement_wire(text: &str) -> Value {
    json!({"content": [{"text": text, "type": "text"}], "role": "user"})
}

/// What tells the messages of two plans apart, one number a message, in the order in which they go out.
pub(super) fn fingerprints(
    sent: &[Sent],
    context: &Context,
    log: &SessionLog,
    view: &View,
) -> Vec<u64> {
    sent.iter()
        .map(|message| {
            let mut hasher = DefaultHasher::new();
            match message {
                Sent::Whole(place) => context.identity(log, view, *place).hash(&mut hasher),
                Sent::Replaced(place, replacement) => {
                    (context.identity(log, view, *place), &replacement.content).hash(&mut hasher);
                }
                Sent::Added(supplement) => supplement.text.hash(&mut hasher),
            }
            hasher.finish()
        })
        .collect()
}

const fn is_projected(source: &Source) -> bool {
    matches!(source, Source::Projected(_))
}
