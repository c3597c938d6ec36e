//! Between the plain types of this library and those of the generated bindings.

use super::types::{
    Classification, ConfigLayer, ConfigProblem, LogFormat, MergedConfig, Model, Plan, PlanItem,
    PlanRequest, Progress, Replacement, Run, Span, Supplement, SupplementKind, TokenCost, Usage,
};
use crate::bindings::ds4::context::types as wit;
use crate::bindings::exports::ds4::context::{planning, sessions};
use crate::{EngineError, HostError};

/// A JSON document of the component's.
pub(super) fn document(bytes: Vec<u8>) -> Result<String, HostError> {
    String::from_utf8(bytes)
        .map_err(|_| HostError::BrokenAnswer("a document is not UTF-8".to_owned()))
}

impl From<wit::Error> for EngineError {
    fn from(error: wit::Error) -> Self {
        match error {
            wit::Error::InvalidInput(text) => Self::InvalidInput(text),
            wit::Error::NotFound(text) => Self::NotFound(text),
            wit::Error::Stale(text) => Self::Stale(text),
            wit::Error::Busy => Self::Busy,
            wit::Error::Limit(text) => Self::Limit(text),
            wit::Error::Storage(text) => Self::Storage(text),
            wit::Error::Privacy(text) => Self::Privacy(text),
            wit::Error::Cancelled => Self::Cancelled,
            wit::Error::Unsupported(text) => Self::Unsupported(text),
            wit::Error::Other(text) => Self::Other(text),
        }
    }
}

impl From<LogFormat> for sessions::LogFormat {
    fn from(format: LogFormat) -> Self {
        match format {
            LogFormat::Pi => Self::PiSessionV3,
            LogFormat::Runtime => Self::RuntimeSessionV1,
        }
    }
}

impl From<Model> for wit::Model {
    fn from(model: Model) -> Self {
        Self {
            provider: model.provider,
            id: model.id,
            context_window: model.context_window,
            max_output: model.max_output,
            cost: model.cost.map(|cost: TokenCost| wit::TokenCost {
                input: cost.input,
                output: cost.output,
                cache_read: cost.cache_read,
                cache_write: cost.cache_write,
            }),
        }
    }
}

impl From<Usage> for wit::Usage {
    fn from(usage: Usage) -> Self {
        Self {
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
        }
    }
}

impl From<wit::Progress> for Progress {
    fn from(progress: wit::Progress) -> Self {
        Self {
            done: progress.done,
            total: progress.total,
            finished: progress.finished,
        }
    }
}

impl From<Span> for planning::Span {
    fn from(span: Span) -> Self {
        let run = |run: Run| planning::Run {
            first: run.first,
            count: run.count,
        };
        match span {
            Span::Projected(projected) => Self::Projected(run(projected)),
            Span::Inline(inline) => Self::Inline(run(inline)),
        }
    }
}

impl PlanRequest {
    pub(super) fn at(&self, now_ms: u64) -> planning::Request {
        planning::Request {
            messages: self.messages.iter().copied().map(Into::into).collect(),
            inline: self.inline.as_deref().unwrap_or("[]").as_bytes().to_vec(),
            system_prompt: self.system_prompt.clone(),
            tools: self.tools.as_ref().map(|tools| tools.clone().into_bytes()),
            budget: self.budget,
            now_ms,
        }
    }
}

impl TryFrom<planning::Plan> for Plan {
    type Error = HostError;

    fn try_from(plan: planning::Plan) -> Result<Self, HostError> {
        Ok(Self {
            items: plan
                .items
                .into_iter()
                .map(PlanItem::try_from)
                .collect::<Result<_, _>>()?,
            manifest_id: plan.manifest_id,
            prompt_hash: plan.prompt_hash,
            estimated_tokens: plan.estimated_tokens,
            estimator: plan.estimator,
            fallback: plan.fallback,
        })
    }
}

impl TryFrom<planning::Item> for PlanItem {
    type Error = HostError;

    fn try_from(item: planning::Item) -> Result<Self, HostError> {
        Ok(match item {
            planning::Item::Keep(run) => Self::Keep(Run {
                first: run.first,
                count: run.count,
            }),
            planning::Item::Replace(replacement) => Self::Replace(Replacement {
                position: replacement.position,
                content: document(replacement.content)?,
            }),
            planning::Item::Insert(supplement) => Self::Insert(Supplement {
                kind: supplement.kind.into(),
                text: supplement.text,
                tokens: supplement.tokens,
                classification: supplement.classification.into(),
                source_ids: supplement.source_ids,
            }),
        })
    }
}

impl From<planning::SupplementKind> for SupplementKind {
    fn from(kind: planning::SupplementKind) -> Self {
        match kind {
            planning::SupplementKind::Pin => Self::Pin,
            planning::SupplementKind::Memory => Self::Memory,
            planning::SupplementKind::History => Self::History,
            planning::SupplementKind::Project => Self::Project,
            planning::SupplementKind::Summary => Self::Summary,
            planning::SupplementKind::Notice => Self::Notice,
        }
    }
}

impl From<wit::Classification> for Classification {
    fn from(classification: wit::Classification) -> Self {
        match classification {
            wit::Classification::Normal => Self::Normal,
            wit::Classification::Internal => Self::Internal,
            wit::Classification::Sensitive => Self::Sensitive,
            wit::Classification::LocalOnly => Self::LocalOnly,
        }
    }
}

impl From<&ConfigLayer> for sessions::ConfigLayer {
    fn from(layer: &ConfigLayer) -> Self {
        Self {
            source: layer.source.clone(),
            content: layer.content.clone().into_bytes(),
        }
    }
}

impl TryFrom<sessions::MergedConfig> for MergedConfig {
    type Error = HostError;

    fn try_from(merged: sessions::MergedConfig) -> Result<Self, HostError> {
        let problem = |problem: sessions::ConfigProblem| ConfigProblem {
            source: problem.source,
            ignored_layer: problem.ignored_layer,
            code: problem.code,
            path: problem.path,
            message: problem.message,
        };
        Ok(Self {
            config: document(merged.config)?,
            problems: merged.problems.into_iter().map(problem).collect(),
        })
    }
}
