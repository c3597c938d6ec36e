//! The contract in `wit/` as Rust types, made by wasmtime's `bindgen!`.
//!
//! Nothing here is public: `session` and `ports` put plain Rust in front of it.

#![allow(missing_docs)]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "context-engine",
    imports: { default: trappable },
    with: {
        "ds4:context/storage.block-file": crate::ports::BlockFileHandle,
        "ds4:context/storage.object-writer": crate::ports::ObjectWriterHandle,
        "ds4:context/embedding.batch": crate::ports::BatchHandle,
        "ds4:context/completion.call": crate::ports::CallHandle,
        "ds4:context/local-kv.replay": crate::ports::ReplayHandle,
    },
});
