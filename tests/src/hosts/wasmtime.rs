//! The component in wasmtime, through the library that the Rust command line uses.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ds4_context_host::{
    Clock, CodeCache, ConfigLayer, Engine, EngineError, EngineOptions, GrantedFolders, HealthDepth,
    HistoryQuery, HistoryScope, HostError, Limits, LogFormat, Model, Place, PlanItem, PlanRequest,
    Ports, Redaction, Run, SearchStatus, SecretDetector, Session, SessionOptions, Span,
    SupplementKind, Usage,
};
use serde_json::{Value, json};

use super::history_value::{self, HitFacts};
use super::plan_value::{self, PlanFacts};
use super::{Answer, Document, Host, HostedSession, progress_value};
use crate::cases::{
    Failure, LOG_NAME, LayerStep, ModelStep, PlanStep, SearchStep, SessionStep, SpanStep, UsageStep,
};
use crate::{NOW_MS, SEED, workspace};

/// The component, loaded once a process; its compiled code is kept in `target`.
///
/// # Panics
/// Where this machine cannot run it: no test could go on.
#[must_use]
pub fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let options = EngineOptions {
            code_cache: CodeCache::Folder(code_cache()),
        };
        Engine::new(&options)
            .unwrap_or_else(|error| panic!("the component cannot be loaded: {error}"))
    })
}

fn code_cache() -> PathBuf {
    workspace::root().join("target/tmp/ds4-context-code")
}

/// wasmtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct WasmtimeHost;

impl Host for WasmtimeHost {
    type Session = WasmtimeSession;

    fn open(&self, options: &SessionStep, folder: &Path) -> Answer<WasmtimeSession> {
        let has_log = options.log.is_some() || options.log_is_missing;
        let options = SessionOptions {
            session_id: options.id.clone(),
            format: match options.format.as_str() {
                "runtime-session-v1" => LogFormat::Runtime,
                _ => LogFormat::Pi,
            },
            log: has_log.then(|| LOG_NAME.to_owned()),
            config: options
                .config
                .as_ref()
                .map_or_else(|| "{}".to_owned(), Value::to_string),
            project_trusted: false,
            seed: Some(
                SEED.iter()
                    .copied()
                    .cycle()
                    .take(options.seed_bytes.unwrap_or(SEED.len()))
                    .collect(),
            ),
            clock: Clock::Fixed(NOW_MS),
            ..SessionOptions::in_memory(options.id.as_str())
        };
        let ports = if has_log {
            let folders = GrantedFolders::new()
                .grant(Place::Sessions, folder)
                .map_err(|error| Failure {
                    code: "host".to_owned(),
                    message: error.to_string(),
                })?;
            Ports::with_storage(folders)
        } else {
            Ports::none()
        };
        Session::open(engine(), options, ports)
            .map(WasmtimeSession)
            .map_err(|error| failure(&error))
    }

    fn merge_config(&self, layers: &[LayerStep]) -> Answer<Value> {
        let layers: Vec<ConfigLayer> = layers
            .iter()
            .map(|layer| ConfigLayer {
                source: layer.source.clone(),
                content: layer.content.clone(),
            })
            .collect();
        let merged = engine()
            .merge_config(&layers)
            .map_err(|error| failure(&error))?;
        let problems = merged.problems.iter().map(|problem| {
            json!({
                "source": problem.source,
                "ignoredLayer": problem.ignored_layer,
                "code": problem.code,
                "path": problem.path,
                "message": problem.message,
            })
        });
        let config: Value = serde_json::from_str(&merged.config).unwrap_or_default();
        Ok(json!({"config": config, "problems": problems.collect::<Value>()}))
    }

    fn find_secrets(&self, texts: &[String]) -> Answer<Value> {
        let found = SecretDetector::new(engine(), Limits::default())
            .find(texts)
            .map_err(|error| failure(&error))?;
        let secret = |found: &Redaction| {
            json!({
                "start": found.start,
                "end": found.end,
                "rule": found.rule,
                "placeholder": found.placeholder,
            })
        };
        let secrets = |text: &Vec<Redaction>| text.iter().map(secret).collect::<Value>();
        Ok(found.iter().map(secrets).collect())
    }
}

/// A session of the component.
#[derive(Debug)]
pub struct WasmtimeSession(pub Session);

impl HostedSession for WasmtimeSession {
    fn sync(&mut self) -> Answer<Value> {
        let progress = self.0.sync().map_err(|error| failure(&error))?;
        Ok(progress_value(
            progress.done,
            progress.total,
            progress.finished,
        ))
    }

    fn append(&mut self, lines: &str) -> Answer<u32> {
        self.0.append(lines).map_err(|error| failure(&error))
    }

    fn select_leaf(&mut self, entry_id: Option<&str>) -> Answer<()> {
        self.0
            .select_leaf(entry_id)
            .map_err(|error| failure(&error))
    }

    fn select_model(&mut self, model: &ModelStep) -> Answer<()> {
        let model = Model {
            provider: model.provider.clone(),
            id: model.id.clone(),
            context_window: model.context_window,
            max_output: model.max_output,
            cost: None,
        };
        self.0.select_model(model).map_err(|error| failure(&error))
    }

    fn projected_messages(&mut self) -> Answer<u32> {
        self.0.projected_messages().map_err(|error| failure(&error))
    }

    fn plan(&mut self, request: &PlanStep) -> Answer<Value> {
        let plan = self
            .0
            .plan(&wasmtime_request(request))
            .map_err(|error| failure(&error))?;
        let items = plan.items.iter().map(|item| match item {
            PlanItem::Keep(run) => plan_value::keep(run.first, run.count),
            PlanItem::Replace(replaced) => {
                plan_value::replace(replaced.position, replaced.content.as_bytes())
            }
            PlanItem::Insert(added) => {
                let classification = format!("{:?}", added.classification).to_lowercase();
                plan_value::insert(
                    kind(added.kind),
                    &added.text,
                    added.tokens,
                    &classification,
                    &added.source_ids,
                )
            }
        });
        let facts = PlanFacts {
            manifest_id: &plan.manifest_id,
            prompt_hash: &plan.prompt_hash,
            estimated_tokens: plan.estimated_tokens,
            estimator: &plan.estimator,
            fallback: plan.fallback.as_deref(),
        };
        Ok(plan_value::plan(items.collect(), &facts))
    }

    fn record_usage(&mut self, manifest_id: &str, usage: UsageStep) -> Answer<()> {
        let usage = Usage {
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
        };
        self.0
            .record_usage(manifest_id, usage)
            .map_err(|error| failure(&error))
    }

    fn index(&mut self) -> Answer<Value> {
        let progress = self.0.index().map_err(|error| failure(&error))?;
        Ok(progress_value(
            progress.done,
            progress.total,
            progress.finished,
        ))
    }

    fn index_scope(&mut self, name: &str) -> Answer<Value> {
        let progress = self
            .0
            .index_scope(scope(name), |_| {})
            .map_err(|error| failure(&error))?;
        Ok(progress_value(
            progress.done,
            progress.total,
            progress.finished,
        ))
    }

    fn rebuild_index(&mut self) -> Answer<()> {
        self.0.rebuild_index().map_err(|error| failure(&error))
    }

    fn search(&mut self, query: &SearchStep) -> Answer<Value> {
        let answer = self
            .0
            .search_history(&HistoryQuery {
                text: query.text.clone(),
                scope: scope(&query.scope),
                limit: query.limit,
                max_tokens: query.max_tokens,
            })
            .map_err(|error| failure(&error))?;
        let hits = answer.hits.iter().map(|hit| {
            let classification = format!("{:?}", hit.classification).to_lowercase();
            history_value::hit(&HitFacts {
                entry_id: &hit.entry_id,
                session_id: &hit.session_id,
                relation: hit.relation.name(),
                role: &hit.role,
                timestamp_ms: hit.timestamp_ms,
                score: hit.score,
                reason: &hit.reason,
                excerpt: &hit.excerpt,
                classification: &classification,
                reference: &hit.reference,
            })
        });
        let status = match answer.status {
            SearchStatus::Disabled => "disabled",
            SearchStatus::NoQuery => "no-query",
            SearchStatus::Complete => "complete",
        };
        Ok(history_value::answer(
            status,
            hits.collect(),
            answer.indexed_entries,
            answer.log_entries,
            history_value::sessions(
                answer.sessions.up_to_date,
                answer.sessions.pending,
                answer.sessions.left_out,
            ),
        ))
    }

    fn read_history(&mut self, reference: &str, first_line: u32, count: u32) -> Answer<Value> {
        let lines = self
            .0
            .read_history(reference, first_line, count)
            .map_err(|error| failure(&error))?;
        Ok(history_value::lines(
            &lines.entry_id,
            &lines.session_id,
            &lines.role,
            lines.first_line,
            lines.total_lines,
            &lines.text,
        ))
    }

    fn health(&mut self) -> Answer<String> {
        self.0
            .health(HealthDepth::Deep)
            .map_err(|error| failure(&error))
    }

    fn document(&mut self, document: Document, manifest_id: Option<&str>) -> Answer<String> {
        match document {
            Document::Render => self.0.render(manifest_id),
            Document::Manifest => self.0.manifest(manifest_id),
            Document::Explain => self.0.explain(manifest_id),
            Document::Inspect => self.0.inspect(),
            Document::Status => self.0.status(),
        }
        .map_err(|error| failure(&error))
    }
}

fn scope(name: &str) -> HistoryScope {
    match name {
        "current-session" => HistoryScope::CurrentSession,
        "current-lineage" => HistoryScope::CurrentLineage,
        "project" => HistoryScope::Project,
        _ => HistoryScope::CurrentBranch,
    }
}

fn wasmtime_request(request: &PlanStep) -> PlanRequest {
    let run = |first, count| Run { first, count };
    PlanRequest {
        messages: request
            .messages
            .iter()
            .map(|span| match span {
                SpanStep::Projected(span) => Span::Projected(run(span.first, span.count)),
                SpanStep::Inline(span) => Span::Inline(run(span.first, span.count)),
            })
            .collect(),
        inline: Some(Value::from(request.inline.clone()).to_string()),
        system_prompt: request.system_prompt.clone(),
        tools: request
            .tools
            .as_ref()
            .map(|tools| Value::from(tools.clone()).to_string()),
        budget: request.budget,
    }
}

const fn kind(kind: SupplementKind) -> &'static str {
    match kind {
        SupplementKind::Pin => "pin",
        SupplementKind::Memory => "memory",
        SupplementKind::History => "history",
        SupplementKind::Project => "project",
        SupplementKind::Summary => "summary",
        SupplementKind::Notice => "notice",
    }
}

fn failure(error: &HostError) -> Failure {
    let code = match error {
        HostError::Refused(refused) => match refused {
            EngineError::InvalidInput(_) => "invalid-input",
            EngineError::NotFound(_) => "not-found",
            EngineError::Stale(_) => "stale",
            EngineError::Busy => "busy",
            EngineError::Limit(_) => "limit",
            EngineError::Storage(_) => "storage",
            EngineError::Privacy(_) => "privacy",
            EngineError::Cancelled => "cancelled",
            EngineError::Unsupported(_) => "unsupported",
            EngineError::Other(_) => "other",
        },
        // Not the engine's answer: no case expects one of these.
        _ => "host",
    };
    Failure {
        code: code.to_owned(),
        message: error.to_string(),
    }
}
