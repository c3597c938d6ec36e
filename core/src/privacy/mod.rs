//! What may leave the machine (behaviour 2.4).

pub mod secrets;
