//! The component's imports answered by an embedder's ports: conversions and resource handles, nothing else.

use wasmtime::component::Resource;

use super::{
    BlockFile, CompletionCall, CompletionError, CompletionRequest, CompletionResponse,
    CompletionUnavailable, EmbeddingBatch, EmbeddingError, Extent, KvFingerprint, KvReplay,
    KvReuse, MAX_BYTES_PER_READ, ObjectWriter, Place, StorageError, within_call_limit,
};
use crate::bindings::ds4::context::{completion, embedding, local_kv, storage, types};
use crate::session::HostState;

pub type BlockFileHandle = Box<dyn BlockFile>;
pub type ObjectWriterHandle = Box<dyn ObjectWriter>;
pub type BatchHandle = Box<dyn EmbeddingBatch>;
pub type CallHandle = Box<dyn CompletionCall>;
pub type ReplayHandle = Box<dyn KvReplay>;

type Stored<T> = wasmtime::Result<Result<T, storage::StorageError>>;

impl storage::Host for HostState {
    fn open_block_file(&mut self, name: String) -> Stored<Resource<BlockFileHandle>> {
        match self.ports.storage.open_block_file(&name) {
            Ok(file) => Ok(Ok(self.resources.push(file)?)),
            Err(error) => Ok(Err(error.into())),
        }
    }

    fn block_file_size(&mut self, name: String) -> Stored<Option<u64>> {
        Ok(self
            .ports
            .storage
            .block_file_size(&name)
            .map_err(Into::into))
    }

    fn remove_block_file(&mut self, name: String) -> Stored<()> {
        Ok(self
            .ports
            .storage
            .remove_block_file(&name)
            .map_err(Into::into))
    }

    fn get_object(&mut self, sha256: String, offset: u64, length: u32) -> Stored<Vec<u8>> {
        let read = within_call_limit(u64::from(length))
            .and_then(|()| self.ports.storage.get_object(&sha256, offset, length));
        Ok(bounded(read, length))
    }

    fn list_objects(
        &mut self,
        after: Option<String>,
        limit: u32,
    ) -> Stored<Vec<storage::ObjectStat>> {
        let listed = self.ports.storage.list_objects(after.as_deref(), limit);
        let stat = |object: super::ObjectStat| storage::ObjectStat {
            sha256: object.sha256,
            size: object.size,
        };
        Ok(match listed {
            Ok(objects) if objects.len() > limit as usize => Err(returned_too_much()),
            other => other
                .map(|objects| objects.into_iter().map(stat).collect())
                .map_err(Into::into),
        })
    }

    fn remove_object(&mut self, sha256: String) -> Stored<()> {
        Ok(self
            .ports
            .storage
            .remove_object(&sha256)
            .map_err(Into::into))
    }

    fn list_files(
        &mut self,
        place: storage::Place,
        after: Option<String>,
        limit: u32,
    ) -> Stored<Vec<u8>> {
        Ok(self
            .ports
            .storage
            .list_files(place.into(), after.as_deref(), limit)
            .map_err(Into::into))
    }

    fn read_file(
        &mut self,
        place: storage::Place,
        path: String,
        offset: u64,
        length: u32,
    ) -> Stored<Vec<u8>> {
        let length = length.min(MAX_BYTES_PER_READ);
        Ok(bounded(
            self.ports
                .storage
                .read_file(place.into(), &path, offset, length),
            length,
        ))
    }
}

/// A port must not hand over more than was asked for: the component relies on it for its offsets.
fn bounded(
    read: Result<Vec<u8>, StorageError>,
    length: u32,
) -> Result<Vec<u8>, storage::StorageError> {
    match read {
        Ok(bytes) if bytes.len() > length as usize => Err(returned_too_much()),
        other => other.map_err(Into::into),
    }
}

fn returned_too_much() -> storage::StorageError {
    storage::StorageError::Other("the storage port returned more than was asked for".to_owned())
}

impl storage::HostBlockFile for HostState {
    fn lock(&mut self, file: Resource<BlockFileHandle>) -> Stored<u64> {
        Ok(self.resources.get_mut(&file)?.lock().map_err(Into::into))
    }

    fn unlock(&mut self, file: Resource<BlockFileHandle>) -> wasmtime::Result<()> {
        self.resources.get_mut(&file)?.unlock();
        Ok(())
    }

    fn size(&mut self, file: Resource<BlockFileHandle>) -> Stored<u64> {
        Ok(self.resources.get_mut(&file)?.size().map_err(Into::into))
    }

    fn read(
        &mut self,
        file: Resource<BlockFileHandle>,
        offset: u64,
        length: u32,
    ) -> Stored<Vec<u8>> {
        let file = self.resources.get_mut(&file)?;
        let read = within_call_limit(u64::from(length)).and_then(|()| file.read(offset, length));
        Ok(bounded(read, length))
    }

    fn commit(
        &mut self,
        file: Resource<BlockFileHandle>,
        extents: Vec<storage::Extent>,
        data: Vec<u8>,
        new_size: u64,
        last: bool,
    ) -> Stored<u64> {
        let span = |extent: storage::Extent| Extent {
            offset: extent.offset,
            length: extent.length,
        };
        let extents: Vec<Extent> = extents.into_iter().map(span).collect();
        let file = self.resources.get_mut(&file)?;
        Ok(within_call_limit(data.len() as u64)
            .and_then(|()| file.commit(&extents, &data, new_size, last))
            .map_err(Into::into))
    }

    fn drop(&mut self, file: Resource<BlockFileHandle>) -> wasmtime::Result<()> {
        self.resources.delete(file)?;
        Ok(())
    }
}

impl storage::HostObjectWriter for HostState {
    fn start(&mut self) -> Stored<Resource<ObjectWriterHandle>> {
        match self.ports.storage.start_object() {
            Ok(writer) => Ok(Ok(self.resources.push(writer)?)),
            Err(error) => Ok(Err(error.into())),
        }
    }

    fn write(&mut self, writer: Resource<ObjectWriterHandle>, bytes: Vec<u8>) -> Stored<()> {
        let writer = self.resources.get_mut(&writer)?;
        Ok(within_call_limit(bytes.len() as u64)
            .and_then(|()| writer.write(&bytes))
            .map_err(Into::into))
    }

    fn finish(&mut self, writer: Resource<ObjectWriterHandle>, sha256: String) -> Stored<()> {
        Ok(self
            .resources
            .get_mut(&writer)?
            .finish(&sha256)
            .map_err(Into::into))
    }

    fn drop(&mut self, writer: Resource<ObjectWriterHandle>) -> wasmtime::Result<()> {
        self.resources.delete(writer)?;
        Ok(())
    }
}

impl From<storage::Place> for Place {
    fn from(place: storage::Place) -> Self {
        match place {
            storage::Place::Sessions => Self::Sessions,
            storage::Place::Project => Self::Project,
        }
    }
}

impl From<StorageError> for storage::StorageError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::NotFound => Self::NotFound,
            StorageError::AccessDenied => Self::AccessDenied,
            StorageError::Busy => Self::Busy,
            StorageError::Full => Self::Full,
            StorageError::Corrupt(text) => Self::Corrupt(text),
            StorageError::Other(text) => Self::Other(text),
        }
    }
}

impl embedding::Host for HostState {
    fn get_profile(&mut self) -> wasmtime::Result<Option<embedding::Profile>> {
        Ok(self
            .ports
            .embedding
            .profile()
            .map(|profile| embedding::Profile {
                provider: profile.provider,
                model: profile.model,
                dimensions: profile.dimensions,
                local: profile.local,
            }))
    }

    fn start(
        &mut self,
        texts: Vec<String>,
    ) -> wasmtime::Result<Result<Resource<BatchHandle>, embedding::EmbeddingError>> {
        match self.ports.embedding.start(texts) {
            Ok(batch) => Ok(Ok(self.resources.push(batch)?)),
            Err(error) => Ok(Err(error.into())),
        }
    }
}

impl embedding::HostBatch for HostState {
    fn poll(
        &mut self,
        batch: Resource<BatchHandle>,
    ) -> wasmtime::Result<Option<Result<Vec<u8>, embedding::EmbeddingError>>> {
        let outcome = self.resources.get_mut(&batch)?.poll();
        let packed = |vectors: Vec<f32>| {
            vectors
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect()
        };
        Ok(outcome.map(|outcome| outcome.map(packed).map_err(Into::into)))
    }

    fn drop(&mut self, batch: Resource<BatchHandle>) -> wasmtime::Result<()> {
        self.resources.delete(batch)?;
        Ok(())
    }
}

impl From<EmbeddingError> for embedding::EmbeddingError {
    fn from(error: EmbeddingError) -> Self {
        match error {
            EmbeddingError::Unavailable(text) => Self::Unavailable(text),
            EmbeddingError::InvalidInput(text) => Self::InvalidInput(text),
            EmbeddingError::Timeout => Self::Timeout,
            EmbeddingError::Other(text) => Self::Other(text),
        }
    }
}

impl completion::Host for HostState {
    fn get_profile(
        &mut self,
        provider: Option<String>,
        id: Option<String>,
    ) -> wasmtime::Result<Result<completion::Profile, completion::Unavailable>> {
        let profile = self
            .ports
            .completion
            .profile(provider.as_deref(), id.as_deref());
        Ok(profile
            .map(|profile| completion::Profile {
                model: profile.model.into(),
                local: profile.local,
            })
            .map_err(|unavailable| match unavailable {
                CompletionUnavailable::NotFound => completion::Unavailable::NotFound,
                CompletionUnavailable::NoAuth => completion::Unavailable::NoAuth,
                CompletionUnavailable::NoTextInput => completion::Unavailable::NoTextInput,
                CompletionUnavailable::NoConsent => completion::Unavailable::NoConsent,
            }))
    }

    fn start(
        &mut self,
        request: completion::Request,
    ) -> wasmtime::Result<Result<Resource<CallHandle>, completion::CompletionError>> {
        let request = CompletionRequest {
            provider: request.provider,
            model: request.model,
            system: request.system,
            prompt: request.prompt,
            max_output_tokens: request.max_output_tokens,
            thinking: request.thinking,
        };
        match self.ports.completion.start(request) {
            Ok(call) => Ok(Ok(self.resources.push(call)?)),
            Err(error) => Ok(Err(error.into())),
        }
    }
}

impl completion::HostCall for HostState {
    fn poll(
        &mut self,
        call: Resource<CallHandle>,
    ) -> wasmtime::Result<Option<Result<completion::Response, completion::CompletionError>>> {
        let outcome = self.resources.get_mut(&call)?.poll();
        let answer = |response: CompletionResponse| completion::Response {
            text: response.text,
            usage: response.usage.map(Into::into),
            finished: response.finished,
        };
        Ok(outcome.map(|outcome| outcome.map(answer).map_err(Into::into)))
    }

    fn drop(&mut self, call: Resource<CallHandle>) -> wasmtime::Result<()> {
        self.resources.delete(call)?;
        Ok(())
    }
}

impl From<CompletionError> for completion::CompletionError {
    fn from(error: CompletionError) -> Self {
        match error {
            CompletionError::Aborted => Self::Aborted,
            CompletionError::InputLimit(text) => Self::InputLimit(text),
            CompletionError::UsageLimit(text) => Self::UsageLimit(text),
            CompletionError::RateLimit(after_ms) => Self::RateLimit(after_ms),
            CompletionError::Authentication(text) => Self::Authentication(text),
            CompletionError::Transport(text) => Self::Transport(text),
            CompletionError::Provider(text) => Self::ProviderError(text),
        }
    }
}

impl local_kv::Host for HostState {
    fn get_identity(&mut self) -> wasmtime::Result<Option<local_kv::Identity>> {
        Ok(self
            .ports
            .local_kv
            .identity()
            .map(|identity| local_kv::Identity {
                runtime: identity.runtime,
                revision: identity.revision,
                capability_version: identity.capability_version,
            }))
    }

    fn try_reuse(
        &mut self,
        fingerprint: local_kv::Fingerprint,
        prefix_tokens: u32,
    ) -> wasmtime::Result<local_kv::Reuse> {
        Ok(
            match self
                .ports
                .local_kv
                .try_reuse(&fingerprint.into(), prefix_tokens)
            {
                KvReuse::Hit(tokens) => local_kv::Reuse::Hit(tokens),
                KvReuse::Miss => local_kv::Reuse::Miss,
                KvReuse::Rejected(text) => local_kv::Reuse::Rejected(text),
                KvReuse::Unavailable(text) => local_kv::Reuse::Unavailable(text),
            },
        )
    }

    fn shutdown(&mut self) -> wasmtime::Result<()> {
        self.ports.local_kv.shutdown();
        Ok(())
    }
}

impl local_kv::HostReplay for HostState {
    fn start(
        &mut self,
        fingerprint: local_kv::Fingerprint,
        payload: Vec<u8>,
    ) -> wasmtime::Result<Resource<ReplayHandle>> {
        let replay = self
            .ports
            .local_kv
            .start_replay(fingerprint.into(), payload);
        Ok(self.resources.push(replay)?)
    }

    fn poll(
        &mut self,
        replay: Resource<ReplayHandle>,
    ) -> wasmtime::Result<Option<Result<(), String>>> {
        Ok(self.resources.get_mut(&replay)?.poll())
    }

    fn drop(&mut self, replay: Resource<ReplayHandle>) -> wasmtime::Result<()> {
        self.resources.delete(replay)?;
        Ok(())
    }
}

impl From<local_kv::Fingerprint> for KvFingerprint {
    fn from(fingerprint: local_kv::Fingerprint) -> Self {
        Self {
            prefix: fingerprint.prefix,
            model: fingerprint.model,
            options: fingerprint.options,
            privacy_policy: fingerprint.privacy_policy,
            runtime: fingerprint.runtime,
        }
    }
}

impl types::Host for HostState {}

#[cfg(test)]
#[path = "imports_tests.rs"]
mod tests;
