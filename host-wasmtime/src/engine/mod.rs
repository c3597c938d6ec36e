//! The loaded component: one per process, shared by all sessions.

mod code_cache;
mod deadlines;
mod limits;
mod private_folder;

use std::sync::Arc;

use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, Strategy};

pub use code_cache::{CodeCache, CodeSource};
pub use limits::{DEFAULT_BYTES_PER_CALL, DEFAULT_DEADLINE, DEFAULT_MEMORY_BYTES, Limits};

use code_cache::NamedComponent;
pub(crate) use deadlines::Deadlines;
pub(crate) use limits::MemoryLimiter;

use crate::bindings::{ContextEngine, ContextEnginePre};
use crate::session::HostState;
use crate::{HostError, wasi};

/// The component that this library was built with.
const EMBEDDED_COMPONENT: NamedComponent<'_> = NamedComponent {
    bytes: include_bytes!(env!("DS4_CONTEXT_COMPONENT_PATH")),
    sha256: env!("DS4_CONTEXT_COMPONENT_SHA256"),
};

/// Stack of the component in bytes; the documents it parses nest up to a fixed depth. It is taken from the calling
/// thread's stack, which has 2 MiB by default in Rust.
const MAX_WASM_STACK_BYTES: usize = 1024 * 1024;

/// Prefix of the interfaces that this library answers by [`crate::Ports`].
const CONTRACT_PREFIX: &str = "ds4:context/";
/// Prefix of the interfaces that are answered by an empty world.
const WASI_PREFIX: &str = "wasi:";

/// How an engine is loaded.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    /// Where compiled code is kept between runs.
    pub code_cache: CodeCache,
}

/// The loaded component. Cheap to clone; every session holds one.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    // Before `wasmtime`, so that the thread ends while the engine is still there.
    deadlines: Deadlines,
    wasmtime: wasmtime::Engine,
    component: Component,
    prepared: ContextEnginePre<HostState>,
    code_source: CodeSource,
}

impl Engine {
    /// Loads the embedded component: from the cache in milliseconds, by compiling it in seconds.
    ///
    /// # Errors
    /// [`HostError::Load`] where this machine cannot run it.
    pub fn new(options: &EngineOptions) -> Result<Self, HostError> {
        let wasmtime = wasmtime::Engine::new(&config()).map_err(load_error)?;
        let (component, code_source) =
            code_cache::load(&wasmtime, &EMBEDDED_COMPONENT, &options.code_cache)?;
        let prepared = link(&wasmtime, &component)?;
        let deadlines = Deadlines::start(wasmtime.weak())
            .map_err(|error| HostError::Load(format!("no thread: {error}")))?;
        Ok(Self {
            inner: Arc::new(Inner {
                deadlines,
                wasmtime,
                component,
                prepared,
                code_source,
            }),
        })
    }

    /// Whether the code came from the cache, and if not, why.
    #[must_use]
    pub fn code_source(&self) -> &CodeSource {
        &self.inner.code_source
    }

    /// The interfaces that the component imports, such as `ds4:context/storage@0.1.0`.
    #[must_use]
    pub fn component_imports(&self) -> Vec<String> {
        import_names(&self.inner.wasmtime, &self.inner.component)
    }

    pub(crate) fn wasmtime(&self) -> &wasmtime::Engine {
        &self.inner.wasmtime
    }

    pub(crate) fn prepared(&self) -> &ContextEnginePre<HostState> {
        &self.inner.prepared
    }

    pub(crate) fn deadlines(&self) -> &Deadlines {
        &self.inner.deadlines
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Engine")
            .field("code_source", &self.inner.code_source)
            .finish_non_exhaustive()
    }
}

/// What makes two machines give the same bytes, and what stops a call that runs too long. Threads are not compiled into
/// this build of wasmtime at all.
fn config() -> Config {
    let mut config = Config::new();
    config.wasm_component_model(true);
    config.strategy(Strategy::Cranelift);
    config.concurrency_support(false);
    config.epoch_interruption(true);
    config.wasm_relaxed_simd(false);
    config.cranelift_nan_canonicalization(true);
    config.max_wasm_stack(MAX_WASM_STACK_BYTES);
    config
}

fn link(
    engine: &wasmtime::Engine,
    component: &Component,
) -> Result<ContextEnginePre<HostState>, HostError> {
    let prepared = linker(engine, component)?
        .instantiate_pre(component)
        .map_err(load_error)?;
    ContextEnginePre::new(prepared).map_err(load_error)
}

/// All that the component may import, and nothing else.
fn linker(
    engine: &wasmtime::Engine,
    component: &Component,
) -> Result<Linker<HostState>, HostError> {
    let imports = import_names(engine, component);
    if let Some(foreign) = imports.iter().find(|name| !is_known(name)) {
        return Err(HostError::Load(format!(
            "it imports {foreign}, which no host of this contract has"
        )));
    }
    let mut linker: Linker<HostState> = Linker::new(engine);
    ContextEngine::add_to_linker::<_, HasSelf<HostState>>(&mut linker, |state| state)
        .map_err(load_error)?;
    wasi::add_to_linker(&mut linker, component).map_err(load_error)?;
    // The rest of WASI, such as reading from a file descriptor that nobody can have, stops the call that uses it.
    linker
        .define_unknown_imports_as_traps(component)
        .map_err(load_error)?;
    Ok(linker)
}

fn is_known(import: &str) -> bool {
    import.starts_with(CONTRACT_PREFIX) || import.starts_with(WASI_PREFIX)
}

fn import_names(engine: &wasmtime::Engine, component: &Component) -> Vec<String> {
    component
        .component_type()
        .imports(engine)
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn load_error(error: wasmtime::Error) -> HostError {
    HostError::Load(format!("{error:#}"))
}

#[cfg(test)]
mod vfs_suite_tests;
