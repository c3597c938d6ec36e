//! Between the contract's types and the core's, one function a type.

use ds4_context_core::config::{Problem, Severity};
use ds4_context_core::engine::{
    EngineError, HealthDepth, HistoryAnswer, HistoryLines, HistoryQuery, Plan, PlanItem,
    PlanRequest, Progress, Relation, Run, Scope, SearchStatus, SessionOptions, Span,
    SupplementKind,
};
use ds4_context_core::manifest::Usage;
use ds4_context_core::model::{Model, TokenCost};
use ds4_context_core::session::LogFormat;

use crate::bindings::ds4::context::types as wit;
use crate::bindings::exports::ds4::context::diagnostics as wit_diagnostics;
use crate::bindings::exports::ds4::context::planning as wit_planning;
use crate::bindings::exports::ds4::context::retrieval as wit_retrieval;
use crate::bindings::exports::ds4::context::sessions as wit_sessions;

pub(crate) fn error(error: EngineError) -> wit::Error {
    match error {
        EngineError::InvalidInput(text) => wit::Error::InvalidInput(text),
        EngineError::NotFound(text) => wit::Error::NotFound(text),
        EngineError::Limit(text) => wit::Error::Limit(text),
        EngineError::Busy => wit::Error::Busy,
        EngineError::Storage(text) => wit::Error::Storage(text),
    }
}

pub(crate) fn session_options(options: wit_sessions::Options) -> SessionOptions {
    SessionOptions {
        session_id: options.session_id,
        format: match options.format {
            wit_sessions::LogFormat::PiSessionV3 => LogFormat::PiSessionV3,
            wit_sessions::LogFormat::RuntimeSessionV1 => LogFormat::RuntimeSessionV1,
        },
        log: options.log,
        log_folder: options.log_folder,
        config: options.config,
        project_root: options.project_root.filter(|_| options.project_trusted),
        seed: options.seed,
    }
}

pub(crate) fn model(model: wit::Model) -> Model {
    Model {
        provider: model.provider,
        id: model.id,
        context_window: model.context_window,
        max_output: model.max_output,
        cost: model.cost.map(|cost| TokenCost {
            input: cost.input,
            output: cost.output,
            cache_read: cost.cache_read,
            cache_write: cost.cache_write,
        }),
    }
}

pub(crate) fn usage(usage: wit::Usage) -> Usage {
    Usage {
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
    }
}

pub(crate) fn problem(problem: Problem) -> wit_sessions::ConfigProblem {
    wit_sessions::ConfigProblem {
        ignored_layer: problem.severity == Severity::Error,
        code: problem.code.as_str().to_owned(),
        source: problem.source,
        path: problem.path,
        message: problem.message,
    }
}

pub(crate) fn plan_request(request: wit_planning::Request) -> PlanRequest {
    let run = |run: wit_planning::Run| Run {
        first: run.first,
        count: run.count,
    };
    PlanRequest {
        messages: request
            .messages
            .into_iter()
            .map(|span| match span {
                wit_planning::Span::Projected(span) => Span::Projected(run(span)),
                wit_planning::Span::Inline(span) => Span::Inline(run(span)),
            })
            .collect(),
        inline: request.inline,
        system_prompt: request.system_prompt,
        tools: request.tools,
        budget: request.budget,
        now_ms: request.now_ms,
    }
}

pub(crate) fn plan(plan: Plan) -> wit_planning::Plan {
    wit_planning::Plan {
        items: plan.items.into_iter().map(item).collect(),
        manifest_id: plan.manifest_id,
        prompt_hash: plan.prompt_hash,
        estimated_tokens: plan.estimated_tokens,
        estimator: plan.estimator.to_owned(),
        fallback: plan.fallback.map(str::to_owned),
    }
}

fn item(item: PlanItem) -> wit_planning::Item {
    match item {
        PlanItem::Keep(run) => wit_planning::Item::Keep(wit_planning::Run {
            first: run.first,
            count: run.count,
        }),
        PlanItem::Replace { position, content } => {
            wit_planning::Item::Replace(wit_planning::Replacement { position, content })
        }
        PlanItem::Insert(supplement) => wit_planning::Item::Insert(wit_planning::Supplement {
            kind: match supplement.kind {
                SupplementKind::Notice => wit_planning::SupplementKind::Notice,
                SupplementKind::Memory => wit_planning::SupplementKind::Memory,
                SupplementKind::History => wit_planning::SupplementKind::History,
                SupplementKind::Project => wit_planning::SupplementKind::Project,
            },
            text: supplement.text,
            tokens: supplement.tokens,
            classification: wit::Classification::Normal,
            source_ids: supplement.source_ids,
        }),
    }
}

pub(crate) fn progress(progress: Progress) -> wit::Progress {
    wit::Progress {
        done: progress.done,
        total: progress.total,
        finished: progress.finished,
    }
}

pub(crate) fn health_depth(depth: wit_diagnostics::HealthDepth) -> HealthDepth {
    match depth {
        wit_diagnostics::HealthDepth::Quick => HealthDepth::Quick,
        wit_diagnostics::HealthDepth::Deep => HealthDepth::Deep,
    }
}

pub(crate) fn scope(scope: wit_retrieval::Scope) -> Scope {
    match scope {
        wit_retrieval::Scope::CurrentBranch => Scope::CurrentBranch,
        wit_retrieval::Scope::CurrentSession => Scope::CurrentSession,
        wit_retrieval::Scope::CurrentLineage => Scope::CurrentLineage,
        wit_retrieval::Scope::Project => Scope::Project,
    }
}

pub(crate) fn history_query(query: wit_retrieval::Query) -> HistoryQuery {
    HistoryQuery {
        text: query.text,
        scope: scope(query.scope),
        limit: query.limit,
        max_tokens: (query.max_tokens > 0).then_some(query.max_tokens),
        now_ms: query.now_ms,
    }
}

pub(crate) fn history_answer(answer: HistoryAnswer) -> wit_retrieval::Answer {
    let hits = answer.hits.into_iter().map(|hit| wit_retrieval::Hit {
        entry_id: hit.entry_id,
        session_id: hit.session_id,
        relation: match hit.relation {
            Relation::Ancestor => wit_retrieval::Relation::Ancestor,
            Relation::LineageAncestor => wit_retrieval::Relation::LineageAncestor,
            Relation::OtherBranch => wit_retrieval::Relation::OtherBranch,
            Relation::OtherSession => wit_retrieval::Relation::OtherSession,
        },
        role: hit.role,
        timestamp_ms: hit.timestamp_ms,
        score: hit.score,
        reason: hit.reason,
        excerpt: hit.excerpt,
        // Texts are classified by a later version; until then nothing is marked.
        classification: wit::Classification::Normal,
        reference: hit.reference,
    });
    wit_retrieval::Answer {
        status: match answer.status {
            SearchStatus::Disabled => wit_retrieval::Status::Disabled,
            SearchStatus::NoQuery => wit_retrieval::Status::NoQuery,
            SearchStatus::Complete => wit_retrieval::Status::Complete,
        },
        hits: hits.collect(),
        indexed_entries: answer.indexed_entries,
        log_entries: answer.log_entries,
        sessions: wit_retrieval::SessionCounts {
            up_to_date: answer.sessions.up_to_date,
            pending: answer.sessions.pending,
            left_out: answer.sessions.left_out,
        },
    }
}

pub(crate) fn entry_lines(lines: HistoryLines) -> wit_retrieval::EntryLines {
    wit_retrieval::EntryLines {
        entry_id: lines.entry_id,
        session_id: lines.session_id,
        role: lines.role,
        first_line: lines.first_line,
        total_lines: lines.total_lines,
        text: lines.text,
    }
}
