//! The local KV port: reuse of a local runtime's key-value cache. Only fingerprints cross, never native handles.

/// The runtime that offers its cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KvIdentity {
    /// Name of the runtime.
    pub runtime: String,
    /// Its build.
    pub revision: String,
    /// The version of the capability that it offers.
    pub capability_version: String,
}

/// SHA-256 values of what a cached prefix depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KvFingerprint {
    /// The prefix of the request.
    pub prefix: String,
    /// The model.
    pub model: String,
    /// The options of the request.
    pub options: String,
    /// The privacy policy in force.
    pub privacy_policy: String,
    /// The runtime.
    pub runtime: String,
}

/// Whether a cached prefix can be used again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KvReuse {
    /// So many tokens of prefill were saved.
    Hit(u32),
    /// Nothing is cached under the fingerprint.
    Miss,
    /// The runtime refused, with a line for people.
    Rejected(String),
    /// There is no runtime, or it does not answer.
    Unavailable(String),
}

/// One prefill under way. Dropping it cancels it.
pub trait KvReplay: Send {
    /// The outcome; `None` while it runs. Never blocks.
    fn poll(&mut self) -> Option<Result<(), String>>;
}

/// Reuse of a local runtime's key-value cache.
pub trait LocalKv: Send {
    /// The runtime, where there is one and it offers its cache.
    fn identity(&mut self) -> Option<KvIdentity>;
    /// Asks for a cached prefix.
    fn try_reuse(&mut self, fingerprint: &KvFingerprint, prefix_tokens: u32) -> KvReuse;
    /// Prefills the whole payload and remembers it under the fingerprint.
    fn start_replay(&mut self, fingerprint: KvFingerprint, payload: Vec<u8>) -> Box<dyn KvReplay>;
    /// Ends the use of the cache.
    fn shutdown(&mut self);
}

/// No local runtime: no identity, and every request is answered as unavailable.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLocalKv;

/// Why [`NoLocalKv`] refuses.
const NO_RUNTIME: &str = "this host has no local runtime with a key-value cache";

impl LocalKv for NoLocalKv {
    fn identity(&mut self) -> Option<KvIdentity> {
        None
    }

    fn try_reuse(&mut self, _: &KvFingerprint, _: u32) -> KvReuse {
        KvReuse::Unavailable(NO_RUNTIME.to_owned())
    }

    fn start_replay(&mut self, _: KvFingerprint, _: Vec<u8>) -> Box<dyn KvReplay> {
        Box::new(RefusedReplay)
    }

    fn shutdown(&mut self) {}
}

/// A replay that has already failed, because there is nothing to replay into.
struct RefusedReplay;

impl KvReplay for RefusedReplay {
    fn poll(&mut self) -> Option<Result<(), String>> {
        Some(Err(NO_RUNTIME.to_owned()))
    }
}
