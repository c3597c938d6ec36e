//! Finding again what the window no longer holds.
//!
//! The way of a question: [`query`] reads it → [`search`] asks the index ([`crate::store::entries`]) for rows → [`rank`] chooses
//! candidates, of several sessions together, and [`score`] reads those from the log ([`reading`]) → [`excerpt`] and [`evidence`] quote the best. The way of an entry: [`index`]
//! takes its text ([`indexed_text`]) apart into [`words`].
// Counts and scores are far below what a double holds exactly.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

mod dates;
mod evidence;
mod excerpt;
mod forms;
mod index;
mod index_database;
mod indexed_text;
mod literals;
mod porter;
mod query;
mod rank;
mod reading;
mod references;
mod scope;
mod score;
mod search;
mod source;
mod stopwords;
mod timeline;
mod trigrams;
pub mod words;

pub(crate) use evidence::collapsed;
pub use evidence::{Evidence, EvidenceStatus, evidence};
pub use excerpt::{Excerpt, excerpt};
pub use index::{IndexProgress, RebuildReason, SessionIndex};
pub use index_database::IndexDatabase;
pub(crate) use indexed_text::cut;
pub use indexed_text::{indexed_text, is_eligible};
pub use literals::ask_literals;
pub use query::Query;
pub use rank::rank;
pub use references::{Grant, LIFETIME_MS, MAX_REFERENCES, References};
pub use scope::{Relation, Scope};
pub use score::AskedLiteral;
pub use search::{
    AskedIndex, Found, Reason, RelatedStems, Searched, WordRows, are_enough, ask_words, search,
};
pub use source::Source;
pub use timeline::Timeline;
