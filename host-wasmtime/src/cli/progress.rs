//! A bar on standard error while a large log is read.

use std::io::{self, IsTerminal, Write};

/// Bytes of log from which on a person is told how far the reading is.
const LARGE_LOG_BYTES: u64 = 20_000_000;
/// Cells of the bar.
const BAR_CELLS: u64 = 30;
/// Bytes in the unit that is shown.
const MEGABYTE: u64 = 1_000_000;

/// Shows how far the reading is; cleared when dropped.
pub(crate) struct ReadingBar {
    total: u64,
    shown: bool,
}

impl ReadingBar {
    /// A bar for a log of so many bytes; none is drawn for a small log or where standard error is no terminal.
    pub(crate) fn of_log(bytes: u64) -> Self {
        Self {
            total: bytes,
            shown: bytes > LARGE_LOG_BYTES && io::stderr().is_terminal(),
        }
    }

    pub(crate) fn show(&mut self, done: u64) {
        if self.shown {
            // A terminal that went away is no reason to stop reading.
            let _ = write!(io::stderr(), "\r\x1b[K{}", picture(done, self.total));
        }
    }
}

impl Drop for ReadingBar {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn picture(done: u64, total: u64) -> String {
    let done = done.min(total);
    let filled = usize::try_from(done * BAR_CELLS / total.max(1)).unwrap_or(0);
    let free = usize::try_from(BAR_CELLS).unwrap_or(0) - filled;
    let (done, total) = (done / MEGABYTE, total.div_ceil(MEGABYTE));
    format!(
        "reading {}{} {done} of {total} MB",
        "█".repeat(filled),
        "░".repeat(free)
    )
}

#[cfg(test)]
mod tests {
    use super::picture;

    #[test]
    fn the_bar_fills_and_never_overflows() {
        assert!(picture(0, 100_000_000).starts_with("reading ░"));
        assert_eq!(
            picture(200_000_000, 100_000_000),
            format!("reading {} 100 of 100 MB", "█".repeat(30))
        );
    }
}
