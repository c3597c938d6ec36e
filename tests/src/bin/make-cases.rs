//! `cargo run --release -p ds4-context-tests --bin make-cases`: writes `fixtures/cases` anew, apart from what the cases come
//! to. A test compares the committed files with what this writes.
//!
//! One function makes one case; its name is the case's.

use std::process::ExitCode;

use ds4_context_tests::{made_cases, workspace};

fn main() -> ExitCode {
    let folder = workspace::cases();
    for made in made_cases::all() {
        if let Err(error) = made.write(&folder) {
            eprintln!("{}: {error}", made.name);
            return ExitCode::FAILURE;
        }
        println!("{}", made.name);
    }
    ExitCode::SUCCESS
}
