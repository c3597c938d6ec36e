//! The core as a WebAssembly component: generated bindings and conversions, nothing else.
//!
//! Invariant: no decision is made here. Whatever a host can observe comes from `ds4_context_core::engine`, so the native
//! tests and the component answer alike.

mod convert;
mod exports;
mod privacy;
mod storage;
mod unsupported;

#[allow(missing_docs, clippy::all, clippy::pedantic)]
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "context-engine", generate_all });
}

/// The component itself.
struct Component;

bindings::export!(Component with_types_in bindings);
