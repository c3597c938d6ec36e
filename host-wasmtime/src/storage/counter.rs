//! The commit counter, `NAME.state`. Not synced: after a power loss no guest is alive that could compare.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use super::folder::Folder;
use super::positioned::{read_at, write_all_at};

const MAGIC: &[u8; 8] = b"DS4STATE";
const FILE_BYTES: usize = 16;

/// The counter as the file has it. None where the file is missing or malformed.
pub(super) fn read(folder: &Folder, name: &str) -> io::Result<Option<u64>> {
    let file = match folder.open_to_read(name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // One byte more, to see a longer file.
    let mut bytes = [0; FILE_BYTES + 1];
    let read = read_at(&file, &mut bytes, 0)?;
    let counter = bytes.get(..read).and_then(|bytes| {
        let counter = bytes.strip_prefix(MAGIC)?;
        Some(u64::from_le_bytes(counter.try_into().ok()?))
    });
    Ok(counter)
}

pub(super) fn write(folder: &Folder, name: &str, counter: u64) -> io::Result<()> {
    let (file, _made) = folder.open_or_create(name)?;
    let mut bytes = [0; FILE_BYTES];
    let (magic, number) = bytes.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    number.copy_from_slice(&counter.to_le_bytes());
    write_all_at(&file, &bytes, 0)?;
    if file.metadata()?.len() > FILE_BYTES as u64 {
        file.set_len(FILE_BYTES as u64)?;
    }
    Ok(())
}

/// A counter that differs from every one that a guest may have seen: nanoseconds since 1970.
pub(super) fn unseen() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since
        .ok()
        .and_then(|since| u64::try_from(since.as_nanos()).ok())
        .unwrap_or(u64::MAX / 2)
}
