//! Tells the format of a log by its first line.

use super::line_reader::TAIL_BYTES;
use super::log::LogFormat;
use super::shallow_scan::ShallowScan;
use super::{pi_codec, runtime_codec};

/// Bytes that are looked at: a first line that does not say its type this early is none of ours.
const MAX_BYTES_LOOKED_AT: usize = 1024 * TAIL_BYTES;

/// The format of a log that starts with these bytes. None where they do not tell: an empty file, or one of another kind.
pub fn detect_format(first_bytes: &[u8]) -> Option<LogFormat> {
    let first_bytes = first_bytes
        .get(..MAX_BYTES_LOOKED_AT)
        .unwrap_or(first_bytes);
    let start = first_bytes.iter().position(|byte| *byte == b'{')?;
    let line = first_bytes
        .get(start..)?
        .split(|byte| *byte == b'\n')
        .next()?;
    let mut scan = ShallowScan::default();
    scan.feed(line);
    match scan.finish().kind?.as_str() {
        runtime_codec::HEADER_TYPE => Some(LogFormat::RuntimeSessionV1),
        name if pi_codec::is_known_type(name) => Some(LogFormat::PiSessionV3),
        _ => None,
    }
}
