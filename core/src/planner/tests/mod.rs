//! The planner's rules, one test each, on small literal sessions; and its invariants as properties.

mod band;
mod exchanges;
mod fixture;
mod limits;
mod lines;
mod properties;
mod stable_cut;
mod superseded;
mod supplements;
