//! The session log that the command line names.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ds4_context_core::session::{LogFormat as DetectedFormat, detect_format};
use ds4_context_host::{Clock, DEFAULT_MEMORY_BYTES, Limits, LogFormat, SessionOptions};

use super::arguments::{Format, LogArguments};
use super::failure::Failure;
use super::progress::Bar;
use super::runner::{Document, OpenedSession, Runner};

/// Bytes of a log's start that are looked at for its format.
const FORMAT_BYTES: u64 = 64 * 1024;
/// Longest time of one call. A person waits longer than an agent does.
const DEADLINE: std::time::Duration = std::time::Duration::from_secs(60);
/// Memory for each byte of a log that is larger than the default limit is made for.
const MEMORY_PER_LOG_BYTE: u64 = 8;
/// All that a 32-bit component can address.
const LARGEST_MEMORY: u64 = 4 * 1024 * 1024 * 1024;

/// A readable log.
pub(crate) struct SessionFile {
    /// As the person wrote it, for messages.
    named: PathBuf,
    folder: PathBuf,
    file_name: String,
    bytes: u64,
    /// None where the first line does not tell; it may be damaged.
    format: Option<LogFormat>,
}

impl SessionFile {
    /// Finds the log. A link is followed here, because the person named it; inside the granted folder none is.
    pub(crate) fn find(wanted: &LogArguments) -> Result<Self, Failure> {
        let named = &wanted.session;
        let path = named
            .canonicalize()
            .map_err(|error| bad_file(named, &error))?;
        let metadata = fs::metadata(&path).map_err(|error| bad_file(named, &error))?;
        if !metadata.is_file() {
            return Err(Failure::BadInput(format!(
                "{} is not a file",
                named.display()
            )));
        }
        let (Some(folder), Some(Some(file_name))) =
            (path.parent(), path.file_name().map(|name| name.to_str()))
        else {
            return Err(Failure::BadInput(format!(
                "{} has a name that is not UTF-8",
                named.display()
            )));
        };
        let format = match wanted.format {
            Some(Format::Pi) => Some(LogFormat::Pi),
            Some(Format::Runtime) => Some(LogFormat::Runtime),
            None => detected(&path).map_err(|error| bad_file(named, &error))?,
        };
        Ok(Self {
            named: named.clone(),
            folder: folder.to_owned(),
            file_name: file_name.to_owned(),
            bytes: metadata.len(),
            format,
        })
    }

    /// The folder to grant.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn unreadable(&self, error: &io::Error) -> Failure {
        bad_file(&self.named, error)
    }

    /// Opens the session and reads the whole log.
    pub(crate) fn open(
        &self,
        runner: &dyn Runner,
        config: String,
        clock: Clock,
    ) -> Result<Box<dyn OpenedSession>, Failure> {
        let mut session = runner.open(self, self.options(config, clock))?;
        let mut bar = Bar::of_reading();
        session.read_log(&mut |done| bar.show(done, self.bytes))?;
        drop(bar);
        if self.format.is_none() && is_without_entries(&mut *session)? {
            return Err(Failure::BadInput(format!(
                "{} is not a session log that this program knows",
                self.named.display()
            )));
        }
        Ok(session)
    }

    fn options(&self, config: String, clock: Clock) -> SessionOptions {
        let named = self
            .named
            .file_name()
            .map_or(self.file_name.clone(), |name| {
                name.to_string_lossy().into_owned()
            });
        let memory = (self.bytes.saturating_mul(MEMORY_PER_LOG_BYTE)).min(LARGEST_MEMORY);
        let memory_bytes =
            DEFAULT_MEMORY_BYTES.max(usize::try_from(memory).unwrap_or(DEFAULT_MEMORY_BYTES));
        SessionOptions {
            session_id: named.strip_suffix(".jsonl").unwrap_or(&named).to_owned(),
            format: self.format.unwrap_or(LogFormat::Pi),
            log: Some(self.file_name.clone()),
            log_folder: Some(self.folder.to_string_lossy().into_owned()),
            config,
            clock,
            limits: Limits {
                memory_bytes,
                deadline: DEADLINE,
                ..Limits::default()
            },
            ..SessionOptions::in_memory("")
        }
    }
}

fn detected(path: &Path) -> io::Result<Option<LogFormat>> {
    let mut start = Vec::new();
    File::open(path)?
        .take(FORMAT_BYTES)
        .read_to_end(&mut start)?;
    Ok(detect_format(&start).map(|format| match format {
        DetectedFormat::PiSessionV3 => LogFormat::Pi,
        DetectedFormat::RuntimeSessionV1 => LogFormat::Runtime,
    }))
}

fn is_without_entries(session: &mut dyn OpenedSession) -> Result<bool, Failure> {
    let inspected = super::documents::read::<super::documents::Inspection>(
        &session.document(Document::Inspect)?,
    )?;
    Ok(inspected.entries.total == 0)
}

/// A file that cannot be used, in one line.
pub(crate) fn bad_file(named: &Path, error: &io::Error) -> Failure {
    Failure::BadInput(match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file {}", named.display()),
        io::ErrorKind::PermissionDenied => format!("{} may not be read", named.display()),
        _ => format!("{} cannot be read: {error}", named.display()),
    })
}
