//! tmp
fn main(){}
