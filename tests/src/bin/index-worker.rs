//! A process that keeps a session indexed, for tests with several processes and with processes that are killed.
//!
//! ```text
//! index-worker rebuild ROOT SESSION LOG SLICE MS   makes the index anew again and again, in slices of SLICE bytes
//! index-worker follow  ROOT SESSION LOG SLICE MS   reads what the log gains and indexes it
//! index-worker once    ROOT SESSION LOG            indexes to the end, asks for the needle, says "found" or "lost" and how
//! index-worker seek    ROOT SESSION LOG WORDS MS   as `follow` with the configuration's own patience, and asks for WORDS instead
//! ```
//!
//! `ROOT` is a `World` (`ds4_context_tests::indexed_session`). `MS` 0 is without end. Every slice is a line "indexed DONE", every
//! round one "round". After each round the needle (or an entry that holds WORDS) must be found.
//!
//! Exit code 0: done. 2: not used as above. 3: the needle was not found. 4: a call failed; standard output says "refused" and
//! the line for a person.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ds4_context_host::{HealthDepth, HostError, Session};
use ds4_context_tests::indexed_session::{NEEDLE, World, ask, finds_the_needle};
use serde_json::json;

/// Milliseconds for which a busy database is asked again.
const PATIENCE_MS: u64 = 30_000;

/// Pause of a process that looks at a session again and again.
const SEEK_PAUSE: Duration = Duration::from_millis(20);

enum Failure {
    Usage,
    Lost(String),
    Refused(HostError),
    NobodyReads(io::Error),
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Self::Refused(error)
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage) => {
            eprintln!("usage: index-worker rebuild|follow|once|seek ROOT SESSION LOG …");
            ExitCode::from(2)
        }
        Err(Failure::Lost(how)) => {
            let _ = say(&format!("lost {how}"));
            ExitCode::from(3)
        }
        Err(Failure::Refused(error)) => {
            let _ = say(&format!("refused {error}"));
            ExitCode::from(4)
        }
        Err(Failure::NobodyReads(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A line, at once.
fn say(line: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")
        .and_then(|()| output.flush())
        .map_err(Failure::NobodyReads)
}

fn run(words: &[&str]) -> Result<(), Failure> {
    let [command, root, session_id, log, rest @ ..] = words else {
        return Err(Failure::Usage);
    };
    if let ("seek", [wanted, milliseconds]) = (*command, rest) {
        let time = milliseconds.parse().map_err(|_| Failure::Usage)?;
        let session = World::new(Path::new(root)).open(session_id, log)?;
        return seek(session, wanted, Duration::from_millis(time));
    }
    let numbers: Vec<u64> = rest
        .iter()
        .map(|word| word.parse().map_err(|_| Failure::Usage))
        .collect::<Result<_, _>>()?;
    let config = json!({"storage": {"busyTimeoutMs": PATIENCE_MS}});
    let mut session = World::new(Path::new(root)).open_with(session_id, log, config)?;
    match (*command, numbers.as_slice()) {
        ("once", []) => {
            index(&mut session, u32::MAX)?;
            must_find(&mut session)?;
            say("found")
        }
        ("rebuild" | "follow", [slice, milliseconds]) => {
            let slice = u32::try_from(*slice).map_err(|_| Failure::Usage)?;
            let end = Instant::now() + Duration::from_millis(*milliseconds);
            while *milliseconds == 0 || Instant::now() < end {
                if *command == "rebuild" {
                    session.rebuild_index()?;
                } else {
                    session.sync()?;
                }
                index(&mut session, slice)?;
                must_find(&mut session)?;
                say("round")?;
            }
            Ok(())
        }
        _ => Err(Failure::Usage),
    }
}

fn seek(mut session: Session, wanted: &str, time: Duration) -> Result<(), Failure> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        session.sync()?;
        session.index()?;
        let answer = ask(&mut session, wanted)?;
        if !answer.hits.iter().any(|hit| hit.excerpt.contains(wanted)) {
            return Err(Failure::Lost(format!("{answer:?}")));
        }
        say("round")?;
        std::thread::sleep(SEEK_PAUSE);
    }
    Ok(())
}

fn index(session: &mut Session, slice: u32) -> Result<(), Failure> {
    loop {
        let progress = session.index_slice(slice)?;
        say(&format!("indexed {}", progress.done))?;
        if progress.finished {
            return Ok(());
        }
    }
}

fn must_find(session: &mut Session) -> Result<(), Failure> {
    if finds_the_needle(session)? {
        Ok(())
    } else {
        let answer = ask(session, NEEDLE)?;
        Err(Failure::Lost(format!(
            "{answer:?}; then {}",
            session.health(HealthDepth::Deep)?
        )))
    }
}
