//! The block file itself: a record's spans written into it.

use std::fs::File;
use std::io;

use super::failure::storage_error;
use super::folder::Folder;
use super::lock::Lock;
use super::positioned::{read_at, write_all_at};
use super::record::Commit;
use crate::ports::StorageError;

/// Bytes that are copied at once.
const PIECE_BYTES: u64 = 1024 * 1024;

/// Writes a commit into the block file, which it returns, and makes it durable. Can be done any number of times.
///
/// # Errors
/// `Busy` where the lock was lost meanwhile, and every failure of the device. The block file is then a mixture, which
/// the record, that must stay, puts right.
pub(super) fn apply(
    commit: &Commit,
    record: &File,
    folder: &Folder,
    name: &str,
    lock: &mut Lock,
) -> Result<File, StorageError> {
    let (pages, made) = folder.open_or_create(name).map_err(storage_error)?;
    let mut piece = Vec::new();
    for span in &commit.spans {
        let mut done = 0;
        while done < span.length {
            lock.keep()?;
            let wanted = PIECE_BYTES.min(span.length - done);
            piece.resize(usize::try_from(wanted).unwrap_or_default(), 0);
            copy(
                record,
                span.position + done,
                &mut piece,
                &pages,
                span.offset + done,
            )
            .map_err(storage_error)?;
            done += wanted;
        }
    }
    let size = pages.metadata().map_err(storage_error)?.len();
    if size != commit.new_size {
        pages.set_len(commit.new_size).map_err(storage_error)?;
    }
    pages.sync_data().map_err(storage_error)?;
    if made {
        folder.sync().map_err(storage_error)?;
    }
    Ok(pages)
}

fn copy(
    record: &File,
    position: u64,
    piece: &mut [u8],
    pages: &File,
    offset: u64,
) -> io::Result<()> {
    if read_at(record, piece, position)? != piece.len() {
        return Err(io::Error::other("the commit record was cut"));
    }
    write_all_at(pages, piece, offset)
}
