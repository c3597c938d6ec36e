//! The session of the benchmarks: a Pi log that grows turn by turn, the same shape as the Node package's benchmark.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use ds4_context_tests::cases::LOG_NAME;
use ds4_context_tests::pi_log::{PiLog, assistant, filler};
use ds4_context_tests::temporary_folder::TemporaryFolder;
use serde_json::json;

/// Messages of the held session.
pub const MESSAGES: u64 = 2_000;
/// 4 characters a token: 2,000 messages of about 500 tokens are 1 M tokens.
const CHARACTERS_PER_MESSAGE: usize = 2_000;
const CALLS_PER_TURN: u64 = 2;

/// A log in a folder of its own.
pub struct GrowingLog {
    pub folder: TemporaryFolder,
    log: PiLog,
}

impl GrowingLog {
    /// A log of [`MESSAGES`] messages.
    pub fn new() -> io::Result<Self> {
        let folder = TemporaryFolder::new()?;
        let mut log = PiLog::new();
        while log.entries() < MESSAGES {
            turn(&mut log);
        }
        fs::write(folder.path().join(LOG_NAME), log.text())?;
        let log = PiLog::continued(log.leaf(), log.entries());
        Ok(Self { folder, log })
    }

    /// Adds a turn to the file.
    pub fn grow(&mut self) -> io::Result<()> {
        turn(&mut self.log);
        let mut file = OpenOptions::new().append(true).open(self.file())?;
        file.write_all(self.log.text().as_bytes())?;
        self.log = PiLog::continued(self.log.leaf(), self.log.entries());
        Ok(())
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> io::Result<u64> {
        fs::metadata(self.file()).map(|data| data.len())
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join(LOG_NAME)
    }
}

/// A question and two calls with their results.
fn turn(log: &mut PiLog) {
    let text = |log: &PiLog, kind: &str| {
        filler(&format!("{kind}{}", log.entries()), CHARACTERS_PER_MESSAGE)
    };
    log.user(&format!("e{}", log.entries()), &text(log, "question"));
    for _ in 0..CALLS_PER_TURN {
        let number = log.entries();
        let call = format!("call_{number}");
        let content = json!([
            {"type": "text", "text": text(log, "thought")},
            {"type": "toolCall", "id": call, "name": "read", "arguments": {"path": format!("src/file_{number}.ts")}},
        ]);
        log.message(&format!("e{number}"), &assistant(&content, "toolUse"));
        log.result(&format!("e{}", number + 1), &call, &text(log, "result"));
    }
}
