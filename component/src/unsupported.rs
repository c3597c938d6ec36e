//! What a later version fills. It answers `unsupported`, never an invented result.

use crate::Component;
use crate::bindings::ds4::context::types::Error;
use crate::bindings::exports::ds4::context::compaction;
use crate::bindings::exports::ds4::context::sessions::SessionBorrow;

pub(crate) fn unsupported<T>(interface: &str) -> Result<T, Error> {
    Err(Error::Unsupported(format!(
        "this version of the component has no {interface} yet"
    )))
}

/// No job is ever started, so there is nothing that a method could be called on.
pub(crate) enum NoJob {}

impl compaction::Guest for Component {
    type Job = NoJob;

    fn settle(_: SessionBorrow<'_>, _: String, _: bool, _: u64) -> Result<(), Error> {
        unsupported("compaction")
    }

    fn should_compact(_: SessionBorrow<'_>) -> Result<compaction::Threshold, Error> {
        unsupported("compaction")
    }
}

impl compaction::GuestJob for NoJob {
    fn start(_: SessionBorrow<'_>, _: compaction::Request) -> Result<compaction::Job, Error> {
        unsupported("compaction")
    }

    fn advance(&self, _: u64) -> Result<compaction::State, Error> {
        match *self {}
    }

    fn wait_until_ms(&self) -> Option<u64> {
        match *self {}
    }
}
