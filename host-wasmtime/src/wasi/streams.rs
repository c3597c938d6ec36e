//! WASI's streams: input that has ended, output that is captured, and pollables that are always ready.

use wasmtime::component::{ComponentType, Lift, LinkerInstance, Lower, Resource, ResourceType};

use super::answer;
use crate::session::HostState;

/// Standard input.
struct InputStream;
/// Standard output or standard error.
struct OutputStream;
/// Something to wait for; it is always ready.
struct Pollable;
/// A stream's failure; no stream here fails.
struct StreamFailure;

/// `stream-error` of `wasi:io`.
#[derive(ComponentType, Lower, Lift)]
#[component(variant)]
enum StreamError {
    #[component(name = "last-operation-failed")]
    LastOperationFailed(Resource<StreamFailure>),
    #[component(name = "closed")]
    Closed,
}

/// Handles are numbers without state behind them.
const ONLY_HANDLE: u32 = 0;
/// Bytes that one `write` may carry, as `check-write` announces them.
const WRITE_PERMIT: u64 = 64 * 1024;

type Streamed<T> = wasmtime::Result<(Result<T, StreamError>,)>;

pub(super) fn resource(name: &str) -> Option<ResourceType> {
    match name {
        "input-stream" => Some(ResourceType::host::<InputStream>()),
        "output-stream" => Some(ResourceType::host::<OutputStream>()),
        "pollable" => Some(ResourceType::host::<Pollable>()),
        "error" => Some(ResourceType::host::<StreamFailure>()),
        _ => None,
    }
}

pub(super) fn add_interface(
    instance: &mut LinkerInstance<'_, HostState>,
    interface: &str,
) -> wasmtime::Result<()> {
    match interface {
        "cli/stdin" => answer(instance, "get-stdin", |_, ()| {
            Ok((Resource::<InputStream>::new_own(ONLY_HANDLE),))
        }),
        "cli/stdout" => answer(instance, "get-stdout", |_, ()| {
            Ok((Resource::<OutputStream>::new_own(ONLY_HANDLE),))
        }),
        "cli/stderr" => answer(instance, "get-stderr", |_, ()| {
            Ok((Resource::<OutputStream>::new_own(ONLY_HANDLE),))
        }),
        "io/poll" => add_poll(instance),
        "io/streams" => {
            add_input(instance)?;
            add_output(instance)
        }
        // Interfaces that std does not ask for when it is only started: their functions trap.
        _ => Ok(()),
    }
}

fn add_poll(instance: &mut LinkerInstance<'_, HostState>) -> wasmtime::Result<()> {
    answer(
        instance,
        "[method]pollable.ready",
        |_, (_,): (Resource<Pollable>,)| Ok((true,)),
    )?;
    answer(
        instance,
        "[method]pollable.block",
        |_, (_,): (Resource<Pollable>,)| Ok(()),
    )?;
    answer(instance, "poll", |_, (all,): (Vec<Resource<Pollable>>,)| {
        Ok((all
            .iter()
            .zip(0u32..)
            .map(|(_, index)| index)
            .collect::<Vec<u32>>(),))
    })
}

fn add_input(instance: &mut LinkerInstance<'_, HostState>) -> wasmtime::Result<()> {
    for name in [
        "[method]input-stream.read",
        "[method]input-stream.blocking-read",
    ] {
        answer(
            instance,
            name,
            |_, (_, _): (Resource<InputStream>, u64)| -> Streamed<Vec<u8>> {
                Ok((Err(StreamError::Closed),))
            },
        )?;
    }
    answer(
        instance,
        "[method]input-stream.subscribe",
        |_, (_,): (Resource<InputStream>,)| ready(),
    )
}

fn add_output(instance: &mut LinkerInstance<'_, HostState>) -> wasmtime::Result<()> {
    answer(
        instance,
        "[method]output-stream.check-write",
        |_, (_,): (Resource<OutputStream>,)| -> Streamed<u64> { Ok((Ok(WRITE_PERMIT),)) },
    )?;
    for name in [
        "[method]output-stream.write",
        "[method]output-stream.blocking-write-and-flush",
    ] {
        answer(
            instance,
            name,
            |mut store, (_, bytes): (Resource<OutputStream>, Vec<u8>)| -> Streamed<()> {
                store.data_mut().output.write(&bytes);
                Ok((Ok(()),))
            },
        )?;
    }
    for name in [
        "[method]output-stream.flush",
        "[method]output-stream.blocking-flush",
    ] {
        answer(
            instance,
            name,
            |_, (_,): (Resource<OutputStream>,)| -> Streamed<()> { Ok((Ok(()),)) },
        )?;
    }
    answer(
        instance,
        "[method]output-stream.subscribe",
        |_, (_,): (Resource<OutputStream>,)| ready(),
    )
}

fn ready() -> wasmtime::Result<(Resource<Pollable>,)> {
    Ok((Resource::new_own(ONLY_HANDLE),))
}
