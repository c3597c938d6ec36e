//! What one session may use: memory, time per call and bytes per call.

use std::time::Duration;

use wasmtime::ResourceLimiter;

/// Most memory of one session's component, in bytes.
pub const DEFAULT_MEMORY_BYTES: usize = 1024 * 1024 * 1024;

/// Longest time of one call into the component. `Session::sync` makes one call for each slice of the log.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(10);

/// Most bytes that one call carries from the component to the host. The rendered plan of a window of four million
/// tokens fits.
pub const DEFAULT_BYTES_PER_CALL: usize = 64 * 1024 * 1024;

/// Most tables that a component may have; the engine's has a handful.
const MAX_TABLES: usize = 32;
/// Most core instances in one component: the engine and the adapters that the linker puts around it.
const MAX_INSTANCES: usize = 32;
/// Most elements of one table.
const MAX_TABLE_ELEMENTS: usize = 100_000;
/// Most linear memories: the engine has one.
const MAX_MEMORIES: usize = 2;

/// Limits of one session. Exceeding one ends the call with an error of its own; the next call opens the session again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of memory for the component. Rule of thumb: 48 MiB and four times the log.
    pub memory_bytes: usize,
    /// Longest time of one call.
    pub deadline: Duration,
    /// Most bytes that one call carries from the component to the host.
    pub bytes_per_call: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: DEFAULT_MEMORY_BYTES,
            deadline: DEFAULT_DEADLINE,
            bytes_per_call: DEFAULT_BYTES_PER_CALL,
        }
    }
}

/// Refuses growth over the limit by a trap, so that the guest's allocator never sees a failure to handle.
#[derive(Debug)]
pub(crate) struct MemoryLimiter {
    pub(crate) limit_bytes: usize,
    pub(crate) refused: bool,
}

impl ResourceLimiter for MemoryLimiter {
    fn memory_growing(
        &mut self,
        _: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > self.limit_bytes {
            self.refused = true;
            wasmtime::bail!("memory limit");
        }
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= MAX_TABLE_ELEMENTS)
    }

    fn instances(&self) -> usize {
        MAX_INSTANCES
    }

    fn tables(&self) -> usize {
        MAX_TABLES
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES
    }
}
