//! What the component wrote to its standard streams.

/// Most bytes of output that are kept for an error message. A panic's message comes first, so the start is kept.
pub const MAX_CAPTURED_OUTPUT_BYTES: usize = 4096;

/// A buffer that takes everything and keeps the beginning.
#[derive(Debug, Default)]
pub(crate) struct CapturedOutput {
    bytes: Vec<u8>,
}

impl CapturedOutput {
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let room = MAX_CAPTURED_OUTPUT_BYTES.saturating_sub(self.bytes.len());
        self.bytes.extend(bytes.iter().take(room));
    }

    /// Forgets what was written, at the start of a call.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim().to_owned()
    }
}
