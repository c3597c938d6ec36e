//! The core without WebAssembly.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ds4_context_core::config::{Layer, Severity, merge, to_json};
use ds4_context_core::engine::{
    EngineError, HealthDepth, HistoryQuery, PlanItem, PlanRequest, Run, Scope, SearchStatus,
    Session, SessionOptions, Span, SupplementKind,
};
use ds4_context_core::manifest::Usage;
use ds4_context_core::model::Model;
use ds4_context_core::ports::{Place, Storage, StorageError};
use ds4_context_core::privacy::secrets::{Redaction, SecretDetector};
use ds4_context_core::session::LogFormat;
use serde_json::{Value, json};

use super::history_value::{self, HitFacts};
use super::plan_value::{self, PlanFacts};
use super::{Answer, Document, Host, HostedSession, progress_value};
use crate::cases::{
    Failure, LOG_NAME, LayerStep, ModelStep, PlanStep, SearchStep, SessionStep, SpanStep, UsageStep,
};
use crate::{NOW_MS, SEED};

/// Bytes that one call takes in: as many as the hosts do.
const SYNC_SLICE_BYTES: u32 = ds4_context_host::SYNC_SLICE_BYTES;
/// Bytes of text that one call indexes: as many as the hosts do.
const INDEX_SLICE_BYTES: u32 = ds4_context_host::INDEX_SLICE_BYTES;

/// The core itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct NativeHost;

impl Host for NativeHost {
    type Session = NativeSession;

    fn open(&self, options: &SessionStep, folder: &Path) -> Answer<NativeSession> {
        let options = SessionOptions {
            session_id: options.id.clone(),
            format: match options.format.as_str() {
                "runtime-session-v1" => LogFormat::RuntimeSessionV1,
                _ => LogFormat::PiSessionV3,
            },
            log: (options.log.is_some() || options.log_is_missing).then(|| LOG_NAME.to_owned()),
            config: options
                .config
                .as_ref()
                .map_or_else(|| b"{}".to_vec(), |config| config.to_string().into_bytes()),
            log_folder: None,
            project_root: None,
            seed: SEED
                .iter()
                .copied()
                .cycle()
                .take(options.seed_bytes.unwrap_or(SEED.len()))
                .collect(),
        };
        let storage = Rc::new(Folder(folder.to_path_buf()));
        Session::open(options, storage)
            .map(NativeSession)
            .map_err(failure)
    }

    fn merge_config(&self, layers: &[LayerStep]) -> Answer<Value> {
        let layers: Vec<Layer<'_>> = layers
            .iter()
            .map(|layer| Layer {
                source: &layer.source,
                content: layer.content.as_bytes(),
            })
            .collect();
        let merged = merge(&layers);
        let problems = merged.problems.iter().map(|problem| {
            json!({
                "source": problem.source,
                "ignoredLayer": problem.severity == Severity::Error,
                "code": problem.code.as_str(),
                "path": problem.path,
                "message": problem.message,
            })
        });
        Ok(json!({"config": to_json(&merged.config), "problems": problems.collect::<Value>()}))
    }

    fn find_secrets(&self, texts: &[String]) -> Answer<Value> {
        let detector = SecretDetector::default();
        let secret = |found: Redaction| {
            json!({
                "start": found.start,
                "end": found.end,
                "rule": found.rule.as_ref(),
                "placeholder": found.replacement.placeholder(),
            })
        };
        let secrets = |text: &String| {
            detector
                .find(text)
                .into_iter()
                .map(secret)
                .collect::<Value>()
        };
        Ok(texts.iter().map(secrets).collect())
    }
}

/// A session of the core.
pub struct NativeSession(pub Session);

impl HostedSession for NativeSession {
    fn sync(&mut self) -> Answer<Value> {
        loop {
            let progress = self.0.sync(SYNC_SLICE_BYTES).map_err(failure)?;
            if progress.finished {
                return Ok(progress_value(
                    progress.done,
                    progress.total,
                    progress.finished,
                ));
            }
        }
    }

    fn append(&mut self, lines: &str) -> Answer<u32> {
        self.0.append(lines.as_bytes()).map_err(failure)
    }

    fn select_leaf(&mut self, entry_id: Option<&str>) -> Answer<()> {
        self.0.select_leaf(entry_id).map_err(failure)
    }

    fn select_model(&mut self, model: &ModelStep) -> Answer<()> {
        let model = Model {
            provider: model.provider.clone(),
            id: model.id.clone(),
            context_window: model.context_window,
            max_output: model.max_output,
            cost: None,
        };
        self.0.select_model(model).map_err(failure)
    }

    fn projected_messages(&mut self) -> Answer<u32> {
        Ok(self.0.projected_messages())
    }

    fn plan(&mut self, request: &PlanStep) -> Answer<Value> {
        let plan = self.0.plan(&native_request(request)).map_err(failure)?;
        let items = plan.items.iter().map(|item| match item {
            PlanItem::Keep(run) => plan_value::keep(run.first, run.count),
            PlanItem::Replace { position, content } => plan_value::replace(*position, content),
            PlanItem::Insert(added) => {
                let kind = match added.kind {
                    SupplementKind::Notice => "notice",
                    SupplementKind::Memory => "memory",
                    SupplementKind::History => "history",
                    SupplementKind::Project => "project",
                };
                plan_value::insert(kind, &added.text, added.tokens, "normal", &added.source_ids)
            }
        });
        let facts = PlanFacts {
            manifest_id: &plan.manifest_id,
            prompt_hash: &plan.prompt_hash,
            estimated_tokens: plan.estimated_tokens,
            estimator: plan.estimator,
            fallback: plan.fallback,
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
        self.0.record_usage(manifest_id, usage).map_err(failure)
    }

    fn index(&mut self) -> Answer<Value> {
        loop {
            let progress = self.0.index(INDEX_SLICE_BYTES, NOW_MS).map_err(failure)?;
            if progress.finished {
                return Ok(progress_value(
                    progress.done,
                    progress.total,
                    progress.finished,
                ));
            }
        }
    }

    fn index_scope(&mut self, name: &str) -> Answer<Value> {
        loop {
            let slice = self.0.index_scope(scope(name), INDEX_SLICE_BYTES, NOW_MS);
            let progress = slice.map_err(failure)?;
            if progress.finished {
                return Ok(progress_value(
                    progress.done,
                    progress.total,
                    progress.finished,
                ));
            }
        }
    }

    fn rebuild_index(&mut self) -> Answer<()> {
        self.0.rebuild_index();
        Ok(())
    }

    fn search(&mut self, query: &SearchStep) -> Answer<Value> {
        let answer = self
            .0
            .search_history(&HistoryQuery {
                text: query.text.clone(),
                scope: scope(&query.scope),
                limit: query.limit,
                max_tokens: query.max_tokens,
                now_ms: NOW_MS,
            })
            .map_err(failure)?;
        let hits = answer.hits.iter().map(|hit| {
            history_value::hit(&HitFacts {
                entry_id: &hit.entry_id,
                session_id: &hit.session_id,
                relation: hit.relation.name(),
                role: &hit.role,
                timestamp_ms: hit.timestamp_ms,
                score: hit.score,
                reason: &hit.reason,
                excerpt: &hit.excerpt,
                classification: "normal",
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
            .read_history(reference, first_line, count, NOW_MS)
            .map_err(failure)?;
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
        let health = self.0.health(HealthDepth::Deep, NOW_MS);
        health.map(|health| health.to_string()).map_err(failure)
    }

    fn document(&mut self, document: Document, manifest_id: Option<&str>) -> Answer<String> {
        let value = match document {
            Document::Render => self.0.render(manifest_id),
            Document::Manifest => self.0.manifest(manifest_id),
            Document::Explain => self.0.explain(manifest_id),
            Document::Inspect => Ok(self.0.inspect()),
            Document::Status => Ok(self.0.status()),
        };
        value.map(|value| value.to_string()).map_err(failure)
    }
}

fn scope(name: &str) -> Scope {
    match name {
        "current-session" => Scope::CurrentSession,
        "current-lineage" => Scope::CurrentLineage,
        "project" => Scope::Project,
        _ => Scope::CurrentBranch,
    }
}

fn native_request(request: &PlanStep) -> PlanRequest {
    PlanRequest {
        messages: request
            .messages
            .iter()
            .map(|span| match span {
                SpanStep::Projected(run) => Span::Projected(Run {
                    first: run.first,
                    count: run.count,
                }),
                SpanStep::Inline(run) => Span::Inline(Run {
                    first: run.first,
                    count: run.count,
                }),
            })
            .collect(),
        inline: Value::from(request.inline.clone()).to_string().into_bytes(),
        system_prompt: request.system_prompt.clone(),
        tools: request
            .tools
            .as_ref()
            .map(|tools| Value::from(tools.clone()).to_string().into_bytes()),
        budget: request.budget,
        now_ms: NOW_MS,
    }
}

fn failure(error: EngineError) -> Failure {
    let code = match error {
        EngineError::InvalidInput(_) => "invalid-input",
        EngineError::NotFound(_) => "not-found",
        EngineError::Limit(_) => "limit",
        EngineError::Busy => "busy",
        EngineError::Storage(_) => "storage",
    };
    Failure {
        code: code.to_owned(),
        message: error.to_string(),
    }
}

/// The storage port on one folder. The paths are those of the cases, so they are not checked.
struct Folder(PathBuf);

impl Storage for Folder {
    fn read_file(
        &self,
        _: Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        let read = || {
            let mut file = File::open(self.0.join(path))?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = Vec::new();
            file.take(u64::from(length)).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => StorageError::NotFound,
            _ => StorageError::Other(error.to_string()),
        })
    }

    fn list_files(
        &self,
        _: Place,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<u8>, StorageError> {
        let files = || {
            let mut files = Vec::new();
            for entry in self.0.read_dir()? {
                let entry = entry?;
                let path = entry.file_name().to_string_lossy().into_owned();
                files.push((path, entry.metadata()?.len()));
            }
            Ok(files)
        };
        let mut files: Vec<(String, u64)> =
            files().map_err(|error: std::io::Error| StorageError::Other(error.to_string()))?;
        files.sort();
        files.retain(|(path, _)| after.is_none_or(|after| path.as_str() > after));
        let listed = files.into_iter().take(limit as usize);
        let line = |(path, size)| format!("{}\n", json!({"path": path, "size": size}));
        Ok(listed.map(line).collect::<String>().into_bytes())
    }
}
