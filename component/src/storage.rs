//! The storage port over the contract's import.

use ds4_context_core::ports::{BlockFile, Extent, Place, Storage, StorageError};

use crate::bindings::ds4::context::storage as port;

/// What the host keeps for the component.
pub(crate) struct ImportedStorage;

impl Storage for ImportedStorage {
    fn read_file(
        &self,
        place: Place,
        path: &str,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, StorageError> {
        port::read_file(granted(place), path, offset, length).map_err(error)
    }

    fn list_files(
        &self,
        place: Place,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<u8>, StorageError> {
        port::list_files(granted(place), after, limit).map_err(error)
    }

    fn open_block_file(&self, name: &str) -> Result<Box<dyn BlockFile>, StorageError> {
        let file = port::open_block_file(name).map_err(error)?;
        Ok(Box::new(ImportedBlockFile(file)))
    }

    fn block_file_size(&self, name: &str) -> Result<Option<u64>, StorageError> {
        port::block_file_size(name).map_err(error)
    }
}

fn granted(place: Place) -> port::Place {
    match place {
        Place::Sessions => port::Place::Sessions,
        Place::Project => port::Place::Project,
    }
}

/// Dropping the resource ends its transaction on the host's side.
struct ImportedBlockFile(port::BlockFile);

impl BlockFile for ImportedBlockFile {
    fn lock(&mut self) -> Result<u64, StorageError> {
        self.0.lock().map_err(error)
    }

    fn unlock(&mut self) {
        self.0.unlock();
    }

    fn size(&mut self) -> Result<u64, StorageError> {
        self.0.size().map_err(error)
    }

    fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, StorageError> {
        self.0.read(offset, length).map_err(error)
    }

    fn commit(
        &mut self,
        extents: &[Extent],
        data: &[u8],
        new_size: u64,
        is_final: bool,
    ) -> Result<u64, StorageError> {
        let extents: Vec<port::Extent> = extents
            .iter()
            .map(|extent| port::Extent {
                offset: extent.offset,
                length: extent.length,
            })
            .collect();
        self.0
            .commit(&extents, data, new_size, is_final)
            .map_err(error)
    }
}

fn error(error: port::StorageError) -> StorageError {
    match error {
        port::StorageError::NotFound => StorageError::NotFound,
        port::StorageError::AccessDenied => StorageError::AccessDenied,
        port::StorageError::Busy => StorageError::Busy,
        port::StorageError::Full => StorageError::Full,
        port::StorageError::Corrupt(text) => StorageError::Corrupt(text),
        port::StorageError::Other(text) => StorageError::Other(text),
    }
}
