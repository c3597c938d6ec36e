//! What the command line says, checked. Every mistake is one line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::failure::Failure;

/// Decides what a coding agent's context window holds, before every request.
#[derive(Debug, Parser)]
#[command(name = "ds4-context", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

const EXIT_CODES: &str = "\
Examples:
  ds4-context plan --session session.jsonl
  ds4-context inspect --session session.jsonl
  ds4-context search --session session.jsonl \"why did we pin tokio?\"
  ds4-context config --config ds4-context.json

Exit code: 0 done, 1 no plan could be made, 2 bad input.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What the next request holds: what is in, what is out, and why.
    #[command(after_help = PLAN_EXAMPLES)]
    Plan(PlanArguments),
    /// The log's tree, branches, turns, tokens and the damage found in it.
    #[command(after_help = INSPECT_EXAMPLES)]
    Inspect(InspectArguments),
    /// Finds what was said, done and put out earlier in a session.
    #[command(after_help = SEARCH_EXAMPLES)]
    Search(SearchArguments),
    /// Brings a session's search index up to date and keeps it.
    #[command(after_help = INDEX_EXAMPLES)]
    Index(IndexArguments),
    /// Where the index lives, how large it is, and whether it is whole.
    #[command(after_help = HEALTH_EXAMPLES)]
    Health(HealthArguments),
    /// Texts without the keys, tokens and passwords in them.
    #[command(after_help = REDACT_EXAMPLES)]
    Redact(RedactArguments),
    /// The merged configuration and what is wrong with it.
    #[command(after_help = CONFIG_EXAMPLES)]
    Config(ConfigArguments),
}

const PLAN_EXAMPLES: &str = "\
Examples:
  ds4-context plan --session session.jsonl
  ds4-context plan --session session.jsonl --at 3f9c2b1a --window 200000
  ds4-context plan --session session.jsonl --model anthropic/claude-opus-4-5
  ds4-context plan --session session.jsonl --budget 25000 --json
  ds4-context plan --session session.jsonl --explain

Exit code: 0 planned, 1 no plan could be made, 2 bad input.";

const INSPECT_EXAMPLES: &str = "\
Examples:
  ds4-context inspect --session session.jsonl
  ds4-context inspect --session session.jsonl --json";

const SEARCH_EXAMPLES: &str = "\
Examples:
  ds4-context search --session session.jsonl \"retry budget of parseLine\"
  ds4-context search --session session.jsonl --limit 3 --json \"E0277\"
  ds4-context search --session session.jsonl --queries questions.jsonl
  echo '{\"id\":1,\"query\":\"tokio\"}' |
    ds4-context search --session session.jsonl --queries -

A file of questions has one {\"id\": …, \"query\": \"…\"} a line; each is answered
by one line {\"id\": …, \"hits\": [{\"entryId\": \"…\", \"score\": …}]}.";

const INDEX_EXAMPLES: &str = "\
Examples:
  ds4-context index --session session.jsonl
  ds4-context index --session session.jsonl --rebuild
  ds4-context index --session session.jsonl --data-dir /srv/ds4 --json";

const HEALTH_EXAMPLES: &str = "\
Examples:
  ds4-context health --session session.jsonl
  ds4-context health --session session.jsonl --json

Exit code: 0 whole, 1 damaged or not to be opened, 2 bad input.";

const REDACT_EXAMPLES: &str = "\
Examples:
  ds4-context redact texts.jsonl
  echo '{\"id\":1,\"text\":\"DB_PASSWORD=correct-Horse7battery\"}' |
    ds4-context redact

Each line {\"id\": …, \"text\": \"…\"} is answered by one line
{\"id\": …, \"text\": \"…\", \"redactions\": [{\"start\": …, \"end\": …, \"rule\": \"…\"}]}:
the text with a placeholder for each secret, and where in the given text they
were, in UTF-8 bytes.";

const CONFIG_EXAMPLES: &str = "\
Examples:
  ds4-context config
  ds4-context config --config ds4-context.json --config project.json

Exit code: 0 the configuration is valid, 2 something in it is not; what is
wrong stands on standard error, one line each.";

/// Flags of every command. No line of a help text is longer than what an 80-column terminal leaves beside the flags.
#[derive(Debug, Args)]
#[command(next_help_heading = "For every command")]
pub(crate) struct Common {
    /// Folder with `ds4-context.json`, and for what is
    /// derived; by default `DS4_CONTEXT_HOME`, else
    /// the platform's, where one-shot commands keep
    /// nothing
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "DS4_CONTEXT_HOME",
        hide_env = true,
        verbatim_doc_comment
    )]
    pub(crate) data_dir: Option<PathBuf>,
    /// Compile the engine anew and keep nothing of it;
    /// by default its code is kept in
    /// `DS4_CONTEXT_CACHE`, else the platform's cache
    #[arg(long, global = true, verbatim_doc_comment)]
    pub(crate) no_cache: bool,
    /// Run the same engine without WebAssembly; for
    /// comparison only
    #[arg(long, global = true, verbatim_doc_comment)]
    pub(crate) native: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    #[command(flatten)]
    pub(crate) log: LogArguments,
    /// Plan at this entry instead of the last
    #[arg(long, value_name = "ENTRY")]
    pub(crate) at: Option<String>,
    /// Tokens of the model's context window
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub(crate) window: Option<u32>,
    /// Tokens of input; replaces the target, never
    /// raises the hard limit
    #[arg(long, verbatim_doc_comment, value_name = "N", value_parser = tokens)]
    pub(crate) budget: Option<u32>,
    /// The model to plan for, not the log's own
    #[arg(long, value_name = "PROVIDER/ID", value_parser = model_name)]
    pub(crate) model: Option<ModelName>,
    /// A configuration file; the last one wins
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Print the planned messages, one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// For every exclusion the smallest change that
    /// would include it; with `--json` as a document
    #[arg(long, verbatim_doc_comment, conflicts_with = "manifest")]
    pub(crate) explain: bool,
    /// Print the plan's manifest, one line of JSON
    #[arg(long)]
    pub(crate) manifest: bool,
    /// Time in the manifest, in milliseconds since
    /// 1970, for output that is compared
    #[arg(long, verbatim_doc_comment, value_name = "MS")]
    pub(crate) now_ms: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    #[command(flatten)]
    pub(crate) log: LogArguments,
    /// Print the document, one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    #[command(flatten)]
    pub(crate) log: LogArguments,
    /// What to look for; any text
    #[arg(required_unless_present = "queries", conflicts_with = "queries")]
    pub(crate) query: Option<String>,
    /// A file of questions, or `-` for standard
    /// input; the answers are JSON lines
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub(crate) queries: Option<PathBuf>,
    /// Hits a question, 1 to 1000
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    /// `current-branch`, `current-session` with the
    /// other branches, `current-lineage` with the
    /// sessions it was forked from, or `project` with
    /// every session of the folder, for which
    /// historyTools.allowProjectScope has to be
    /// true
    #[arg(
        long,
        value_name = "SCOPE",
        default_value = "current-branch",
        hide_possible_values = true,
        verbatim_doc_comment
    )]
    pub(crate) scope: SearchScope,
    /// Search the branch of this entry, not the last
    #[arg(long, value_name = "ENTRY")]
    pub(crate) at: Option<String>,
    /// A configuration file; the last one wins
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Print the answer to the one question as a
    /// document, one line of JSON
    #[arg(long, verbatim_doc_comment, conflicts_with = "queries")]
    pub(crate) json: bool,
    /// With `--queries`: one more line at the end with
    /// the times of indexing and searching, in ms
    #[arg(long, verbatim_doc_comment, conflicts_with = "query")]
    pub(crate) stats: bool,
    /// Time of the search, in milliseconds since 1970,
    /// for output that is compared
    #[arg(long, verbatim_doc_comment, value_name = "MS")]
    pub(crate) now_ms: Option<u64>,
}

/// How far a search looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchScope {
    /// The active branch.
    CurrentBranch,
    /// Every branch.
    CurrentSession,
    /// The sessions that it was forked from as well.
    CurrentLineage,
    /// Every session of the project.
    Project,
}

impl SearchScope {
    /// Whether it has more than the session that is named.
    pub(crate) const fn covers_other_sessions(self) -> bool {
        matches!(self, Self::CurrentLineage | Self::Project)
    }
}

#[derive(Debug, Args)]
pub(crate) struct IndexArguments {
    #[command(flatten)]
    pub(crate) log: LogArguments,
    /// Make the session's index anew from its log
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// A configuration file; the last one wins
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Print the document, one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HealthArguments {
    #[command(flatten)]
    pub(crate) log: LogArguments,
    /// A configuration file; the last one wins
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Print the document, one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RedactArguments {
    /// A file of texts, one JSON line each, or `-` for
    /// standard input
    #[arg(value_name = "FILE", default_value = "-", verbatim_doc_comment)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// A configuration file; the last one wins
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// The session log
    #[arg(long, value_name = "FILE")]
    pub(crate) session: PathBuf,
    /// `pi` or `runtime`; by default the log's first
    /// line tells
    #[arg(
        long,
        value_name = "FORMAT",
        hide_possible_values = true,
        verbatim_doc_comment
    )]
    pub(crate) format: Option<Format>,
}

/// Formats of session logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The Pi coding agent's JSONL, versions 1 to 3.
    Pi,
    /// `ds4-runtime-session-v1`.
    Runtime,
}

/// `PROVIDER/ID`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelName {
    pub(crate) provider: String,
    pub(crate) id: String,
}

fn tokens(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(tokens) if tokens > 0 => Ok(tokens),
        _ => Err(format!("not a number of tokens from 1 to {}", u32::MAX)),
    }
}

fn model_name(text: &str) -> Result<ModelName, String> {
    match text.split_once('/') {
        Some((provider, id)) if !provider.is_empty() && !id.is_empty() => Ok(ModelName {
            provider: provider.to_owned(),
            id: id.to_owned(),
        }),
        _ => Err("not PROVIDER/ID".to_owned()),
    }
}

impl Arguments {
    /// The arguments, or the exit code of a request for help or of a mistake, which is answered already.
    pub(crate) fn from_command_line() -> Result<Self, ExitCode> {
        Self::try_parse().map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match error.print() {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => Failure::writing(&error).report(),
            },
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Failure::BadInput(
                "a command is missing: plan, inspect, search, index, health, redact or config; see --help"
                    .to_owned(),
            )
            .report(),
            _ => Failure::BadInput(one_line(&error.render().to_string())).report(),
        })
    }
}

/// clap's message without its usage: the first paragraph, and the tip where there is one.
fn one_line(message: &str) -> String {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = message.split("\n\n");
    let mistake = words(paragraphs.next().unwrap_or_default());
    let mistake = mistake
        .strip_prefix("error: ")
        .unwrap_or(&mistake)
        .to_owned();
    match paragraphs.next().map(words) {
        Some(tip) if tip.starts_with("tip: ") => format!("{mistake} ({tip})"),
        _ => format!("{mistake}; see --help"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_mistake_is_one_line() {
        for words in [
            vec!["ds4-context", "plan"],
            vec!["ds4-context", "plan", "--session", "x", "--window", "none"],
            vec!["ds4-context", "plan", "--sessions", "x"],
            vec!["ds4-context", "plam"],
            vec![
                "ds4-context",
                "plan",
                "--session",
                "x",
                "--model",
                "no-slash",
            ],
            vec![
                "ds4-context",
                "plan",
                "--session",
                "x",
                "--explain",
                "--manifest",
            ],
        ] {
            let error = Arguments::try_parse_from(&words).expect_err("a mistake");
            let line = one_line(&error.render().to_string());
            assert!(!line.contains('\n') && line.len() > 10, "{words:?}: {line}");
            assert!(!line.contains("Usage"), "{words:?}: {line}");
        }
    }

    #[test]
    fn models_are_split_at_the_first_slash() {
        let name = model_name("openrouter/meta/llama").expect("a model");
        assert_eq!(
            (name.provider.as_str(), name.id.as_str()),
            ("openrouter", "meta/llama")
        );
        assert!(model_name("/x").is_err() && model_name("x/").is_err());
    }

    #[test]
    fn tokens_are_positive() {
        assert_eq!(tokens("1"), Ok(1));
        assert!(tokens("0").is_err() && tokens("-1").is_err() && tokens("4294967296").is_err());
    }
}
