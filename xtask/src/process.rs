//! Running external commands: named in messages, without standard input, with the end of what they said on failure.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// How many lines of a failed quiet command are shown.
const SHOWN_ON_FAILURE: usize = 30;

/// How often a command with a time limit is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The exit status reported for a command that could not be started, was killed, or ran out of its time.
const STATUS_WITHOUT_EXIT: u8 = 1;

/// A command to run.
#[derive(Debug)]
pub struct External {
    label: String,
    command: Command,
    time_limit: Option<Duration>,
    /// Whether its standard error is ours.
    on_terminal: bool,
}

/// What a command left: whether it worked and what it said, standard output and error in the order of arrival.
#[derive(Debug)]
pub struct Finished {
    pub label: String,
    /// `None` for success, else the exit status.
    pub failed: Option<u8>,
    pub output: String,
}

/// Where a command's lines go while it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    Everything,
    Nothing,
}

impl External {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(&program);
        command.stdin(Stdio::null());
        Self {
            label: program.as_ref().to_string_lossy().into_owned(),
            command,
            time_limit: None,
            on_terminal: false,
        }
    }

    /// npm as the machine has it.
    pub fn npm() -> Self {
        Self::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
    }

    /// Sets the program's name in messages, where its path is too long to read. To be called before `words`.
    pub fn called(mut self, name: &str) -> Self {
        name.clone_into(&mut self.label);
        self
    }

    pub fn words<Word: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = Word>) -> Self {
        for word in words {
            self.label.push(' ');
            self.label.push_str(&word.as_ref().to_string_lossy());
            self.command.arg(word);
        }
        self
    }

    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn variable(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn variables(mut self, pairs: &[(String, OsString)]) -> Self {
        self.command.envs(pairs.iter().cloned());
        self
    }

    pub fn without_variable(mut self, name: impl AsRef<OsStr>) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The command is ended when it runs longer.
    pub fn at_most(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Leaves its standard error to the terminal, if we have one, so that it can say there how far it is: what it says there
    /// is not in [`Finished::output`].
    pub fn told_on_the_terminal(mut self) -> Self {
        self.on_terminal = true;
        self
    }

    /// Runs it with its output shown as it comes. An exit status other than 0 is not an error yet: see
    /// [`Finished::check`].
    pub fn show(self) -> Result<Finished, Failure> {
        println!("$ {}", self.label);
        self.run(Show::Everything)
    }

    /// Runs it and shows nothing, but for the last lines of its output when it fails.
    pub fn quietly(self) -> Result<Finished, Failure> {
        let finished = self.run(Show::Nothing)?;
        if finished.failed.is_some() {
            finished.show_end();
        }
        finished.check()
    }

    /// Runs it only to learn whether it works; it may fail or not exist.
    pub fn works(self) -> bool {
        self.run(Show::Nothing)
            .is_ok_and(|finished| finished.failed.is_none())
    }

    /// Runs it for what it writes to standard output, trimmed. Its standard error is shown when it fails.
    pub fn answer(mut self) -> Result<String, Failure> {
        let label = self.label;
        let output = self
            .command
            .output()
            .map_err(|error| cannot_start(&label, &error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        eprintln!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
        Err(Failure::Command {
            label,
            status: exit_status(output.status),
        })
    }

    /// Like [`External::answer`], for a program that may fail or not exist.
    pub fn answer_if_it_works(mut self) -> Option<String> {
        let output = self.command.output().ok()?;
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(said)
    }

    fn run(mut self, show: Show) -> Result<Finished, Failure> {
        let errors = if self.on_terminal {
            Stdio::inherit()
        } else {
            Stdio::piped()
        };
        self.command.stdout(Stdio::piped()).stderr(errors);
        let mut child = self
            .command
            .spawn()
            .map_err(|error| cannot_start(&self.label, &error))?;
        let heard = Arc::new(Mutex::new(String::new()));
        let mut readers = Vec::new();
        if let Some(pipe) = child.stdout.take() {
            readers.push(listen(pipe, Arc::clone(&heard), show, std::io::stdout));
        }
        if let Some(pipe) = child.stderr.take() {
            readers.push(listen(pipe, Arc::clone(&heard), show, std::io::stderr));
        }
        let failed = wait(&mut child, self.time_limit, &self.label)?;
        for reader in readers {
            // A reader only ends early when our own output is closed; then nobody reads what we say either.
            let _ = reader.join();
        }
        let output = heard.lock().map(|text| text.clone()).unwrap_or_default();
        Ok(Finished {
            label: self.label,
            failed,
            output,
        })
    }
}

impl Finished {
    /// Turns a failed command into the failure of ours.
    pub fn check(self) -> Result<Self, Failure> {
        match self.failed {
            None => Ok(self),
            Some(status) => Err(Failure::Command {
                label: self.label,
                status,
            }),
        }
    }

    fn show_end(&self) {
        let mut end = VecDeque::with_capacity(SHOWN_ON_FAILURE + 1);
        for line in self.output.lines() {
            end.push_back(line);
            if end.len() > SHOWN_ON_FAILURE {
                end.pop_front();
            }
        }
        eprintln!("the last lines of `{}`:", self.label);
        for line in end {
            eprintln!("  {line}");
        }
    }
}

/// Copies a pipe line by line to `heard` and, where wanted, to our own stream.
fn listen<Pipe, Stream>(
    pipe: Pipe,
    heard: Arc<Mutex<String>>,
    show: Show,
    stream: fn() -> Stream,
) -> thread::JoinHandle<()>
where
    Pipe: Read + Send + 'static,
    Stream: Write + 'static,
{
    thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while pipe
            .read_until(b'\n', &mut line)
            .is_ok_and(|count| count > 0)
        {
            if show == Show::Everything && stream().write_all(&line).is_err() {
                return;
            }
            if let Ok(mut text) = heard.lock() {
                text.push_str(&String::from_utf8_lossy(&line));
            }
            line.clear();
        }
    })
}

/// Waits for the end, at most as long as the limit says. `None` is success.
fn wait(child: &mut Child, limit: Option<Duration>, label: &str) -> Result<Option<u8>, Failure> {
    let lost = |error: std::io::Error| Failure::problem(format!("`{label}` was lost: {error}"));
    let status = match limit {
        None => child.wait().map_err(lost)?,
        Some(limit) => {
            let start = Instant::now();
            loop {
                if let Some(status) = child.try_wait().map_err(lost)? {
                    break status;
                }
                if start.elapsed() >= limit {
                    child.kill().map_err(lost)?;
                    child.wait().map_err(lost)?;
                    eprintln!("`{label}` was ended after {} s", limit.as_secs());
                    return Ok(Some(STATUS_WITHOUT_EXIT));
                }
                thread::sleep(LOOK_EVERY);
            }
        }
    };
    Ok((!status.success()).then(|| exit_status(status)))
}

fn exit_status(status: ExitStatus) -> u8 {
    status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .filter(|code| *code != 0)
        .unwrap_or(STATUS_WITHOUT_EXIT)
}

fn cannot_start(label: &str, error: &std::io::Error) -> Failure {
    Failure::problem(format!("cannot start `{label}`: {error}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> External {
        External::new("sh").words(["-c", script])
    }

    #[test]
    fn output_and_error_are_both_heard() {
        let finished = shell("echo one; echo two >&2").run(Show::Nothing).unwrap();
        assert!(finished.output.contains("one\n") && finished.output.contains("two\n"));
        assert_eq!(finished.failed, None);
    }

    #[test]
    fn the_exit_status_is_passed_on() {
        let failure = shell("exit 7").run(Show::Nothing).unwrap().check();
        assert!(matches!(failure, Err(Failure::Command { status: 7, .. })));
    }

    #[test]
    fn a_command_that_hangs_is_ended() {
        let start = Instant::now();
        let finished = External::new("sleep")
            .words(["30"])
            .at_most(Duration::from_millis(100))
            .run(Show::Nothing)
            .unwrap();
        assert_eq!(finished.failed, Some(STATUS_WITHOUT_EXIT));
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_missing_program_is_one_clear_line() {
        let failure = External::new("no-such-program-of-ds4")
            .quietly()
            .unwrap_err();
        assert!(failure.to_string().contains("no-such-program-of-ds4"));
    }

    #[test]
    fn an_answer_is_standard_output_alone() {
        assert_eq!(shell("echo ' yes '; echo no >&2").answer().unwrap(), "yes");
    }
}
