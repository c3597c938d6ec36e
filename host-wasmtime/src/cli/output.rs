//! Standard output: buffered, and quiet when nobody reads it.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use super::failure::Failure;

/// Where a command's answer goes.
pub(crate) struct Output {
    writer: BufWriter<StdoutLock<'static>>,
    colours: bool,
}

impl Output {
    pub(crate) fn standard() -> Self {
        let stdout = io::stdout();
        let colours = stdout.is_terminal() && wants_colours();
        Self {
            writer: BufWriter::new(stdout.lock()),
            colours,
        }
    }

    /// Whether the answer may be coloured.
    pub(crate) fn colours(&self) -> bool {
        self.colours
    }

    /// Writes a text and a line feed.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        writeln!(self.writer, "{text}").map_err(|error| Failure::writing(&error))
    }

    /// Writes what is still buffered.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.writer
            .flush()
            .map_err(|error| Failure::writing(&error))
    }
}

fn wants_colours() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}
