//! The exports of `privacy`: secrets are found, payloads are not checked yet.

use ds4_context_core::privacy::secrets::{Redaction, SecretDetector};

use crate::Component;
use crate::bindings::ds4::context::types::{Error, Json};
use crate::bindings::exports::ds4::context::privacy;
use crate::bindings::exports::ds4::context::sessions::SessionBorrow;
use crate::unsupported::unsupported;

thread_local! {
    /// Built when the first text comes. A component has one thread.
    static DETECTOR: SecretDetector = SecretDetector::default();
}

impl privacy::Guest for Component {
    fn check_payload(_: SessionBorrow<'_>, _: String, _: Json) -> Result<privacy::Verdict, Error> {
        unsupported("payload check")
    }

    fn find_secrets(texts: Vec<String>) -> Vec<Vec<privacy::Redaction>> {
        DETECTOR.with(|detector| {
            texts
                .iter()
                .map(|text| detector.find(text).into_iter().map(redaction).collect())
                .collect()
        })
    }
}

fn redaction(found: Redaction) -> privacy::Redaction {
    privacy::Redaction {
        start: offset(found.start),
        end: offset(found.end),
        rule: found.rule.to_string(),
        placeholder: found.replacement.placeholder().to_owned(),
    }
}

/// A text of a 32-bit component is never longer than this counts.
fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
