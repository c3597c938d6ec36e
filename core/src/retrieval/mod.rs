//! Finding again what the window no longer holds.

mod dates;
mod evidence;
mod excerpt;
mod forms;
mod index;
mod indexed_text;
mod porter;
mod query;
mod reading;
mod references;
mod score;
mod search;
mod stopwords;
mod timeline;
pub mod words;

pub(crate) use evidence::collapsed;
pub use evidence::{Evidence, EvidenceStatus, evidence};
pub use excerpt::{Excerpt, excerpt};
pub use index::{IndexProgress, RebuildReason, SessionIndex, Source};
pub(crate) use indexed_text::cut;
pub use indexed_text::{indexed_text, is_eligible};
pub use query::Query;
pub use references::{LIFETIME_MS, MAX_REFERENCES, References};
pub use search::{Found, Reason, Searched, search};
pub use timeline::Timeline;
