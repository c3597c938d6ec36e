//! Searching, in one session or in several as if they were one.

use rusqlite::Connection;

use super::super::Session;
use super::super::error::EngineError;
use super::super::scope::{Opened, OtherSession, OtherSessions, check_allowed};
use super::super::sync::{LogReader, Progress};
use super::{
    EXCERPT_BYTES, HistoryAnswer, HistoryQuery, Hit, MAX_HITS, SearchStatus, SessionCounts, role_of,
};
use crate::fixed_hash::FixedHashSet;
use crate::retrieval::{
    AskedIndex, AskedLiteral, Found, Grant, IndexDatabase, Query, RelatedStems, Relation, Scope,
    Searched, SessionIndex, are_enough, ask_literals, ask_words, collapsed, excerpt, indexed_text,
    is_eligible, rank,
};
use crate::session::{Entry, SessionLog};
use crate::store::StoreError;
use crate::store::sessions::IndexedSession;

impl Session {
    /// Brings the index up to date of what the scope covers: reads the other sessions' logs, and indexes up to `max_bytes` of text
    /// in all. Counted in entries; the total is known when nothing is left to do. Call `sync` before: of the session at hand only
    /// what was read is indexed.
    pub fn index_scope(
        &mut self,
        scope: Scope,
        max_bytes: u32,
        now_ms: u64,
    ) -> Result<Progress, EngineError> {
        check_allowed(scope, &self.config.history_tools)?;
        let own = self.index(max_bytes, now_ms)?;
        if !scope.covers_other_sessions() {
            return Ok(own);
        }
        let finished = own.finished
            && self.with_others(|others, opened, database| {
                others.advance(scope, opened, database, max_bytes, now_ms)
            })?;
        let (done, total) = self.entries_of(scope);
        Ok(Progress {
            done,
            total: finished.then_some(total),
            finished,
        })
    }

    /// The entries that answer a question best. Only what was indexed is found.
    pub fn search_history(&mut self, query: &HistoryQuery) -> Result<HistoryAnswer, EngineError> {
        if query.limit == 0 || query.limit > MAX_HITS {
            return Err(EngineError::InvalidInput(format!(
                "a search gives 1 to {MAX_HITS} hits, and {} were asked for",
                query.limit
            )));
        }
        check_allowed(query.scope, &self.config.history_tools)?;
        self.with_others(|others, opened, _| others.know(query.scope, opened))?;
        let parsed = Query::of(&query.text);
        let status = match (
            self.config.retrieval.exact || self.config.retrieval.fts,
            parsed.is_empty(),
        ) {
            (false, _) => SearchStatus::Disabled,
            (true, true) => SearchStatus::NoQuery,
            (true, false) => SearchStatus::Complete,
        };
        let hits = if status == SearchStatus::Complete {
            self.found_hits(&parsed, query)?
        } else {
            Vec::new()
        };
        // After the search, which may have found that the rows are gone.
        let (indexed, entries) = self.entries_of(query.scope);
        Ok(HistoryAnswer {
            status,
            hits,
            indexed_entries: indexed as u32,
            log_entries: entries as u32,
            sessions: self.session_counts(query.scope),
        })
    }

    fn found_hits(
        &mut self,
        parsed: &Query,
        query: &HistoryQuery,
    ) -> Result<Vec<Hit>, EngineError> {
        let scope = query.scope;
        let branch = self.view().branch_positions(&self.log);
        let counted = self.others.counted(scope, &self.log);
        let others = self.others.of_mut(scope).zip(&counted);
        let mut parts = vec![Part {
            session_id: &self.session_id,
            log: &self.log,
            index: &mut self.session_index,
            in_scope: Box::new(|position| scope != Scope::CurrentBranch || branch.holds(position)),
            relation: Box::new(|position| {
                if branch.holds(position) {
                    Relation::Ancestor
                } else {
                    Relation::OtherBranch
                }
            }),
        }];
        parts.extend(others.map(|(session, counted)| {
            let OtherSession {
                session_id,
                log,
                index,
                ..
            } = session;
            Part {
                session_id,
                log,
                index,
                in_scope: Box::new(|position| counted.holds(position)),
                relation: Box::new(|position| counted.relation(position)),
            }
        }));
        let asking = Asking {
            parsed,
            with_summaries: self.config.history_tools.include_summaries,
            now_ms: query.now_ms,
        };
        let limit = query.limit as usize;
        let found = find(&mut parts, &mut self.database, &asking, limit)?;
        // Four bytes a token are never fewer characters than the estimators count.
        let mut room = query.max_tokens.map_or(0, |tokens| tokens as usize * 4);
        let mut hits = Vec::new();
        let mut seen = FixedHashSet::default();
        for (place, found) in found {
            let Some((part, entry)) = parts
                .get(place)
                .and_then(|part| Some((part, part.entry(found.position)?)))
            else {
                continue;
            };
            let text = indexed_text(entry).unwrap_or_default();
            // Nobody reads the same text twice; a search without excerpts counts entries.
            if query.max_tokens.is_some() && !seen.insert(collapsed(&text)) {
                continue;
            }
            let piece = excerpt(&text, parsed, EXCERPT_BYTES.min(room)).text;
            room -= piece.len();
            let grant = Grant {
                session_id: part.session_id.to_owned(),
                entry_id: entry.id.to_string(),
                scope,
            };
            hits.push(Hit {
                entry_id: grant.entry_id.clone(),
                session_id: grant.session_id.clone(),
                relation: (part.relation)(found.position),
                role: role_of(entry),
                timestamp_ms: entry.timestamp_ms,
                score: found.score,
                reason: found.reason.to_string(),
                excerpt: piece.to_owned(),
                reference: self.references.give(grant, query.now_ms),
            });
        }
        Ok(hits)
    }

    /// Entries that are indexed and all that were read, over the sessions of the scope.
    fn entries_of(&self, scope: Scope) -> (u64, u64) {
        let own = self.session_index.progress(&self.log);
        let others = self.others.of(scope);
        let others = others.map(|session| session.index.progress(&session.log));
        others.fold((own.done, own.total), |(done, total), progress| {
            (done + progress.done, total + progress.total)
        })
    }

    fn session_counts(&self, scope: Scope) -> SessionCounts {
        let is_up_to_date = self.session_index.progress(&self.log).is_finished();
        let others = self.others.counts(scope);
        SessionCounts {
            up_to_date: others.up_to_date + u32::from(is_up_to_date),
            pending: others.pending + u32::from(!is_up_to_date),
            left_out: others.left_out,
        }
    }

    fn with_others<T>(
        &mut self,
        work: impl FnOnce(&mut OtherSessions, &Opened<'_>, &mut IndexDatabase) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let opened = Opened {
            session_id: &self.session_id,
            path: self.reader.as_ref().map(LogReader::path),
            log: &self.log,
            storage: &self.storage,
            max_project_sessions: self.config.history_tools.max_project_sessions,
        };
        work(&mut self.others, &opened, &mut self.database)
    }
}

/// One session, as it is searched.
struct Part<'a> {
    session_id: &'a str,
    log: &'a SessionLog,
    index: &'a mut SessionIndex,
    in_scope: Box<dyn Fn(u32) -> bool + 'a>,
    relation: Box<dyn Fn(u32) -> Relation + 'a>,
}

impl Part<'_> {
    fn entry(&self, position: u32) -> Option<&Entry> {
        self.log.entries().get(position as usize)
    }

    /// What its index says of a query. None where nothing of it is indexed, or its rows were lost: they are made anew by the next
    /// slices.
    fn ask<T>(
        &mut self,
        database: &mut IndexDatabase,
        query: &Asking<'_>,
        of_index: impl FnOnce(
            &Connection,
            &IndexedSession,
            &Query,
            &Searched<'_>,
        ) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let log = self.log;
        let eligible = |position| may_be_found(log, position, query.with_summaries);
        self.index.search(
            database,
            log,
            query.now_ms,
            |connection, session, timeline| {
                let searched = Searched {
                    log,
                    timeline,
                    in_scope: &*self.in_scope,
                    eligible: &eligible,
                };
                of_index(connection, session, query.parsed, &searched)
            },
        )
    }
}

/// A question, as each part is asked it.
struct Asking<'a> {
    parsed: &'a Query,
    with_summaries: bool,
    now_ms: u64,
}

/// What the index of each part says. None where nothing of it is indexed.
fn ask(
    parts: &mut [Part<'_>],
    database: &mut IndexDatabase,
    query: &Asking<'_>,
) -> Result<Vec<Option<AskedIndex>>, StoreError> {
    let mut related = RelatedStems::default();
    if !query.parsed.asks_for_strings_only() {
        let ask_part = |part: &mut Part<'_>| {
            part.ask(database, query, |connection, session, parsed, searched| {
                Ok(AskedIndex {
                    literals: ask_literals(connection, session, parsed, searched)?,
                    words: ask_words(connection, session, parsed, searched, &mut related)?,
                })
            })
        };
        return parts.iter_mut().map(ask_part).collect();
    }
    // Whether words are asked for depends on what all parts say of the exact strings.
    let mut literals = Vec::with_capacity(parts.len());
    for part in &mut *parts {
        literals.push(part.ask(database, query, ask_literals)?);
    }
    let known: Vec<&[AskedLiteral]> = literals.iter().flatten().map(Vec::as_slice).collect();
    let is_enough = are_enough(query.parsed, &known);
    let ask_part = |(part, literals): (&mut Part<'_>, Option<Vec<AskedLiteral>>)| {
        let words = if is_enough {
            Some(Vec::new())
        } else {
            part.ask(database, query, |connection, session, parsed, searched| {
                ask_words(connection, session, parsed, searched, &mut related)
            })?
        };
        Ok(literals
            .zip(words)
            .map(|(literals, words)| AskedIndex { literals, words }))
    };
    parts.iter_mut().zip(literals).map(ask_part).collect()
}

/// The best entries of all parts, the best first, each behind its part's place.
fn find(
    parts: &mut [Part<'_>],
    database: &mut IndexDatabase,
    query: &Asking<'_>,
    limit: usize,
) -> Result<Vec<(usize, Found)>, StoreError> {
    let asked = ask(parts, database, query)?;
    let with_summaries = query.with_summaries;
    let eligible: Vec<_> = parts
        .iter()
        .map(|part| move |position: u32| may_be_found(part.log, position, with_summaries))
        .collect();
    let mut places = Vec::with_capacity(parts.len());
    let mut searched = Vec::with_capacity(parts.len());
    for (place, ((part, asked), eligible)) in parts.iter().zip(asked).zip(&eligible).enumerate() {
        if let Some(asked) = asked {
            places.push(place);
            searched.push((
                asked,
                Searched {
                    log: part.log,
                    timeline: part.index.timeline(),
                    in_scope: &*part.in_scope,
                    eligible,
                },
            ));
        }
    }
    let found = rank(searched, query.parsed, limit).into_iter();
    Ok(found
        .filter_map(|(at, found)| Some((*places.get(at)?, found)))
        .collect())
}

fn may_be_found(log: &SessionLog, position: u32, with_summaries: bool) -> bool {
    log.entries()
        .get(position as usize)
        .is_some_and(|entry| is_eligible(entry, with_summaries))
}
