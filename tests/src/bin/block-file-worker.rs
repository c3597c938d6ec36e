//! A process that uses one block file, for tests with several processes, those of the Node host too.
//!
//! ```text
//! block-file-worker commit FOLDER NAME COUNT SEED     COUNT commits, 0 for no end; a line "committed GENERATION COUNTER" for each
//! block-file-worker read   FOLDER NAME COUNT          COUNT reads of the whole file; a line "read GENERATION COUNTER" for each
//! block-file-worker write  FOLDER NAME OFFSET LENGTH  one commit of LENGTH bytes at OFFSET, at the file's new end; "committed COUNTER"
//! block-file-worker size   FOLDER NAME                "size BYTES COUNTER"
//! block-file-worker hold   FOLDER NAME                takes the lock, says "held COUNTER", keeps it until standard input ends
//! ```
//!
//! `commit` and `read` check before anything else that the content is that of exactly one commit, see
//! `ds4_context_tests::block_file_content`. A busy file is asked again for up to [`PATIENCE`].
//!
//! Exit code 0: done. 2: not used as above. 3: a mixture of commits. 4: the port refused; standard output says "refused" and
//! which case.

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use ds4_context_host::{BlockFile, DataFolder, Extent, StorageError};
use ds4_context_tests::block_file_content::{Mixture, Random, commit_next, generation, read};

/// How long a busy file is asked again.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest pause between two tries, in milliseconds.
const LONGEST_PAUSE_MS: u64 = 20;

enum Failure {
    Usage,
    Mixture(Mixture),
    Refused(StorageError),
    NobodyReads(io::Error),
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        Self::Refused(error)
    }
}

impl From<Mixture> for Failure {
    fn from(mixture: Mixture) -> Self {
        Self::Mixture(mixture)
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage) => {
            eprintln!("usage: block-file-worker commit|read|write|size|hold FOLDER NAME …");
            ExitCode::from(2)
        }
        Err(Failure::Mixture(mixture)) => {
            eprintln!("a mixture of commits: {}", mixture.0);
            ExitCode::from(3)
        }
        Err(Failure::Refused(error)) => {
            let _ = say(&format!("refused {}", case(&error)));
            eprintln!("{error}");
            ExitCode::from(4)
        }
        Err(Failure::NobodyReads(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The error's name in the contract.
fn case(error: &StorageError) -> &'static str {
    match error {
        StorageError::NotFound => "not-found",
        StorageError::AccessDenied => "access-denied",
        StorageError::Busy => "busy",
        StorageError::Full => "full",
        StorageError::Corrupt(_) => "corrupt",
        StorageError::Other(_) => "other",
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
    let [command, folder, name, rest @ ..] = words else {
        return Err(Failure::Usage);
    };
    let data = DataFolder::new(folder).map_err(|_| Failure::Usage)?;
    let mut file = data.open_block_file(name)?;
    match (*command, numbers(rest)?.as_slice()) {
        ("commit", [count, seed]) => commit(&mut *file, *count, *seed),
        ("read", [count]) => read_often(&mut *file, *count),
        ("write", [offset, length]) => write(&mut *file, *offset, *length),
        ("size", []) => {
            let counter = lock(&mut *file, &mut Random::new(0))?;
            say(&format!("size {} {counter}", file.size()?))
        }
        ("hold", []) => {
            let counter = lock(&mut *file, &mut Random::new(0))?;
            say(&format!("held {counter}"))?;
            let _ = io::stdin().read_to_end(&mut Vec::new());
            Ok(())
        }
        _ => Err(Failure::Usage),
    }
}

fn numbers(words: &[&str]) -> Result<Vec<u64>, Failure> {
    let number = |word: &&str| word.parse().map_err(|_| Failure::Usage);
    words.iter().map(number).collect()
}

/// Takes the lock, with pauses that differ from process to process.
fn lock(file: &mut dyn BlockFile, random: &mut Random) -> Result<u64, Failure> {
    let start = Instant::now();
    loop {
        match file.lock() {
            Err(StorageError::Busy) if start.elapsed() < PATIENCE => {
                sleep(Duration::from_millis(1 + random.below(LONGEST_PAUSE_MS)));
            }
            other => return Ok(other?),
        }
    }
}

fn commit(file: &mut dyn BlockFile, count: u64, seed: u64) -> Result<(), Failure> {
    let mut random = Random::new(seed);
    let mut done = 0;
    while count == 0 || done < count {
        lock(file, &mut random)?;
        let content = read(file)?;
        let generation = generation(&content)?;
        let (next, counter) = commit_next(file, &content, generation, &mut random)?;
        // Before the lock is given back: lines of several processes are then in the order of their commits.
        say(&format!("committed {next} {counter}"))?;
        file.unlock();
        done += 1;
    }
    Ok(())
}

fn read_often(file: &mut dyn BlockFile, count: u64) -> Result<(), Failure> {
    let mut random = Random::new(u64::from(std::process::id()));
    for _ in 0..count {
        let counter = lock(file, &mut random)?;
        let content = read(file)?;
        file.unlock();
        say(&format!("read {} {counter}", generation(&content)?))?;
    }
    Ok(())
}

fn write(file: &mut dyn BlockFile, offset: u64, length: u64) -> Result<(), Failure> {
    let length = u32::try_from(length).map_err(|_| Failure::Usage)?;
    lock(file, &mut Random::new(0))?;
    let data = vec![b'x'; length as usize];
    let new_size = offset.saturating_add(u64::from(length));
    let counter = file.commit(&[Extent { offset, length }], &data, new_size, true)?;
    say(&format!("committed {counter}"))
}
