//! The closed world: every WASI interface that the component imports, answered by nothing at all.
//!
//! Rust's standard library links these interfaces whether they are used or not. The engine takes no file, variable,
//! argument, clock or random number from them, so the answers are empty and the same on every machine:
//!
//! - no environment, no arguments, no working folder, no pre-opened folders, no terminals;
//! - every clock stands at zero, and every random byte is zero (what std seeds its hash maps with);
//! - standard input is at its end; what is written to standard output and error (a panic's message) is kept in a
//!   bounded buffer for [`crate::HostError::Trapped`] and goes nowhere else;
//! - `exit` stops the call as a trap does.
//!
//! The interfaces are taken from the component's own import list, whatever patch release of WASI 0.2 they name. A
//! function that is not defined here traps when it is called.

mod output;
mod streams;

pub(crate) use output::CapturedOutput;
pub use output::MAX_CAPTURED_OUTPUT_BYTES;

use wasmtime::StoreContextMut;
use wasmtime::component::types::{ComponentInstance, ComponentItem};
use wasmtime::component::{
    Component, ComponentNamedList, Lift, Linker, LinkerInstance, Lower, Resource, ResourceType,
};

use crate::session::HostState;

/// A file or folder of WASI. There is none, so there is never a value.
struct Descriptor;
/// A terminal to read from. There is none.
struct TerminalInput;
/// A terminal to write to. There is none.
struct TerminalOutput;

/// Answers the WASI interfaces among the component's imports.
pub(crate) fn add_to_linker(
    linker: &mut Linker<HostState>,
    component: &Component,
) -> wasmtime::Result<()> {
    let engine = linker.engine().clone();
    for (name, import) in component.component_type().imports(&engine) {
        let (Some(interface), ComponentItem::ComponentInstance(contents)) =
            (name.strip_prefix("wasi:"), import.ty)
        else {
            continue;
        };
        let interface = interface
            .split_once('@')
            .map_or(interface, |(name, _)| name);
        let mut instance = linker.instance(name)?;
        add_resources(&mut instance, &contents, &engine)?;
        add_interface(&mut instance, interface)?;
    }
    Ok(())
}

/// Defines the resources of an interface. One that is defined in another interface and used here appears in both.
fn add_resources(
    instance: &mut LinkerInstance<'_, HostState>,
    contents: &ComponentInstance,
    engine: &wasmtime::Engine,
) -> wasmtime::Result<()> {
    for (name, item) in contents.exports(engine) {
        if !matches!(item.ty, ComponentItem::Resource(_)) {
            continue;
        }
        let resource = match name {
            "descriptor" => ResourceType::host::<Descriptor>(),
            "terminal-input" => ResourceType::host::<TerminalInput>(),
            "terminal-output" => ResourceType::host::<TerminalOutput>(),
            other => match streams::resource(other) {
                Some(resource) => resource,
                // Of an interface that std does not use: what gives it out traps.
                None => continue,
            },
        };
        // Handles are numbers without state behind them, so there is nothing to drop.
        instance.resource(name, resource, |_, _| Ok(()))?;
    }
    Ok(())
}

fn add_interface(
    instance: &mut LinkerInstance<'_, HostState>,
    interface: &str,
) -> wasmtime::Result<()> {
    match interface {
        "cli/environment" => {
            answer(instance, "get-environment", |_, ()| {
                Ok((Vec::<(String, String)>::new(),))
            })?;
            answer(instance, "get-arguments", |_, ()| {
                Ok((Vec::<String>::new(),))
            })?;
            answer(instance, "initial-cwd", |_, ()| Ok((None::<String>,)))
        }
        "cli/exit" => answer(
            instance,
            "exit",
            |_, (_,): (Result<(), ()>,)| -> wasmtime::Result<()> {
                wasmtime::bail!("the component asked to exit")
            },
        ),
        "cli/terminal-stdin" => answer(instance, "get-terminal-stdin", |_, ()| {
            Ok((None::<Resource<TerminalInput>>,))
        }),
        "cli/terminal-stdout" => answer(instance, "get-terminal-stdout", |_, ()| {
            Ok((None::<Resource<TerminalOutput>>,))
        }),
        "cli/terminal-stderr" => answer(instance, "get-terminal-stderr", |_, ()| {
            Ok((None::<Resource<TerminalOutput>>,))
        }),
        "clocks/monotonic-clock" => {
            answer(instance, "now", |_, ()| Ok((0u64,)))?;
            answer(instance, "resolution", |_, ()| Ok((1u64,)))
        }
        "clocks/wall-clock" => {
            answer(instance, "now", |_, ()| {
                Ok((Datetime {
                    seconds: 0,
                    nanoseconds: 0,
                },))
            })?;
            answer(instance, "resolution", |_, ()| {
                Ok((Datetime {
                    seconds: 0,
                    nanoseconds: 1,
                },))
            })
        }
        "random/random" => {
            answer(instance, "get-random-bytes", |_, (length,): (u64,)| {
                zeros(length)
            })?;
            answer(instance, "get-random-u64", |_, ()| Ok((0u64,)))
        }
        "random/insecure" => {
            answer(
                instance,
                "get-insecure-random-bytes",
                |_, (length,): (u64,)| zeros(length),
            )?;
            answer(instance, "get-insecure-random-u64", |_, ()| Ok((0u64,)))
        }
        "random/insecure-seed" => answer(instance, "insecure-seed", |_, ()| Ok(((0u64, 0u64),))),
        "filesystem/preopens" => answer(instance, "get-directories", |_, ()| {
            Ok((Vec::<(Resource<Descriptor>, String)>::new(),))
        }),
        other => streams::add_interface(instance, other),
    }
}

/// Defines one function.
fn answer<P, R>(
    instance: &mut LinkerInstance<'_, HostState>,
    name: &str,
    function: impl Fn(StoreContextMut<'_, HostState>, P) -> wasmtime::Result<R> + Send + Sync + 'static,
) -> wasmtime::Result<()>
where
    P: ComponentNamedList + Lift + 'static,
    R: ComponentNamedList + Lower + 'static,
{
    instance.func_wrap(name, function)
}

/// Most bytes of one answer with random bytes; std asks for 16.
const MAX_RANDOM_BYTES: u64 = 64 * 1024;

fn zeros(length: u64) -> wasmtime::Result<(Vec<u8>,)> {
    if length > MAX_RANDOM_BYTES {
        wasmtime::bail!("the component asked for {length} random bytes at once");
    }
    Ok((vec![0; usize::try_from(length)?],))
}

/// `datetime` of `wasi:clocks`.
#[derive(wasmtime::component::ComponentType, Lower)]
#[component(record)]
struct Datetime {
    seconds: u64,
    nanoseconds: u32,
}
