//! What the tests of this crate share: folders, logs, and one loaded engine.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod program;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use ds4_context_host::{CodeCache, Engine, EngineOptions, GrantedFolders, Place, Ports};
use sha2::{Digest, Sha256};

/// A folder of one test; removed at its end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("test-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path.canonicalize().expect("the folder is there"))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, name: &str, content: &str) -> PathBuf {
        let file = self.0.join(name);
        fs::write(&file, content).expect("a file");
        file
    }

    pub fn ports(&self) -> Ports {
        Ports::with_storage(
            GrantedFolders::new()
                .grant(Place::Sessions, &self.0)
                .expect("granted"),
        )
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Compiled code of this very component that all tests share, so that it is compiled once.
pub fn code_cache() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let component = fs::read(env!("DS4_CONTEXT_COMPONENT_PATH")).expect("the component");
        let name: String = Sha256::digest(component)
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("code-{name}"))
    });
    folder.clone()
}

pub fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        Engine::new(&EngineOptions {
            code_cache: CodeCache::Folder(code_cache()),
        })
        .expect("the component loads")
    })
}

/// A Pi session, version 3: so many turns of a question, a tool call with its result, and an answer.
pub fn pi_log(turns: usize, result_characters: usize) -> String {
    let mut log = String::from(
        "{\"type\":\"session\",\"version\":3,\"id\":\"test\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/work\"}\n",
    );
    let mut parent = "null".to_owned();
    let mut entry = |log: &mut String, id: String, message: &str| {
        writeln!(
            log,
            "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"timestamp\":\"2026-01-01T00:00:01.000Z\",\"message\":{message}}}"
        )
        .expect("a line");
        parent = format!("\"{id}\"");
    };
    for turn in 0..turns {
        let ask = format!(
            "{{\"role\":\"user\",\"content\":\"Question {turn}\",\"timestamp\":1767225601000}}"
        );
        let call = format!(
            "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"toolCall\",\"id\":\"call-{turn}\",\"name\":\"read\",\"arguments\":{{\"path\":\"file-{turn}\"}}}}],\"provider\":\"p\",\"model\":\"m\",\"stopReason\":\"toolUse\",\"timestamp\":1767225602000}}"
        );
        let text = format!("line {turn} ").repeat(result_characters / 8 + 1);
        let result = format!(
            "{{\"role\":\"toolResult\",\"toolCallId\":\"call-{turn}\",\"toolName\":\"read\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"isError\":false,\"timestamp\":1767225603000}}"
        );
        let answer = format!(
            "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"Answer {turn}\"}}],\"provider\":\"p\",\"model\":\"m\",\"stopReason\":\"stop\",\"timestamp\":1767225604000}}"
        );
        for (part, message) in [("a", ask), ("b", call), ("c", result), ("d", answer)] {
            entry(&mut log, format!("{part}{turn:07x}"), &message);
        }
    }
    log
}
