//! What goes into a session and comes out of it, in the words of the contract.

use std::time::{SystemTime, UNIX_EPOCH};

/// The log's own format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// The Pi coding agent's JSONL, versions 1 to 3.
    Pi,
    /// `ds4-runtime-session-v1`: canonical messages of any agent.
    Runtime,
}

/// Where the time comes from that plans and manifests carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// Always this many milliseconds since 1970, so that a run can be repeated to the byte.
    Fixed(u64),
}

impl Clock {
    /// Milliseconds since 1970.
    #[must_use]
    pub fn now_ms(self) -> u64 {
        match self {
            Self::Fixed(now_ms) => now_ms,
            Self::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| {
                    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
                }),
        }
    }
}

/// How a session is opened.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Names the session in manifests and references.
    pub session_id: String,
    /// The log's format.
    pub format: LogFormat,
    /// The log's path in [`crate::Place::Sessions`]; `None` for a session in memory, fed by [`crate::Session::append`].
    pub log: Option<String>,
    /// The log's folder as an absolute path, where the ID is taken from the file's name and logs of other folders may have the
    /// same one: it keeps their rows in the index apart. Only its hash is kept. `None` where the ID tells sessions apart.
    pub log_folder: Option<String>,
    /// A JSON configuration: what [`crate::Engine::merge_config`] returned, or `{}` for the defaults.
    pub config: String,
    /// Whether the person trusts the project, so that its own configuration counts.
    pub project_trusted: bool,
    /// The root of the trusted project that the session is about, as an absolute path. It names the project's own database.
    /// `None` for a home folder, the root of a file system and a project that is not trusted.
    pub project_root: Option<String>,
    /// At least 32 unguessable bytes, from which references are derived. `None`: from the operating system.
    pub seed: Option<Vec<u8>>,
    /// Where the time comes from.
    pub clock: Clock,
    /// What the session may use.
    pub limits: crate::Limits,
}

impl SessionOptions {
    /// A session of the Pi coding agent, named after its log.
    #[must_use]
    pub fn of_log(path: impl Into<String>) -> Self {
        let path = path.into();
        let file = path.rsplit('/').next().unwrap_or(&path);
        let session_id = file.strip_suffix(".jsonl").unwrap_or(file).to_owned();
        Self {
            log: Some(path),
            ..Self::in_memory(session_id)
        }
    }

    /// A session without a log.
    #[must_use]
    pub fn in_memory(session_id: impl Into<String>) -> Self {
        Self {
            session_id: session_id.into(),
            format: LogFormat::Pi,
            log: None,
            log_folder: None,
            config: "{}".to_owned(),
            project_trusted: false,
            project_root: None,
            seed: None,
            clock: Clock::default(),
            limits: crate::Limits::default(),
        }
    }
}

/// A model as its provider names it, with the limits that budgets are derived from.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Who serves it.
    pub provider: String,
    /// Its name there.
    pub id: String,
    /// Tokens of input and output together.
    pub context_window: u32,
    /// Most tokens of output, where the provider states it.
    pub max_output: Option<u32>,
    /// Prices, where they are known.
    pub cost: Option<TokenCost>,
}

/// Prices per million tokens in any one currency; only their ratios are used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenCost {
    /// Input that is not cached.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Input read from the provider's cache.
    pub cache_read: f64,
    /// Input written to the provider's cache.
    pub cache_write: f64,
}

/// Tokens that a provider reported for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Input, without the cached tokens.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Written to the provider's cache.
    pub cache_write: u64,
}

/// How far [`crate::Session::sync`] has come, in bytes of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes taken in.
    pub done: u64,
    /// Bytes altogether, where the engine knows.
    pub total: Option<u64>,
    /// Whether nothing is left.
    pub finished: bool,
}

/// Consecutive messages of the host's current context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Position of the first one.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// A part of the host's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// Exactly the messages that the active branch projects to at these positions.
    Projected(Run),
    /// Messages that the log does not hold: positions in [`PlanRequest::inline`].
    Inline(Run),
}

/// What a plan is asked for. The default plans everything that the active branch projects to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanRequest {
    /// The host's context in order. Empty: everything that the active branch projects to.
    pub messages: Vec<Span>,
    /// A JSON array of native messages; `None` means `[]`.
    pub inline: Option<String>,
    /// `None`: what the log's own system messages say.
    pub system_prompt: Option<String>,
    /// A JSON array of `{name, description, parameters}`; `None`: what the log says.
    pub tools: Option<String>,
    /// Tokens of input. Replaces the target and the category ceilings; never raises the hard limit.
    pub budget: Option<u32>,
}

/// What to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// In order.
    pub items: Vec<PlanItem>,
    /// Names the plan in `render`, `manifest` and `explain`.
    pub manifest_id: String,
    /// SHA-256 over the planned request, equal on every host.
    pub prompt_hash: String,
    /// Tokens of the planned messages, the system prompt and the tools.
    pub estimated_tokens: u32,
    /// Who counted them.
    pub estimator: String,
    /// Why the plan is the host's own context and nothing else.
    pub fallback: Option<String>,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanItem {
    /// The host's messages at these positions of the request, untouched.
    Keep(Run),
    /// A host's message with other content.
    Replace(Replacement),
    /// A message of the planner's own.
    Insert(Supplement),
}

/// A host's message with other content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Its place in the request, counted in messages.
    pub position: u32,
    /// A JSON array of native content blocks.
    pub content: String,
}

/// A message of the planner's own, sent with the role `user`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplement {
    /// What it is.
    pub kind: SupplementKind,
    /// What the model reads.
    pub text: String,
    /// By the plan's estimator.
    pub tokens: u32,
    /// How far it may travel.
    pub classification: Classification,
    /// The entries it was made from.
    pub source_ids: Vec<String>,
}

/// Kinds of messages that the planner adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupplementKind {
    /// A pin.
    Pin,
    /// A remembered fact.
    Memory,
    /// Evidence from the history.
    History,
    /// Lines of the project.
    Project,
    /// A summary.
    Summary,
    /// A line that says what was left out.
    Notice,
}

/// How far a text may travel. The order is the rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Classification {
    /// Anywhere.
    Normal,
    /// To providers that the policy allows.
    Internal,
    /// To providers named for it.
    Sensitive,
    /// Not off this machine.
    LocalOnly,
}

/// One configuration file or set of flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigLayer {
    /// Its name in problems, such as a path.
    pub source: String,
    /// A JSON document.
    pub content: String,
}

/// Something wrong in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The layer's name.
    pub source: String,
    /// The layer was ignored as a whole; else only the key was.
    pub ignored_layer: bool,
    /// A stable code such as `unknown-key`.
    pub code: String,
    /// The key's path; empty where the document itself is at fault.
    pub path: String,
    /// One line for a person, with what is allowed.
    pub message: String,
}

/// All layers together with every default filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedConfig {
    /// A JSON document for [`SessionOptions::config`].
    pub config: String,
    /// What was ignored.
    pub problems: Vec<ConfigProblem>,
}
