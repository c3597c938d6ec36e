//! Models: their limits, how their tokens are counted, and what follows for a request's budget.
//!
//! Invariants: an estimate always names its estimator; a calibration can lower a limit and never raise one; no price or
//! limit of a model is written down here, all of them come from the host or the configuration.

pub mod budget;
pub mod estimator;
#[cfg(feature = "exact-tokens")]
mod o200k;
pub mod profile;

pub use budget::{Budgets, Ceilings, evidence_reserve};
pub use estimator::Estimator;
pub use profile::{Model, ModelProfile, TokenCost};
