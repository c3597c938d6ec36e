//! The planner's rules, one test each, on small literal sessions; and its invariants as properties.

mod band;
mod exchanges;
mod fixture;
mod limits;
mod properties;
mod stable_cut;
