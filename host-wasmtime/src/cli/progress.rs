//! What a person is told on standard error while something takes long.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Time after which a person is told how far the work is.
const LONG: Duration = Duration::from_millis(400);
/// Cells of the bar.
const BAR_CELLS: u64 = 30;

/// What is counted, and in what.
#[derive(Debug, Clone, Copy)]
struct Work {
    verb: &'static str,
    /// How many make one of the shown unit.
    unit: u64,
    unit_name: &'static str,
}

const READING: Work = Work {
    verb: "reading",
    unit: 1_000_000,
    unit_name: "MB",
};
const INDEXING: Work = Work {
    verb: "indexing",
    unit: 1,
    unit_name: "entries",
};

/// Shows how far the work is; cleared when dropped. Nothing is drawn for short work or where standard error is no terminal.
pub(crate) struct Bar {
    work: Work,
    is_terminal: bool,
    started: Instant,
    is_drawn: bool,
}

impl Bar {
    /// A bar for reading a log, in bytes.
    pub(crate) fn of_reading() -> Self {
        Self::of(READING)
    }

    /// A bar for indexing, in entries.
    pub(crate) fn of_index() -> Self {
        Self::of(INDEXING)
    }

    fn of(work: Work) -> Self {
        Self {
            work,
            is_terminal: io::stderr().is_terminal(),
            started: Instant::now(),
            is_drawn: false,
        }
    }

    pub(crate) fn show(&mut self, done: u64, total: u64) {
        if self.is_terminal && self.started.elapsed() >= LONG {
            self.is_drawn = true;
            // A terminal that went away is no reason to stop.
            let _ = write!(io::stderr(), "\r\x1b[K{}", picture(self.work, done, total));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if self.is_drawn {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// A line about work that cannot be measured; cleared when dropped. Nothing is shown for short work or where standard error is
/// no terminal.
pub(crate) struct Notice {
    shown: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Notice {
    pub(crate) fn of(text: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self { shown: None };
        }
        let (ended, is_ended) = mpsc::channel();
        let shower = thread::spawn(move || {
            if is_ended.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
                let _ = write!(io::stderr(), "\r\x1b[K{text}");
                let _ = is_ended.recv();
                let _ = write!(io::stderr(), "\r\x1b[K");
            }
        });
        Self {
            shown: Some((ended, shower)),
        }
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        if let Some((ended, shower)) = self.shown.take() {
            drop(ended);
            let _ = shower.join();
        }
    }
}

fn picture(work: Work, done: u64, total: u64) -> String {
    let done = done.min(total);
    let filled = usize::try_from(done * BAR_CELLS / total.max(1)).unwrap_or(0);
    let free = usize::try_from(BAR_CELLS).unwrap_or(0) - filled;
    let (done, total) = (done / work.unit, total.div_ceil(work.unit));
    format!(
        "{} {}{} {done} of {total} {}",
        work.verb,
        "█".repeat(filled),
        "░".repeat(free),
        work.unit_name
    )
}

#[cfg(test)]
mod tests {
    use super::{INDEXING, READING, picture};

    #[test]
    fn the_bar_fills_and_never_overflows() {
        assert!(picture(READING, 0, 100_000_000).starts_with("reading ░"));
        assert_eq!(
            picture(READING, 200_000_000, 100_000_000),
            format!("reading {} 100 of 100 MB", "█".repeat(30))
        );
        assert!(picture(INDEXING, 5, 10).ends_with("5 of 10 entries"));
        assert!(picture(INDEXING, 0, 0).contains("0 of 0"));
    }
}
