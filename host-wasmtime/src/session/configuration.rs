//! Merging configurations: the engine's own rules, without a session.

use super::instance::Instance;
use super::types::{ConfigLayer, MergedConfig};
use crate::bindings::exports::ds4::context::sessions;
use crate::{Engine, HostError, Limits, Ports};

impl Engine {
    /// Every key of every layer checked, the layers merged (the last wins), and defaults filled in. A layer that is not
    /// valid is ignored as a whole, so the result is always usable.
    ///
    /// # Errors
    /// Where the component stopped.
    pub fn merge_config(&self, layers: &[ConfigLayer]) -> Result<MergedConfig, HostError> {
        let limits = Limits::default();
        let layers: Vec<sessions::ConfigLayer> = layers.iter().map(Into::into).collect();
        let merged = Instance::start(self, Ports::none(), limits).and_then(|instance| {
            instance.call(self, limits, |store, exports| {
                exports
                    .ds4_context_sessions()
                    .call_merge_config(store, &layers)
            })
        });
        match merged {
            Ok((_, merged)) => merged.try_into(),
            Err((error, _)) => Err(error),
        }
    }
}
