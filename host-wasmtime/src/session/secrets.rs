//! Finding secrets in texts, without a session.

use super::instance::Instance;
use crate::bindings::exports::ds4::context::privacy;
use crate::{Engine, HostError, Limits, Ports};

/// Finds keys, tokens and passwords by the engine's rules. It holds a component of its own, whose rules are prepared with
/// the first call; dropping it ends the component.
pub struct SecretDetector {
    engine: Engine,
    limits: Limits,
    /// None before the first call, and after one in which the component stopped.
    instance: Option<Instance>,
}

/// A secret in a text: a range of UTF-8 bytes, at character boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The rule that found it.
    pub rule: String,
    /// What has to stand in its place, such as `[DS4 REDACTED SECRET]`.
    pub placeholder: String,
}

impl SecretDetector {
    /// A detector whose calls stay within the limits. Nothing is started yet.
    #[must_use]
    pub fn new(engine: &Engine, limits: Limits) -> Self {
        Self {
            engine: engine.clone(),
            limits,
            instance: None,
        }
    }

    /// The secrets of each text, in the order of the texts and of the ranges, which do not overlap. All texts cross into
    /// the component at once: a few megabytes a call are fast and far from every default limit.
    ///
    /// # Errors
    /// Where the component stopped. The next call starts another.
    pub fn find(&mut self, texts: &[String]) -> Result<Vec<Vec<Redaction>>, HostError> {
        let started = match self.instance.take() {
            Some(instance) => Ok(instance),
            None => Instance::start(&self.engine, Ports::none(), self.limits),
        };
        let found = started.and_then(|instance| {
            instance.call(&self.engine, self.limits, |store, exports| {
                exports
                    .ds4_context_privacy()
                    .call_find_secrets(store, texts)
            })
        });
        match found {
            Ok((instance, found)) => {
                self.instance = Some(instance);
                Ok(found
                    .into_iter()
                    .map(|text| text.into_iter().map(Redaction::from).collect())
                    .collect())
            }
            Err((error, _)) => Err(error),
        }
    }
}

impl std::fmt::Debug for SecretDetector {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SecretDetector")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl From<privacy::Redaction> for Redaction {
    fn from(found: privacy::Redaction) -> Self {
        Self {
            start: found.start as usize,
            end: found.end as usize,
            rule: found.rule,
            placeholder: found.placeholder,
        }
    }
}
