//! Where things lie in the repository.

use std::path::{Path, PathBuf};

/// The repository's root.
#[must_use]
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_path_buf()
}

/// `fixtures/cases`.
#[must_use]
pub fn cases() -> PathBuf {
    root().join("fixtures/cases")
}
