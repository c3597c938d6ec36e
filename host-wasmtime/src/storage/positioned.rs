//! Reads and writes at a position, which std offers under another name on each platform.

use std::fs::File;
use std::io::{self, ErrorKind};

/// Fills the buffer from `offset` as far as the file goes; answers how many bytes that were.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match read_once(file, rest, offset.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Up to `length` bytes from `offset`, in a buffer no larger than what is there.
pub(super) fn read_span(file: &File, offset: u64, length: u32) -> io::Result<Vec<u8>> {
    let available = file.metadata()?.len().saturating_sub(offset);
    let wanted = available.min(u64::from(length));
    let mut bytes = vec![0; usize::try_from(wanted).unwrap_or(0)];
    let read = read_at(file, &mut bytes, offset)?;
    bytes.truncate(read);
    Ok(bytes)
}

#[cfg(unix)]
pub(super) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
pub(super) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match std::os::windows::fs::FileExt::seek_write(file, rest, offset + written as u64) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => written += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn read_once(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_once(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
